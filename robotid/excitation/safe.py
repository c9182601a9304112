"""A trajectory with its ramps, plays and certificate, pulled back until every limit is kept."""

from collections.abc import Iterator, Sequence
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
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Recipe
from robotid.excitation.ramps import Polynomials, State, ramp
from robotid.excitation.regressor_adjoint import RegressorAdjoint

Array = NDArray[np.float64]

_STILL = 1e-6  # in units of the limits: what counts as no motion at the start


class Checked(NamedTuple):
    """A trajectory with its certificate.

    Args:
        name: of the trajectory.
        x: its free numbers.
        ramp_in: from home; None where the series starts there, at rest.
        ramp_out: the way back.
        plays: how it is to be run.
        lines: of the certificate.
    """

    name: str
    x: Array
    ramp_in: Polynomials | None
    ramp_out: Polynomials | None
    plays: list[Play]
    lines: list[CertificateLine]

    @property
    def broken(self) -> CertificateLine | None:
        """The limit that is broken most; None if all are kept."""
        return broken(self.lines)

    @property
    def gaps(self) -> bool:
        """Whether the series breaks a limit, which it did not at the samples of the search."""
        return broken([line for line in self.lines if line.part == "series"]) is not None


def not_safe(line: CertificateLine) -> ConfigError:
    """The error of a limit that could not be kept."""
    said = f"{line.quantity} of {line.about} ({line.part}) reaches {line.reached:.4g} {line.unit}"
    hint = "another home, or more restarts" if line.part != "series" else "more restarts or samples"
    return ConfigError(
        "not-safe", f"{said}, the limit is {line.limit:.4g}", hint=f"{hint} may help"
    )


class Checker:
    """Ramps, plays and certificates of trajectories of a campaign."""

    def __init__(self, recipe: Recipe, options: ExcitationOptions) -> None:
        """Prepare for trajectories of a campaign."""
        self._recipe, self._options = recipe, options
        self._maps = recipe.space.maps(TORQUE_SAMPLES)
        self._regressor = RegressorAdjoint(recipe.robot, TORQUE_SAMPLES)
        driven = recipe.robot.driven
        self._rotor = np.array([joint.rotor_inertia for joint in driven])
        self._damping = np.array([joint.damping for joint in driven])
        self._friction = np.array([abs(joint.friction) for joint in driven])

    def pulled_back(self, name: str, x: Array, inner: Array, shares: Sequence[float]) -> Checked:
        """The trajectory, moved towards one further inside until all limits are kept.

        Between samples torques and distances can be a little worse than at them. If nothing helps,
        it is what was tried first.

        Args:
            name: of the trajectory.
            x: free numbers, inside all limits at the samples of the search.
            inner: those of a trajectory further inside.
            shares: of the way to it, in the order in which they are tried.
        """
        tried = [self._checked(name, (1 - shares[0]) * x + shares[0] * inner)]
        for share in shares[1:]:
            if tried[-1].broken is None:
                break
            tried.append(self._checked(name, (1 - share) * x + share * inner))
        return tried[-1] if tried[-1].broken is None else tried[0]

    def torques(self, motion: Array) -> Array:
        """Sizes of the nominal model's torques with friction at its worst, (samples, n)."""
        self._regressor.regressor(*motion)
        torques = self._regressor.torques(self._recipe.robot.phi, self._rotor)
        result: Array = np.abs(torques + self._damping * motion[1]) + self._friction
        return result

    def _checked(self, name: str, x: Array) -> Checked:
        recipe = self._recipe
        limits, robot, period = recipe.limits, recipe.robot, self._options.period_s
        peaks = series_peaks(recipe.space, x, limits)
        into, out = self._ramps(x)
        plays = self._plays(name, peaks, into, out)
        lines = joint_lines(peaks, limits, robot, "series", "for all times")
        lines += clearance_lines(
            recipe.clearances,
            lambda t: recipe.space.at(x, t),
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
        return Checked(name, x, into, out, plays, lines)

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
        recipe = self._recipe
        peaks = ramp_peaks(found)
        lines = joint_lines(peaks, recipe.limits, recipe.robot, part, "by formula")
        return lines + clearance_lines(
            recipe.clearances,
            lambda t: found.at(t / found.duration_s)[0],
            np.maximum(-peaks.low[1], peaks.high[1]),
            found.duration_s,
            part,
        )

    def _ramps(self, x: Array) -> tuple[Polynomials | None, Polynomials | None]:
        recipe, options, limits = self._recipe, self._options, self._recipe.limits
        start = State(*(recipe.space.at(x, np.zeros(1), order)[0] for order in range(3)))
        home = start.q if recipe.home is None else recipe.home
        away = np.abs(home - start.q) / limits.half + np.abs(start.qd) / limits.velocity
        if away.max() < _STILL and options.at_rest:
            return None, None
        still = State(home, np.zeros_like(home), np.zeros_like(home))
        share, length = options.ramp_share, options.ramp_s
        return (
            ramp(still, start, limits, share, length, self._can_be_driven),
            ramp(start, still, limits, share, length, self._can_be_driven),
        )

    def _can_be_driven(self, found: Polynomials) -> bool:
        """Whether torques of a ramp keep to their limits."""
        motion = found.at(np.linspace(0.0, 1.0, TORQUE_SAMPLES))
        return bool((self.torques(motion) <= self._recipe.limits.torque).all())

    def _plays(
        self, name: str, peaks: Peaks, into: Polynomials | None, out: Polynomials | None
    ) -> list[Play]:
        """The trajectory as designed, and slowed down to the other speeds."""
        options, full = self._options, self._recipe.limits.full_velocity
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
