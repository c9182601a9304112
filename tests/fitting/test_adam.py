"""Training on samples."""

import numpy as np
import pytest

from robotid.fitting.adam import Samples, Training, fit_adam
from robotid.fitting.entries import Entries
from robotid.fitting.sdp import consistent_fit
from robotid.fitting.starts import random_start, start_at
from robotid.spatial.parametrisations.table import PARAMETRISATIONS
from tests.fitting.problems import least_loss, problem

TERMS = ("viscous", "offset")


@pytest.fixture(scope="module")
def pendulum():
    return problem("double_pendulum", samples=600, noise=0.1, terms=TERMS)


def split(samples):
    order = np.arange(len(samples.q)) % 6 == 0
    return Samples(*(x[~order] for x in samples)), Samples(*(x[order] for x in samples))


def trained(given, name, training, seed=0):
    entries = Entries.of(given.layout, PARAMETRISATIONS[name])
    start = random_start(entries, seed)
    train, validation = split(given.samples)
    weights = 1 / given.samples.tau.std(axis=0)
    return fit_adam(
        given.layout, entries, start, train, validation, weights=weights, training=training
    )


@pytest.mark.parametrize("name", ["cov", "nostr"])
def test_adam_comes_near_least_squares(pendulum, name):
    """Least squares leaves a relative error of about 0.01; on held-out samples a little more."""
    found = trained(pendulum, name, Training(batch=50, learning_rate=0.02, epochs=60))
    floor = least_loss(pendulum.system) / pendulum.system.count
    assert found.loss < 1.3 * floor
    assert found.history[0].validation > 10 * floor
    assert found.phi.shape == (2, 10 if name == "cov" else 13)


def test_r28_n37_seed_decides(pendulum):
    short = Training(batch=100, epochs=2)
    first, second = trained(pendulum, "log", short), trained(pendulum, "log", short)
    other = trained(pendulum, "log", Training(batch=100, epochs=2, seed=1))
    assert np.array_equal(first.theta, second.theta)
    assert not np.array_equal(first.theta, other.theta)
    assert not first.converged
    assert "more epochs" in first.message


def test_factor_and_samples_agree(pendulum):
    """The error before training is the loss of the factor, per sample and row."""
    entries = Entries.of(pendulum.layout, PARAMETRISATIONS["tri"])
    start = start_at(entries, pendulum.truth)
    all_samples = pendulum.samples
    weights = 1 / all_samples.tau.std(axis=0)
    found = fit_adam(
        pendulum.layout, entries, start, all_samples, all_samples, weights=weights,
        training=Training(epochs=1, learning_rate=1e-9),
    )  # fmt: skip
    expected = pendulum.system.loss(entries.phi(start)) / pendulum.system.count
    assert found.history[0].train == pytest.approx(expected, rel=1e-9)


def test_early_stop_keeps_the_best(pendulum):
    found = trained(pendulum, "cov", Training(batch=20, learning_rate=0.3, epochs=60, patience=3))
    assert found.converged
    assert found.loss == min(epoch.validation for epoch in found.history)
    assert found.iterations < 60


def test_training_that_never_got_better_has_not_converged(pendulum):
    """Steps far too large: what is kept is the start, which fits badly."""
    found = trained(pendulum, "nostr", Training(learning_rate=100.0, epochs=20, patience=5))
    assert found.loss == found.history[0].validation
    assert not found.converged
    assert "no epoch of 5 was better than the start" in found.message
    assert "lower learning rate" in found.message


def near_the_best(given, factor=1.0):
    """Entries of the SDP solution, times a factor."""
    entries = Entries.of(given.layout, PARAMETRISATIONS["cov"])
    return entries, factor * start_at(entries, consistent_fit(given.system, given.layout).phi)


def test_training_that_leaves_a_lucky_epoch_has_not_converged(pendulum):
    """Steps of the size of what is left to gain: one epoch happens to be better than the start."""
    entries, start = near_the_best(pendulum, 1.01)
    training = Training(batch=20, learning_rate=0.01, epochs=20, patience=5)
    found = fit_adam(pendulum.layout, entries, start, *split(pendulum.samples), training=training)
    history = [epoch.validation for epoch in found.history]
    assert 0 < np.argmin(history) < len(history) - 5
    assert history[-1] > history[0]
    assert not found.converged
    assert "rose above that of the start" in found.message


def test_an_optimal_start_need_not_get_better(pendulum):
    entries, start = near_the_best(pendulum)
    training = Training(learning_rate=100.0, epochs=20, patience=5)
    given = (pendulum.layout, entries, start, *split(pendulum.samples))
    for optimal in (True, False):
        found = fit_adam(*given, training=training, optimal=optimal)
        assert found.converged is optimal
        assert np.array_equal(found.theta, start)
    assert "lower learning rate" in found.message


def test_divergence_is_told(pendulum):
    found = trained(pendulum, "log", Training(learning_rate=1e3, epochs=20))
    assert not found.converged
    assert "lower learning rate" in found.message
    assert np.isfinite(found.theta).all()
