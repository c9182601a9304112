"""Several fits left to run from the same starts, and what there is to say of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robotid import progress
from robotid.contracts.fit_data import Remark
from robotid.contracts.rollout import FitRollout, Rollout, Start, Trajectory
from robotid.errors import BadDataError
from robotid.memory import must_fit
from robotid.models.forward_from_fit import FittedForward, read_forward
from robotid.models.true_robot import true_robot
from robotid.robot.tree import RobotTree
from robotid.rollouts.beside_truth import beside_truth
from robotid.rollouts.integrate import Integration
from robotid.rollouts.left_to_run import left_to_run
from robotid.rollouts.options import RolloutOptions
from robotid.rollouts.recorded import Recorded, recorded_starts
from robotid.rollouts.remarks import remarks_of
from robotid.rollouts.states import States, named_states, random_states

_SHOWN = 4  # starts whose motions are kept
_COPIES = 6  # of all motions that are held at a time


class Compared(NamedTuple):
    """What became of all fits, and the motions that are shown."""

    rollout: Rollout
    trajectories: list[Trajectory]


def compared(
    folders: Mapping[str, Path],
    dataset: Path | None,
    options: RolloutOptions,
    simulation: Path | None = None,
) -> Compared:
    """Let all fits run from the same starts.

    Args:
        folders: of the fits, by name.
        dataset: to start from; None for the states of the options.
        options: horizon, steps and states.
        simulation: that the data are from, if they are from one.
    """
    fits = {name: _read(folder) for name, folder in folders.items()}
    first = next(iter(fits.values()))
    robot = first.robot.tree
    _must_be_alike(fits, folders)
    recorded = None
    if dataset is not None:
        torques = tuple(dict.fromkeys(one.fit.torque for one in fits.values()))
        recorded = recorded_starts(
            dataset, robot, torques, options.steps, options.step_s, options.starts
        )
    states = _states(robot, first, recorded, options)
    count = len(states.q)
    size = 8 * _COPIES * 4 * robot.n * count * (options.steps + 1)
    must_fit(size, f"{count} motions", "ask for fewer starts, a shorter horizon or larger steps")
    true = None if simulation is None else true_robot(simulation, robot)
    how = Integration(options.step_s, options.steps, options.tolerance)
    shown = np.unique(np.linspace(0, count - 1, min(_SHOWN, count)).round().astype(int)).tolist()
    found: dict[str, FitRollout] = {}
    trajectories: list[Trajectory] = []
    for name, fitted in fits.items():
        done = left_to_run(name, fitted, states, recorded, how, shown)
        found[name] = done.found.model_copy(update=beside_truth(fitted, states.q, true))
        trajectories += done.trajectories
        progress.report(len(found), len(fits), "motions")
    slides = {joint.name for joint in robot.driven if joint.kind == "prismatic"}
    rollout = Rollout(
        robot=robot.name,
        label=options.label,
        friction=None if true is None else true.friction,
        joints=list(robot.joint_names),
        units={joint: "m" if joint in slides else "rad" for joint in robot.joint_names},
        horizon_s=options.steps * options.step_s,
        step_s=options.step_s,
        tolerance=options.tolerance,
        split=None if recorded is None else recorded.split,
        starts=_starts(robot, states, recorded),
        shown=shown,
        fits=found,
        best=_best(found),
        remarks=_remarks(found, states),
    )
    return Compared(rollout, trajectories)


def _read(folder: Path) -> FittedForward:
    """A fit, which has to say in which ranges it was trained: errors count in them."""
    found = read_forward(folder)
    for joint in found.fit.joints:
        if joint not in found.fit.ranges:
            said = f"the fit does not say in which range {joint} was when it was trained"
            raise BadDataError("bad-fit", said, file=str(folder), joint=joint, hint="fit again")
    return found


def _must_be_alike(fits: Mapping[str, FittedForward], folders: Mapping[str, Path]) -> None:
    """All fits are of one robot."""
    first, *others = fits
    known = fits[first].robot.tree
    for name in others:
        own = fits[name].robot.tree
        if (own.name, own.joint_names) != (known.name, known.joint_names):
            said = (
                f"{name} is a fit of {own.name} with joints {', '.join(own.joint_names)}; "
                f"{first} is one of {known.name} with {', '.join(known.joint_names)}"
            )
            hint = "let fits of one robot run together"
            raise BadDataError("robots-differ", said, file=str(folders[name]), hint=hint)


def _states(
    robot: RobotTree, first: FittedForward, recorded: Recorded | None, options: RolloutOptions
) -> States:
    if recorded is not None:
        return States(recorded.q[0], recorded.qd[0])
    if options.at_random:
        return random_states(robot, first.fit.ranges, options.starts, options.seed)
    return named_states(robot, options.state)


def _starts(robot: RobotTree, states: States, recorded: Recorded | None) -> list[Start]:
    places = recorded.places if recorded is not None else [None] * len(states.q)
    return [
        Start(
            recording=None if place is None else place.recording,
            time_s=None if place is None else place.time_s,
            q=dict(zip(robot.joint_names, q, strict=True)),
            qd=dict(zip(robot.joint_names, qd, strict=True)),
        )
        for place, q, qd in zip(places, states.q.tolist(), states.qd.tolist(), strict=True)
    ]


def _best(found: Mapping[str, FitRollout]) -> str | None:
    errors = {n: e for n, one in found.items() if (e := one.error_at_horizon) is not None}
    return min(errors, key=lambda name: errors[name]) if errors and len(found) > 1 else None


def _remarks(found: Mapping[str, FitRollout], states: States) -> list[Remark]:
    return [
        remark
        if len(found) == 1
        else remark.model_copy(update={"message": f"{name}: {remark.message}"})
        for name, one in found.items()
        for remark in remarks_of(one, len(states.q))
    ]
