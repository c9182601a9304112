"""Velocities and accelerations of all bodies: the outward pass of every algorithm."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.dynamics.kinematics import _chain, local_poses, screws
from robotid.dynamics.structure import Structure
from robotid.robot.tree import RobotTree

cross = torch.linalg.cross


class Frames(NamedTuple):
    """Poses (..., bodies, 4, 4) in a frame parallel to the base, and unit twists (..., nv, 6).

    Its origin is that of the base, or of the first body of a floating robot, so that the numbers
    stay small wherever the robot has walked.
    """

    poses: Tensor
    screws: Tensor

    @property
    def rotation(self) -> Tensor:
        """Shape (..., bodies, 3, 3)."""
        return self.poses[..., :3, :3]

    @property
    def position(self) -> Tensor:
        """Shape (..., bodies, 3)."""
        return self.poses[..., :3, 3]


class Motion(NamedTuple):
    """Motion of each body's origin in body coordinates, each of shape (..., bodies, 3).

    `acceleration` is that of the body origin less gravity: what an accelerometer there would show.
    """

    angular_velocity: Tensor
    angular_acceleration: Tensor
    acceleration: Tensor


def frames(robot: RobotTree, tree: Structure, q: Tensor, placements: Tensor | None) -> Frames:
    """Where all bodies and axes are."""
    if robot.floating:
        q = torch.cat([torch.zeros_like(q[..., :3]), q[..., 3:]], -1)
    poses = _chain(robot, local_poses(robot, tree, q, placements))
    return Frames(poses, screws(robot, tree, poses))


def motion(
    robot: RobotTree, tree: Structure, at: Frames, qd: Tensor, qdd: Tensor, gravity: Tensor
) -> Motion:
    """How all bodies move.

    With r the way from the parent's origin, z the axis, λ the parent:
    ω = ω_λ + z q̇,  α = α_λ + z q̈ + ω_λ × z q̇  (joints that turn),
    a = a_λ + α_λ × r + ω_λ × (ω_λ × r)  (+ z q̈ + 2 ω_λ × z q̇ for joints that slide).
    """
    rotation, position = at.rotation, at.position
    axes = (rotation @ tree.axes[..., None])[..., 0]
    if robot.floating:
        first = [torch.zeros_like(x[..., :1]) for x in (qd, qdd)]
        rate, change = (
            axes * torch.cat([zero, x[..., 6:]], -1)[..., None]
            for zero, x in zip(first, (qd, qdd), strict=True)
        )
    else:
        rate, change = axes * qd[..., None], axes * qdd[..., None]
    turns, slides = tree.turns[:, None], tree.slides[:, None]
    spin = rate * turns
    if robot.floating:
        base = _Base(rotation[..., 0, :, :], qd, qdd)
        spin = base.lead(base.angular_velocity, spin)
    omega, omega_parent = tree.ancestors @ spin, tree.above @ spin
    swing = change * turns + cross(omega_parent, rate * turns)
    if robot.floating:
        swing = base.lead(base.angular_acceleration, swing)
    alpha, alpha_parent = tree.ancestors @ swing, tree.above @ swing
    way = position - tree.parent @ position
    push = cross(alpha_parent, way) + cross(omega_parent, cross(omega_parent, way))
    push = push + slides * (change + 2 * cross(omega_parent, rate))
    if robot.floating:
        push = base.lead(base.acceleration, push)
    acceleration = tree.ancestors @ push - gravity[..., None, :]
    omega, alpha, acceleration = torch.broadcast_tensors(omega, alpha, acceleration)
    stacked = torch.stack([omega, alpha, acceleration], -1)
    return Motion(*(rotation.mT @ stacked).unbind(-1))


class _Base:
    """Motion of a floating base in the parallel frame."""

    def __init__(self, rotation: Tensor, qd: Tensor, qdd: Tensor) -> None:
        v, w = qd[..., :3], qd[..., 3:6]
        classical = qdd[..., :3] + cross(w, v)
        columns = torch.stack(torch.broadcast_tensors(w, qdd[..., 3:6], classical), -1)
        turned = rotation @ columns
        self.angular_velocity, self.angular_acceleration, self.acceleration = turned.unbind(-1)

    @staticmethod
    def lead(first: Tensor, rest: Tensor) -> Tensor:
        """The base's term in place of that of body 0."""
        shape = torch.broadcast_shapes(first.shape[:-1], rest.shape[:-2])
        rest = rest.expand(*shape, *rest.shape[-2:])
        return torch.cat([first.expand(*shape, 3)[..., None, :], rest[..., 1:, :]], -2)
