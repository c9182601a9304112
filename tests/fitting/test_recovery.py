"""Parameters of robots that MuJoCo simulated, from logs with and without noise."""

import functools

import numpy as np
import pytest

from robotid.fitting.linear import ols, wls
from robotid.fitting.sdp import consistent_fit

pytest.importorskip("mujoco")
from tests.fitting.recovery import (
    ARMS,
    as_filtered,
    as_simulated,
    inside,
    known,
    relative_errors,
    torque_error,
    torque_noise,
)


@functools.cache
def log_of(robot):
    return known(robot, duration_s=4.0)


@pytest.mark.parametrize("robot", ARMS)
def test_base_parameters_from_exact_accelerations(robot):
    """All of them: MuJoCo's dynamics are ours to many digits."""
    log = log_of(robot)
    found = ols(as_simulated(log), log.base)
    assert found.base.rank == log.base.rank
    assert relative_errors(log, found).max() < 1e-6


@pytest.mark.parametrize("robot", ["double_pendulum", "panda"])
def test_consistent_parameters_from_exact_accelerations(robot):
    """True links are consistent, so constraints do not keep a fit from them."""
    log = log_of(robot)
    found = wls(as_simulated(log), log.base)
    consistent = consistent_fit(found.system, log.layout)
    assert consistent.converged
    assert (consistent.eigenvalues > 0).all()
    torque = np.linalg.norm(found.system.z)
    assert np.sqrt(consistent.loss) < 1e-5 * torque


@pytest.mark.parametrize("robot", ["pendulum", "panda"])
def test_filtered_logs_predict_torque(robot):
    """The low-pass rounds off the corners of Coulomb friction, and little else."""
    log = log_of(robot)
    exact = as_simulated(log)
    assert torque_error(exact, ols(exact, log.base)) < 1e-9
    assert 1e-6 < torque_error(exact, ols(as_filtered(log), log.base)) < 0.03


def test_intervals_hold_the_truth():
    """Of 95 % intervals 95 % do, over parameters and seeds; more are in the benchmark."""
    held = []
    for robot, seeds in (("pendulum", 60), ("double_pendulum", 60), ("ur10", 30)):
        log = log_of(robot)
        for seed in range(seeds):
            found = wls(as_simulated(log, torque_noise(log, 0.05, seed)), log.base)
            held.append(inside(log, found))
    assert 0.93 < np.mean(np.concatenate(held)) < 0.97
