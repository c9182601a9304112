"""A designed motion as a function of time: ramp in, some periods of a series, ramp out."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import Excitation, PlannedTrajectory, Play, Ramp
from robotid.signals.fourier import series

Array = NDArray[np.float64]
_ROUNDING = 1e-9  # of a sample


class Moving(NamedTuple):
    """Position, velocity and acceleration at some times, each of shape (times, n)."""

    q: Array
    qd: Array
    qdd: Array


class PlannedMotion(NamedTuple):
    """A play of a trajectory; at rest before it begins and after it ends.

    Args:
        trajectory: as designed.
        joints: names, in the order of the columns.
        slower: everything takes this many times longer.
    """

    trajectory: PlannedTrajectory
    joints: tuple[str, ...]
    slower: float = 1.0

    @property
    def lengths_s(self) -> tuple[float, float, float]:
        """How long ramp in, series and ramp out take, not slowed down."""
        plan = self.trajectory
        ramps = [ramp.duration_s if ramp else 0.0 for ramp in (plan.ramp_in, plan.ramp_out)]
        return ramps[0], plan.periods * plan.period_s, ramps[1]

    @property
    def duration_s(self) -> float:
        """Of the whole play [s]."""
        return sum(self.lengths_s) * self.slower

    def samples(self, rate_hz: float) -> int:
        """How many samples it has at a rate: the first at its start, the last when it has ended."""
        return math.ceil(self.duration_s * rate_hz - _ROUNDING) + 1

    def at(self, t: Array) -> Moving:
        """The motion at times of shape (times,) [s]."""
        plan, (before, during, after) = self.trajectory, self.lengths_s
        s = np.clip(t / self.slower, 0.0, before + during + after)
        parts = [np.empty((t.size, len(self.joints))) for _ in range(3)]
        spans = (
            (s < before, plan.ramp_in, s),
            ((s >= before) & (s <= before + during), None, s - before),
            (s > before + during, plan.ramp_out, s - before - during),
        )
        for chosen, ramp, local in spans:
            if chosen.any():
                found = self._ramp(ramp, local[chosen]) if ramp else self.series(local[chosen])
                for out, values in zip(parts, found, strict=True):
                    out[chosen] = values
        still = (t < 0) | (t > self.duration_s)
        q, qd, qdd = parts
        qd[still], qdd[still] = 0.0, 0.0
        return Moving(q, qd / self.slower, qdd / self.slower**2)

    def jerk(self, t: Array) -> Array:
        """The third derivative at times of shape (times,) within the play, shape (times, n)."""
        plan, (before, during, _) = self.trajectory, self.lengths_s
        s = t / self.slower
        result = self.series(s - before, 3)[3]
        ramps = (
            (plan.ramp_in, s < before, s),
            (plan.ramp_out, s > before + during, s - before - during),
        )
        for ramp, chosen, local in ramps:
            if ramp is not None and chosen.any():
                c = np.array([ramp.coefficients[name] for name in self.joints]).T
                x = local[chosen, None] / ramp.duration_s
                result[chosen] = (6 * c[3] + 24 * c[4] * x + 60 * c[5] * x**2) / ramp.duration_s**3
        return result / self.slower**3

    def series(self, t: Array, derivatives: int = 2) -> list[Array]:
        """The series alone: position and derivatives at its own times, not slowed down."""
        found = [self.trajectory.series[name] for name in self.joints]
        most = max(len(joint.harmonics) for joint in found)
        (a, b), h = np.zeros((2, len(found), most)), np.ones((len(found), most))
        for i, joint in enumerate(found):
            count = len(joint.harmonics)
            a[i, :count], b[i, :count], h[i, :count] = joint.a, joint.b, joint.harmonics
        w = h * (2 * np.pi / self.trajectory.period_s)
        q, *others = series(a, b, w, t, derivatives)
        return [q + np.array([joint.centre for joint in found]), *others]

    def _ramp(self, ramp: Ramp, t: Array) -> list[Array]:
        c = np.array([ramp.coefficients[name] for name in self.joints]).T  # (6, n)
        x = t[:, None] / ramp.duration_s
        rate = np.arange(1.0, 6.0)[:, None] * c[1:]
        curve = np.arange(1.0, 5.0)[:, None] * rate[1:]
        values = [sum(row * x**k for k, row in enumerate(rows)) for rows in (c, rate, curve)]
        return [value / ramp.duration_s**order for order, value in enumerate(values)]


def motions(design: Excitation) -> dict[str, tuple[Play, PlannedMotion]]:
    """Every play of every trajectory by name, in order."""
    joints = tuple(design.joints)
    return {
        play.name: (play, PlannedMotion(trajectory, joints, play.slower))
        for trajectory in design.trajectories
        for play in trajectory.plays
    }
