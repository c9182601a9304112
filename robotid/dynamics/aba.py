"""Forward dynamics: the accelerations that torques cause (articulated bodies, Lie-algebra form)."""

import torch
from torch import Tensor

from robotid.dynamics.arguments import laid_out
from robotid.dynamics.kinematics import local_poses
from robotid.robot.tree import RobotTree
from robotid.spatial.inertia import spatial_inertia
from robotid.spatial.twists import ad, adjoint_inverse


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
    tree, batch, shape = given.tree, given.batch, given.batch.shape
    turn, shift = local_poses(robot, tree, given.q, given.placements)
    X = adjoint_inverse(batch.first(turn.movedim(2, 0)), batch.first(shift.movedim(1, 0)))
    M = spatial_inertia(tree.phi[..., 0].mT if phi is None else phi)
    pull = tree.gravity[:, 0] if gravity is None else gravity
    S = torch.cat([tree.axes * tree.slides, tree.axes * tree.turns])[..., 0].mT
    first = int(robot.floating)
    rate, torque = (x.expand(*shape, robot.nv)[..., 5 * first :, None] for x in (qd, tau))
    bodies = range(robot.bodies)
    children: list[list[int]] = [[] for _ in bodies]

    # Pass 1, outward: twists v, velocity terms eta.
    v: list[Tensor] = []
    eta: list[Tensor] = []
    for i in bodies:
        parent = robot.parents[i]
        if parent >= 0:
            children[parent].append(i)
        if i < first:
            v.append(qd.expand(*shape, robot.nv)[..., :6])
            eta.append(torch.zeros_like(v[0]))
            continue
        own = S[i] * rate[..., i, :]
        v.append(own if parent < 0 else _times(X[..., i, :, :], v[parent]) + own)
        eta.append(_times(ad(v[i]), own))

    # Pass 2, inward: articulated inertias M_hat and biases b.
    M_hat: list[Tensor] = [M[..., i, :, :] for i in bodies]
    b = [-_times(ad(v[i]).mT, _times(M_hat[i], v[i])) for i in bodies]
    psi: list[Tensor] = [torch.empty(0)] * robot.bodies
    for i in reversed(bodies):
        if i < first:
            break
        MS = M_hat[i] @ S[i]
        along = (MS * S[i]).sum(-1, keepdim=True)
        if rotor_inertia is not None:
            along = along + rotor_inertia[..., i - first, None]
        psi[i] = 1 / along
        parent = robot.parents[i]
        if parent < 0:
            continue
        Pi = M_hat[i] - MS[..., :, None] * (psi[i] * MS)[..., None, :]
        drive = torque[..., i, :] - ((_times(M_hat[i], eta[i]) + b[i]) * S[i]).sum(-1, keepdim=True)
        beta = _times(M_hat[i], eta[i]) + MS * psi[i] * drive
        back = X[..., i, :, :].mT
        M_hat[parent] = M_hat[parent] + back @ Pi @ X[..., i, :, :]
        b[parent] = b[parent] + _times(back, b[i] + beta)

    # Pass 3, outward: accelerations.
    world = torch.cat([-pull, torch.zeros_like(pull)], -1)
    a: list[Tensor] = []
    qdd: list[Tensor] = []
    for i in bodies:
        parent = robot.parents[i]
        carried = _times(X[..., i, :, :], world if parent < 0 else a[parent]) + eta[i]
        bias = _times(M_hat[i], carried) + b[i]
        if i < first:
            wrench = tau.expand(*shape, robot.nv)[..., :6] - bias
            solved = torch.linalg.solve(M_hat[i].expand(*shape, 6, 6), wrench)
            qdd.append(solved)
            a.append(carried + solved)
            continue
        qdd.append(psi[i] * (torque[..., i, :] - (bias * S[i]).sum(-1, keepdim=True)))
        a.append(carried + S[i] * qdd[i])
    return torch.cat([x.expand(*shape, x.shape[-1]) for x in qdd], -1)


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector[..., None])[..., 0]
