"""Learned kinematics: where joint axes lie to each other, beside the robot file.

A frame may slide along and turn about its joint's axis without changing any motion, so learned
poses by themselves tell nothing. Angles and distances between axes do not depend on that choice.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.reporting.view import ForwardView, LearnedView
from robotid.robot.tree import RobotTree
from robotid.robot.z_axes import with_z_axes

Array = NDArray[np.float64]

_PARALLEL = 1e-9  # sine of an angle below which axes have no common normal of their own


class Axes(NamedTuple):
    """A joint's axis beside the one before it.

    Args:
        angle: between both [°]; of a first joint, that to the vertical (None without gravity).
        distance: of both [m]; None of a first joint, and where one slides and has no place.
    """

    angle: float | None
    distance: float | None


class Row(NamedTuple):
    """A joint, the one before it (empty for a first one), as learned and in the robot file."""

    joint: str
    before: str
    learned: Axes
    given: Axes
    pose: list[list[float]]


def section(view: ForwardView | LearnedView) -> list[Row] | None:
    """What the template shows; None where placements were not learned.

    A floating base is where it was measured to be, and no row.
    """
    if view.fit.placements is None:
        return None
    robot = with_z_axes(view.robot)
    learned = np.array(view.fit.placements)
    return [
        Row(
            joint=joint.name,
            before=""
            if parent < 0 or robot.joints[parent].kind == "floating"
            else robot.joints[parent].name,
            learned=axes(robot, body, learned[body]),
            given=axes(robot, body, robot.placements[body]),
            pose=learned[body].tolist(),
        )
        for body, (joint, parent) in enumerate(zip(robot.joints, robot.parents, strict=True))
        if joint.kind != "floating"
    ]


def axes(robot: RobotTree, body: int, pose: Array) -> Axes:
    """How the axis of a body's joint lies to the one before it; both are z of their frames."""
    parent = robot.parents[body]
    axis, shift = pose[:3, 2], pose[:3, 3]
    if parent < 0 or robot.joints[parent].kind == "floating":
        vertical = -robot.gravity
        return Axes(_angle(vertical, axis) if vertical.any() else None, None)
    z = np.array([0.0, 0.0, 1.0])
    if "prismatic" in (robot.joints[parent].kind, robot.joints[body].kind):
        return Axes(_angle(z, axis), None)
    normal = np.cross(z, axis)
    size = float(np.linalg.norm(normal))
    across = shift - (shift @ z) * z
    away = abs(float(shift @ normal)) / size if size > _PARALLEL else float(np.linalg.norm(across))
    return Axes(_angle(z, axis), away)


def _angle(one: Array, other: Array) -> float:
    cross = float(np.linalg.norm(np.cross(one, other)))
    return float(np.degrees(np.arctan2(cross, one @ other)))
