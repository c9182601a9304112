"""Boxes and capsules as users write them, a name and numbers."""

import math
from typing import NamedTuple

from robotid.errors import ConfigError
from robotid.robot.solids import Capsule

ALL = "*"
_BOX = "FRAME:X0,Y0,Z0,X1,Y1,Z1[,RADIUS]"
_CAPSULE = "LINK:X0,Y0,Z0,X1,Y1,Z1,RADIUS"


class Region(NamedTuple):
    """A box that a frame stays in or out of, in base coordinates.

    Args:
        key: of the configuration that it comes from.
        frame: name of a link, or `*`.
        lower: its corner of least coordinates [m].
        upper: its other corner.
        radius: of the ball about the frame that is meant; None means the link itself.
    """

    key: str
    frame: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    radius: float | None


def region_of(key: str, text: str) -> Region:
    """Read a text of `keep_in` or `keep_out`."""
    frame, numbers = _parts(key, text, _BOX, (6, 7))
    lower, upper = numbers[:3], numbers[3:6]
    for axis, low, high in zip("xyz", lower, upper, strict=True):
        if low >= high:
            said = f"{key} of {frame}: the box is empty, {axis} goes from {low:g} to {high:g}"
            hint = f"{_BOX} has the smaller numbers first"
            raise ConfigError("empty-box", said, hint=hint)
    if len(numbers) == 6:
        return Region(key, frame, lower, upper, None)
    if frame == ALL:
        said = f"{key}: {text!r} gives a radius for all links, which have their own"
        raise ConfigError("bad-box", said, hint="leave it out, or name a frame")
    _check_radius(key, frame, numbers[6])
    return Region(key, frame, lower, upper, numbers[6])


def capsule_of(text: str) -> Capsule:
    """Read a text of `capsules`."""
    link, (ax, ay, az, bx, by, bz, radius) = _parts("capsules", text, _CAPSULE, (7,))
    _check_radius("capsules", link, radius)
    if radius == 0:
        said = f"capsules: the one of {link} has no radius"
        raise ConfigError("bad-radius", said, hint="give a radius above 0 [m]")
    return Capsule(link, (ax, ay, az), (bx, by, bz), radius)


def pair_of(text: str) -> tuple[str, str]:
    """Read a text of `may_touch`."""
    one, _, two = (part.strip() for part in text.partition(","))
    if not one or not two or "," in two or one == two:
        raise ConfigError("bad-pair", f"may_touch: {text!r} is not LINK,LINK with two links")
    return one, two


def _parts(
    key: str, text: str, form: str, counts: tuple[int, ...]
) -> tuple[str, tuple[float, ...]]:
    name, _, rest = (part.strip() for part in text.rpartition(":"))
    try:
        numbers = tuple(float(word) for word in rest.split(","))
    except ValueError:
        numbers = ()
    if not name or len(numbers) not in counts or not all(map(math.isfinite, numbers)):
        code = "bad-capsule" if key == "capsules" else "bad-box"
        raise ConfigError(code, f"{key}: {text!r} is not {form} in finite numbers [m]")
    return name, numbers


def _check_radius(key: str, name: str, radius: float) -> None:
    if radius < 0:
        said = f"{key} of {name}: the radius is negative, {radius:g} m"
        raise ConfigError("bad-radius", said)
