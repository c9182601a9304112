"""Every log other people recorded opens, lists its streams and gives its numbers."""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from robotid.logs.formats import open_log
from robotid.logs.log import Kind
from tests.logs.opening import read_all

FOLDER = os.environ.get("ROBOTID_REAL_LOGS")
LOGS = (".csv", ".mat", ".db3", ".json")
FOUND = (
    sorted(
        str(path.relative_to(FOLDER))
        for path in Path(FOLDER).rglob("*")
        if path.suffix in LOGS and not path.name.startswith("params_")
    )
    if FOLDER
    else []
)


@pytest.mark.skipif(not FOUND, reason="ROBOTID_REAL_LOGS is not set")
def test_there_are_real_logs():
    assert len(FOUND) > 30


@pytest.mark.parametrize("name", FOUND)
def test_real_log_is_read_in_full(name):
    with open_log(Path(FOLDER) / name) as log:
        stream = log.streams[0]
        numeric = [column.name for column in stream.columns if column.kind is not Kind.TEXT]
        rows = 0
        for batch in log.batches(stream.name, numeric):
            rows += batch.rows
            assert all(values.shape == (batch.rows,) for values in batch.columns.values())
            assert all(values.dtype in (np.float64, np.int64) for values in batch.columns.values())
        assert rows == (stream.rows or rows)
        assert rows >= 1
        assert [n for n in log.findings.notices() if n.effect != "none"] == []


class Expected(NamedTuple):
    """What is known of a log: stream, width, signals of all joints, and the time with its step."""

    file: str
    format: str
    stream: str
    columns: int
    signals: tuple[str, ...]
    time: str | None = None
    step: float = 0.0  # in the unit of the file


UR10 = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
KNOWN = [
    Expected(
        "ur10_rosbag2/ur10_exciting_trajectory.db3",
        "rosbag2",
        "/joint_states",
        20,
        tuple(f"{s}.{j}_joint" for s in ("position", "velocity", "effort") for j in UR10),
        "header.stamp",
        8e6,
    ),
    Expected(
        "panda_rosbag2/panda_exciting_trajectory.db3",
        "rosbag2",
        "/joint_states",
        23,
        tuple(f"{s}.fer_joint{i}" for s in ("position", "effort") for i in range(1, 8)),
        "header.stamp",
        1e9 / 30,
    ),
    Expected(
        "kinova_gen3/Trajectory1.csv",
        "delimited text",
        "data",
        78,
        tuple(f"{s}{i}" for s in ("Position", "TorqueSm", "Temp", "Cur") for i in range(1, 8)),
        "Time",
        1.0,
    ),
    Expected(
        "kuka_kr300/traj_A.mat",
        "mat5",
        "data",
        135,
        tuple(f"rec.{s}[{i}]" for s in ("act_pos_mot_deg", "act_torque_abs_nm") for i in range(6)),
        "rec.time_cont",
        0.004,
    ),
    Expected(
        "so101_unsigned/state_motor.csv",
        "delimited text",
        "data",
        20,
        tuple(f"{s}[{i}]" for s in ("positions", "velocities", "torques") for i in range(6)),
        "timestamp",
        20e3,
    ),
    Expected(
        "tiago/tiago_effort.csv",
        "delimited text",
        "data",
        9,
        ("- torso_lift_joint_effort", *(f"- arm_{i}_joint_effort" for i in range(1, 8))),
        "t",
        0.01,
    ),
    Expected(
        "tx40/curr_data.csv",
        "delimited text",
        "data",
        6,
        tuple(f"Joint_{i}" for i in range(1, 7)),
    ),
    Expected(
        "double_pendulum/design_C1_run1.csv",
        "delimited text",
        "data",
        15,
        tuple(f"{s}_meas{i}" for s in ("pos", "vel", "tau") for i in (1, 2)),
        "time",
        0.002,
    ),
]


@pytest.mark.skipif(not FOUND, reason="ROBOTID_REAL_LOGS is not set")
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.file)
def test_real_log_has_the_columns_its_authors_meant(known):
    read = read_all(Path(FOLDER) / known.file)
    stream = read.log.streams[0]
    assert (read.log.format, stream.name) == (known.format, known.stream)
    assert len(stream.columns) == known.columns
    for name in known.signals:
        assert stream.column(name).kind is Kind.FLOAT
        assert np.isfinite(read.columns[name]).all()
    if known.time is not None:
        assert np.median(np.diff(read.columns[known.time])) == pytest.approx(known.step, rel=0.02)


@pytest.mark.skipif(not FOUND, reason="ROBOTID_REAL_LOGS is not set")
def test_real_json_has_records_and_constants():
    path = next(Path(FOLDER).glob("xl330_bench/20*.json"))
    read = read_all(path)
    assert read.log.streams[0].name == "entries"
    assert read.columns["load"].dtype == np.int64
    assert {"mass", "length", "vin", "motor"} <= set(read.log.constants)


@pytest.mark.skipif(not FOUND, reason="ROBOTID_REAL_LOGS is not set")
def test_real_plan_is_not_taken_for_a_measurement():
    read = read_all(Path(FOLDER) / "ur10_rosbag2/model_torques.db3")
    assert "planned-not-measured" in read.codes
