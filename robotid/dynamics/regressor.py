"""The joint-torque regressor: torques are linear in the link parameters, τ = Y(q, q̇, q̈) φ."""

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.kinematics import frames, screws
from robotid.dynamics.layout import product, skew
from robotid.dynamics.motion import Motion, motion
from robotid.robot.tree import RobotTree

# I x = L(x) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz): which component of x stands where in L; 3 is zero.
_LEVER = [0, 1, 3, 2, 3, 3, 3, 0, 1, 3, 2, 3, 3, 3, 3, 0, 1, 2]


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
    given = laid_out(robot, q, qd=qd, qdd=qdd, placements=placements, gravity=gravity)
    tree, batch = given.tree, given.batch
    velocity, acceleration = batch.last(qd, 1), batch.last(qdd, 1)
    at = frames(robot, tree, given.q, given.placements)
    moving = motion(robot, tree, at, velocity, acceleration, given.gravity)
    force, moment = _wrench_regressor(moving)
    force, moment = product(at.rotation, force), product(at.rotation, moment)
    about_origin = moment + product(skew(at.position), force)
    columns = torch.cat([force, about_origin]).movedim(-1, 0)  # (B, 6, 10, bodies)
    twists = screws(robot, tree, at).movedim(-1, 0).mT  # (B, nv, 6)
    rows = (twists @ columns.flatten(2)).reshape(-1, robot.nv, 10, robot.bodies)
    Y = (rows * tree.moves[:, None]).mT.flatten(2)
    return batch.first(Y.movedim(0, -1))


def _wrench_regressor(moving: Motion) -> tuple[Tensor, Tensor]:
    """Force and moment of each body per link parameter, each of shape (3, 10, bodies, B).

    A = [[a, [α] + [ω][ω], 0], [0, −[a], L(α) + [ω] L(ω)]], in body coordinates.
    """
    w, alpha, a = moving
    turn = skew(w)
    zero = torch.zeros_like(a)[:, None]
    of_h = skew(alpha) + product(turn, turn)
    force = torch.cat([a[:, None], of_h, zero.expand(3, 6, *zero.shape[2:])], 1)
    moment = torch.cat([zero, -skew(a), _lever(alpha) + product(turn, _lever(w))], 1)
    return force, moment


def _lever(x: Tensor) -> Tensor:
    """L(x) with I x = L(x) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz), (3, ...) to (3, 6, ...)."""
    padded = torch.cat([x, torch.zeros_like(x[:1])])
    return padded[_LEVER].reshape(3, 6, *x.shape[1:])
