"""Kinetic and potential energy, both linear in the link parameters."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.dynamics.kinematics import body_poses
from robotid.dynamics.motion import frames
from robotid.dynamics.structure import checked
from robotid.robot.tree import RobotTree


class Energy(NamedTuple):
    """Energies [J], each of shape (...)."""

    kinetic: Tensor
    potential: Tensor


def energy(
    robot: RobotTree,
    q: Tensor,
    qd: Tensor,
    phi: Tensor | None = None,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
) -> Energy:
    """Energy of the bodies; arguments as for `rnea`. Potential is zero at the base origin."""
    tree = checked(robot, q, qd=qd, phi=phi, placements=placements, gravity=gravity)
    links = (tree.phi if phi is None else phi).flatten(-2)[..., None]
    kinetic = kinetic_regressor(robot, q, qd, placements=placements)[..., None, :] @ links
    potential = potential_regressor(robot, q, placements=placements, gravity=gravity)
    return Energy(kinetic[..., 0, 0], (potential[..., None, :] @ links)[..., 0, 0])


def kinetic_regressor(
    robot: RobotTree, q: Tensor, qd: Tensor, *, placements: Tensor | None = None
) -> Tensor:
    """½ m v² + v·(ω × h) + ½ ωᵀ I ω per link parameter, shape (..., 10 bodies)."""
    tree = checked(robot, q, qd=qd, placements=placements)
    at = frames(robot, tree, q, placements)
    twists = tree.moves.mT @ (at.screws * qd[..., None])  # of each body, about the common origin
    spin = twists[..., 3:]
    velocity = twists[..., :3] + torch.linalg.cross(spin, at.position.expand_as(spin))
    v, w = (at.rotation.mT @ torch.stack([velocity, spin], -1)).unbind(-1)
    x, y, z = w.unbind(-1)
    of_inertia = torch.stack([x * x / 2, x * y, y * y / 2, x * z, y * z, z * z / 2], -1)
    of_mass = (v * v).sum(-1, keepdim=True) / 2
    return torch.cat([of_mass, torch.linalg.cross(v, w), of_inertia], -1).flatten(-2)


def potential_regressor(
    robot: RobotTree,
    q: Tensor,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
) -> Tensor:
    """−gᵀ (m p + R h) per link parameter, shape (..., 10 bodies)."""
    tree = checked(robot, q, placements=placements, gravity=gravity)
    poses = body_poses(robot, q, placements=placements)
    up = -(tree.gravity if gravity is None else gravity)[..., None, :, None]
    of_mass = (poses[..., :3, 3, None] * up).sum(-2)
    of_h = (poses[..., :3, :3].mT @ up)[..., 0]
    of_inertia = torch.zeros_like(of_mass).expand(*of_mass.shape[:-1], 6)
    return torch.cat([of_mass, of_h, of_inertia], -1).flatten(-2)
