"""Units, signs and order of positions and velocities, judged by one another and by limits."""

import numpy as np
import pytest

from tests.plausibility.recordings import RATE, checked, found, recording

JOINT = "panda_joint4"
DEGREES = 180 / np.pi


@pytest.fixture
def log():
    return recording("panda")


@pytest.mark.parametrize("with_velocity", [True, False])
def test_b74_degrees_instead_of_radians(log, with_velocity):
    """Positions and velocities in degrees agree with each other; the limits tell."""
    columns, joints, robot = log
    for name in list(columns):
        if name.startswith("q.") or (name.startswith("qd.") and with_velocity):
            columns[name] *= DEGREES
        elif name.startswith("qd."):
            del columns[name]
    refused, others = found(columns, joints, robot)
    assert {code for code, _ in refused} == {"looks-like-degrees"}
    assert len(refused) >= 4
    assert others == set()


def test_b74_degrees_without_a_robot_file(log):
    columns, joints, _ = log
    for name in columns:
        if name.startswith("q"):
            columns[name] *= DEGREES
    assert found(columns, joints, None) == (set(), {("looks-like-degrees", None)})


@pytest.mark.parametrize(
    ("q", "qd", "said"),
    [
        (DEGREES, 1.0, "q is in degrees"),
        (1.0, DEGREES, "qd is in degrees per second"),
        (1.0, 30 / np.pi, "qd is in revolutions per minute"),
        (1.0, 100.0, "gear ratio 1 : 100"),
    ],
)
def test_b74_b75_units_that_positions_and_velocities_do_not_share(log, q, qd, said):
    columns, joints, _ = log
    columns[f"q.{JOINT}"] *= q
    columns[f"qd.{JOINT}"] *= qd
    findings = checked(columns, joints, None).findings()
    assert [(f.notice.code, f.notice.joint, f.refused) for f in findings] == [
        ("velocity-unit", JOINT, True)
    ]
    assert said in findings[0].notice.message


def test_b75_millimetres():
    columns, joints, robot = recording("cartpole")
    cart = joints[0].name
    assert joints[0].kind == "prismatic"
    columns[f"q.{cart}"] *= 1000
    findings = [f for f in checked(columns, joints, None).findings() if f.notice.joint == cart]
    assert [f.notice.code for f in findings] == ["velocity-unit"]
    assert "millimetres" in findings[0].notice.message
    columns[f"qd.{cart}"] *= 1000
    refused, _ = found(columns, joints, robot)
    assert refused == {("looks-like-millimetres", cart)}


def test_b78_velocity_of_the_opposite_sign(log):
    columns, joints, robot = log
    columns[f"qd.{JOINT}"] *= -1
    assert found(columns, joints, robot) == ({("velocity-sign", JOINT)}, set())


def test_b78_velocities_of_other_joints(log):
    columns, joints, robot = log
    one, other = "qd.panda_joint2", "qd.panda_joint5"
    columns[one], columns[other] = columns[other], columns[one]
    swapped = {("velocity-of-other-joint", name[3:]) for name in (one, other)}
    assert found(columns, joints, robot) == (swapped, set())


def test_b94_positions_and_velocities_exchanged(log):
    columns, joints, _ = log
    for joint in joints:
        q, qd = f"q.{joint.name}", f"qd.{joint.name}"
        columns[q], columns[qd] = columns[qd], columns[q]
    refused, others = found(columns, joints, None)
    assert refused == {("q-and-qd-swapped", joint.name) for joint in joints}
    assert others == set()


@pytest.mark.parametrize("samples", [10, -10])
def test_b67_velocity_later_or_earlier_than_position(log, samples):
    columns, joints, robot = log
    late = {
        name: np.roll(x, samples) if name.startswith("qd.") else x for name, x in columns.items()
    }
    cut = {name: x[20:-20] for name, x in late.items()}
    refused, others = found(cut, joints, robot)
    assert refused == set()
    assert others == {("velocity-lag", joint.name) for joint in joints}
    message = checked(cut, joints, robot).findings()[0].notice.message
    assert f"{1000 * 10 / RATE:.3g} ms {'later' if samples > 0 else 'earlier'}" in message


def test_b70_recording_of_less_than_a_period(log):
    columns, joints, _ = log
    speed = np.array([columns[f"qd.{joint.name}"] for joint in joints])
    short = {name: values[:60] for name, values in columns.items()}
    short["t"] = columns["t"][:60]
    for joint, sign in zip(joints, np.sign(speed[:, 200]), strict=True):
        short[f"q.{joint.name}"] = 0.01 * sign * np.arange(60.0)
        short[f"qd.{joint.name}"] = np.full(60, 0.01 * sign * RATE)
    _, others = found(short, joints, None)
    assert ("less-than-a-period", None) in others


def test_b94_torque_that_is_its_command(log):
    columns, joints, robot = log
    for joint in joints:
        columns[f"tau_cmd.{joint.name}"] = columns[f"tau.{joint.name}"].copy()
    said = {("torque-is-command", joint.name) for joint in joints}
    assert found(columns, joints, robot) == (set(), said)
    assert found(columns, joints, robot, torque="commanded") == (set(), set())


def test_b94_torque_and_command_exchanged(log):
    columns, joints, robot = log
    noise = np.random.default_rng(7).standard_normal(len(columns["t"]))
    for shift, said in ((-5, set()), (5, {("torque-before-command", JOINT)})):
        command = np.roll(columns[f"tau.{JOINT}"], shift) + 1e-3 * noise
        assert found({**columns, f"tau_cmd.{JOINT}": command}, joints, robot) == (set(), said)
