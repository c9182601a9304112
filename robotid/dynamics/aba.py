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
    momentum = turned(M, v)
    first, base = int(robot.floating), robot.nv - robot.n  # body and coordinate of the first joint
    S, eta = unit[:, base:].unbind(1), _ad(v[:, first:], own[:, base:]).unbind(1)
    torque = batch.last(tau, 1)
    M_hat, b = list(M.unbind(2)), list(_minus_ad_dual(v, momentum).unbind(1))

    # Inward: articulated inertias M_hat and biases b.
    MS: list[Tensor] = [torque] * robot.n
    psi, drive = MS.copy(), MS.copy()
    for joint in reversed(range(robot.n)):
        i, parent = joint + first, robot.parents[joint + first]
        MS[joint] = turned(M_hat[i], S[joint])
        along = (MS[joint] * S[joint]).sum(0)
        if rotor_inertia is not None:
            along = along + batch.last(rotor_inertia, 1)[joint]
        psi[joint] = 1 / along
        drive[joint] = torque[base + joint] - (S[joint] * b[i]).sum(0)
        if parent >= 0:
            scaled = psi[joint] * MS[joint]
            Pi = M_hat[i] - MS[joint][:, None] * scaled
            M_hat[parent] = M_hat[parent] + Pi
            b[parent] = b[parent] + b[i] + turned(Pi, eta[joint]) + scaled * drive[joint]

    # Outward: accelerations.
    world = torch.cat([-given.gravity, torch.zeros_like(given.gravity)])
    a: list[Tensor] = []
    qdd: list[Tensor] = []
    if robot.floating:
        turns = unit[:, :6]
        wrench = torque[:6] - turned_back(turns, turned(M_hat[0], world) + b[0])
        resists = product(product(turns.movedim(0, 1), M_hat[0]), turns)
        solved = torch.linalg.solve(resists.movedim(-1, 0), wrench.mT[..., None])[..., 0].mT
        a.append(world + turned(turns, solved))
        qdd.extend(solved)
    for joint in range(robot.n):
        parent = robot.parents[joint + first]
        pulled = (world if parent < 0 else a[parent]) + eta[joint]
        qdd.append(psi[joint] * (drive[joint] - (MS[joint] * pulled).sum(0)))
        a.append(pulled + S[joint] * qdd[-1])
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
