"""Accelerations of all bodies: the outward pass of inverse dynamics and of its regressor."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.dynamics.kinematics import Frames
from robotid.dynamics.layout import cross, turned, turned_back
from robotid.dynamics.structure import Structure
from robotid.robot.tree import RobotTree


class Motion(NamedTuple):
    """Motion of each body's origin in body coordinates, each of shape (3, bodies, B).

    `acceleration` is that of the body origin less gravity: what an accelerometer there would show.
    """

    angular_velocity: Tensor
    angular_acceleration: Tensor
    acceleration: Tensor


def motion(
    robot: RobotTree, tree: Structure, at: Frames, qd: Tensor, qdd: Tensor, gravity: Tensor
) -> Motion:
    """How all bodies move; qd and qdd of shape (nv, B), gravity (3, B).

    With r the way from the parent's origin, z the axis, λ the parent:
    ω = ω_λ + z q̇,  α = α_λ + z q̈ + ω_λ × z q̇  (joints that turn),
    a = a_λ + α_λ × r + ω_λ × (ω_λ × r)  (+ z q̈ + 2 ω_λ × z q̇ for joints that slide).
    """
    base = _BaseMotion.of(robot, at, qd, qdd)
    rate, change = at.axes * base.joints(qd), at.axes * base.joints(qdd)
    spin = base.lead(base.angular_velocity, rate * tree.turns)
    omega, omega_parent = tree.ancestors @ spin, tree.above @ spin
    gyration = cross(omega_parent, rate)
    swing = base.lead(base.angular_acceleration, (change + gyration) * tree.turns)
    alpha, alpha_parent = tree.ancestors @ swing, tree.above @ swing
    push = cross(alpha_parent, at.way) + cross(omega_parent, cross(omega_parent, at.way))
    push = base.lead(base.acceleration, push + (change + 2 * gyration) * tree.slides)
    acceleration = tree.ancestors @ push - gravity[:, None]
    return Motion(*(turned_back(at.rotation, x) for x in (omega, alpha, acceleration)))


class _BaseMotion(NamedTuple):
    """What body 0 of a floating robot adds to all others; nothing where the base is fixed."""

    floats: bool
    angular_velocity: Tensor
    angular_acceleration: Tensor
    acceleration: Tensor

    @classmethod
    def of(cls, robot: RobotTree, at: Frames, qd: Tensor, qdd: Tensor) -> "_BaseMotion":
        if not robot.floating:
            return cls(False, qd, qd, qd)
        v, w = qd[:3], qd[3:6]
        of_origin = qdd[:3] + cross(w, v)  # qdd holds the derivative of v in turning coordinates
        turn = at.rotation[:, :, 0]
        return cls(True, turned(turn, w), turned(turn, qdd[3:6]), turned(turn, of_origin))

    def joints(self, x: Tensor) -> Tensor:
        """One entry per body of a velocity-like vector."""
        return torch.cat([torch.zeros_like(x[:1]), x[6:]]) if self.floats else x

    def lead(self, first: Tensor, rest: Tensor) -> Tensor:
        """The base's term in place of that of body 0."""
        if not self.floats:
            return rest
        first = first.expand(3, max(first.shape[-1], rest.shape[-1]))
        rest = rest.expand(*rest.shape[:-1], first.shape[-1])
        return torch.cat([first[:, None], rest[:, 1:]], 1)
