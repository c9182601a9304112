"""A trajectory that excites a Panda, against SLSQP from one start and against random ones.

Five harmonics of 0.1 Hz, at rest at both ends, within published limits of position, speed,
acceleration, jerk and torque; of least condition number for base parameters with friction and
rotors.
"""

from pathlib import Path

import numpy as np
from excitation_rivals import Trace, best_of_random, slsqp
from excitation_runs import franka_limits

from peers.comparison import Right, Task, Way
from robotid.excitation.criteria import figures
from robotid.excitation.design import design
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem
from robotid.excitation.setting import setting_of
from robotid.excitation.starts import random_start
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot

RANDOM = 1000
ABOUT = """robotid searches from four starts and proves every limit, between samples too. SLSQP
searches from the first of them until it comes to rest, with limits at samples and gradients by
torch; of a thousand random trajectories within all limits the best is taken. How IPOPT and CMA-ES
compare when all have the same time is [measured apart](measurements.md)."""


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """The task."""
    robot = load_robot("panda").tree
    layout = Layout(robot, TERMS)
    few = {"restarts": 1} if quick else {}
    options = ExcitationOptions(criterion="cond", **few, **franka_limits(robot))
    setting = setting_of(robot, layout, options)
    problem = Problem(setting.recipe, setting.given)
    start = random_start(problem, np.random.default_rng([0, 0, 0]))

    def searched(search, *given) -> Trace:
        trace = Trace(until=0.5 if quick else np.inf)
        search(problem, *given, trace)
        return trace

    def of_best(trace: Trace) -> Right:
        found = figures(problem.information(trace.judged(problem)[2])).cond
        return Right(f"condition number {found:.3g}", found)

    def of_ours(found) -> Right:
        kept = sum(line.margin > 0 for line in found.certificate)
        proven = f"{kept} of {len(found.certificate)} limits proven"
        return Right(f"condition number {found.criteria.cond:.3g}, {proven}", found.criteria.cond)

    ways = {
        "robotid excite": Way(
            lambda: design(robot, layout, options).design.trajectories[0],
            of_ours,
            ("robotid", "numba"),
        ),
        "scipy SLSQP": Way(lambda: searched(slsqp, start), of_best, ("scipy", "torch")),
        f"best of {RANDOM:,} random ones": Way(
            lambda: searched(best_of_random, 20 if quick else RANDOM, 0), of_best, ("numpy",)
        ),
    }
    size = f"panda, {start.size} unknowns, five kinds of limits"
    return [Task("A trajectory that excites", size, ways, 200.0, ABOUT)]
