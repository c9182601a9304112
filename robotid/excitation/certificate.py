"""Every limit and how near a motion comes to it, with the kind of proof.

for all times      position, velocity, acceleration, jerk of a series: a trigonometric polynomial
                   of degree N is nowhere above its largest of M even samples / cos(pi N/M)
by formula         the same of a ramp: extremes of polynomials
between samples    distances: they change no faster than a Lipschitz bound allows
at samples         torques of the nominal model, on a dense grid
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import CertificateLine, Proof
from robotid.excitation.between_samples import prove
from robotid.excitation.clearance import Clearances
from robotid.excitation.limits import Limits
from robotid.excitation.problem import LIMIT_SAMPLES
from robotid.excitation.ramps import KINDS, Polynomials
from robotid.excitation.space import Space
from robotid.robot.tree import RobotTree
from robotid.signals.fourier import grid_factor

Array = NDArray[np.float64]
Part = Literal["series", "ramp in", "ramp out"]
Torques = Callable[[Array], Array]

_FINE = 512  # samples per harmonic of the finer of two grids
TORQUE_SAMPLES = 2000  # per period or ramp
_UNITS = ("", "/s", "/s²", "/s³")


class Peaks(NamedTuple):
    """Least and largest value of position and derivatives at all times, shape (4, n) each."""

    low: Array
    high: Array


def series_peaks(space: Space, x: Array, limits: Limits) -> Peaks:
    """Bounds that hold for all times; of a coarse and a fine grid, whichever is tighter."""
    n = len(space.joints)
    low, high = np.full((4, n), -np.inf), np.full((4, n), np.inf)
    for i, (joint, y) in enumerate(zip(space.joints, space.coefficients(x), strict=True)):
        for samples in (LIMIT_SAMPLES * joint.degree, _FINE * joint.degree):
            factor = grid_factor(joint.degree, samples)
            for order in range(4):
                values = joint.basis(order, samples) @ y
                middles = {0.0, 0.5 * float(values.max() + values.min())}
                for middle in middles | ({float(limits.middle[i])} if order == 0 else set()):
                    away = float(np.abs(values - middle).max()) / factor
                    low[order, i] = max(low[order, i], middle - away)
                    high[order, i] = min(high[order, i], middle + away)
    return Peaks(low, high)


def ramp_peaks(ramp: Polynomials) -> Peaks:
    """The same of a ramp, from the extremes of polynomials."""
    found = [ramp.extremes(order) for order in range(4)]
    return Peaks(np.stack([low for low, _ in found]), np.stack([high for _, high in found]))


def joint_lines(
    peaks: Peaks, limits: Limits, robot: RobotTree, part: Part, proof: Proof
) -> list[CertificateLine]:
    """Position, velocity, acceleration and jerk of every joint that has a limit of it."""
    result = []
    for order, kind in enumerate(KINDS):
        for i, joint in enumerate(robot.driven):
            limit = float(limits.derivative(order)[i])
            if not np.isfinite(limit):
                continue
            low, high = float(peaks.low[order, i]), float(peaks.high[order, i])
            upper = float(limits.upper[i]) if order == 0 else limit
            lower = float(limits.lower[i]) if order == 0 else -limit
            above, below = upper - high, low - lower
            nearest = (upper, high, above) if above <= below else (lower, low, below)
            unit = ("m" if joint.kind == "prismatic" else "rad") + _UNITS[order]
            result.append(_line(kind, joint.name, part, proof, unit, *nearest))
    return result


def torque_lines(
    torques: Torques, motion: Array, limits: Limits, robot: RobotTree, part: Part, play: str
) -> list[CertificateLine]:
    """Largest torque of every joint that has a limit, at samples of a motion (3, samples, n)."""
    if not np.isfinite(limits.torque).any():
        return []
    reached = np.abs(torques(motion)).max(0)
    return [
        _line(
            "torque",
            joint.name,
            part,
            "at samples",
            robot.torque_units[joint.name],
            float(limits.torque[i]),
            float(reached[i]),
            float(limits.torque[i] - reached[i]),
            play,
        )
        for i, joint in enumerate(robot.driven)
        if np.isfinite(limits.torque[i])
    ]


def clearance_lines(
    clearances: Clearances | None,
    q: Callable[[Array], Array],
    speed: Array,
    duration_s: float,
    part: Part,
) -> list[CertificateLine]:
    """Distances of a motion, given its largest speeds (n,)."""
    if clearances is None:
        return []
    proven = prove(clearances, q, speed, 0.0, duration_s)
    least = clearances.clearance
    return [
        _line("distance", name, part, "between samples", "m", least, least + value, value)
        for name, value in zip(clearances.names, map(float, proven.bound), strict=True)
    ]


def broken(lines: Sequence[CertificateLine]) -> CertificateLine | None:
    """The limit that is broken most, as a share of it; None if all are kept."""
    worst = min(lines, key=lambda line: line.margin / max(abs(line.limit), 1e-3), default=None)
    return worst if worst is not None and worst.margin < 0 else None


def _line(
    quantity: str,
    about: str,
    part: Part,
    proof: Proof,
    unit: str,
    limit: float,
    reached: float,
    margin: float,
    play: str = "",
) -> CertificateLine:
    return CertificateLine(
        quantity=quantity,
        about=about,
        part=part,
        play=play,
        proof=proof,
        limit=limit,
        reached=reached,
        margin=margin,
        unit=unit,
    )
