"""How near do forward models come to the truth from random starts?

    python benchmarks/forward_recovery.py [--seeds 10] [--samples 2000]

Uniform samples of the state space of cart-pole and Furuta pendulum, accelerations by MuJoCo, no
friction, no noise. Links start at random; their placements are known, or learned as well.

    nmse        mean squared error of accelerations of other samples, over their variance
    parameters  worst error of a base parameter, relative (or of a thousandth of the largest)

Then Adam and Levenberg-Marquardt from the best of 128 random robots: error against time.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.dynamics.base_parameters import base_parameters
from robotid.models.forward_models import RigidForward
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot
from robotid.robot.tree import RobotTree
from robotid.training.adam import AdamOptions, train_adam
from robotid.training.levenberg import LevenbergOptions, train_levenberg
from robotid.training.problem import Problem
from robotid.training.random_starts import best_start, promising
from tests.training.uniform import maker, nmse, uniform

ENOUGH, NEAR = 1e-4, 0.01
NEEDED = 0.8  # of the seeds


def off(robot: RobotTree, model: RigidForward) -> float:
    """The worst error of a base parameter."""
    base = base_parameters(robot)
    found = base.beta(model.links().detach().numpy().ravel())
    true = base.beta(robot.phi.ravel())
    least = 1e-3 * np.abs(true).max()
    return float((np.abs(found - true) / np.maximum(np.abs(true), least)).max())


def recovered(robot: RobotTree, seeds: int, samples: int) -> bool:
    """Print how many seeds lead to the truth."""
    train, validation, test = (uniform(robot, n, s) for s, n in enumerate((samples, 1000, 2000)))
    passed = True
    for kinematics in ("known", "learned"):
        make = maker(robot, train, learned=kinematics == "learned")
        errors, parameters, seconds = [], [], []
        for seed in range(seeds):
            began = time.perf_counter()
            model = best_start(make, train, seed)
            train_levenberg(Problem(model, train, validation), LevenbergOptions())
            seconds.append(time.perf_counter() - began)
            errors.append(nmse(model, test))
            if kinematics == "known":
                parameters.append(off(robot, model))
        good = sum(error <= ENOUGH for error in errors)
        near = (
            f", parameters within 1 %: {sum(p <= NEAR for p in parameters)}" if parameters else ""
        )
        ok = good >= NEEDED * seeds and (
            not parameters or sum(p <= NEAR for p in parameters) >= NEEDED * seeds
        )
        passed &= ok
        print(
            f"{robot.name:9s} {kinematics:8s} nmse <= {ENOUGH:g} for {good} of {seeds} seeds "
            f"(median {np.median(errors):.1e}, worst {max(errors):.1e}){near}, "
            f"{np.median(seconds):.1f} s each: {'pass' if ok else 'FAIL'}"
        )
    return passed


def raced(robot: RobotTree, samples: int, seed: int) -> None:
    """Print how soon both optimisers reach what errors, from the same start."""
    train, validation = uniform(robot, samples, 0), uniform(robot, 1000, 1)
    for name, optimise in (
        ("adam", lambda p: train_adam(p, AdamOptions(epochs=300, patience=300))),
        ("levenberg", lambda p: train_levenberg(p, LevenbergOptions())),
    ):
        model = promising(maker(robot, train), train, seed)[1][0]
        found = optimise(Problem(model, train, validation))
        reached = {
            level: next((s.seconds for s in found.history if s.validation <= level), None)
            for level in (1e-2, 1e-4, 1e-6)
        }
        times = ", ".join(
            f"{level:g}: {'never' if spent is None else f'{spent:.1f} s'}"
            for level, spent in reached.items()
        )
        print(f"{robot.name:9s} seed {seed} {name:10s} least {found.loss:.1e}; {times}")


def main() -> int:
    """Print all, and whether enough seeds lead to the truth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--samples", type=int, default=2000)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    robots = [load_robot(shipped_path(name)).tree for name in ("cartpole", "furuta")]
    passed = [recovered(robot, asked.seeds, asked.samples) for robot in robots]
    for robot in robots:
        for seed in range(min(3, asked.seeds)):
            raced(robot, asked.samples, seed)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
