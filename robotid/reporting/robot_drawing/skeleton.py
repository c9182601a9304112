"""Where the joints of a robot are, and what connects them, in a pose that shows them."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.kinematics import body_poses
from robotid.robot.tree import JointKind, Limits, RobotTree

Array = NDArray[np.float64]

_NEAR = 0.01  # [m]: a link tied closer than this shows nothing of the last body's length


class JointPlace(NamedTuple):
    """A joint: its place and axis in the base, shape (3,) each, and its kind."""

    name: str
    kind: JointKind
    origin: Array
    axis: Array


class Skeleton(NamedTuple):
    """A robot in one pose, in coordinates of its base [m].

    Args:
        poses: of the bodies, shape (bodies, 4, 4).
        joints: those that turn or slide.
        bones: lines from a joint to the next, shape (n, 2, 3).
        tips: lines from a last joint to the end of its body, shape (n, 2, 3).
    """

    poses: Array
    joints: tuple[JointPlace, ...]
    bones: Array
    tips: Array


def shown_pose(robot: RobotTree) -> Array:
    """Zero, or as near to it as the middle half of the limits allows; shape (nq,)."""
    base = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if robot.floating else []
    return np.array([*base, *(_shown(joint.limits) for joint in robot.driven)])


def skeleton(robot: RobotTree, q: Array) -> Skeleton:
    """The robot in a configuration, shape (nq,)."""
    poses = body_poses(robot, torch.tensor(q, dtype=torch.float64)).numpy()
    bones = [
        (np.zeros(3) if parent < 0 else poses[parent, :3, 3], poses[body, :3, 3])
        for body, parent in enumerate(robot.parents)
        if robot.joints[body].kind != "floating"
    ]
    leaves = [body for body in range(robot.bodies) if body not in robot.parents]
    return Skeleton(
        poses=poses,
        joints=tuple(
            JointPlace(joint.name, joint.kind, pose[:3, 3], pose[:3, :3] @ np.array(joint.axis))
            for joint, pose in zip(robot.joints, poses, strict=True)
            if joint.kind != "floating"
        ),
        bones=np.array(bones).reshape(-1, 2, 3),
        tips=np.array([_tip(robot, poses, body) for body in leaves]).reshape(-1, 2, 3),
    )


def _shown(limits: Limits) -> float:
    low, high = limits.lower, limits.upper
    if np.isfinite(low) and np.isfinite(high):
        quarter = 0.25 * (high - low)
        low, high = low + quarter, high - quarter
    return float(np.clip(0.0, low, high))


def _tip(robot: RobotTree, poses: Array, body: int) -> tuple[Array, Array]:
    """From the last joint to the farthest link tied to its body, else to the centre of mass."""
    pose = poses[body]
    tied = [link.placement[:3, 3] for link in robot.fixed if link.body == body]
    end = max(tied, key=lambda place: float(np.linalg.norm(place)), default=np.zeros(3))
    if np.linalg.norm(end) < _NEAR and robot.phi[body, 0] > 0:
        end = robot.phi[body, 1:4] / robot.phi[body, 0]
    return pose[:3, 3], pose[:3, :3] @ end + pose[:3, 3]
