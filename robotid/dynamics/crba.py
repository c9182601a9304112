"""The mass matrix, from composite inertias."""

import torch
from torch import Tensor

from robotid.dynamics.motion import frames
from robotid.dynamics.structure import checked
from robotid.robot.tree import RobotTree
from robotid.spatial.inertia import phi_of_pseudo_inertia, pseudo_inertia, spatial_inertia


def crba(
    robot: RobotTree,
    q: Tensor,
    phi: Tensor | None = None,
    *,
    placements: Tensor | None = None,
    rotor_inertia: Tensor | None = None,
) -> Tensor:
    """H(q), shape (..., nv, nv); arguments as for `rnea`.

    The pseudo-inertia of what a joint moves is the sum of T P Tᵀ over its subtree. H_de is the
    momentum that coordinate e gives to what it moves, seen along coordinate d above it.
    """
    tree = checked(robot, q, phi=phi, placements=placements, rotor_inertia=rotor_inertia)
    at = frames(robot, tree, q, placements)
    own = pseudo_inertia(tree.phi if phi is None else phi)
    moved = at.poses @ own @ at.poses.mT
    summed = tree.moves @ moved.flatten(-2)
    composite = summed.reshape(*summed.shape[:-1], 4, 4)
    inertia = spatial_inertia(phi_of_pseudo_inertia(composite))
    momentum = (inertia @ at.screws[..., None])[..., 0]
    is_above = tree.moves[:, tree.body_of]  # entry (d, e): d moves the body of e
    upper = torch.triu((at.screws @ momentum.mT) * is_above)
    mass = upper + torch.triu(upper, 1).mT
    if rotor_inertia is None:
        return mass
    base = robot.nv - robot.n
    return mass + torch.nn.functional.pad(torch.diag_embed(rotor_inertia), (base, 0, base, 0))
