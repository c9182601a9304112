"""Samples of the state space as a dataset for `factors` and `fit`, and the truth beside it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from robotid.contracts.dataset import MadeBy, write_index
from robotid.contracts.recording import (
    Joint,
    RecordingFacts,
    TorqueFacts,
    write_recording_file,
)
from robotid.contracts.splits import Split
from robotid.contracts.truth import write_truth
from robotid.robot.tree import RobotTree
from robotid.simulation.state_samples import Sampler, StateSamples
from robotid.types import Columns

_RATE_HZ = 1.0  # times are numbers: 0, 1, 2, …
_NANOSECONDS = 1_000_000_000
_SIGNALS = ("q", "qd", "qdd", "tau")


def write_samples(folder: Path, robot: RobotTree, sampler: Sampler, made: MadeBy) -> None:
    """Write `<recording>.parquet`, `dataset.json` and `truth.json`.

    Args:
        folder: where to.
        robot: whose joints they are.
        sampler: draws them.
        made: how, for the record.
    """
    recordings: dict[str, RecordingFacts] = {}
    splits: dict[str, Split] = {}
    for drawn in sampler.recordings():
        columns = _columns(drawn, robot.joint_names)
        facts = _facts(robot, columns)
        write_recording_file(folder / f"{drawn.name}.parquet", columns, facts)
        recordings[drawn.name], splits[drawn.name] = facts, drawn.split
    write_index(folder, recordings, splits, made_by=[made])
    write_truth(folder, sampler.truth())


def _columns(drawn: StateSamples, joints: Sequence[str]) -> Columns:
    numbers = np.arange(len(drawn.q), dtype=np.int64)
    columns: Columns = {"t": numbers * _NANOSECONDS}
    for signal in _SIGNALS:
        for place, joint in enumerate(joints):
            columns[f"{signal}.{joint}"] = np.ascontiguousarray(getattr(drawn, signal)[:, place])
    return columns


def _facts(robot: RobotTree, columns: Columns) -> RecordingFacts:
    samples = len(columns["t"])
    return RecordingFacts(
        joints=[
            Joint(name=joint.name, kind="prismatic" if joint.kind == "prismatic" else "revolute")
            for joint in robot.driven
        ],
        source_sha256=_digest(columns),
        source_format="samples",
        rate_hz=_RATE_HZ,
        duration_s=(samples - 1) / _RATE_HZ,
        samples=samples,
        torque=TorqueFacts(kind="commanded"),
        independent=True,
    )


def _digest(columns: Mapping[str, np.ndarray]) -> str:
    """There is no log to take one of: that of the samples themselves."""
    digest = sha256()
    for values in columns.values():
        digest.update(values.tobytes())
    return digest.hexdigest()
