"""What joints did in the training data: a model knows little of what lies beyond."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from robotid.contracts.extremes import extremes
from robotid.contracts.fit import DriveGain
from robotid.contracts.fit_data import JointRange
from robotid.identification.gathered import Gathered
from robotid.identification.sample_reader import split_samples
from robotid.information.samples import MOTION, coordinates, samples_of
from robotid.robot.tree import Limits

Bounds = tuple[float, float]


def trained_ranges(
    data: Gathered, folder: Path, torque: str, gains: Sequence[DriveGain]
) -> dict[str, JointRange]:
    """Least and greatest motion and torque of each joint, over all training samples.

    Args:
        data: factors of all recordings.
        folder: of the filtered dataset.
        torque: the signal that stands for torque.
        gains: of drives, where that signal is none.
    """
    robot = data.layout.robot
    if robot.floating:
        return _of_samples(data, folder, torque, gains)
    columns = [f"{signal}.{name}" for signal in (*MOTION, torque) for name in robot.joint_names]
    found: dict[str, list[float]] = {column: [] for column in columns}
    for name, stretches in _stretches(data).items():
        for column, bounds in extremes(folder / f"{name}.parquet", columns, stretches).items():
            found[column] += bounds
    gain = dict.fromkeys(robot.joint_names, 1.0) | {one.joint: one.value for one in gains}
    return {
        joint.name: JointRange(
            **{signal: _bounds(found[f"{signal}.{joint.name}"]) for signal in MOTION},
            tau=_bounds([gain[joint.name] * x for x in found[f"{torque}.{joint.name}"]]),
            **_limits(joint.limits),
        )
        for joint in robot.driven
    }


def _of_samples(
    data: Gathered, folder: Path, torque: str, gains: Sequence[DriveGain]
) -> dict[str, JointRange]:
    """Of a floating robot, whose angles and generalised forces are no columns: in one pass."""
    robot = data.layout.robot
    factors = np.array([gain.value for gain in gains]) if gains else None
    low, high = np.full((4, robot.nv), np.inf), np.full((4, robot.nv), -np.inf)
    for batch in split_samples(folder, data.blocks, data.layout, torque, factors, "train"):
        q, *others = samples_of(robot, batch)
        every = np.stack([coordinates(robot, q), *others])
        low, high = np.minimum(low, every.min(axis=1)), np.maximum(high, every.max(axis=1))
    limits = {joint.name: joint.limits for joint in robot.driven}
    return {
        row: JointRange(
            **{
                signal: (float(low[which, place]), float(high[which, place]))
                for which, signal in enumerate((*MOTION, "tau"))
            },
            **_limits(limits.get(row, Limits())),
        )
        for place, row in enumerate(robot.rows)
    }


def widest(
    first: Mapping[str, JointRange], second: Mapping[str, JointRange]
) -> dict[str, JointRange]:
    """Ranges of two sets of data together; limits are those of the second."""
    signals = (*MOTION, "tau")
    return {
        joint: own.model_copy(
            update={s: _bounds([*getattr(own, s), *getattr(first[joint], s)]) for s in signals}
        )
        if joint in first
        else own
        for joint, own in second.items()
    }


def _stretches(data: Gathered) -> dict[str, list[Bounds]]:
    """First and last times of training data without other splits in between, by recording."""
    found: dict[str, list[Bounds]] = {}
    for (name, split), own in groupby(data.blocks, lambda block: (block.recording, block.split)):
        blocks = list(own)
        if split == "train":
            found.setdefault(name, []).append((blocks[0].start_s, blocks[-1].end_s))
    return found


def _bounds(values: Sequence[float]) -> Bounds:
    return min(values), max(values)


def _limits(given: Limits) -> dict[str, Bounds | float | None]:
    """Limits of the robot file; those that are infinite are none."""
    both = np.isfinite([given.lower, given.upper]).all()
    return {
        "position_limits": (given.lower, given.upper) if both else None,
        "velocity_limit": given.velocity if np.isfinite(given.velocity) else None,
        "effort_limit": given.effort if np.isfinite(given.effort) else None,
    }
