"""A trajectory with its ramps and plays, pulled back until every limit is kept."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import CertificateLine, Play
from robotid.errors import ConfigError
from robotid.excitation.certificate import (
    TORQUE_SAMPLES,
    Part,
    Peaks,
    broken,
    clearance_lines,
    joint_lines,
    ramp_peaks,
    series_peaks,
    torque_lines,
)
from robotid.excitation.ramps import Polynomials, State, ramp
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.excitation.setting import Setting

Array = NDArray[np.float64]

_STILL = 1e-6  # in units of the limits: what counts as no motion at the start
_PULL, _PULLS = 0.01, 40


class Safe(NamedTuple):
    """A trajectory whose certificate holds.

    Args:
        x: its free numbers.
        ramp_in: from home; None where the series starts there, at rest.
        ramp_out: the way back.
        plays: how it is to be run.
        lines: of the certificate.
    """

    x: Array
    ramp_in: Polynomials | None
    ramp_out: Polynomials | None
    plays: list[Play]
    lines: list[CertificateLine]


class Checker:
    """Ramps, plays and certificates of trajectories in a setting."""

    def __init__(self, setting: Setting) -> None:
        """Prepare for trajectories of a setting."""
        self._setting = setting
        self._maps = setting.space.maps(TORQUE_SAMPLES)
        self._regressor = RegressorAdjoint(setting.robot, TORQUE_SAMPLES)
        driven = setting.robot.driven
        self._rotor = np.array([joint.rotor_inertia for joint in driven])
        self._damping = np.array([joint.damping for joint in driven])
        self._friction = np.array([abs(joint.friction) for joint in driven])

    def made_safe(self, name: str, x: Array, inner: Array) -> Safe:
        """The trajectory, moved towards one further inside until all limits are kept.

        Between samples torques and distances can be a little worse than at them.

        Args:
            name: of the trajectory.
            x: free numbers, inside all limits at the samples of the search.
            inner: those of a trajectory further inside.
        """
        worst: CertificateLine | None = None
        for pull in range(_PULLS):
            share = _PULL * pull
            safe = self._checked(name, (1 - share) * x + share * inner)
            worst = broken(safe.lines)
            if worst is None:
                return safe
        assert worst is not None
        raise ConfigError(
            "not-safe",
            f"{worst.quantity} of {worst.about} ({worst.part}) reaches {worst.reached:.4g} "
            f"{worst.unit}, the limit is {worst.limit:.4g}",
            hint="more samples, another seed or, for ramps, another home may help",
        )

    def torques(self, motion: Array) -> Array:
        """Sizes of the nominal model's torques with friction at its worst, (samples, n)."""
        self._regressor.regressor(*motion)
        torques = self._regressor.torques(self._setting.robot.phi, self._rotor)
        result: Array = np.abs(torques + self._damping * motion[1]) + self._friction
        return result

    def _checked(self, name: str, x: Array) -> Safe:
        setting = self._setting
        limits, robot, period = setting.limits, setting.robot, setting.options.period_s
        peaks = series_peaks(setting.space, x, limits)
        into, out = self._ramps(x)
        plays = self._plays(name, peaks, into, out)
        lines = joint_lines(peaks, limits, robot, "series", "for all times")
        lines += clearance_lines(
            setting.clearances,
            lambda t: setting.space.at(x, t),
            np.maximum(-peaks.low[1], peaks.high[1]),
            period,
            "series",
        )
        ramps: tuple[tuple[Part, Polynomials | None], ...] = (("ramp in", into), ("ramp out", out))
        for part, found in ramps:
            if found is not None:
                lines += self._ramp_lines(part, found)
        for play in plays:
            for part, motion in self._motions(x, into, out):
                slowed = motion / np.array([1.0, play.slower, play.slower**2])[:, None, None]
                lines += torque_lines(self.torques, slowed, limits, robot, part, play.name)
        return Safe(x, into, out, plays, lines)

    def _motions(
        self, x: Array, into: Polynomials | None, out: Polynomials | None
    ) -> Iterator[tuple[Part, Array]]:
        share = np.linspace(0.0, 1.0, TORQUE_SAMPLES)
        yield "series", self._maps.motion(x)
        if into is not None:
            yield "ramp in", into.at(share)
        if out is not None:
            yield "ramp out", out.at(share)

    def _ramp_lines(self, part: Part, found: Polynomials) -> list[CertificateLine]:
        setting = self._setting
        peaks = ramp_peaks(found)
        lines = joint_lines(peaks, setting.limits, setting.robot, part, "by formula")
        return lines + clearance_lines(
            setting.clearances,
            lambda t: found.at(t / found.duration_s)[0],
            np.maximum(-peaks.low[1], peaks.high[1]),
            found.duration_s,
            part,
        )

    def _ramps(self, x: Array) -> tuple[Polynomials | None, Polynomials | None]:
        setting = self._setting
        options, limits = setting.options, setting.limits
        start = State(*(setting.space.at(x, np.zeros(1), order)[0] for order in range(3)))
        home = start.q if setting.home is None else setting.home
        away = np.abs(home - start.q) / limits.half + np.abs(start.qd) / limits.velocity
        if away.max() < _STILL and options.at_rest:
            return None, None
        still = State(home, np.zeros_like(home), np.zeros_like(home))
        return (
            ramp(still, start, limits, options.ramp_share, options.ramp_s),
            ramp(start, still, limits, options.ramp_share, options.ramp_s),
        )

    def _plays(
        self, name: str, peaks: Peaks, into: Polynomials | None, out: Polynomials | None
    ) -> list[Play]:
        """The trajectory as designed, and slowed down to the other speeds."""
        options, full = self._setting.options, self._setting.limits.full_velocity
        fastest = float((np.maximum(-peaks.low[1], peaks.high[1]) / full).max())
        ramps = sum(ramp.duration_s for ramp in (into, out) if ramp is not None)
        plays = []
        for speed in options.speeds:
            slower = 1.0 if speed == max(options.speeds) else max(1.0, fastest / speed)
            plays.append(
                Play(
                    name=name if len(options.speeds) == 1 else f"{name}_{100 * speed:g}pct",
                    speed=fastest / slower,
                    slower=slower,
                    duration_s=slower * (ramps + options.periods * options.period_s),
                )
            )
        return plays
