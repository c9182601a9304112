"""Channels that are missing, dead, stuck, flat, held, coarse or spiky are found, and only they."""

import numpy as np
import pytest

from tests.plausibility.recordings import RATE, checked, found, recording

ROBOTS = ["pendulum", "double_pendulum", "cartpole", "panda", "ur10", "iiwa"]
JOINT = "panda_joint4"


@pytest.fixture
def log():
    return recording("panda")


@pytest.mark.parametrize("name", ROBOTS)
def test_clean_recording_has_no_findings(name):
    assert found(*recording(name)) == (set(), set())


def test_clean_recording_without_robot_file_has_no_findings(log):
    columns, joints, _ = log
    assert found(columns, joints, None) == (set(), set())


def test_clean_recording_without_velocities_has_no_findings(log):
    columns, joints, robot = log
    columns = {name: x for name, x in columns.items() if not name.startswith("qd.")}
    assert found(columns, joints, robot) == (set(), set())


def test_columns_without_numbers_are_not_judged(log):
    columns, joints, robot = log
    columns[f"tau.{JOINT}"][:] = np.nan
    assert found(columns, joints, robot) == (set(), set())


def test_b86_saturated_torque(log):
    columns, joints, robot = log
    tau = columns[f"tau.{JOINT}"]
    limit = np.quantile(tau, 0.96)
    np.minimum(tau, limit, out=tau)
    flat = np.flatnonzero(tau == limit)
    assert found(columns, joints, robot) == (set(), {("saturated", JOINT)})
    checks = checked(columns, joints, robot)
    notice = checks.findings()[0].notice
    assert f"{limit:.6g}" in notice.message
    intervals, more = checks.intervals()
    assert not more
    masked = np.zeros(len(tau), dtype=bool)
    for _, column, first, last in intervals:
        assert column == f"tau.{JOINT}"
        masked |= (columns["t"] >= first) & (columns["t"] <= last)
    assert masked[flat].mean() > 0.9
    assert not masked[tau < limit].any()


@pytest.mark.parametrize("signal", ["q", "qd", "tau"])
def test_b87_stuck_sensor(log, signal):
    columns, joints, robot = log
    values = columns[f"{signal}.{JOINT}"]
    speed = columns[f"qd.{JOINT}"]
    start = int(np.argmax(np.abs(speed[100:] - speed[:-100]) if signal == "qd" else np.abs(speed)))
    start = min(start, len(speed) - 101)
    values[start : start + 100] = values[start]
    refused, others = found(columns, joints, robot)
    assert refused == set()
    assert ("stuck", JOINT) in others
    assert {code for code, _ in others} <= {"stuck", "contact"}
    checks = checked(columns, joints, robot)
    notice = next(f.notice for f in checks.findings() if f.notice.code == "stuck")
    assert notice.time == pytest.approx(start / RATE)
    assert ("stuck", f"{signal}.{JOINT}", *columns["t"][[start, start + 99]]) in checks.intervals()[
        0
    ]


def test_b87_dead_torque_and_velocity(log):
    columns, joints, robot = log
    columns[f"tau.{JOINT}"][:] = 0.0
    columns["qd.panda_joint2"][:] = 0.0
    dead = {("dead-channel", JOINT), ("dead-channel", "panda_joint2")}
    assert found(columns, joints, robot) == (dead, set())


def test_b87_channel_that_is_mostly_zero(log):
    """As drivers log that report a torque only now and then."""
    columns, joints, robot = log
    random = np.random.default_rng(1)
    tau = columns[f"tau.{JOINT}"]
    tau[random.random(len(tau)) < 0.85] = 0.0
    refused, _ = found(columns, joints, robot)
    assert refused == {("dead-channel", JOINT)}


def test_b87_position_that_never_changes_while_the_joint_moves(log):
    columns, joints, _ = log
    columns[f"q.{JOINT}"][:] = -1.5
    refused, _ = found(columns, joints, None)
    assert refused == {("dead-channel", JOINT)}


def test_b88_spikes_are_counted_and_placed(log):
    columns, joints, robot = log
    rows = [301, 1402, 2203]
    columns[f"qd.{JOINT}"][rows] += 4.0
    assert found(columns, joints, None) == (set(), {("spike", JOINT)})
    checks = checked(columns, joints, robot)
    notice = next(f.notice for f in checks.findings() if f.notice.code == "spike")
    assert "3 single samples" in notice.message
    assert notice.time == pytest.approx(301 / RATE)
    assert [i.first for i in checks.intervals()[0]] == columns["t"][rows].tolist()


def test_b89_coarse_steps(log):
    columns, joints, robot = log
    tau = columns[f"tau.{JOINT}"]
    step = np.ptp(tau) / 8
    tau[:] = np.round(tau / step) * step
    refused, others = found(columns, joints, robot)
    assert refused == set()
    assert others == {("coarse-steps", JOINT)}


def test_b90_held_values_show_the_true_rate(log):
    columns, joints, robot = log
    rows = np.arange(len(columns["t"])) // 5 * 5
    for name in (f"q.{JOINT}", f"qd.{JOINT}", f"tau.{JOINT}"):
        columns[name] = columns[name][rows]
    refused, others = found(columns, joints, robot)
    assert (refused, others) == (set(), {("held-values", JOINT)})
    findings = checked(columns, joints, robot).findings()
    assert len(findings) == 3
    assert all(f"{RATE / 5:.4g} Hz" in f.notice.message for f in findings)


def test_b91_n14_joint_that_does_not_move(log):
    columns, joints, _ = log
    random = np.random.default_rng(2)
    columns[f"q.{JOINT}"] = -1.5 + 1e-5 * random.standard_normal(len(columns["t"]))
    columns[f"qd.{JOINT}"] = 1e-3 * random.standard_normal(len(columns["t"]))
    refused, others = found(columns, joints, None)
    assert (refused, others) == (set(), {("not-moving", JOINT)})


def test_b92_values_beyond_the_robot_limits(log):
    columns, joints, robot = log
    limits = robot.driven[3].limits
    columns[f"qd.{JOINT}"][500:505] = 1.5 * limits.velocity
    refused, others = found(columns, joints, robot)
    assert refused == set()
    assert ("beyond-limits", JOINT) in others
    findings = checked(columns, joints, robot).findings()
    notice = next(f.notice for f in findings if f.notice.code == "beyond-limits")
    assert "5 samples" in notice.message
    assert notice.time == pytest.approx(500 / RATE)
