"""Where the bodies are, and how they move with the joints."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.layout import cross, product, skew, turned
from robotid.dynamics.structure import Structure
from robotid.robot.tree import RobotTree


class Frames(NamedTuple):
    """Where all bodies are, in a frame parallel to the base.

    Its origin is that of the base; in the dynamics, that of the first body of a floating robot, so
    that the numbers stay small wherever the robot has walked.

    Args:
        rotation: body to base coordinates, shape (3, 3, bodies, B).
        way: from the parent's origin to the body's, shape (3, bodies, B).
        position: of the body's origin, shape (3, bodies, B).
        axes: joint axes, shape (3, bodies, B).
    """

    rotation: Tensor
    way: Tensor
    position: Tensor
    axes: Tensor


def local_poses(
    robot: RobotTree, tree: Structure, q: Tensor, placements: Tensor
) -> tuple[Tensor, Tensor]:
    """Rotation (3, 3, bodies, B) and position (3, bodies, B) of each body in its parent.

    T_O, then exp([s] q) = 1 + sin q [s] + (1 − cos q) [s]² or the shift s q.

    Args:
        robot: the robot.
        tree: its tensors.
        q: shape (nq, B).
        placements: shape (4, 4, bodies, B or 1).
    """
    turn, shift = placements[:3, :3], placements[:3, 3]
    joints = torch.cat([torch.zeros_like(q[:1]), q[7:]]) if robot.floating else q
    angle, distance = joints * tree.turns, joints * tree.slides
    about = skew(tree.axes)
    first, second = product(turn, about), product(turn, product(about, about))
    rotation = turn + torch.sin(angle) * first + (1 - torch.cos(angle)) * second
    position = shift + distance * turned(turn, tree.axes)
    if robot.floating:
        place = turn[:, :, 0]
        rotation = torch.cat(
            [product(place, _of_quaternion(q[3:7]))[:, :, None], rotation[:, :, 1:]], 2
        )
        position = torch.cat([(shift[:, 0] + turned(place, q[:3]))[:, None], position[:, 1:]], 1)
    return rotation, position


def _of_quaternion(q: Tensor) -> Tensor:
    """The rotation of (x, y, z, w), (4, B) to (3, 3, B); the length does not matter."""
    unit = q / torch.linalg.vector_norm(q, dim=0)
    k = skew(unit[:3])
    eye = torch.eye(3, dtype=q.dtype, device=q.device)[..., None]
    result: Tensor = eye + 2 * unit[3] * k + 2 * product(k, k)
    return result


def frames(
    robot: RobotTree,
    tree: Structure,
    q: Tensor,
    placements: Tensor,
    *,
    base_at_origin: bool = True,
) -> Frames:
    """Where all bodies are; arguments as for `local_poses`.

    Rotations are the one thing that is computed body by body.
    """
    if robot.floating and base_at_origin:
        q = torch.cat([torch.zeros_like(q[:3]), q[3:]])
    turn, shift = local_poses(robot, tree, q, placements)
    eye = torch.eye(3, dtype=q.dtype, device=q.device)[..., None].expand(3, 3, turn.shape[-1])
    chain: list[Tensor] = []
    above: list[Tensor] = []
    for own, parent in zip(turn.unbind(2), robot.parents, strict=True):
        above.append(eye if parent < 0 else chain[parent])
        chain.append(own if parent < 0 else product(above[-1], own))
    rotation = torch.stack(chain, 2)
    way = turned(torch.stack(above, 2), shift)
    return Frames(rotation, way, tree.ancestors @ way, turned(rotation, tree.axes))


def screws(robot: RobotTree, tree: Structure, at: Frames) -> Tensor:
    """Twist, about the common origin, of each unit velocity; shape (6, nv, B)."""
    turning = at.axes * tree.turns
    linear = at.axes * tree.slides + cross(at.position, turning)
    joints = torch.cat([linear, turning])
    if not robot.floating:
        return joints
    base = at.rotation[:, :, 0]  # column k: base axis k
    spun = cross(at.position[:, :1], base)
    shifts = torch.cat([base, torch.zeros_like(base)])
    turns = torch.cat([spun, base])
    return torch.cat([shifts, turns, joints[:, 1:]], 1)


def body_poses(robot: RobotTree, q: Tensor, *, placements: Tensor | None = None) -> Tensor:
    """Pose of every body in the base, shape (..., bodies, 4, 4).

    Args:
        robot: the robot.
        q: configuration, shape (..., nq) [rad, m].
        placements: poses of the bodies in their parents at q = 0, shape (..., bodies, 4, 4), if not
            those of the robot.
    """
    given = laid_out(robot, q, placements=placements)
    at = frames(robot, given.tree, given.q, given.placements, base_at_origin=False)
    top = torch.cat([at.rotation, at.position[:, None]], 1)
    last = torch.zeros_like(top[:1])
    last[:, 3] = 1.0
    return given.batch.first(torch.cat([top, last]).movedim(2, 0))


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
    given = laid_out(robot, q, placements=placements, point=point)
    tree, batch = given.tree, given.batch
    at = frames(robot, tree, given.q, given.placements, base_at_origin=False)
    columns = screws(robot, tree, at) * tree.moves[:, body, None]
    place = at.position[:, body]
    if point is not None:
        place = place + turned(at.rotation[:, :, body], batch.last(point, 1))
    linear = columns[:3] + cross(columns[3:], place[:, None])
    return batch.first(torch.cat([linear, columns[3:]]))
