"""Robots that come with the package, by name.

Where a robot is asked for, a bare word is one of these names; anything with a slash or a suffix is
a path. So a file beside you called `panda` does not change what `panda` means; say `./panda`.
"""

from pathlib import Path, PurePath
from typing import NamedTuple

from robotid.errors import InputMissingError, nearest

FILES = Path(__file__).parent / "files"


class Shipped(NamedTuple):
    """A robot file of the package."""

    file: str
    summary: str


ROBOTS: dict[str, Shipped] = {
    "pendulum": Shipped("pendulum.urdf", "one hinge with a rod and a bob"),
    "double_pendulum": Shipped("double_pendulum.urdf", "two rods, the textbook chaotic system"),
    "cartpole": Shipped("cartpole.urdf", "a pole on a cart on a rail"),
    "furuta": Shipped("furuta.urdf", "rotary pendulum in Quanser sizes"),
    "panda": Shipped("panda.urdf", "7-axis arm like the Franka Panda, published parameters"),
    "ur10": Shipped("ur10.urdf", "6-axis arm like the Universal Robots UR10"),
    "iiwa": Shipped("iiwa.urdf", "7-axis arm like the KUKA iiwa 14"),
    "iiwa7": Shipped("iiwa7.urdf", "7-axis arm like the KUKA iiwa 7, with a hand"),
    "quadruped": Shipped("quadruped.urdf", "12 joints on a floating trunk, Unitree Go2 sizes"),
    "humanoid": Shipped("humanoid.urdf", "22 joints on a floating pelvis, branching torso"),
}


def is_name(given: str) -> bool:
    """Whether what was given for a robot is meant as a name, not as a path."""
    return "/" not in given and "\\" not in given and not PurePath(given).suffix


def shipped_path(name: str) -> Path:
    """The file of a shipped robot."""
    if name not in ROBOTS:
        hint = nearest(name, ROBOTS)
        if Path(name).exists():
            hint = f"the file here is ./{name}; {hint}"
        raise InputMissingError("unknown-robot", f"no robot is called {name!r}", hint=hint)
    return FILES / ROBOTS[name].file


def robot_path(given: str | Path, base: Path = Path()) -> Path:
    """The file that a path or a name stands for; paths are relative to `base`."""
    if isinstance(given, str) and is_name(given):
        return shipped_path(given)
    return base / given
