"""From where a robot is looked at: parallel projections with up at the top."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_AZIMUTH, _ELEVATION = np.radians(-55.0), np.radians(24.0)
_SMALL = 1e-9
_ACROSS = ("x", "y", "z")


class View(NamedTuple):
    """A view: its name, and which way is right and down on paper, shape (2, 3), unit lengths."""

    title: str
    projection: Array


def views(points: Array, gravity: Array) -> tuple[View, View]:
    """One from obliquely above, and one from where the robot is widest.

    Args:
        points: of the robot, shape (n, 3) [m].
        gravity: in the base, shape (3,); what it points to is below.
    """
    up = -gravity / np.linalg.norm(gravity) if np.linalg.norm(gravity) > _SMALL else np.eye(3)[2]
    first, second = _level(up)
    toward = np.cos(_AZIMUTH) * first + np.sin(_AZIMUTH) * second
    right = np.cos(_AZIMUTH) * second - np.sin(_AZIMUTH) * first
    raised = np.cos(_ELEVATION) * up - np.sin(_ELEVATION) * toward
    wide = max((first, second), key=lambda axis: float(np.ptp(points @ axis)) + _SMALL * axis[0])
    return (
        View("from obliquely above", np.array([right, -raised])),
        View(f"from the side: {_named(wide)} to the right, {_named(up)} up", np.array([wide, -up])),
    )


def _level(up: Array) -> tuple[Array, Array]:
    """Two horizontal directions, the first as near to the base's x axis as there is."""
    given = np.eye(3)[0] if abs(up[0]) < 1 - 1e-3 else np.eye(3)[1]
    first = given - up * (given @ up)
    first /= np.linalg.norm(first)
    return first, np.cross(up, first)


def _named(axis: Array) -> str:
    """The name of a direction that is an axis of the base."""
    for name, unit in zip(_ACROSS, np.eye(3), strict=True):
        for sign, text in ((1, name), (-1, f"−{name}")):
            if axis @ unit * sign > 1 - 1e-6:
                return text
    return "up" if axis[2] > 0 else "level"
