"""How fast is a training step of a floating-base Lagrangian network, against the paper's own form?

    python benchmarks/floating_lagrangian.py [--batch 1000] [--repeat 7]

Loss and gradient of generalised forces, networks of 2 × 16 units, on one thread in float64. The
other way is what Schulze et al. write down: inertia by Cholesky factors (Algorithm 1), carried into
Euler angles and world coordinates, and forces from derivatives of the Lagrangian (Algorithm 2) that
torch takes: momentum by one pass, its change in time by one pass per coordinate, all of that once
more for the weights. Both have the same networks and have to give the same first.

Times are of the processor, taken in turns. At least 5 times is asked for.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import torch
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.models.floating.composite import SOFT
from robotid.models.floating.energies import Composite
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.robot.load import load_robot

ASKED = 5.0
SAME = 1e-6  # how far loss and gradients may be apart, of the largest entry of each
_LEAST, _FLOOR, _EPSILON = 1e-2, 1e-6, 0.1
_ROOT = ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2))


class Paper:
    """Algorithms 1 and 2 for a whole batch, with the networks of a model."""

    def __init__(self, model: FloatingLagrangian) -> None:
        assert isinstance(model.energy, Composite)
        self.model, self.energy = model, model.energy
        self.usual = model.get_buffer("usual")

    def inertia(self, q: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """H (B, 6 + n, 6 + n), mass (B,) and first moment (B, 3) at joints (B, n)."""
        model, n = self.model, q.shape[1]
        L = q.new_zeros(len(q), 6 + n, 6 + n)  # rows of joints; those of the base follow from them
        parts = zip(model.parts, model.seen, model.networks, strict=True)
        for part, seen, network in parts:
            raw = network(seen.of(q[:, list(part.joints)].mT)).mT
            rows, columns = (torch.tensor(x) for x in zip(*part.entries, strict=True))
            entries = torch.where(rows == columns, functional.softplus(raw) + _LEAST, raw)
            L[:, rows, columns] = entries * self.usual[columns].sqrt()
        raw = self.energy.network(self.energy.seen.of(q.mT)).mT
        h = raw[:, :3] * self.energy.get_buffer("lever")
        rows, columns = (torch.tensor(x) for x in zip(*_ROOT, strict=True))
        root = q.new_zeros(len(q), 3, 3)
        entries = torch.where(rows == columns, functional.softplus(raw[:, 3:]) + _LEAST, raw[:, 3:])
        root[:, rows, columns] = entries * self.usual[3].sqrt()
        one = torch.eye(3, dtype=q.dtype)
        K, W, sigma = L[:, 6:, :3], L[:, 6:, 3:6], root.mT @ root
        whole = sigma.diagonal(dim1=1, dim2=2).sum(-1)[:, None, None] * one - sigma
        D, s = whole - W.mT @ W, SOFT * self.usual[3]
        beta = s * (_EPSILON + functional.softplus(-torch.linalg.eigvalsh(D)[:, 0] / s))
        L_R = reordered(D + beta[:, None, None] * one)
        L_RL = torch.linalg.solve(L_R.mT, (skew(h).mT - K.mT @ W).mT)
        U = torch.cat([L_RL, K], 1)
        top, s = torch.linalg.eigvalsh(U.mT @ U)[:, -1], SOFT * self.usual[0]
        mass = s * (functional.softplus((self.energy.mass_root**2 - top) / s) + _EPSILON) + top
        L_L = reordered(mass[:, None, None] * one - U.mT @ U)
        none = torch.zeros_like(L_L)
        base = torch.cat([torch.cat([L_L, none], 2), torch.cat([L_RL, L_R], 2)], 1)
        L = torch.cat([functional.pad(base, (0, n)), L[:, 6:]], 1)
        floor = torch.diag(torch.cat([torch.zeros(6), _FLOOR * self.usual[6:]]))
        return L.mT @ L + floor, mass, h

    def forces(self, x: Tensor, xd: Tensor, xdd: Tensor) -> Tensor:
        """Of coordinates (r, roll, pitch, yaw, q), (B, 6 + n) each."""
        x, xd = x.clone().requires_grad_(), xd.clone().requires_grad_()
        H, mass, h = self.inertia(x[:, 6:])
        nu = (to_base(x) @ xd[..., None])[..., 0]
        kinetic = 0.5 * (nu[:, None] @ H @ nu[..., None]).sum()
        place = mass[:, None] * x[:, :3] + (rotation(x[:, 3:6]) @ h[..., None])[..., 0]
        potential = -(place @ self.model.get_buffer("gravity")).sum()
        by_x, momentum = torch.autograd.grad(kinetic - potential, (x, xd), create_graph=True)
        changes = []
        for coordinate in range(x.shape[-1]):
            slopes = torch.autograd.grad(momentum[:, coordinate].sum(), (x, xd), create_graph=True)
            changes.append((slopes[0] * xd + slopes[1] * xdd).sum(-1))
        return torch.stack(changes, -1) - by_x


def reordered(a: Tensor) -> Tensor:
    """The lower-triangular L with Lᵀ L = A."""
    factor: Tensor = torch.linalg.cholesky(a.flip(1, 2))
    return factor.flip(1, 2).mT


def skew(x: Tensor) -> Tensor:
    zero = torch.zeros_like(x[:, 0])
    rows = ((zero, -x[:, 2], x[:, 1]), (x[:, 2], zero, -x[:, 0]), (-x[:, 1], x[:, 0], zero))
    return torch.stack([torch.stack(row, -1) for row in rows], -2)


def rotation(angles: Tensor) -> Tensor:
    """Rz(yaw) Ry(pitch) Rx(roll), (B, 3) to (B, 3, 3)."""
    (cr, cp, cy), (sr, sp, sy) = angles.cos().mT, angles.sin().mT
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return torch.stack([torch.stack(row, -1) for row in rows], -2)


def to_base(x: Tensor) -> Tensor:
    """T with ν = T ẋ, (B, 6 + n) to (B, 6 + n, 6 + n)."""
    roll, pitch, _ = x[:, 3:6].mT
    zero, one = torch.zeros_like(roll), torch.ones_like(roll)
    rows = (
        (one, zero, -pitch.sin()),
        (zero, roll.cos(), pitch.cos() * roll.sin()),
        (zero, -roll.sin(), pitch.cos() * roll.cos()),
    )
    found = torch.eye(x.shape[1], dtype=x.dtype).repeat(len(x), 1, 1)
    found[:, :3, :3] = rotation(x[:, 3:6]).mT
    found[:, 3:6, 3:6] = torch.stack([torch.stack(row, -1) for row in rows], -2)
    return found


def quaternion(angles: Tensor) -> Tensor:
    (cr, cp, cy), (sr, sp, sy) = (angles / 2).cos().mT, (angles / 2).sin().mT
    parts = (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )
    return torch.stack(parts, -1)


def compared(name: str, batch: int, repeat: int) -> bool:
    """Print a line about one robot; whether it is fast enough and the same."""
    robot = load_robot(name).tree
    generator = torch.Generator().manual_seed(0)
    model = FloatingLagrangian(robot, "felan", generator)
    size = 6 + robot.n
    x, xd, xdd = (torch.randn(batch, size, generator=generator).double() for _ in range(3))
    # The same motions as configurations, twists and their rates.
    T, change = torch.func.jvp(to_base, (x,), (xd,))
    nu, rate = (T @ xd[..., None])[..., 0], (T @ xdd[..., None] + change @ xd[..., None])[..., 0]
    q = torch.cat([x[:, :3], quaternion(x[:, 3:6]), x[:, 6:]], 1)
    learned, paper = list(model.parameters()), Paper(model)

    def ours() -> list[Tensor]:
        found = (T.mT @ model(q, nu, rate)[..., None])[..., 0]
        loss = found.square().mean()
        return [loss.detach(), *torch.autograd.grad(loss, learned)]

    def theirs() -> list[Tensor]:
        loss = paper.forces(x, xd, xdd).square().mean()
        return [loss.detach(), *torch.autograd.grad(loss, learned)]

    pairs = zip(ours(), theirs(), strict=True)
    far = max(float((a - b).abs().max() / b.abs().max().clamp(min=1e-300)) for a, b in pairs)
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(repeat):  # in turn: what disturbs one disturbs the other
        for key, way in (("ours", ours), ("theirs", theirs)):
            began = time.process_time()
            way()
            times[key].append(time.process_time() - began)
    own, other = (1e3 * statistics.median(spent) for spent in times.values())
    good = other >= ASKED * own and far <= SAME
    print(
        f"{name:10s} {own:8.1f} {other:9.1f} {other / own:6.1f} {far:8.0e} "
        f"{'pass' if good else 'FAIL'}",
        flush=True,
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--robots", nargs="+", default=["quadruped", "humanoid"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"loss and gradient, batch of {options.batch} [ms]; at least {ASKED:g} times")
    print("              ours    direct  ratio    apart")
    good = [compared(name, options.batch, options.repeat) for name in options.robots]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
