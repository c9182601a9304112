"""`Description`: what a reader has found in a robot file, before it is made into a tree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from robotid.errors import Notice, RobotidError
from robotid.robot.assembly import Assembly

Format = Literal["urdf", "mjcf"]


@dataclass(frozen=True, eq=False)
class Description:
    """A robot file in the form of parts.

    Args:
        file: the path, for messages.
        format: of the file.
        assembly: the robot.
        link_lines: line of each link of the file.
        not_modelled: errors about joints that may stay only if they are locked or cut off,
            by joint.
        notices: findings.
    """

    file: str
    format: Format
    assembly: Assembly
    link_lines: Mapping[str, int] = field(default_factory=dict)
    not_modelled: Mapping[str, RobotidError] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
