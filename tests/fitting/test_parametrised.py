"""Fits of parametrised links on factors: derivatives, optimality, consistency."""

import functools
from dataclasses import replace

import numpy as np
import pytest
import torch

from robotid.errors import UsageError
from robotid.fitting.entries import Entries
from robotid.fitting.parametrised import Limits, fit_parametrised
from robotid.fitting.pseudo_inertias import (
    metric,
    moved_inside,
    scaled_pseudo_inertias,
    steepest_consistent,
)
from robotid.fitting.rigid_body_loss import RigidBodyLoss
from robotid.fitting.sdp import consistent_fit
from robotid.fitting.starts import MARGIN, published_start, random_start, start_at
from robotid.fitting.trust_region import best_step, predicted_gain
from robotid.spatial.inertia import pseudo_inertia
from robotid.spatial.parametrisations.table import PARAMETRISATIONS
from tests.fitting.problems import least_loss, problem

CONSISTENT = [name for name, entry in PARAMETRISATIONS.items() if entry.guarantees.full]
SYMMETRIC = [name for name, entry in PARAMETRISATIONS.items() if entry.guarantees.symmetric]
# Few and noisy enough samples for constraints to be active; see `problems`.
SETTINGS = {
    "double_pendulum": {"samples": 60, "noise": 0.5, "speed": 0.2},
    "panda": {},
    "ur10": {"samples": 60, "noise": 0.5},
}


@functools.cache
def shipped(robot):
    return problem(robot, **SETTINGS[robot])


@functools.cache
def floor(robot):
    """Losses of least squares and of the SDP, and the parameters of the SDP."""
    given = shipped(robot)
    sdp, ols = consistent_fit(given.system, given.layout), least_loss(given.system)
    assert sdp.converged
    assert sdp.loss - ols > 1e-3 * ols, "constraints have to be active"
    return ols, sdp.loss, sdp.phi


def loss_of(robot, name):
    given = shipped(robot)
    return RigidBodyLoss(given.system, Entries.of(given.layout, PARAMETRISATIONS[name]))


def excess(robot, loss):
    ols, sdp, _ = floor(robot)
    return (loss - sdp) / (sdp - ols)


def assert_consistent(phi):
    assert np.linalg.eigvalsh(pseudo_inertia(torch.from_numpy(phi)).numpy()).min() > 0


@pytest.mark.parametrize("name", SYMMETRIC)
def test_derivatives(name):
    """Against central differences of value and gradient; their error is about 1e-6 in size."""
    loss = loss_of("double_pendulum", name)
    theta = random_start(loss.entries, 3)
    found = loss.derivatives(theta)
    assert found.loss == pytest.approx(loss.loss(theta), rel=1e-12)
    for i in range(loss.entries.size):
        little = np.zeros_like(theta)
        little[i] = 1e-6 * max(1e-2, abs(theta[i]))
        ahead, behind = (loss.derivatives(theta + sign * little) for sign in (1, -1))
        slope = (ahead.loss - behind.loss) / (2 * little[i])
        assert slope == pytest.approx(found.gradient[i], rel=1e-4, abs=1e-6 * found.loss)
        row = (ahead.gradient - behind.gradient) / (2 * little[i])
        np.testing.assert_allclose(
            found.hessian[i], row, rtol=1e-4, atol=1e-6 * abs(found.hessian).max()
        )


@pytest.mark.parametrize("name", CONSISTENT)
@pytest.mark.parametrize("robot", SETTINGS)
def test_random_starts_come_near_the_sdp(robot, name):
    """The limit is for ten seconds; this many iterations take less than two.

    20 to 90 are enough on one processor; the rounding of another leads along another path.
    """
    loss = loss_of(robot, name)
    found = fit_parametrised(loss, random_start(loss.entries, 0), Limits(iterations=200))
    assert excess(robot, found.loss) < 0.005
    assert found.loss == pytest.approx(loss.system.loss(loss.entries.phi(found.theta)), rel=1e-12)
    assert_consistent(found.phi)
    assert (found.joint_terms[loss.entries.positive] >= 0).all()


@pytest.mark.parametrize("name", CONSISTENT)
@pytest.mark.parametrize("robot", ["panda", "ur10"])
def test_sdp_start_stays_at_the_sdp(robot, name):
    loss = loss_of(robot, name)
    start = start_at(loss.entries, floor(robot)[2])
    found = fit_parametrised(loss, start, Limits(iterations=30))
    assert abs(excess(robot, found.loss)) < 1e-4  # below: by the margin of the SDP
    assert_consistent(found.phi)


@pytest.mark.parametrize("name", ["free", "symm", "spd"])
def test_less_constrained_ones_are_below_the_sdp(name):
    loss = loss_of("ur10", name)
    start = start_at(loss.entries, shipped("ur10").truth)
    found = fit_parametrised(loss, start, Limits(iterations=100))
    assert least_loss(loss.system) <= found.loss * (1 + 1e-9)
    assert excess("ur10", found.loss) < 1e-3


def test_free_links_without_joint_terms_are_least_squares():
    given = problem("ur10", terms=())
    loss = RigidBodyLoss(given.system, Entries.of(given.layout, PARAMETRISATIONS["free"]))
    found = fit_parametrised(loss, random_start(loss.entries, 0))
    assert found.converged
    assert found.loss == pytest.approx(least_loss(given.system), rel=1e-8)


def test_a_start_with_next_to_no_mass_is_left():
    """Entries of `cov` as published may begin with a mass of almost zero that carries inertia."""
    loss = loss_of("ur10", "cov")
    start = published_start(loss.entries, 3)
    links = loss.entries.links(start)
    links[1, 0] = 1e-3
    found = fit_parametrised(loss, start, Limits(iterations=400))
    assert excess("ur10", found.loss) < 0.005


