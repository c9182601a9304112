"""Sensors are as bad as asked for, and no worse."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from tests.simulation.conftest import slider

LONG = {"recordings": 1, "duration_s": 20.0, "rate_hz": 500.0, "trajectory": "sines"}


def errors(done):
    """What the log says minus what was, of q, qd and tau, each of shape (samples,)."""
    log, motion, every = done.logs["run1"], done.motion, done.clock.every
    return (
        (log.q - motion.q[:, 0])[:, 0],
        (log.qd - motion.qd[:, 0])[:, 0],
        (log.tau - motion.tau[::every, 0])[:, 0],
    )


def test_perfect_sensors_say_what_is(run):
    assert not any(error.any() for error in errors(run(slider(), **LONG)))


def test_noise_has_the_levels_asked_for(run):
    """The standard deviation of 10,000 samples is known to 0.7 %; four times that is allowed."""
    done = run(slider(effort=50.0), noise_q=1e-4, noise_qd=3e-3, noise_tau=0.01, **LONG)
    for error, level in zip(errors(done), (1e-4, 3e-3, 0.5), strict=True):
        assert error.std() == pytest.approx(level, rel=0.03)
        assert abs(error.mean()) < 0.05 * level
        assert abs(np.corrcoef(error[:-1], error[1:])[0, 1]) < 0.05  # white
    assert done.truth.joints[0].noise_tau == 0.5


def test_encoder_has_steps(run, panda):
    done = run(slider(), encoder_counts=5000, velocity="difference", **LONG)
    log = done.logs["run1"]
    counts = log.q * 5000
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-6)
    assert np.abs(errors(done)[0]).max() <= 0.5 / 5000 + 1e-12
    rates = np.unique(np.round(np.diff(log.q[:, 0]) * 5000))
    np.testing.assert_allclose(log.qd[1:, 0], np.diff(log.q[:, 0]) * 500.0, atol=1e-9)
    assert len(rates) > 3
    turning = run(panda, encoder_counts=4096, recordings=1, duration_s=0.5)
    counts = turning.logs["run1"].q * 4096 / (2 * np.pi)
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-6)


def test_velocity_may_be_missing(run):
    assert run(slider(), velocity="none", **LONG).logs["run1"].qd is None


@pytest.mark.parametrize("delay_s", [0.004, 0.0125, 0.1])
def test_delay_shifts_the_torque(run, delay_s):
    """Linear between control steps of 1 ms, at which the torque is known exactly."""
    late = run(slider(), delay_s=delay_s, **LONG)
    t = np.arange(late.clock.samples) / 500.0
    steps = np.arange(late.clock.steps) / 1000.0
    expected = np.interp(t - delay_s, steps, late.motion.tau[:, 0, 0])
    np.testing.assert_allclose(late.logs["run1"].tau[:, 0], expected, atol=1e-9)
    assert not errors(late)[0].any()


def test_link_torque_is_what_is_left_of_the_motors(run):
    done = run(slider(rotor=0.5), torque_sensor="link", **LONG)
    motion = done.motion
    left = motion.tau[:: done.clock.every] - motion.friction - 0.5 * motion.qdd
    np.testing.assert_allclose(done.logs["run1"].tau, left[:, 0], atol=1e-12)
    np.testing.assert_allclose(left, 2.0 * motion.qdd, atol=1e-9)  # m a, on a rail


def test_offset_walk_and_warming(run):
    """Over 200 seeds: the spread of a zero, of its walk (∝ √t), and where warming takes it."""
    options = {"recordings": 200, "duration_s": 3.0, "rate_hz": 20.0, "control_hz": 20.0}
    robot = slider(effort=100.0)
    still = {"friction": "viscous", "bandwidth_hz": 0.5, **options}

    def biases(**levels):
        done = run(robot, **still, **levels)
        return np.array([log.bias[:, 0] for log in done.logs.values()])

    offset = biases(torque_offset=0.02)
    assert offset.std() == pytest.approx(2.0, rel=0.15)  # std of 200: 5 %, three times that
    assert np.ptp(offset, axis=1).max() == 0
    walk = biases(torque_walk=0.02)
    end = (options["duration_s"] - 0.05) / 60.0
    assert walk[:, -1].std() == pytest.approx(2.0 * np.sqrt(end), rel=0.15)
    assert walk[:, 15].std() == pytest.approx(2.0 * np.sqrt(0.75 / 60), rel=0.15)
    warm = biases(torque_warming=0.02, warming_s=1.0)
    np.testing.assert_allclose(np.abs(warm[:, -1]), 2.0 * (1 - np.exp(-2.95)), rtol=1e-12)
    assert 0.3 < (warm[:, -1] > 0).mean() < 0.7


def test_jitter_moves_samples_and_their_times(run):
    """What is logged is what was at the time that is logged, between the times of the truth."""
    done = run(slider(), jitter=0.1, **LONG)
    log, step = done.logs["run1"], 1 / 500.0
    late = (log.t - done.t) / step
    assert late[0] == 0.0
    assert np.abs(late).max() < 0.2 + 1e-9
    assert late.std() == pytest.approx(0.096, rel=0.03)  # deviations beyond two are made two
    assert (np.diff(log.t) > 0).all()
    q, qd = done.motion.q[:, 0, 0], done.motion.qd[:, 0, 0]
    shift = np.abs(log.q[:, 0] - q).max()
    assert shift == pytest.approx(np.abs(qd * late * step).max(), rel=0.01)
    expected = CubicHermiteSpline(done.t, q, qd)
    np.testing.assert_allclose(log.q[:, 0], expected(log.t), atol=1e-4 * shift)
    qd_error = np.abs(log.qd[:, 0] - expected(log.t, 1)).max()
    assert qd_error < 0.01 * np.abs(log.qd[:, 0] - qd).max()
    steps = np.arange(done.clock.steps) / 1000.0
    np.testing.assert_allclose(
        log.tau[:, 0], np.interp(log.t, steps, done.motion.tau[:, 0, 0]), atol=1e-9
    )
