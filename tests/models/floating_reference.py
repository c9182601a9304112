"""The same forces as `FloatingLagrangian`, as the paper writes them: Euler angles and autograd.

Also functions that give the true terms of a robot in the place of networks.
"""

import torch
from torch import Tensor
from torch.nn import functional

from robotid.models.floating.energies import Composite, Potential
from robotid.models.floating.potential import Pose
from robotid.models.lagrangian_layers import Passed


def rotation(angles: Tensor) -> Tensor:
    """Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw), base to world."""
    (cr, cp, cy), (sr, sp, sy) = angles.cos(), angles.sin()
    rows = (
        torch.stack([cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr]),
        torch.stack([sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr]),
        torch.stack([-sp, cp * sr, cp * cr]),
    )
    return torch.stack(rows)


def rates(angles: Tensor) -> Tensor:
    """ω in base coordinates per rate of (roll, pitch, yaw)."""
    roll, pitch, _ = angles
    zero, one = torch.zeros_like(roll), torch.ones_like(roll)
    return torch.stack(
        [
            torch.stack([one, zero, -pitch.sin()]),
            torch.stack([zero, roll.cos(), pitch.cos() * roll.sin()]),
            torch.stack([zero, -roll.sin(), pitch.cos() * roll.cos()]),
        ]
    )


def to_base(x: Tensor) -> Tensor:
    """T with ν = T ẋ for x = (r, angles, q): ν has the twist in base coordinates."""
    size = len(x)
    top = torch.cat([rotation(x[3:6]).mT, torch.zeros(3, size - 3, dtype=x.dtype)], 1)
    turn = torch.cat(
        [torch.zeros(3, 3, dtype=x.dtype), rates(x[3:6]), torch.zeros(3, size - 6, dtype=x.dtype)],
        1,
    )
    rest = torch.cat(
        [torch.zeros(size - 6, 6, dtype=x.dtype), torch.eye(size - 6, dtype=x.dtype)], 1
    )
    return torch.cat([top, turn, rest])


def configuration(x: Tensor) -> Tensor:
    """(r, quaternion, q) of (r, angles, q)."""
    half = x[3:6] / 2
    (cr, cp, cy), (sr, sp, sy) = half.cos(), half.sin()
    quaternion = torch.stack(
        [
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        ]
    )
    return torch.cat([x[:3], quaternion, x[6:]])


def euler_lagrange(lagrangian, x: Tensor, xd: Tensor, xdd: Tensor) -> Tensor:
    """∂²L/∂ẋ² ẍ + ∂²L/∂x∂ẋ ẋ − ∂L/∂x of one sample, by autograd."""
    momentum = torch.func.grad(lagrangian, argnums=1)
    by_x, by_xd = (torch.func.jacrev(momentum, argnums=k)(x, xd) for k in (0, 1))
    return by_xd @ xdd + by_x @ xd - torch.func.grad(lagrangian)(x, xd)


