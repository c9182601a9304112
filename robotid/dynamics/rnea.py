"""Inverse dynamics: the torques of a motion (recursive Newton-Euler)."""

import torch
from torch import Tensor

from robotid.dynamics.motion import Frames, Motion, frames, motion
from robotid.dynamics.structure import Structure, checked
from robotid.robot.tree import RobotTree
from robotid.spatial.inertia import symmetric

cross = torch.linalg.cross


def rnea(
    robot: RobotTree,
    q: Tensor,
    qd: Tensor,
    qdd: Tensor,
    phi: Tensor | None = None,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
    rotor_inertia: Tensor | None = None,
) -> Tensor:
    """τ = H(q) q̈ + c(q, q̇) + g(q), shape (..., nv); of a floating base its wrench comes first.

    Args:
        robot: the robot; only its tree is used where the arguments below are given.
        q: configuration, shape (..., nq) [rad, m].
        qd: velocity, shape (..., nv).
        qdd: acceleration, shape (..., nv).
        phi: link parameters, shape (..., bodies, 10); or (..., bodies, 13) with all nine entries
            of inertias that need not be symmetric.
        placements: poses of the bodies in their parents at q = 0, shape (..., bodies, 4, 4).
        gravity: in base coordinates, shape (..., 3) [m/s²].
        rotor_inertia: adds itself times q̈ to each driven joint, shape (..., n) [kg m²].
    """
    tree = checked(
        robot,
        q,
        qd=qd,
        qdd=qdd,
        phi=phi,
        placements=placements,
        gravity=gravity,
        rotor_inertia=rotor_inertia,
    )
    at = frames(robot, tree, q, placements)
    moving = motion(robot, tree, at, qd, qdd, tree.gravity if gravity is None else gravity)
    tau = gathered(tree, at, wrenches(moving, tree.phi if phi is None else phi))
    if rotor_inertia is None:
        return tau
    base = robot.nv - robot.n
    return tau + torch.nn.functional.pad(rotor_inertia * qdd[..., base:], (base, 0))


def wrenches(moving: Motion, phi: Tensor) -> Tensor:
    """Force and moment about each body's origin in body coordinates, shape (..., bodies, 2, 3).

    f = m a + α × h + ω × (ω × h),  n = h × a + I α + ω × I ω.
    """
    w, alpha, a = moving
    mass, h = phi[..., :1], phi[..., 1:4]
    six = phi.shape[-1] == 10
    inertia = symmetric(phi[..., 4:]) if six else phi[..., 4:].reshape(*phi.shape[:-1], 3, 3)
    h, w, alpha, a = torch.broadcast_tensors(h, w, alpha, a)
    momentum, change = (inertia @ torch.stack([w, alpha], -1)).unbind(-1)
    force = mass * a + cross(alpha, h) + cross(w, cross(w, h))
    moment = cross(h, a) + change + cross(w, momentum)
    return torch.stack([force, moment], -2)


def gathered(tree: Structure, at: Frames, of_bodies: Tensor) -> Tensor:
    """Generalised forces of wrenches on the bodies, (..., bodies, 2, 3) to (..., nv).

    Each coordinate takes its unit twist times the sum of the wrenches it moves, all about one
    origin.
    """
    force, moment = (of_bodies @ at.rotation.mT).unbind(-2)
    about_origin = moment + cross(at.position.expand_as(force), force)
    carried = tree.moves @ torch.cat([force, about_origin], -1)
    return (at.screws * carried).sum(-1)
