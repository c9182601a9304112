"""The same robot with frames that have their joint's axis as z, as learned kinematics need it."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robotid.robot.geometry import transport
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_Z = (0.0, 0.0, 1.0)


def with_z_axes(robot: RobotTree) -> RobotTree:
    """A robot that moves alike, whose joints all have the axis z.

    Each body's frame is turned about its own origin: placements and link parameters follow. A
    floating base has no axis, and keeps its frame.
    """
    turns = [
        np.eye(4) if joint.kind == "floating" else _turn_to(np.array(joint.axis))
        for joint in robot.joints
    ]
    placements, phi = np.empty_like(robot.placements), np.empty_like(robot.phi)
    for body, (parent, turn) in enumerate(zip(robot.parents, turns, strict=True)):
        before = np.eye(4) if parent < 0 else turns[parent]
        placements[body] = before.T @ robot.placements[body] @ turn
        phi[body] = transport(robot.phi[body], turn.T)
    joints = tuple(j if j.kind == "floating" else j._replace(axis=_Z) for j in robot.joints)
    return replace(robot, joints=joints, placements=placements, phi=phi, fixed=())


def _turn_to(axis: Array) -> Array:
    """A pose with its origin kept whose z is the axis, shape (4, 4)."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    result = np.eye(4)
    result[:3, :3] = np.column_stack([x, np.cross(axis, x), axis])
    return result
