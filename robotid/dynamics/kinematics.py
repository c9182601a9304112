"""Where the bodies are, and how they move with the joints."""

import torch
from torch import Tensor

from robotid.dynamics.structure import Structure, checked
from robotid.robot.tree import RobotTree
from robotid.spatial.so3 import rotation_about, rotation_from_quaternion


def body_poses(robot: RobotTree, q: Tensor, *, placements: Tensor | None = None) -> Tensor:
    """Pose of every body in the base, shape (..., bodies, 4, 4).

    Args:
        robot: the robot.
        q: configuration, shape (..., nq) [rad, m].
        placements: poses of the bodies in their parents at q = 0, shape (..., bodies, 4, 4), if not
            those of the robot.
    """
    tree = checked(robot, q, placements=placements)
    return _chain(robot, local_poses(robot, tree, q, placements))


def local_poses(robot: RobotTree, tree: Structure, q: Tensor, placements: Tensor | None) -> Tensor:
    """Pose of every body in its parent, shape (..., bodies, 4, 4): T_O then the joint's motion."""
    fixed = tree.placements if placements is None else placements
    joints = q
    if robot.floating:
        joints = torch.cat([torch.zeros_like(q[..., :1]), q[..., 7:]], -1)
    rotation = rotation_about(tree.axes, joints * tree.turns)
    position = (joints * tree.slides)[..., None] * tree.axes
    if robot.floating:
        base = rotation_from_quaternion(q[..., 3:7])[..., None, :, :]
        rotation = torch.cat([base, rotation[..., 1:, :, :]], -3)
        position = torch.cat([q[..., None, :3], position[..., 1:, :]], -2)
    return fixed @ homogeneous(rotation, position)


def homogeneous(rotation: Tensor, position: Tensor) -> Tensor:
    """The 4×4 matrix of rotation (..., 3, 3) and position (..., 3)."""
    top = torch.cat([rotation, position[..., None]], -1)
    bottom = torch.zeros_like(top[..., :1, :])
    bottom[..., 3] = 1.0
    return torch.cat([top, bottom], -2)


def _chain(robot: RobotTree, local: Tensor) -> Tensor:
    poses: list[Tensor] = []
    for own, parent in zip(local.unbind(-3), robot.parents, strict=True):
        poses.append(own if parent < 0 else poses[parent] @ own)
    return torch.stack(poses, -3)


def screws(robot: RobotTree, tree: Structure, poses: Tensor) -> Tensor:
    """Twist in base coordinates, about the base origin, of each unit velocity; (..., nv, 6)."""
    rotation, position = poses[..., :3, :3], poses[..., :3, 3]
    axes = (rotation @ tree.axes[..., None])[..., 0]
    turning = axes * tree.turns[:, None]
    linear = axes * tree.slides[:, None] + torch.linalg.cross(position, turning)
    joints = torch.cat([linear, turning], -1)
    if not robot.floating:
        return joints
    base = rotation[..., 0, :, :].mT  # row k: base axis k
    spun = torch.linalg.cross(position[..., :1, :].expand_as(base), base)
    upper = torch.cat([base, torch.zeros_like(base)], -1)
    lower = torch.cat([spun, base], -1)
    return torch.cat([upper, lower, joints[..., 1:, :]], -2)


def jacobian(
    robot: RobotTree,
    q: Tensor,
    body: int,
    point: Tensor | None = None,
    *,
    placements: Tensor | None = None,
) -> Tensor:
    """Geometric Jacobian of a point on a body: its velocity and the body's turn rate per velocity.

    Args:
        robot: the robot.
        q: configuration, shape (..., nq).
        body: index of the body.
        point: in body coordinates, shape (..., 3) [m]; the body origin when not given.
        placements: as for `body_poses`.

    Returns:
        Shape (..., 6, nv), linear part first, in base coordinates.
    """
    tree = checked(robot, q, placements=placements)
    poses = _chain(robot, local_poses(robot, tree, q, placements))
    columns = screws(robot, tree, poses) * tree.moves[:, body, None]
    place = poses[..., body, :3, 3]
    if point is not None:
        place = place + (poses[..., body, :3, :3] @ point[..., None])[..., 0]
    angular = columns[..., 3:]
    linear = columns[..., :3] + torch.linalg.cross(angular, place[..., None, :].expand_as(angular))
    return torch.cat([linear, angular], -1).mT
