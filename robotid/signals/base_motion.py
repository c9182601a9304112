"""Twist and acceleration of a floating base, from what was recorded of it and filtered.

    v = Rᵀ ṗ,  ω = 2 vec(q⁻¹ q̇)     where no twist was recorded
    base.acc = rates of the components of the twist

Recordings hold poses in the world, twists in base coordinates (linear part first).
"""

from collections.abc import Collection
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robotid.signals import kernel
from robotid.signals.columns import QUATERNION
from robotid.spatial.quaternions import rotation_of, turn_rate, turned_back

Array = NDArray[np.float64]
Origin = Literal["twist", "pose"]

_SIX = ("x", "y", "z", "rx", "ry", "rz")
POSE = (*(f"base.pos.{end}" for end in "xyz"), *QUATERNION)
TWIST = tuple(f"base.vel.{end}" for end in _SIX)
RATES = tuple(f"base.acc.{end}" for end in _SIX)


def origin_of(names: Collection[str], *, from_position: bool) -> Origin | None:
    """What the acceleration of a base comes from; None where too little of it was recorded.

    Args:
        names: columns that were recorded.
        from_position: velocities come from positions, also where they were recorded.
    """
    pose = all(name in names for name in POSE)
    twist = all(name in names for name in TWIST)
    if pose and (from_position or not twist):
        return "pose"
    return "twist" if twist else None


def twist_of(pose: Array, rates: Array) -> Array:
    """The twist of a pose and its derivative, shape (7, n) each to (6, n)."""
    linear = turned_back(rotation_of(pose[3:].T), rates[:3].T)
    return np.column_stack([linear, turn_rate(pose[3:].T, rates[3:].T)]).T


class BaseMotion:
    """Fills the rows of a base in a window of filtered channels.

    Args:
        origin: where twists come from.
        place: row of each column.
    """

    def __init__(self, origin: Origin, place: dict[str, int]) -> None:
        self._origin = origin
        self._pose = [place[name] for name in POSE] if origin == "pose" else []
        self._twist = [place[name] for name in TWIST]
        self._rates = [place[name] for name in RATES]

    def fill(self, values: Array, start: int, stop: int, taps: Array) -> None:
        """Make twists, where they were not recorded, and their rates, for columns start…stop.

        Args:
            values: shape (columns, n); quaternions need not be of length 1.
            start: first column to make.
            stop: behind the last one.
            taps: of the differentiator, times the rate; columns around are needed as often.
        """
        m = taps.size
        if self._origin == "pose":
            # Some may be of length 1 already, those that come are not yet.
            pose = values[self._pose, start - 2 * m : stop + 2 * m]
            pose[3:] /= np.sqrt(np.sum(pose[3:] ** 2, axis=0))
            rates = np.empty((len(pose), stop - start + 2 * m))
            for line, slope in zip(pose, rates, strict=True):
                kernel.differentiate(line, taps, slope)
            values[self._twist, start - m : stop + m] = twist_of(pose[:, m:-m], rates)
        for row, made in zip(self._twist, self._rates, strict=True):
            kernel.differentiate(values[row, start - m : stop + m], taps, values[made, start:stop])
