"""Jacobians of frames of the robot file, in numpy: what contacts there push and turn."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.geometry import skew
from robotid.robot.tree import Frame, RobotTree
from robotid.spatial.quaternions import rotation_of

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class FrameJacobian(NamedTuple):
    """How a frame moves with the coordinates that move it, in axes of the base.

    Of a floating robot these are the axes of the world, its base being what it is placed in.

    Args:
        coordinates: which velocities move the frame, shape (k,).
        matrix: velocity of its origin and turn rate per such velocity, shape (T, 6, k).
        rotation: frame to base coordinates, shape (T, 3, 3).
        position: of its origin [m], shape (T, 3); of a floating robot from the base's own origin,
            so that precision does not depend on where it walked.
    """

    coordinates: Index
    matrix: Array
    rotation: Array
    position: Array

    def force(self, wrench: Array, nv: int) -> Array:
        """Jᵀ f: the generalised force of a wrench at the frame's origin, shape (T, nv).

        Args:
            wrench: force and moment in axes of the base, shape (T, 6).
            nv: how many velocities the robot has.
        """
        result = np.zeros((len(wrench), nv))
        result[:, self.coordinates] = np.einsum("tij,ti->tj", self.matrix, wrench)
        return result


def frame_jacobian(robot: RobotTree, q: Array, frame: Frame) -> FrameJacobian:
    """The Jacobian of a frame.

    Args:
        robot: the robot.
        q: configurations, shape (T, nq).
        frame: of the robot, see `RobotTree.frame`.
    """
    samples, base = len(q), 6 * robot.floating
    rotation, position = np.broadcast_to(np.eye(3), (samples, 3, 3)), np.zeros((samples, 3))
    coordinates: list[int] = []
    moving: list[tuple[Array, Array, bool]] = []  # axis, a point on it, whether it turns
    for body in np.flatnonzero(robot.ancestors[frame.body]) if frame.body >= 0 else ():
        joint, placement = robot.joints[body], robot.placements[body]
        position = position + rotation @ placement[:3, 3]
        rotation = rotation @ placement[:3, :3]
        if joint.kind == "floating":
            rotation, position = rotation @ rotation_of(q[:, 3:7]), np.zeros((samples, 3))
            moving += [(rotation[:, :, axis], position, turns) for turns in (False, True)
                       for axis in range(3)]  # fmt: skip
            coordinates += range(6)
            continue
        place = int(body) - robot.floating
        value, axis = q[:, robot.nq - robot.n + place], np.array(joint.axis)
        turns = joint.kind != "prismatic"
        moving.append((rotation @ axis, position, turns))
        coordinates.append(base + place)
        if turns:
            k = skew(axis)
            turn = np.sin(value)[:, None, None] * k + (1 - np.cos(value))[:, None, None] * (k @ k)
            rotation = rotation + rotation @ turn
        else:
            position = position + value[:, None] * (rotation @ axis)
    position = position + rotation @ frame.placement[:3, 3]
    matrix = np.zeros((samples, 6, len(moving)))
    for column, (axis, point, turns) in enumerate(moving):
        matrix[:, :3, column] = np.cross(axis, position - point) if turns else axis
        matrix[:, 3:, column] = axis if turns else 0.0
    index = np.array(coordinates, dtype=np.int64)
    return FrameJacobian(index, matrix, rotation @ frame.placement[:3, :3], position)
