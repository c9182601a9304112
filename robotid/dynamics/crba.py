"""The mass matrix, from composite inertias."""

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.kinematics import Frames, frames, screws
from robotid.dynamics.layout import cross, product, turned
from robotid.robot.tree import RobotTree
from robotid.spatial.inertia import pseudo_inertia


def crba(
    robot: RobotTree,
    q: Tensor,
    phi: Tensor | None = None,
    *,
    placements: Tensor | None = None,
    rotor_inertia: Tensor | None = None,
) -> Tensor:
    """H(q), shape (..., nv, nv); arguments as for `rnea`.

    H_de is the momentum that coordinate e gives to all it moves, seen along coordinate d above it.
    """
    given = laid_out(robot, q, phi=phi, placements=placements, rotor_inertia=rotor_inertia)
    tree, batch = given.tree, given.batch
    at = frames(robot, tree, given.q, given.placements)
    twists = screws(robot, tree, at)
    # Of all that each coordinate moves.
    mass, h, sigma = (tree.moves @ own for own in carried(at, given.phi))
    linear, angular = twists[:3], twists[3:]
    trace = sigma[0, 0] + sigma[1, 1] + sigma[2, 2]
    along = mass * linear + cross(angular, h)
    about = cross(h, linear) + trace * angular - turned(sigma, angular)  # I = tr(Σ) 1 − Σ
    momentum = torch.cat([along, about])
    is_above = tree.moves[:, tree.body_of]  # entry (d, e): d moves the body of e
    upper = torch.triu(is_above)[..., None] * (twists[:, :, None] * momentum[:, None]).sum(0)
    half = torch.triu(is_above, 1)[..., None] * upper
    H = batch.first(upper + half.movedim(0, 1))
    if rotor_inertia is None:
        return H
    base = robot.nv - robot.n
    return H + torch.nn.functional.pad(torch.diag_embed(rotor_inertia), (base, 0, base, 0))


def carried(at: Frames, phi: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Mass (bodies, B), first moment (3, bodies, B) and Σ (3, 3, bodies, B) in the common frame.

    h' = R h + m p, Σ' = R Σ Rᵀ + R h pᵀ + p h'ᵀ.
    """
    pseudo = pseudo_inertia(phi.movedim(0, -1)).movedim((-2, -1), (0, 1))
    mass, rotation, position = phi[0], at.rotation, at.position
    turned_h = turned(rotation, phi[1:4])
    h = turned_h + mass * position
    sigma = product(product(rotation, pseudo[:3, :3]), rotation.movedim(0, 1))
    sigma = sigma + turned_h[:, None] * position[None] + position[:, None] * h[None]
    return mass, h, sigma
