"""Training on samples."""

import numpy as np
import pytest

from robotid.fitting.adam import Training, fit_adam
from robotid.fitting.entries import Entries
from robotid.fitting.online import fit_online
from robotid.fitting.sample_loss import Samples
from robotid.fitting.sdp import consistent_fit
from robotid.fitting.starts import random_start, start_at
from robotid.models.learning import normalised_error
from robotid.models.rigid_body import RigidBodyModel
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


def errors_of(given, found, samples):
    """nmse_var by joint, by another way."""
    model = RigidBodyModel(given.layout, np.concatenate([found.phi.ravel(), found.joint_terms]))
    return normalised_error(samples.tau, model.torque(samples.q, samples.qd, samples.qdd))


@pytest.mark.parametrize("by_training", [True, False])
def test_a_target_ends_training_with_what_reached_it(pendulum, by_training):
    entries = Entries.of(pendulum.layout, PARAMETRISATIONS["cov"])
    train, validation = split(pendulum.samples)
    given = (pendulum.layout, entries, random_start(entries, 0), train, validation)
    judged = train if by_training else validation
    found = {}
    for epochs in (60, 3):
        how = Training(batch=50, learning_rate=0.02, epochs=epochs, target=0.1)
        weights = 1 / pendulum.samples.tau.std(axis=0)
        found[epochs] = fit_adam(*given, weights=weights, training=how, by_training=by_training)
    reached, short = found[60], found[3]
    assert reached.reached
    assert reached.converged
    assert 3 < reached.iterations < 60
    assert reached.message == f"reached nmse_var 0.1 on every joint in epoch {reached.iterations}"
    assert errors_of(pendulum, reached, judged).max() <= 0.1
    assert short.reached is False
    assert errors_of(pendulum, short, judged).max() > 0.1


def test_a_start_that_is_good_enough_is_not_trained(pendulum):
    entries, start = near_the_best(pendulum)
    how = Training(epochs=5, target=0.5)
    found = fit_adam(pendulum.layout, entries, start, *split(pendulum.samples), training=how)
    assert found.iterations == 0
    assert np.array_equal(found.theta, start)


def test_order_of_time_draws_nothing(pendulum):
    found = [
        trained(pendulum, "cov", Training(batch=50, epochs=2, order="time", seed=seed)).theta
        for seed in (0, 1)
    ]
    assert np.array_equal(*found)
    shuffled = trained(pendulum, "cov", Training(batch=50, epochs=2)).theta
    assert not np.array_equal(found[0], shuffled)


def test_online_is_an_epoch_in_the_order_of_time(pendulum):
    entries = Entries.of(pendulum.layout, PARAMETRISATIONS["nostr"])
    train, validation = split(pendulum.samples)
    start = random_start(entries, 0)
    how = Training(batch=50, epochs=1, order="time", patience=2)
    given = (pendulum.layout, entries, start, train)
    found = fit_online(*given, pendulum.samples, training=how)
    epoch = fit_adam(*given, validation, training=how)
    assert np.array_equal(found.theta, epoch.theta)
    assert [point.samples for point in found.online] == list(range(0, 501, 50))
    means = [point.errors.mean() for point in found.online]
    assert means[-1] < 0.5 * means[0]


def test_online_that_diverges_keeps_what_it_had(pendulum):
    entries = Entries.of(pendulum.layout, PARAMETRISATIONS["log"])
    train, _ = split(pendulum.samples)
    start = random_start(entries, 0)
    how = Training(batch=50, learning_rate=1e4)
    found = fit_online(pendulum.layout, entries, start, train, train, training=how)
    assert not found.converged
    assert "diverged in step" in found.message
    assert np.isfinite(found.theta).all()
