"""Can motions of bounded forward models diverge, or gain energy?

    python benchmarks/forward_energy.py [--seeds 10] [--starts 1000] [--horizon-s 2] ...

Cart-pole and Furuta pendulum with every actuator, `random` (as a training from random links starts;
`--larger 3` makes friction of a few numbers nine times larger) and `trained` (on uniform samples
with viscous friction: friction from random links by Levenberg-Marquardt, networks from the links of
the robot file by Adam). Nobody drives them, from random states within the limits on.

    diverged  motions that left all bounds                                  bounded models: none
    growth    largest rise of a motion's energy above its least value until then, over the range of
              energies, of all seeds; that of a network with the file's links    at most 1e-3
    halved    steps that the integrator had to halve
    power     largest power of friction, at random parameters and states as in
              tests/models/test_actuators.py                                     at most 0

Models that are unbounded by construction are there to compare, with few seeds, and are not judged.
"""

import argparse
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.models.actuators.table import ACTUATORS, actuator_model
from robotid.models.forward_models import ForwardModel, NetworkForward, RigidForward
from robotid.models.forward_scales import joint_scales, signal_scales
from robotid.robot.load import load_robot
from robotid.robot.tree import RobotTree
from robotid.rollouts.integrate import Integration, integrate
from robotid.rollouts.measured import energies
from robotid.simulation.sample_options import SampleOptions
from robotid.simulation.state_samples import Sampler, box_of
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.adam import AdamOptions, train_adam
from robotid.training.levenberg import LevenbergOptions, train_levenberg
from robotid.training.nothing import begin_as_nothing
from robotid.training.problem import Problem, Samples
from robotid.training.random_starts import best_start
from tests.models.test_actuators import states, with_random_parameters
from tests.training.uniform import maker

NETWORK = "ffnn"
BOUNDED = [name for name, model in ACTUATORS.items() if model.energy == "bounded"]
UNBOUNDED = [name for name, model in ACTUATORS.items() if model.energy == "unbounded"]
LARGEST_GROWTH = 1e-3
EPOCHS, STEPS = 40, 60
COMPARED = 3  # seeds, at most, of models that are not judged
STEP_S = 1 / 250


class Task(NamedTuple):
    robot: str
    kind: str
    origin: str
    seed: int


class Outcome(NamedTuple):
    diverged: int
    growth: float
    halved: float


def drawn(robot: RobotTree, seed: int, count: int) -> tuple[Samples, Samples]:
    """Samples to train on, and to stop by."""
    options = SampleOptions(seed=seed, samples=count, test_recordings=0, friction="viscous")
    return tuple(
        Samples(*(torch.from_numpy(x) for x in (one.tau, one.q, one.qd, one.qdd)))
        for one in Sampler(robot, robot, options).recordings()
    )


def of_the_file(robot: RobotTree, kind: str, train: Samples, seed: int) -> RigidForward:
    """The links of the robot file behind an actuator that begins as next to nothing."""
    drive = actuator_model(kind).made(joint_scales(train.command, train.q, train.qd), seed)
    begin_as_nothing(drive, train)
    links = parametrisation("log")
    return RigidForward(robot, links, links.theta(torch.tensor(robot.phi)), drive)


def made(robot: RobotTree, task: Task, count: int, larger: float) -> ForwardModel:
    """The model that a task is about."""
    train, validation = drawn(robot, task.seed, count)
    if task.kind == NETWORK:
        generator = torch.Generator().manual_seed(task.seed)
        model: ForwardModel = NetworkForward(signal_scales(*train), generator, (64, 64))
    elif task.origin == "random":
        model = maker(robot, train, actuator=task.kind)(np.random.default_rng(task.seed))
        with torch.no_grad():
            for values in model.actuator.parameters():
                values.mul_(larger)
        return model
    elif actuator_model(task.kind).is_network:
        model = of_the_file(robot, task.kind, train, task.seed)
    else:
        model = best_start(maker(robot, train, actuator=task.kind), train, task.seed)
        train_levenberg(Problem(model, train, validation), LevenbergOptions(steps=STEPS))
        return model
    train_adam(Problem(model, train, validation), AdamOptions(epochs=EPOCHS, seed=task.seed))
    return model


