"""Which column is which signal of which joint, and what is known of the joints."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.recording import Joint
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Signal(NamedTuple):
    """A column: `kind` is what stands before the dot, `joint` the position among the joints."""

    name: str
    kind: str
    joint: int


class Setup(NamedTuple):
    """What is checked.

    Args:
        signals: the columns that belong to a joint.
        joints: in the order of the recording.
        limits: lower, upper, velocity, effort, each of shape (joints,); infinite where unknown.
        file: the log, for notices.
        torque: what the torque is said to be, `measured` or `commanded`.
    """

    signals: tuple[Signal, ...]
    joints: tuple[Joint, ...]
    limits: dict[str, Array]
    file: str | None
    torque: str

    def column(self, kind: str, joint: int) -> int | None:
        """Position of a signal of a joint."""
        for index, signal in enumerate(self.signals):
            if signal.kind == kind and signal.joint == joint:
                return index
        return None

    def columns(self, kind: str) -> list[int] | None:
        """Positions of a signal of all joints; None unless all have it."""
        found = [self.column(kind, joint) for joint in range(len(self.joints))]
        return None if None in found else [index for index in found if index is not None]

    def unit(self, joint: int, kind: str = "q") -> str:
        """SI unit of a signal of a joint."""
        slides = self.joints[joint].kind == "prismatic"
        units = {"q": ("rad", "m"), "qd": ("rad/s", "m/s")}.get(kind, ("N m", "N"))
        return {"current": "A", "temperature": "K"}.get(kind, units[slides])


def setup(
    names: Sequence[str],
    joints: Sequence[Joint],
    robot: RobotTree | None,
    file: str | None,
    torque: str,
) -> Setup:
    """Sort columns by signal and joint; other columns are not looked at."""
    position = {joint.name: index for index, joint in enumerate(joints)}
    signals = []
    for name in names:
        kind, _, of = name.partition(".")
        if of in position:
            signals.append(Signal(name, kind, position[of]))
    limits = {which: np.full(len(joints), bound) for which, bound in _NO_LIMITS.items()}
    for joint in robot.driven if robot is not None else ():
        if joint.name in position:
            for which in limits:
                limits[which][position[joint.name]] = getattr(joint.limits, which)
    return Setup(tuple(signals), tuple(joints), limits, file, torque)


_NO_LIMITS = {"lower": -np.inf, "upper": np.inf, "velocity": np.inf, "effort": np.inf}
