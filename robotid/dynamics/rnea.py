"""Inverse dynamics: the torques of a motion (recursive Newton-Euler)."""

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.kinematics import Frames, frames, screws
from robotid.dynamics.layout import cross, turned
from robotid.dynamics.motion import Motion, motion
from robotid.dynamics.structure import Structure
from robotid.robot.tree import RobotTree

# Where the entries of a 3 by 3 inertia stand in phi, row by row.
_SYMMETRIC = [4, 5, 7, 5, 6, 8, 7, 8, 9]


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
    given = laid_out(
        robot,
        q,
        qd=qd,
        qdd=qdd,
        phi=phi,
        placements=placements,
        gravity=gravity,
        rotor_inertia=rotor_inertia,
    )
    tree, batch = given.tree, given.batch
    velocity, acceleration = batch.last(qd, 1), batch.last(qdd, 1)
    at = frames(robot, tree, given.q, given.placements)
    moving = motion(robot, tree, at, velocity, acceleration, given.gravity)
    tau = _along(screws(robot, tree, at), tree, at, *_wrenches(moving, given.phi))
    if rotor_inertia is not None:
        driven = batch.last(rotor_inertia, 1) * acceleration[robot.nv - robot.n :]
        tau = torch.cat([tau[: robot.nv - robot.n], tau[robot.nv - robot.n :] + driven])
    return batch.first(tau)


def _wrenches(moving: Motion, phi: Tensor) -> tuple[Tensor, Tensor]:
    """Force and moment about each body's origin, in body coordinates, each (3, bodies, B).

    f = m a + α × h + ω × (ω × h),  n = h × a + I α + ω × I ω.
    """
    w, alpha, a = moving
    mass, h = phi[0], phi[1:4]
    nine = phi[_SYMMETRIC] if phi.shape[0] == 10 else phi[4:]
    inertia = nine.reshape(3, 3, *phi.shape[1:])
    force = mass * a + cross(alpha, h) + cross(w, cross(w, h))
    moment = cross(h, a) + turned(inertia, alpha) + cross(w, turned(inertia, w))
    return force, moment


def _along(twists: Tensor, tree: Structure, at: Frames, force: Tensor, moment: Tensor) -> Tensor:
    """Generalised forces (nv, B): each unit twist times the sum of the wrenches it moves."""
    force, moment = turned(at.rotation, force), turned(at.rotation, moment)
    about_origin = moment + cross(at.position, force)
    carried = tree.moves @ torch.cat([force, about_origin])
    return (twists * carried).sum(0)
