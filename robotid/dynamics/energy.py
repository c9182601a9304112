"""Kinetic and potential energy, both linear in the link parameters."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.kinematics import frames, screws
from robotid.dynamics.layout import cross, turned_back
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
    tree = laid_out(robot, q, qd=qd, phi=phi, placements=placements, gravity=gravity).tree
    links = tree.phi[..., 0].mT if phi is None else phi
    kinetic = kinetic_regressor(robot, q, qd, placements=placements)
    potential = potential_regressor(robot, q, placements=placements, gravity=gravity)
    flat = links.flatten(-2)
    return Energy((kinetic * flat).sum(-1), (potential * flat).sum(-1))


def kinetic_regressor(
    robot: RobotTree, q: Tensor, qd: Tensor, *, placements: Tensor | None = None
) -> Tensor:
    """½ m v² + v·(ω × h) + ½ ωᵀ I ω per link parameter, shape (..., 10 bodies)."""
    given = laid_out(robot, q, qd=qd, placements=placements)
    tree, batch = given.tree, given.batch
    at = frames(robot, tree, given.q, given.placements)
    unit = screws(robot, tree, at)
    twists = tree.moves.mT @ (unit * batch.last(qd, 1))  # of each body, about the common origin
    spin = twists[3:]
    v = turned_back(at.rotation, twists[:3] + cross(spin, at.position))
    w = turned_back(at.rotation, spin)
    x, y, z = w
    of_inertia = torch.stack([x * x / 2, x * y, y * y / 2, x * z, y * z, z * z / 2])
    columns = torch.cat([(v * v).sum(0, keepdim=True) / 2, cross(v, w), of_inertia])
    return batch.first(columns.movedim(0, 1).flatten(0, 1))


def potential_regressor(
    robot: RobotTree,
    q: Tensor,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
) -> Tensor:
    """−gᵀ (m p + R h) per link parameter, shape (..., 10 bodies)."""
    given = laid_out(robot, q, placements=placements, gravity=gravity)
    at = frames(robot, given.tree, given.q, given.placements, base_at_origin=False)
    up = -given.gravity[:, None]
    of_mass = (at.position * up).sum(0, keepdim=True)
    of_h = turned_back(at.rotation, up)
    of_inertia = torch.zeros_like(of_mass).expand(6, *of_mass.shape[1:])
    columns = torch.cat([of_mass, of_h, of_inertia])
    return given.batch.first(columns.movedim(0, 1).flatten(0, 1))
