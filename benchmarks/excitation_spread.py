"""Do parameters scatter as a design says they will? Designed, run in MuJoCo, fitted, 200 times.

    python benchmarks/excitation_spread.py [--seeds 200] [--robot panda]

One motion, simulated once (links a fifth off the robot file, friction, rotors); each seed adds new
white noise to the torque, of the size and as often as the design assumed, and fits by weighted
least squares with weights of its own. Positions, velocities and accelerations are those of the
engine: torque noise is what the forecast is about. Beside it a random trajectory of the same length
within the same limits, and the median of ten such, fitted in the same way.
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from excitation_runs import Point, Run, fitted, franka_limits, simulated, truth_of

from robotid.excitation.design import design
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem
from robotid.excitation.setting import Setting, setting_of
from robotid.excitation.starts import random_start
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from robotid.signals.planned import PlannedMotion

MEDIAN = 0.9, 1.1
MOST, SHARE = (0.75, 1.25), 0.95
RANDOM_SEEDS = 10
BAR = 40


def estimates(setting: Setting, run: Run, seeds: int) -> np.ndarray:
    """Base parameters of every seed, in units of their scales, shape (seeds, b)."""
    found = [fitted(setting, run, seed) for seed in range(seeds)]
    columns = setting.unknowns.target.columns
    assert all((np.array(one.base.independent) == columns).all() for one in found)
    return np.stack([one.beta for one in found]) / setting.unknowns.target.scale


def root_mean_square(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--restarts", type=int, default=4)
    parser.add_argument("--random", type=int, default=10, help="trajectories to compare with")
    given = parser.parse_args()
    began = time.perf_counter()
    robot = load_robot(given.robot).tree
    layout = Layout(robot, TERMS)
    limits = franka_limits(robot) if robot.name == "panda" else {}
    options = ExcitationOptions(restarts=given.restarts, **limits)
    planned = design(robot, layout, options).design
    setting = setting_of(robot, layout, options)
    true = truth_of(setting)
    random = np.random.default_rng(17)
    problem = Problem(setting.recipe, setting.given)
    others = [Point(setting.space, random_start(problem, random)) for _ in range(given.random)]
    motion = PlannedMotion(planned.trajectories[0], tuple(planned.joints))
    runs = simulated(setting, true, [motion, *others])

    scale = setting.unknowns.target.scale
    expected = np.array([parameter.std for parameter in planned.parameters]) / scale
    exact = setting.unknowns.base.beta(true.phi) / scale
    found = estimates(setting, runs[0], given.seeds)
    ratio = found.std(0, ddof=1) / expected
    units = [parameter.unit for parameter in planned.parameters]
    print(
        f"{robot.name}: {len(expected)} base parameters, {given.seeds} seeds, "
        f"{len(runs[0].tau)} samples, criterion {planned.criterion}"
    )
    print("parameter                    expected std    observed  ratio")
    for name, unit, one, two in zip(
        setting.unknowns.names, units, expected * scale, ratio, strict=True
    ):
        print(f"{name:24s} {one:12.3g} {unit:7s} {one * two:8.3g}  {two:5.2f}")
    within = float(((ratio >= MOST[0]) & (ratio <= MOST[1])).mean())
    middle = float(np.median(ratio))
    bias = np.abs(found.mean(0) - exact) / (found.std(0, ddof=1) / np.sqrt(given.seeds))
    good = MEDIAN[0] <= middle <= MEDIAN[1] and within >= SHARE
    print(
        f"observed / expected: median {middle:.3f} ({MEDIAN[0]} to {MEDIAN[1]}), least "
        f"{ratio.min():.2f}, largest {ratio.max():.2f}; {within:.1%} within {MOST[0]} to {MOST[1]} "
        f"(at least {SHARE:.0%}): {'pass' if good else 'MISSED'}; mean off the truth by less than "
        f"two standard errors: {(bias < 2).mean():.0%} of parameters (by chance 95 %)"
    )

    few = [estimates(setting, run, RANDOM_SEEDS) for run in runs]
    errors = [root_mean_square(one - exact) for one in few]
    middle = float(np.median(errors[1:]))
    print(f"error of parameters in units of their scales, {RANDOM_SEEDS} seeds (root mean square)")
    rows = [
        ("designed", errors[0]),
        (f"best of {given.random} random", min(errors[1:])),
        ("random", middle),
    ]
    for name, value in rows:
        print(f"{name:18s} {value:8.4f} {'#' * max(1, round(BAR * value / middle))}")
    print(
        f"a random one is {middle / errors[0]:.1f} times worse; {time.perf_counter() - began:.0f} s"
    )
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
