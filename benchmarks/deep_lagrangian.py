"""How fast is a step of training a deep Lagrangian network, against batched automatic derivatives?

    python benchmarks/deep_lagrangian.py [--batch 512] [--repeat 9]

Loss and gradient of the torques of seven joints, 2 × 200 units, in float64. The other way takes the
Lagrangian of the same network and has torch differentiate it: momentum by one pass, its change in
time by one pass per joint, all of that once more for the weights. At least 5 times is asked for.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor

from robotid.models.deep_lagrangian import DeepLagrangian

JOINTS = 7
ASKED = 5.0


def by_autograd(model: DeepLagrangian, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """Torques from derivatives of the Lagrangian, for a whole batch at once."""
    q, qd = q.clone().requires_grad_(), qd.clone().requires_grad_()
    kinetic = 0.5 * (qd[:, None, :] @ model.inertia(q) @ qd[..., None]).sum()
    lagrangian = kinetic - model.potential(q).sum()
    by_q, momentum = torch.autograd.grad(lagrangian, (q, qd), create_graph=True)
    changes = []
    for joint in range(q.shape[-1]):
        of_q, of_qd = torch.autograd.grad(momentum[:, joint].sum(), (q, qd), create_graph=True)
        changes.append((of_q * qd + of_qd * qdd).sum(-1))
    return torch.stack(changes, -1) - by_q


def step_of(torques: Callable[[], Tensor], model: DeepLagrangian, wanted: Tensor) -> list[Tensor]:
    """Loss and its gradient."""
    loss = (torques() - wanted).square().mean()
    return [loss.detach(), *torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    model = DeepLagrangian(JOINTS, generator)
    given = [torch.randn(options.batch, JOINTS, generator=generator).double() for _ in range(4)]
    *motion, wanted = given
    ways = {
        "closed form": lambda: model(*motion),
        "batched autograd": lambda: by_autograd(model, *motion),
    }
    results = {name: step_of(way, model, wanted) for name, way in ways.items()}
    for own, other in zip(*results.values(), strict=True):
        if own is not None and other is not None:
            torch.testing.assert_close(own, other, rtol=1e-8, atol=1e-10)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.repeat):  # in turn: what disturbs one disturbs the other
        for name, way in ways.items():
            began = time.perf_counter()
            step_of(way, model, wanted)
            times[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, seconds in medians.items():
        print(f"  {name:<18} {1e3 * seconds:8.1f} ms")
    ratio = medians["batched autograd"] / medians["closed form"]
    good = ratio >= ASKED
    print(
        f"loss and gradient, {JOINTS} joints, batch of {options.batch}: {ratio:.1f} times as fast "
        f"(asked: {ASKED:g}): {'pass' if good else 'FAIL'}"
    )
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
