"""Forward dynamics: the accelerations that torques cause (articulated bodies, Lie-algebra form).

All bodies are seen in one frame, so what hangs on a body adds to it as it is. Twists, inertias and
their products are computed for all bodies at once; only what depends on children (articulated
inertias) or parents (accelerations) goes body by body. The batch axis is last, as in `layout`.
"""

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.crba import carried
from robotid.dynamics.kinematics import Frames, frames, screws
from robotid.dynamics.layout import cross, product, skew, turned, turned_back
from robotid.robot.tree import RobotTree


def aba(
    robot: RobotTree,
    q: Tensor,
    qd: Tensor,
    tau: Tensor,
    phi: Tensor | None = None,
    *,
    placements: Tensor | None = None,
    gravity: Tensor | None = None,
    rotor_inertia: Tensor | None = None,
) -> Tensor:
    """q̈ = H(q)⁻¹ (τ − c − g), shape (..., nv); arguments as for `rnea`.

    A joint that nothing resists (no inertia beyond it) gets an infinite acceleration.
    """
    given = laid_out(
        robot,
        q,
        qd=qd,
        tau=tau,
        phi=phi,
        placements=placements,
        gravity=gravity,
        rotor_inertia=rotor_inertia,
    )
    tree, batch = given.tree, given.batch
    at = frames(robot, tree, given.q, given.placements)
    unit = screws(robot, tree, at)
    own = unit * batch.last(qd, 1)
    v = tree.moves.mT @ own
    M = _inertias(at, given.phi)
    first, base = int(robot.floating), robot.nv - robot.n  # body and coordinate of the first joint
    # What every body would do if no joint accelerated: gravity, and what the velocities ask for.
    world = torch.cat([-given.gravity, torch.zeros_like(given.gravity)])
    coasting = world[:, None] + tree.moves[base:].mT @ _ad(v[:, first:], own[:, base:])
    needed = turned(M, coasting) + _minus_ad_dual(v, turned(M, v))
    torque, S = batch.last(tau, 1), unit[:, base:].unbind(1)

    # Inward: articulated inertias M_hat, and the wrenches b that they need without acceleration.
    M_hat, b = list(M.unbind(2)), list(needed.unbind(1))
    MS: list[Tensor] = [torque] * robot.n
    psi, drive = MS.copy(), MS.copy()
    for joint in reversed(range(robot.n)):
        i, parent = joint + first, robot.parents[joint + first]
        MS[joint] = turned(M_hat[i], S[joint])
        along = (MS[joint] * S[joint]).sum(0)
        if rotor_inertia is not None:
            along = along + batch.last(rotor_inertia, 1)[joint]
        psi[joint] = 1 / along
        drive[joint] = torque[base + joint] - (b[i] * S[joint]).sum(0)
        if parent >= 0:
            given_way = psi[joint] * MS[joint]
            M_hat[parent] = M_hat[parent] + M_hat[i] - MS[joint][:, None] * given_way
            b[parent] = b[parent] + b[i] + given_way * drive[joint]

    # Outward: accelerations of the joints, and what they add to those of the bodies.
    qdd: list[Tensor] = []
    a: list[Tensor] = []
    if robot.floating:
        moves = unit[:, :6]
        wrench = torque[:6] - turned_back(moves, b[0])
        resists = product(product(moves.movedim(0, 1), M_hat[0]), moves)
        solved = torch.linalg.solve(resists.movedim(-1, 0), wrench.mT[..., None])[..., 0].mT
        qdd.extend(solved)
        a.append(turned(moves, solved))
    for joint in range(robot.n):
        parent, left = robot.parents[joint + first], drive[joint]
        if parent >= 0:
            left = left - (MS[joint] * a[parent]).sum(0)
        qdd.append(psi[joint] * left)
        added = S[joint] * qdd[-1]
        a.append(added if parent < 0 else a[parent] + added)
    return batch.first(torch.stack(qdd))


def _inertias(at: Frames, phi: Tensor) -> Tensor:
    """M = [[m 1, −[h]], [[h], tr(Σ) 1 − Σ]] about the common origin, shape (6, 6, bodies, B)."""
    mass, h, sigma = carried(at, phi)
    eye = torch.eye(3, dtype=phi.dtype, device=phi.device)[..., None, None]
    k, trace = skew(h), sigma[0, 0] + sigma[1, 1] + sigma[2, 2]
    top = torch.cat([(mass * eye).expand_as(k), -k], 1)
    return torch.cat([top, torch.cat([k, trace * eye - sigma], 1)])


def _ad(v: Tensor, m: Tensor) -> Tensor:
    """ad_v m = (ω × m_v + v × m_ω, ω × m_ω) for twists v and m."""
    linear, angular = v[:3], v[3:]
    return torch.cat([cross(angular, m[:3]) + cross(linear, m[3:]), cross(angular, m[3:])])


def _minus_ad_dual(v: Tensor, f: Tensor) -> Tensor:
    """−ad_vᵀ f = (ω × f_f, v × f_f + ω × f_n) for a twist v and a wrench f."""
    linear, angular = v[:3], v[3:]
    return torch.cat([cross(angular, f[:3]), cross(linear, f[:3]) + cross(angular, f[3:])])
