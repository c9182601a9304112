"""The compiled regressor and its derivatives against torch, autograd and finite differences."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from robotid.dynamics.regressor import joint_torque_regressor
from robotid.dynamics.rnea import rnea
from robotid.errors import UsageError
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.information.lanes import LANES
from robotid.information.regressor import random_motion
from robotid.robot.catalog import ROBOTS as SHIPPED
from robotid.robot.load import load_robot
from tests.reference_models import random_tree

ROUNDING = 1e-12  # of some hundred operations, relative to the largest entry


def branching(seed):
    """Nine joints of all kinds on a trunk of two, with two bodies on the base."""
    robot = random_tree(seed, bodies=9, floating=False)
    return replace(robot, parents=(-1, 0, 1, 1, 3, -1, 5, 5, 1))


FIXED = {name: tree for name in SHIPPED if not (tree := load_robot(name).tree).floating}
TREES = {f"tree{seed}": random_tree(seed, floating=False) for seed in range(12)}
ROBOTS = FIXED | TREES | {f"branching{seed}": branching(seed) for seed in range(4)}
COUNTS = (1, 7, LANES - 1, LANES, LANES + 1, 2 * LANES + 33)


CASES = [
    pytest.param(robot, COUNTS[number % len(COUNTS)], id=name)
    for number, (name, robot) in enumerate(ROBOTS.items())
]


def assert_near(found, expected, bound=ROUNDING):
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= bound * max(1.0, np.abs(expected).max())


def tensors(motion):
    return [torch.tensor(x, requires_grad=True) for x in motion]


@pytest.mark.parametrize(("robot", "samples"), CASES)
def test_regressor_and_its_gradient(robot, samples):
    motion = random_motion(robot, samples, seed=samples)
    given = tensors(motion)
    expected = joint_torque_regressor(robot, *given)
    G = np.random.default_rng(samples).normal(size=expected.shape)
    slopes = torch.autograd.grad((expected * torch.tensor(G)).sum(), given)
    adjoint = RegressorAdjoint(robot, samples)
    assert_near(adjoint.regressor(*motion), expected.detach())
    for found, slope in zip(adjoint.gradient(G), slopes, strict=True):
        assert_near(found, slope)


@pytest.mark.parametrize(("robot", "samples"), CASES)
def test_torques_and_their_gradients(robot, samples):
    motion = random_motion(robot, samples, seed=samples)
    rotors = np.random.default_rng(1).uniform(0.1, 2.0, robot.n)
    given = tensors(motion)
    expected = rnea(robot, *given, rotor_inertia=torch.tensor(rotors))
    adjoint = RegressorAdjoint(robot, samples)
    adjoint.regressor(*motion)
    assert_near(adjoint.torques(robot.phi, rotors), expected.detach())
    found = adjoint.torque_gradients(robot.phi, rotors)
    assert found.shape == (samples, robot.n, 3, robot.n)
    for row in range(robot.n):
        slopes = torch.autograd.grad(expected[:, row].sum(), given, retain_graph=True)
        for kind, slope in enumerate(slopes):
            assert_near(found[:, row, kind], slope)


@pytest.mark.parametrize("robot", [FIXED["panda"], branching(7)], ids=["panda", "branching"])
def test_central_differences(robot):
    """1e-7: the step of 1e-5 leaves 1e-10 of the third derivative and 1e-11 of rounding."""
    samples, step = 5, 1e-5
    motion, rng = random_motion(robot, samples, seed=3), np.random.default_rng(3)
    adjoint, other = RegressorAdjoint(robot, samples), RegressorAdjoint(robot, samples)
    G = rng.normal(size=adjoint.regressor(*motion).shape)
    rotors = rng.uniform(size=robot.n)
    gradient, torques = adjoint.gradient(G), adjoint.torque_gradients(robot.phi, rotors)
    for kind in range(3):
        for joint in range(robot.n):
            sums, taus = [], []
            for sign in (1.0, -1.0):
                moved = [x.copy() for x in motion]
                moved[kind][:, joint] += sign * step
                sums.append((other.regressor(*moved) * G).sum(axis=(1, 2)))
                taus.append(other.torques(robot.phi, rotors))
            slope, slopes = (np.subtract(*pair) / (2 * step) for pair in (sums, taus))
            assert_near(gradient[kind][:, joint], slope, 1e-7)
            assert_near(torques[:, :, kind, joint], slopes, 1e-7)


def test_gradient_is_linear_in_weights():
    """Rows by themselves add up to the gradient of all, and columns without weight do nothing."""
    robot, samples = branching(1), 30
    motion, rng = random_motion(robot, samples, seed=0), np.random.default_rng(0)
    adjoint = RegressorAdjoint(robot, samples)
    G = rng.normal(size=adjoint.regressor(*motion).shape) * (rng.random(10 * robot.bodies) < 0.5)
    total = np.sum(
        [adjoint.gradient(G * (np.arange(robot.n) == row)[:, None]) for row in range(robot.n)], 0
    )
    for found, part in zip(adjoint.gradient(G), total, strict=True):
        assert_near(found, part)


def test_torque_gradients_are_gradients_of_weighted_rows():
    robot, samples = FIXED["panda"], 40
    motion = random_motion(robot, samples, seed=5)
    adjoint = RegressorAdjoint(robot, samples)
    shape = adjoint.regressor(*motion).shape
    slopes = adjoint.torque_gradients(robot.phi, np.zeros(robot.n))
    for row in range(robot.n):
        G = np.zeros(shape)
        G[:, row] = robot.phi.ravel()
        for kind, slope in enumerate(adjoint.gradient(G)):
            assert_near(slopes[:, row, kind], slope)


def test_same_bits_whatever_came_before():
    robot, samples = FIXED["panda"], LANES + 5
    first, second = (random_motion(robot, samples, seed=seed) for seed in (0, 1))
    G = np.random.default_rng(2).normal(size=(samples, robot.n, 10 * robot.bodies))
    rotors = np.full(robot.n, 0.3)

    def everything(adjoint):
        Y = adjoint.regressor(*first).copy()
        torques = adjoint.torques(robot.phi, rotors)
        slopes = adjoint.torque_gradients(robot.phi, rotors)
        return Y, torques, slopes, *adjoint.gradient(G)

    used = RegressorAdjoint(robot, samples)
    expected = everything(used)
    used.regressor(*second)
    used.gradient(1e6 * G)
    used.torque_gradients(-robot.phi, rotors)
    for adjoint in (used, RegressorAdjoint(robot, samples)):
        for found, before in zip(everything(adjoint), expected, strict=True):
            assert np.array_equal(found, before)


def test_one_bad_sample_stays_alone():
    """NaN reaches the results of its sample and no other."""
    robot, samples = FIXED["panda"], 20
    motion = random_motion(robot, samples, seed=0)
    adjoint = RegressorAdjoint(robot, samples)
    G = np.ones(adjoint.regressor(*motion).shape)
    motion.q[4, 3] = np.nan
    others = np.arange(samples) != 4
    results = [adjoint.regressor(*motion), *adjoint.gradient(G)]
    results.append(adjoint.torque_gradients(robot.phi, np.zeros(robot.n)))
    for result in results:
        assert np.isnan(result[4]).any()
        assert np.isfinite(result[others]).all()


def test_any_layout_of_arrays_is_taken():
    """Fortran order, single precision, lists and arrays that must not be written to."""
    robot, samples = FIXED["ur10"], 9
    motion = [x.astype(np.float32) for x in random_motion(robot, samples, seed=0)]
    exact = [x.astype(np.float64) for x in motion]
    adjoint = RegressorAdjoint(robot, samples)
    expected = adjoint.regressor(*exact).copy()
    G = np.asfortranarray(np.random.default_rng(0).normal(size=expected.shape))
    slopes = adjoint.gradient(np.ascontiguousarray(G))
    for array in (exact[0], G):
        array.flags.writeable = False
    assert np.array_equal(
        adjoint.regressor(exact[0], np.asfortranarray(motion[1]), motion[2].tolist()), expected
    )
    for found, slope in zip(adjoint.gradient(G), slopes, strict=True):
        assert np.array_equal(found, slope)


def test_wrong_use_is_refused():
    robot = FIXED["panda"]
    with pytest.raises(UsageError, match="floats"):
        RegressorAdjoint(load_robot("quadruped").tree, 10)
    with pytest.raises(UsageError, match="0 samples"):
        RegressorAdjoint(robot, 0)
    adjoint = RegressorAdjoint(robot, 10)
    motion = random_motion(robot, 10, seed=0)
    G, rotors = np.zeros((10, 7, 70)), np.zeros(7)
    for call in (
        lambda: adjoint.gradient(G),
        lambda: adjoint.torques(robot.phi, rotors),
        lambda: adjoint.torque_gradients(robot.phi, rotors),
    ):
        with pytest.raises(UsageError, match="no motion"):
            call()
    for wrong, says in (
        (lambda: adjoint.regressor(*random_motion(robot, 11, seed=0)), "q has shape"),
        (lambda: adjoint.regressor(motion.q, motion.qd[:9], motion.qdd), "qd has shape"),
    ):
        with pytest.raises(UsageError, match=says):
            wrong()
    Y = adjoint.regressor(*motion)
    with pytest.raises(ValueError, match="read-only"):
        Y[0] = 0.0
    for wrong, says in (
        (lambda: adjoint.gradient(G[:, :6]), "G has shape"),
        (lambda: adjoint.torques(robot.phi[:6], rotors), "phi has shape"),
        (lambda: adjoint.torque_gradients(robot.phi, rotors[:6]), "rotor_inertia has shape"),
    ):
        with pytest.raises(UsageError, match=says):
            wrong()
