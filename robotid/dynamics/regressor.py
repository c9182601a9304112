"""The joint-torque regressor: torques are linear in the link parameters, τ = Y(q, q̇, q̈) φ."""

import torch
from torch import Tensor

from robotid.dynamics.motion import Motion, frames, motion
from robotid.dynamics.structure import checked
from robotid.robot.tree import RobotTree
from robotid.spatial.so3 import skew

# I x = L(x) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz): which component of x stands where in L; 3 is zero.
_LEVER = [[0, 1, 3, 2, 3, 3], [3, 0, 1, 3, 2, 3], [3, 3, 3, 0, 1, 2]]


def joint_torque_regressor(
    robot: RobotTree,
    q: Tensor,
    qd: Tensor,
    qdd: Tensor,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
) -> Tensor:
    """Y with τ = Y φ, shape (..., nv, 10 bodies); arguments as for `rnea`.

    φ is `phi` of all bodies one after the other. Rows of a floating base come first.
    """
    tree = checked(robot, q, qd=qd, qdd=qdd, placements=placements, gravity=gravity)
    at = frames(robot, tree, q, placements)
    moving = motion(robot, tree, at, qd, qdd, tree.gravity if gravity is None else gravity)
    force, moment = wrench_regressor(moving)
    force, moment = at.rotation @ force, at.rotation @ moment
    about_origin = moment + skew(at.position) @ force
    columns = torch.cat([force, about_origin], -2)  # (..., bodies, 6, 10)
    rows = torch.einsum("...dk,...ikp->...dip", at.screws, columns)
    return (rows * tree.moves[..., None]).flatten(-2)


def wrench_regressor(moving: Motion) -> tuple[Tensor, Tensor]:
    """Force and moment of each body per link parameter, each of shape (..., bodies, 3, 10).

    A = [[a, [α] + [ω][ω], 0], [0, −[a], L(α) + [ω] L(ω)]], in body coordinates.
    """
    w, alpha, a = moving
    turn = skew(w)
    of_h = skew(alpha) + turn @ turn
    zero = torch.zeros_like(a)[..., None]
    force = torch.cat([a[..., None], of_h, zero.expand(*zero.shape[:-1], 6)], -1)
    moment = torch.cat([zero, -skew(a), lever(alpha) + turn @ lever(w)], -1)
    return force, moment


def lever(x: Tensor) -> Tensor:
    """L(x) with I x = L(x) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz), shape (..., 3) to (..., 3, 6)."""
    padded = torch.cat([x, torch.zeros_like(x[..., :1])], -1)
    return padded[..., _LEVER]