def left_alone(task: Task, count: int, starts: int, horizon_s: float, larger: float) -> Outcome:
    """What becomes of a model that nobody drives."""
    torch.set_num_threads(1)
    robot = load_robot(task.robot).tree
    model = made(robot, task, count, larger)
    box = box_of(robot, SampleOptions())
    at = np.random.default_rng([task.seed, 1]).uniform(-1, 1, (2, starts, robot.n))
    q, qd = torch.from_numpy(box.centre + at[0] * box.half), torch.from_numpy(at[1] * box.speed)
    scales = torch.from_numpy(2 * box.half), torch.from_numpy(2 * box.speed)
    how = Integration(STEP_S, round(horizon_s / STEP_S))
    done = integrate(model.fixed(), q, qd, scales, how)
    links = model
    if isinstance(model, NetworkForward):
        links = of_the_file(robot, "none", drawn(robot, 0, 100)[0], 0)
    energy = energies(links, done.q.numpy(), done.qd.numpy())
    return Outcome(int(torch.isfinite(done.diverged_s).sum()), energy.growth, done.halved)


def largest_power(kind: str, draws: int) -> float:
    """The largest power of an actuator [W] that nobody drives, each state with new parameters."""
    largest = -np.inf
    for seed in range(draws):
        actuator, (q, qd) = with_random_parameters(kind, seed), states(1, seed=seed)
        with torch.no_grad():
            largest = max(largest, float((actuator(torch.zeros_like(q), q, qd) * qd).max()))
    return largest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--starts", type=int, default=1000)
    parser.add_argument("--horizon-s", type=float, default=2.0)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--larger", type=float, default=1.0, help="random parameters of actuators")
    parser.add_argument("--draws", type=int, default=10_000, help="of parameters for the power")
    parser.add_argument("--robots", nargs="+", default=["cartpole", "furuta"])
    everything = [*BOUNDED, *UNBOUNDED, NETWORK]
    parser.add_argument("--models", nargs="+", default=everything, choices=everything)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    bounded = [kind for kind in BOUNDED if kind in asked.models]
    few = min(COMPARED, asked.seeds)
    rows = [
        (robot, kind, origin, asked.seeds)
        for robot in asked.robots
        for kind in bounded
        for origin in ("random", "trained")
    ]
    rows += [
        (robot, kind, "trained", few)
        for robot in asked.robots
        for kind in asked.models
        if kind not in BOUNDED
    ]
    tasks = [Task(*row, seed) for *row, seeds in rows for seed in range(seeds)]
    work = partial(
        left_alone,
        count=asked.samples,
        starts=asked.starts,
        horizon_s=asked.horizon_s,
        larger=asked.larger,
    )
    failed = False
    # Fresh interpreters: a process that has used torch cannot be forked safely.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(asked.processes, mp_context=context) as pool:
        powers = dict(
            zip(bounded, pool.map(partial(largest_power, draws=asked.draws), bounded), strict=True)
        )
        found = iter(list(pool.map(work, tasks)))
    print(f"{asked.starts} motions of {asked.horizon_s:g} s for each seed")
    print("robot     model       parameters  seeds  diverged    growth  halved [%]")
    for robot, kind, origin, seeds in rows:
        own = [next(found) for _ in range(seeds)]
        diverged, growth = sum(one.diverged for one in own), max(one.growth for one in own)
        said = "not judged"
        if kind in BOUNDED:
            good = diverged == 0 and growth <= LARGEST_GROWTH
            failed |= not good
            said = "pass" if good else "FAIL"
        halved = 100 * float(np.mean([one.halved for one in own]))
        print(
            f"{robot:9s} {kind:11s} {origin:10s} {seeds:6d} {diverged:9d} {growth:9.1e} "
            f"{halved:11.2f}  {said}"
        )
    for kind, power in powers.items():
        failed |= power > 0
        print(
            f"power of {kind} at {asked.draws} random parameters and states: "
            f"at most {power:.0e} W: {'pass' if power <= 0 else 'FAIL'}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
