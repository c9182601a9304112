"""How fast are Deep Lagrangian networks with gradients, against batched autograd?

    python benchmarks/deep_lagrangian.py [--batch 1000] [--repeat 9]

Loss and gradient of the torques of seven joints, 2 × 200 softplus units and 28 + 1 results, on one
thread, in float64 and in float32. The other way is the same network as one writes it with torch,
one pass for mass matrix and potential, and has torch differentiate it: momentum by one pass, its
change in time by one pass per joint, all of that once more for the weights. Both have to give the
same first.

Times are of the processor, taken in turns. At least 5 times is asked for.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import torch
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.models.deep_lagrangian import FLOOR, DeepLagrangian
from robotid.models.lagrangian_forces import LEAST

JOINTS = 7
ASKED = 5.0
# How far loss and gradients may be apart, of the largest entry of each.
SAME = {torch.float64: 1e-10, torch.float32: 1e-4}


def energies(model: DeepLagrangian, q: Tensor) -> tuple[Tensor, Tensor]:
    """Mass matrices, shape (B, n, n), and potentials, shape (B,), layer by layer."""
    layers, h = list(zip(model.weights, model.biases, strict=True)), q
    for weight, bias in layers[:-1]:
        h = functional.softplus(functional.linear(h, weight, bias))
    result = functional.linear(h, *layers[-1])
    rows, columns = torch.tril_indices(JOINTS, JOINTS)
    factor = torch.zeros(len(q), JOINTS, JOINTS, dtype=q.dtype)
    factor[:, rows, columns] = result[:, :-1]
    diagonal = torch.diag_embed(functional.softplus(factor.diagonal(dim1=1, dim2=2)) + LEAST)
    factor = factor.tril(-1) + diagonal
    return factor @ factor.mT + FLOOR * torch.eye(JOINTS, dtype=q.dtype), result[:, -1]


def by_autograd(model: DeepLagrangian, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """Torques from derivatives of the Lagrangian, for a whole batch at once."""
    q, qd = q.clone().requires_grad_(), qd.clone().requires_grad_()
    inertia, potential = energies(model, q)
    kinetic = 0.5 * (qd[:, None, :] @ inertia @ qd[..., None]).sum()
    lagrangian = kinetic - potential.sum()
    by_q, momentum = torch.autograd.grad(lagrangian, (q, qd), create_graph=True)
    changes = []
    for joint in range(q.shape[-1]):
        of_q, of_qd = torch.autograd.grad(momentum[:, joint].sum(), (q, qd), create_graph=True)
        changes.append((of_q * qd + of_qd * qdd).sum(-1))
    return torch.stack(changes, -1) - by_q


def step_of(torques: Callable[[], Tensor], model: DeepLagrangian, wanted: Tensor) -> list[Tensor]:
    """Loss and its gradient."""
    loss = (torques() - wanted).square().mean()
    weights = list(model.parameters())
    return [loss.detach(), *torch.autograd.grad(loss, weights, materialize_grads=True)]


def apart(own: list[Tensor], other: list[Tensor]) -> float:
    """The largest difference of loss and gradients, of the largest entry of each."""
    differences = zip(own, other, strict=True)
    return max(float((a - b).abs().max() / b.abs().max()) for a, b in differences)


def compared(dtype: torch.dtype, batch: int, repeat: int) -> bool:
    """Print a line about one precision; whether it is fast enough and the same."""
    generator = torch.Generator().manual_seed(0)
    model = DeepLagrangian(JOINTS, generator, dtype=dtype)
    given = [torch.randn(batch, JOINTS, generator=generator).to(dtype) for _ in range(4)]
    *motion, wanted = given
    ways = {
        "ours": lambda: step_of(lambda: model(*motion), model, wanted),
        "autograd": lambda: step_of(lambda: by_autograd(model, *motion), model, wanted),
    }
    far = apart(*(way() for way in ways.values()))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeat):  # in turn: what disturbs one disturbs the other
        for name, way in ways.items():
            began = time.process_time()
            way()
            times[name].append(time.process_time() - began)
    ours, others = (1e3 * statistics.median(spent) for spent in times.values())
    good = others >= ASKED * ours and far <= SAME[dtype]
    print(
        f"{str(dtype).removeprefix('torch.'):9s} {ours:8.1f} {others:9.1f} {others / ours:6.1f} "
        f"{far:8.0e} {'pass' if good else 'FAIL'}",
        flush=True,
    )
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"loss and gradient, {JOINTS} joints, batch of {options.batch} [ms]; at least {ASKED:g}")
    print("             ours  autograd  ratio    apart")
    good = [compared(dtype, options.batch, options.repeat) for dtype in SAME]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
