"""Primitives of robot files, and capsules that hold them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robotid.errors import Notice
from robotid.robot.tree import Array

Point = tuple[float, float, float]

# Capsules that are tried about a box or a cylinder, from long and thin to a ball.
_TRIED = 1001
# How much larger a radius is made than it need be, so that rounding lets no corner out.
_ROUNDING = 1e-12


class Primitive(NamedTuple):
    """A primitive about its own origin, cylinders and capsules along z.

    `half` holds half sides of a box, the radius of a sphere, radius and half length of a cylinder
    or of the straight part of a capsule, semi-axes of an ellipsoid [m].
    """

    kind: str
    half: tuple[float, ...]


class Capsule(NamedTuple):
    """All that is within a radius of a segment, in the frame of a link [m]."""

    link: str
    start: Point
    end: Point
    radius: float


class Stick(NamedTuple):
    """A capsule about the origin along an axis: half length of its straight part, and radius."""

    axis: int
    half: float
    radius: float


def around(primitive: Primitive) -> Stick:
    """The capsule about a primitive."""
    return _AROUND[primitive.kind](primitive.half)


def placed(link: str, stick: Stick, placement: Array) -> Capsule:
    """A capsule in the frame of a link, from its pose there, shape (4, 4)."""
    along = placement[:3, stick.axis] * stick.half
    start, end = placement[:3, 3] - along, placement[:3, 3] + along
    return Capsule(link, _point(start), _point(end), stick.radius)


def mesh_not_read(link: str, file: str, line: int) -> Notice:
    """What is said of a mesh."""
    return Notice(
        code="mesh-not-read",
        message=f"link {link!r} has a mesh, which is not read: there is no capsule around it",
        file=file,
        line=line,
        hint=f"give one: capsules = {link}:X0,Y0,Z0,X1,Y1,Z1,RADIUS",
    )


def _point(values: Array) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _about_rims(axis: int, half: float, across: float) -> Stick:
    """The smallest capsule along an axis that holds two circles at ± half with radius `across`.

    The ends of its segment lie within the solid, by d: then its radius is sqrt(across² + d²).
    """
    d = np.linspace(0.0, half, _TRIED)
    radius = np.hypot(across, d)
    volume = 2 * (half - d) * radius**2 + 4 / 3 * radius**3
    best = int(np.argmin(volume))
    return Stick(axis, float(half - d[best]), float(radius[best]) * (1 + _ROUNDING))


def _volume(stick: Stick) -> float:
    return 2 * stick.half * stick.radius**2 + 4 / 3 * stick.radius**3


def _box(half: tuple[float, ...]) -> Stick:
    tried = [
        _about_rims(axis, half[axis], float(np.hypot(half[axis - 1], half[axis - 2])))
        for axis in range(3)
    ]
    return min(tried, key=_volume)


def _ellipsoid(half: tuple[float, ...]) -> Stick:
    """Along the longest axis; both tips touch: (x - h)² <= r² x²/a² for h <= x <= a, h = a - r."""
    axis = int(np.argmax(half))
    radius = max(half[axis - 1], half[axis - 2])
    return Stick(axis, half[axis] - radius, radius)


_AROUND: dict[str, Callable[[tuple[float, ...]], Stick]] = {
    "box": _box,
    "sphere": lambda half: Stick(2, 0.0, half[0]),
    "cylinder": lambda half: _about_rims(2, half[1], half[0]),
    "capsule": lambda half: Stick(2, half[1], half[0]),
    "ellipsoid": _ellipsoid,
}
