"""What joints did in the training data: a model knows little of what lies beyond."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from robotid.contracts.extremes import extremes
from robotid.contracts.fit import DriveGain
from robotid.contracts.fit_data import JointRange
from robotid.contracts.recording import inspect_recording
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
    motion = [f"{signal}.{name}" for signal in MOTION for name in robot.joint_names]
    torques = [f"{torque}.{name}" for name in robot.joint_names]
    found: dict[str, list[float]] = {column: [] for column in (*motion, *torques)}
    for name, stretches in _stretches(data).items():
        path = folder / f"{name}.parquet"
        there = inspect_recording(path)[0]  # rows of a base alone need no torques of joints
        columns = [*motion, *(column for column in torques if column in there)]
        for column, bounds in extremes(path, columns, stretches).items():
            found[column] += bounds
    gain = dict.fromkeys(robot.joint_names, 1.0) | {one.joint: one.value for one in gains}
    joints = {
        joint.name: JointRange(
            **{signal: _bounds(found[f"{signal}.{joint.name}"]) for signal in MOTION},
            tau=_bounds([gain[joint.name] * x for x in found[f"{torque}.{joint.name}"]])
            if found[f"{torque}.{joint.name}"]
            else None,
            **_limits(joint.limits),
        )
        for joint in robot.driven
    }
    return (_of_base(data, folder, torque) if robot.floating else {}) | joints


def _of_base(data: Gathered, folder: Path, torque: str) -> dict[str, JointRange]:
    """Of a floating base, whose angles and forces are no columns: in one pass."""
    robot = data.layout.robot
    low, high = np.full((4, 6), np.inf), np.full((4, 6), -np.inf)
    for batch in split_samples(folder, data.blocks, data.layout, torque, None, "train"):
        q, *others = samples_of(robot, batch)
        every = np.stack([x[:, :6] for x in (coordinates(robot, q), *others)])
        low, high = np.minimum(low, every.min(axis=1)), np.maximum(high, every.max(axis=1))
    return {
        row: JointRange(
            **{
                signal: (float(low[which, place]), float(high[which, place]))
                for which, signal in enumerate((*MOTION, "tau"))
            },
        )
        for place, row in enumerate(robot.rows[:6])
    }


def widest(
    first: Mapping[str, JointRange], second: Mapping[str, JointRange]
) -> dict[str, JointRange]:
    """Ranges of two sets of data together; limits are those of the second."""
    signals = (*MOTION, "tau")
    return {
        joint: own.model_copy(
            update={
                s: _bounds([*getattr(own, s), *getattr(first[joint], s)])
                for s in signals
                if getattr(own, s) and getattr(first[joint], s)
            }
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
