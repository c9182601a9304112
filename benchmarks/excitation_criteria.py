"""Which criterion leads to the smallest errors? Designed, run in MuJoCo with noise, fitted.

    python benchmarks/excitation_criteria.py [--robots panda ur10 double_pendulum] [--seeds 5]

Each criterion designs with the same starts, for each of several campaigns (seeds of the starts and
of the true robot); each motion is simulated once and fitted with several seeds of torque noise, by
weighted least squares. Compared are

    parameters  error of base parameters in units of their scales, root mean square
    torque      error of the torque on other, random motions within the same limits, in units of
                each joint's noise, root mean square
    mass        error of the mass matrix at random postures, as a share of it (Frobenius)

`random` is a random trajectory within the same limits. Numbers are root mean squares over campaigns
and seeds.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["ROBOTID_CORES"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from excitation_runs import (
    Point,
    base_regressor,
    fitted,
    franka_limits,
    mass_columns,
    simulated,
    truth_of,
)

from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem
from robotid.excitation.search import Searches
from robotid.excitation.setting import Setting, setting_of
from robotid.excitation.starts import random_start
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import Motion
from robotid.robot.load import load_robot
from robotid.robot.tree import RobotTree

CRITERIA = ("trace-inv", "logdet", "mineig", "cond")
OTHERS = 5  # motions whose torques are predicted
FIGURES = ("parameters", "torque", "mass")


class Judge:
    """What errors of base parameters mean."""

    def __init__(self, setting: Setting, seed: int) -> None:
        problem, random = Problem(setting.recipe, setting.given), np.random.default_rng([3, seed])
        maps = setting.space.maps(setting.samples)
        self._scale = setting.unknowns.target.scale
        motions = [maps.motion(random_start(problem, random)) for _ in range(OTHERS)]
        Y = np.concatenate([base_regressor(setting, Motion(*motion)) for motion in motions])
        self._torques = (Y / setting.noise[:, None]).reshape(-1, Y.shape[-1])
        self._masses = mass_columns(setting, np.concatenate([motion[0] for motion in motions])[::6])

    def errors(self, found: np.ndarray, true: np.ndarray) -> tuple[float, float, float]:
        """Mean squares of the three figures."""
        off = found - true
        wrong, whole = (np.square(self._masses @ beta).sum((1, 2)) for beta in (off, true))
        return (
            float(np.square(off / self._scale).mean()),
            float(np.square(self._torques @ off).mean()),
            float((wrong / whole).mean()),
        )


def compared(robot: RobotTree, campaigns: int, seeds: int, restarts: int) -> dict[str, np.ndarray]:
    """The three figures of every criterion."""
    layout = Layout(robot, TERMS)
    limits = franka_limits(robot) if robot.name == "panda" else {}
    sums = {name: np.zeros(len(FIGURES)) for name in (*CRITERIA, "random")}
    for campaign in range(campaigns):
        points = []
        for criterion in CRITERIA:
            options = ExcitationOptions(
                criterion=criterion, seed=campaign, restarts=restarts, **limits
            )
            setting = setting_of(robot, layout, options)
            with Searches(setting.recipe, options) as searches:
                best = min(searches.attempts(setting.given, 0), key=lambda attempt: attempt.value)
            points.append(Point(setting.space, best.checked.x))
        start = random_start(
            Problem(setting.recipe, setting.given), np.random.default_rng([23, campaign])
        )
        true = truth_of(setting, campaign)
        judge, exact = Judge(setting, campaign), setting.unknowns.base.beta(true.phi)
        runs = simulated(setting, true, [*points, Point(setting.space, start)])
        for name, run in zip(sums, runs, strict=True):
            for seed in range(seeds):
                found = fitted(setting, run, 1000 * campaign + seed).beta
                sums[name] += np.array(judge.errors(found, exact)) / (campaigns * seeds)
    return {name: np.sqrt(values) for name, values in sums.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=["panda", "ur10", "double_pendulum"])
    parser.add_argument("--campaigns", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--restarts", type=int, default=4)
    given = parser.parse_args()
    began, places = time.perf_counter(), {name: [] for name in CRITERIA}
    for name in given.robots:
        found = compared(load_robot(name).tree, given.campaigns, given.seeds, given.restarts)
        print(f"{name:16s}" + "".join(f"{figure:>12s}" for figure in FIGURES))
        for criterion, values in found.items():
            print(f"  {criterion:14s}" + "".join(f"{value:12.4g}" for value in values), flush=True)
        least = min(found[criterion][0] for criterion in CRITERIA)
        for criterion in CRITERIA:
            places[criterion].append(found[criterion][0] / least)
    mean = {name: float(np.exp(np.log(ratios).mean())) for name, ratios in places.items()}
    default = ExcitationOptions().criterion
    best = min(mean, key=lambda name: mean[name])
    print(
        "error of parameters against the best of each robot, geometric mean: "
        + ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
        + f"; the default is {default}: {'pass' if best == default else 'MISSED'}"
    )
    print(f"{time.perf_counter() - began:.0f} s")
    return int(best != default)


if __name__ == "__main__":
    sys.exit(main())