def test_links_of_points_are_left():
    """With all principal moments zero, `moments` has no slope and no curvature to follow."""
    loss = loss_of("ur10", "moments")
    start = random_start(loss.entries, 0)
    loss.entries.links(start)[:, 7:] = 0.0
    found = fit_parametrised(loss, start, Limits(iterations=400))
    assert excess("ur10", found.loss) < 0.005


def test_the_same_start_gives_the_same_result():
    loss = loss_of("double_pendulum", "log")
    start, limits = random_start(loss.entries, 7), Limits(iterations=40)
    first, second = (fit_parametrised(loss, start, limits) for _ in range(2))
    assert np.array_equal(first.theta, second.theta)
    assert [m.loss for m in first.history] == [m.loss for m in second.history]
    losses = np.array([m.loss for m in first.history])
    assert (np.diff(losses) <= 0).all()


def test_too_few_iterations_are_told():
    loss = loss_of("panda", "tri")
    found = fit_parametrised(loss, random_start(loss.entries, 0), Limits(iterations=3))
    assert not found.converged
    assert "start from the SDP solution" in found.message
    assert found.iterations == 3
    assert len(found.history) == 4


def test_a_fall_that_data_cannot_tell_from_noise_is_none():
    """Steps go on for the last digits, but a fit that is at its best is not said to be short."""
    loss = loss_of("ur10", "diffbary")
    start = random_start(loss.entries, 0)
    limits = Limits(iterations=60, tolerance=0.0)
    short = fit_parametrised(loss, start, limits)
    assert not short.converged
    fell = short.history[30].loss - short.loss
    enough = fit_parametrised(loss, start, replace(limits, negligible=1.01 * fell))
    assert enough.converged
    assert enough.loss == short.loss
    assert "converged" in enough.message
    less = fit_parametrised(loss, start, replace(limits, negligible=0.9 * fell))
    assert not less.converged
    hardly = Limits(iterations=3, tolerance=0.0, negligible=np.inf)
    assert not fit_parametrised(loss, start, hardly).converged


def test_nine_entries_need_samples():
    with pytest.raises(UsageError, match="adam"):
        loss_of("panda", "nostr")


def test_wrong_number_of_parameters_is_refused():
    given = shipped("panda")
    other = Entries.of(shipped("ur10").layout, PARAMETRISATIONS["log"])
    with pytest.raises(UsageError, match="ten of each"):
        RigidBodyLoss(given.system, other)


@pytest.mark.parametrize("name", CONSISTENT)
def test_starts_give_what_they_are_given(name):
    given = shipped("panda")
    entries = Entries.of(given.layout, PARAMETRISATIONS[name])
    found = entries.phi(start_at(entries, given.truth))
    # b = r = 1e-8 of the maps, and the margin for joint terms, are what may change.
    np.testing.assert_allclose(found, given.truth, atol=2e-6)


def test_margin():
    point = np.zeros((1, 10))
    point[0, 0] = 2.0
    inside = scaled_pseudo_inertias(moved_inside(point, MARGIN))[0]
    np.testing.assert_allclose(np.diag(inside), [2 * MARGIN] * 3 + [2.0], rtol=1e-6)
    phi = shipped("panda").layout.robot.phi
    np.testing.assert_allclose(moved_inside(phi, MARGIN), phi, rtol=1e-12, atol=1e-15)
    beyond = phi.copy()
    beyond[:, 0] = -1e-9  # as a solver might leave it
    assert_consistent(moved_inside(beyond, MARGIN))


@pytest.mark.parametrize("name", CONSISTENT)
def test_links_without_mass_can_be_expressed(name):
    """A cart and its rotor slide as one, so the data may leave nothing to the cart."""
    nothing = torch.from_numpy(moved_inside(np.zeros((1, 10)), MARGIN))
    parametrisation = PARAMETRISATIONS[name]
    found = parametrisation.phi(parametrisation.theta(nothing))
    np.testing.assert_allclose(found.numpy(), nothing.numpy(), atol=2e-8)


def test_metric_counts_relative_changes_of_heavy_links():
    phi = shipped("panda").layout.robot.phi * 1e6
    form = metric(phi)
    lengths = np.einsum("li,lij,lj->l", phi, form, phi)
    np.testing.assert_allclose(lengths, 4.0, rtol=1e-2)  # tr(1) of a 4×4 matrix


def test_steepest_consistent_way_gains_what_it_says():
    given = shipped("panda")
    bodies, system = given.layout.robot.bodies, given.system
    phi = given.truth * 0.5
    slope = 2 * system.R.T @ (system.R @ phi - system.z)
    way = steepest_consistent(system.R, phi, slope, bodies)
    assert way.gain > 0
    assert system.loss(phi) - system.loss(way.phi) == pytest.approx(way.gain, rel=1e-6)
    assert_consistent(way.phi[: 10 * bodies].reshape(-1, 10))


@pytest.mark.parametrize("lowest", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("slope", [0.0, 1e-9, 1.0])
def test_best_step_is_the_best_on_the_ball(lowest, slope):
    curvatures = np.array([lowest, 2.0, 5.0])
    slopes = np.array([slope, 0.3, -2.0])
    step = best_step(curvatures, slopes, 0.4)
    assert np.linalg.norm(step) <= 0.4 * (1 + 1e-9)
    rng = np.random.default_rng(0)
    others = rng.normal(size=(20000, 3))
    others *= 0.38 * rng.random((20000, 1)) / np.linalg.norm(others, axis=1, keepdims=True)
    gains = [predicted_gain(curvatures, slopes, other) for other in others]
    assert predicted_gain(curvatures, slopes, step) >= max(gains) * (1 - 1e-9)
