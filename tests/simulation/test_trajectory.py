"""Trajectories: derivatives, limits, rest at the start."""

import numpy as np
import pytest

from robotid.errors import ConfigError
from robotid.simulation.options import SimulationOptions
from robotid.simulation.robots import reach
from robotid.simulation.trajectory import make_trajectory

KINDS = [
    {},
    {"harmonics": 1, "period_s": 3.0},
    {"trajectory": "sines"},
    {"trajectory": "sines", "sine_periods_s": (4.0,), "sine_amplitudes": (0.5,) * 7},
]


def made(robot, speed=0.4, seed=3, **options):
    return make_trajectory(robot, SimulationOptions(**options), speed, np.random.default_rng(seed))


@pytest.mark.parametrize("options", KINDS)
def test_derivatives_are_those_of_the_position(panda, options):
    """Central differences of step h = 1e-4 s: errors of h² times the third derivative, ~1e-7."""
    trajectory, h = made(panda, **options), 1e-4
    t = np.linspace(h, 12.0, 500)  # through the run-up and beyond
    before, now, after = (trajectory.at(t + shift) for shift in (-h, 0.0, h))
    np.testing.assert_allclose((after.q - before.q) / (2 * h), now.qd, atol=1e-6)
    np.testing.assert_allclose((after.qd - before.qd) / (2 * h), now.qdd, atol=1e-5)


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("speed", [0.1, 1.0])
def test_limits_hold_and_one_of_them_is_reached(panda, options, speed):
    trajectory = made(panda, speed, position_share=0.6, **options)
    at = trajectory.at(np.linspace(0, 60, 20001))
    lower, half, fastest = reach(panda)
    middle = lower + half
    used = np.abs(at.q - middle).max(0) / half
    rate = np.abs(at.qd).max(0) / fastest
    assert (used <= 0.6).all()
    assert (rate <= speed).all()
    amplitude = np.abs(at.q - trajectory.centre).max(0) / half
    wanted = 0.6 * (0.5 if "sine_amplitudes" in options else 1.0)
    # The bound on the peaks is 0.13 % above the largest sample.
    assert np.maximum(amplitude / wanted, rate / speed).min() > 0.99


def test_starts_at_rest(panda):
    at = made(panda).at(np.zeros(1))
    assert not at.qd.any()
    assert not at.qdd.any()


def test_r28_seed_decides(panda):
    t = np.linspace(0, 5, 50)
    assert (made(panda, seed=1).at(t).q == made(panda, seed=1).at(t).q).all()
    assert (made(panda, seed=1).at(t).q != made(panda, seed=2).at(t).q).all()


def test_wrong_number_of_values_is_named(panda):
    with pytest.raises(ConfigError, match=r"sine_periods_s: 2 values, robot panda has 7 joints"):
        made(panda, trajectory="sines", sine_periods_s=(1.0, 2.0))