def in_base_coordinates(x: Tensor, xd: Tensor, xdd: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(q, ν, ν̇) of the same motion."""
    T, change = torch.func.jvp(to_base, (x,), (xd,))
    return configuration(x), T @ xd, T @ xdd + change @ xd


def reordered(a: Tensor) -> Tensor:
    """The lower-triangular L with Lᵀ L = A."""
    return torch.linalg.cholesky(a.flip(0, 1)).flip(0, 1).mT


def skew(x: Tensor) -> Tensor:
    zero = torch.zeros_like(x[0])
    rows = ((zero, -x[2], x[1]), (x[2], zero, -x[0]), (-x[1], x[0], zero))
    return torch.stack([torch.stack(row) for row in rows])


class Paper:
    """Algorithms 1 and 2 of Schulze et al. with the networks of a model, for one sample."""

    def __init__(self, model) -> None:
        self.model = model

    def terms(self, q: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """H, mass and first moment at positions q of the joints, shape (n,)."""
        model, n = self.model, len(q)
        usual = model.get_buffer("usual")
        L = torch.zeros(6 + n, 6 + n, dtype=q.dtype)
        for part, seen, network in zip(model.parts, model.seen, model.networks, strict=True):
            raw = network(seen.of(q[list(part.joints), None]))[:, 0]
            for (row, column), value in zip(part.entries, raw, strict=True):
                entry = functional.softplus(value) + 1e-2 if row == column else value
                L = L.index_put(
                    (torch.tensor(row), torch.tensor(column)), entry * usual[column].sqrt()
                )
        floor = torch.diag(1e-6 * usual)
        if not isinstance(model.energy, Composite):
            H = L.mT @ L + floor
            S = 0.5 * (H[3:6, :3] - H[3:6, :3].mT)
            return H, (H - floor)[:3, :3].trace() / 3, torch.stack([S[2, 1], S[0, 2], S[1, 0]])
        raw = model.energy.network(model.energy.seen.of(q[:, None]))[:, 0]
        h = raw[:3] * model.energy.get_buffer("lever")
        root = torch.zeros(3, 3, dtype=q.dtype)
        for (row, column), value in zip(
            [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)], raw[3:], strict=True
        ):
            entry = functional.softplus(value) + 1e-2 if row == column else value
            root = root.index_put(
                (torch.tensor(row), torch.tensor(column)), entry * usual[3].sqrt()
            )
        one = torch.eye(3, dtype=q.dtype)
        K, W, sigma = L[6:, :3], L[6:, 3:6], root.mT @ root
        D = sigma.trace() * one - sigma - W.mT @ W
        s = model.energy.soft * usual[3]
        beta = s * (0.1 + functional.softplus(-torch.linalg.eigvalsh(D)[0] / s))
        L_R = reordered(D + beta * one)
        L_RL = ((skew(h).mT - K.mT @ W) @ torch.linalg.inv(L_R)).mT
        U = torch.cat([L_RL, K])
        top, s = torch.linalg.eigvalsh(U.mT @ U)[-1], model.energy.soft * usual[0]
        mass = s * (functional.softplus((model.energy.mass_root**2 - top) / s) + 0.1) + top
        L_L = reordered(mass * one - U.mT @ U)
        base = torch.cat([torch.cat([L_L, 0 * L_L], 1), torch.cat([L_RL, L_R], 1)])
        whole = torch.cat([torch.cat([base, torch.zeros(6, n, dtype=q.dtype)], 1), L[6:]])
        floor[:6] = 0.0
        return whole.mT @ whole + floor, mass, h

    def lagrangian(self, x: Tensor, xd: Tensor) -> Tensor:
        """Of coordinates (r, angles, q)."""
        H, mass, h = self.terms(x[6:])
        nu = to_base(x) @ xd
        return 0.5 * nu @ H @ nu - self.potential(x, mass, h)

    def potential(self, x: Tensor, mass: Tensor, h: Tensor) -> Tensor:
        """P = −gᵀ (m r + R h), or that of a network."""
        model = self.model
        if not isinstance(model.energy, Potential):
            return -(model.get_buffer("gravity") @ (mass * x[:3] + rotation(x[3:6]) @ h))
        pose = Pose(x[:3, None], rotation(x[3:6])[:, :, None])
        inputs = model.energy.inputs(pose, x[6:, None])
        return model.energy.network(inputs)[0, 0] * model.energy.get_buffer("energy")


class Function(torch.nn.Module):
    """A function of inputs in the place of `Layers`, differentiated by autograd.

    Args:
        function: (in,) to (out,).
    """

    def __init__(self, function) -> None:
        super().__init__()
        self._function = function

    def forward(self, h: Tensor) -> Tensor:
        return torch.stack([self._function(one) for one in h.mT], -1)

    def passed(self, h: Tensor, d: Tensor) -> Passed:
        pairs = [
            torch.func.jvp(self._function, (a,), (b,)) for a, b in zip(h.mT, d.mT, strict=True)
        ]
        result, along = (torch.stack(part, -1) for part in zip(*pairs, strict=True))
        return Passed(result, along, (h,))

    def back(self, gradient: Tensor, passed: Passed) -> Tensor:
        (h,) = passed.slopes
        found = [
            torch.func.vjp(self._function, a)[1](g)[0]
            for a, g in zip(h.mT, gradient.mT, strict=True)
        ]
        return torch.stack(found, -1)
