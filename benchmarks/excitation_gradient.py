"""The regressor of a trajectory with its gradient, and gradients of torques, beside autograd.

    python benchmarks/excitation_gradient.py [--samples 120] [--repeat 15]

Both sides compute the same from the same motions on one thread, ten times in a row as an optimiser
does, in turns; ratios are those of the medians. `sum(G Y)` stands for any criterion of a design: G
is its derivative by the entries of the regressor Y. Autograd goes back through the regressor and
the inverse dynamics of this package in torch; gradients of all torques take it one pass per joint.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from robots import benchmark_robots, excitation

from robotid.dynamics.regressor import joint_torque_regressor
from robotid.dynamics.rnea import rnea
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.robot.tree import RobotTree

AT_LEAST = 20.0
IN_A_ROW = 10
ROUNDING = 1e-11  # relative to the largest entry

Piece = tuple[str, Callable[[], np.ndarray], Callable[[], np.ndarray]]


def pieces(robot: RobotTree, samples: int) -> list[Piece]:
    """What a design computes again and again: its name, ours, and that of autograd."""
    motion = excitation(robot, samples, rate_hz=samples / 10.0)
    given = [torch.tensor(x, requires_grad=True) for x in motion]
    G = np.random.default_rng(0).normal(size=(samples, robot.n, 10 * robot.bodies))
    weights = torch.tensor(G)
    rotors = np.full(robot.n, 0.1)
    inertia = torch.tensor(rotors)
    ours = RegressorAdjoint(robot, samples)

    def regressor() -> np.ndarray:
        with torch.no_grad():
            return joint_torque_regressor(robot, *given).numpy()

    def our_gradient() -> np.ndarray:
        ours.regressor(*motion)
        return np.stack(ours.gradient(G))

    def gradient() -> np.ndarray:
        Y = joint_torque_regressor(robot, *given)
        return torch.stack(torch.autograd.grad((weights * Y).sum(), given)).numpy()

    def our_torques() -> np.ndarray:
        ours.regressor(*motion)
        return ours.torque_gradients(robot.phi, rotors)

    def torques() -> np.ndarray:
        totals = rnea(robot, *given, rotor_inertia=inertia).sum(0)
        rows = [torch.autograd.grad(total, given, retain_graph=True) for total in totals]
        return torch.stack([torch.stack(row, 1) for row in rows], 1).numpy()

    return [
        ("regressor", lambda: ours.regressor(*motion), regressor),
        ("regressor and gradient of sum(G Y)", our_gradient, gradient),
        ("regressor and gradients of all torques", our_torques, torques),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=120)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    failed = False
    print(f"{options.samples} samples, one thread; at least {AT_LEAST:.0f} times faster is wanted")
    for name, robot in benchmark_robots().items():
        for piece, ours, autograd in pieces(robot, options.samples):
            expected = autograd()
            error = np.abs(ours() - expected).max() / np.abs(expected).max()
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(options.repeat):
                for function, spent in zip((ours, autograd), times, strict=True):
                    began = time.perf_counter()
                    for _ in range(IN_A_ROW):
                        function()
                    spent.append((time.perf_counter() - began) / IN_A_ROW)
            mine, theirs = (1e3 * statistics.median(spent) for spent in times)
            failed |= theirs < AT_LEAST * mine or error > ROUNDING
            print(
                f"{name}, {piece}: {mine:.2f} ms, autograd {theirs:.1f} ms: "
                f"{theirs / mine:.0f} times faster; largest difference {error:.0e}"
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
