"""Trajectories to follow: sums of sines that start at rest and keep to the joints' limits.

Each joint follows a Fourier series (Swevers) about a centre:

    q_i(t) = c_i + p_i(s(t)),  p_i(s) = Σ_l a_il/(ω_i l) sin(ω_i l s) − b_il/(ω_i l) cos(ω_i l s)

Time s stands still at first and comes up to speed within the ramp, so the robot starts at rest and
goes nowhere and never faster than the series itself.

A trajectory from elsewhere is anything with the method `at`, such as the plays of a design.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.signals.fourier import SAMPLES_PER_HARMONIC, grid_factor, series
from robotid.signals.planned import Moving
from robotid.simulation.options import SimulationOptions
from robotid.simulation.robots import reach

Array = NDArray[np.float64]

# Periods of single sines whose ratios keep the joints from repeating a posture soon [s].
_PERIODS_S = (23.0, 19.0, 17.0, 13.0, 11.0, 7.0, 5.0)


class Trajectory(Protocol):
    """What a robot can be told to follow."""

    def at(self, t: Array) -> Moving:
        """The reference at times of shape (times,) [s]."""


class FourierTrajectory(NamedTuple):
    """A Fourier series per joint, from rest.

    Args:
        centre: shape (n,).
        a, b: coefficients, shape (n, harmonics) [rad/s or m/s].
        omega: fundamental frequency of each joint, shape (n,) [rad/s].
        ramp_s: how long it takes to come up to speed.
    """

    centre: Array
    a: Array
    b: Array
    omega: Array
    ramp_s: float

    def at(self, t: Array) -> Moving:
        """The reference at times of shape (times,) [s], derivatives in closed form."""
        s, sd, sdd = run_up(t, self.ramp_s)
        p, pd, pdd = series(self.a, self.b, _multiples(self.omega, self.a.shape[1]), s)
        sd, sdd = sd[:, None], sdd[:, None]
        return Moving(self.centre + p, sd * pd, sd**2 * pdd + sdd * pd)

    def slowed(self, times: float) -> "FourierTrajectory":
        """The same path, so many times slower."""
        return self._replace(a=self.a / times, b=self.b / times, omega=self.omega / times)


def make_trajectory(
    robot: RobotTree, options: SimulationOptions, speed: float, random: np.random.Generator
) -> FourierTrajectory:
    """A random trajectory inside the limits, for all times and not only at samples.

    Args:
        robot: whose limits hold.
        options: what is asked for.
        speed: share of each joint's velocity limit that may be used.
        random: where coefficients, phases and centres come from.
    """
    lower, half, fastest = reach(robot)
    n, wanted = robot.n, np.full(robot.n, options.position_share)
    if options.trajectory == "fourier":
        omega = np.full(n, 2 * np.pi / options.period_s)
        a, b = random.standard_normal((2, n, options.harmonics))
    else:
        chosen = options.sine_periods_s or [_PERIODS_S[i % len(_PERIODS_S)] for i in range(n)]
        omega = 2 * np.pi / per_joint(chosen, robot, "sine_periods_s")
        if options.sine_amplitudes:
            wanted = wanted * per_joint(options.sine_amplitudes, robot, "sine_amplitudes")
        phase = random.uniform(0, 2 * np.pi, n)
        a, b = np.cos(phase)[:, None], -np.sin(phase)[:, None]
    position, velocity = peaks(a, b, omega)
    scale = np.minimum(wanted * half / position, speed * fastest / velocity)
    # What the joint does not need of its range is where its centre may lie.
    spare = options.position_share * half - scale * position
    centre = lower + half + random.uniform(-1, 1, n) * spare
    return FourierTrajectory(centre, a * scale[:, None], b * scale[:, None], omega, options.ramp_s)


def per_joint(values: Sequence[float], robot: RobotTree, key: str) -> Array:
    """Values for all joints, shape (n,), from one or from one per joint."""
    if len(values) not in (1, robot.n):
        raise ConfigError(
            "wrong-count",
            f"{key}: {len(values)} values, robot {robot.name} has {robot.n} joints",
            hint=f"give one value, or one for each of {', '.join(robot.joint_names)}",
        )
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (robot.n,)).copy()


def run_up(t: Array, ramp_s: float) -> tuple[Array, Array, Array]:
    """Time s, its rate and the rate's change; the rate is a quintic from 0 to 1 in x = t/ramp."""
    x = np.clip(t / ramp_s, 0.0, 1.0)
    return (
        ramp_s * x**4 * (2.5 - 3 * x + x**2) + np.maximum(t - ramp_s, 0.0),
        x**3 * (10 - 15 * x + 6 * x**2),
        30 * x**2 * (1 - x) ** 2 / ramp_s,
    )


def peaks(a: Array, b: Array, omega: Array) -> tuple[Array, Array]:
    """Bounds on |p| and |ṗ| of series for all times, shape (n,)."""
    harmonics = a.shape[1]
    count = SAMPLES_PER_HARMONIC * harmonics
    turn = np.arange(count) * (2 * np.pi / count)
    p, pd = series(a, b, _multiples(np.ones_like(omega), harmonics), turn, derivatives=1)
    above = grid_factor(harmonics, count)  # p is in units of the joint's own phase
    return np.abs(p).max(0) / omega / above, np.abs(pd).max(0) / above


def _multiples(omega: Array, harmonics: int) -> Array:
    """Frequencies of all harmonics, shape (n, harmonics) [rad/s]."""
    return np.outer(omega, np.arange(1.0, harmonics + 1))
