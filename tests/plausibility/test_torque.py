"""Torques against the robot file: sign, joint, scale, gravity, delay, and where they come from."""

import numpy as np
import pytest
import torch

from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot
from robotid.simulation.perturbation import perturbed
from tests.plausibility.recordings import RATE, checked, found, joints_of, recording, simulated

HEAVY = "panda_joint4"


@pytest.fixture
def log():
    return recording("panda")


@pytest.mark.parametrize(
    ("robot", "joint"),
    [
        ("panda", "panda_joint1"),
        ("panda", "panda_joint2"),
        ("panda", HEAVY),
        ("panda", "panda_joint7"),
        ("ur10", "elbow_joint"),
        ("ur10", "wrist_3_joint"),
        ("pendulum", None),
    ],
)
def test_b78_torque_of_the_opposite_sign(robot, joint):
    columns, joints, tree = recording(robot)
    joint = joint or joints[0].name
    columns[f"tau.{joint}"] *= -1
    assert found(columns, joints, tree) == ({("torque-sign", joint)}, set())


def test_b78_all_torques_of_the_opposite_sign(log):
    columns, joints, robot = log
    for joint in joints:
        columns[f"tau.{joint.name}"] *= -1
    refused, others = found(columns, joints, robot)
    assert refused == {("torque-sign", joint.name) for joint in joints}
    assert others == set()


def test_b78_torques_of_other_joints(log):
    columns, joints, robot = log
    one, other = "tau.panda_joint2", "tau.panda_joint4"
    columns[one], columns[other] = columns[other], columns[one]
    swapped = {("torque-of-other-joint", name[4:]) for name in (one, other)}
    refused, _ = found(columns, joints, robot)
    assert refused == swapped


def test_b76_b77_n36_torque_on_the_motor_side(log):
    """Divided by a gear ratio, or a current: the weight of the arm tells."""
    columns, joints, robot = log
    for joint in joints:
        columns[f"tau.{joint.name}"] /= 100
    findings = checked(columns, joints, robot).findings()
    assert {f.notice.code for f in findings} == {"torque-scale"}
    assert all(f.refused for f in findings)
    assert {"panda_joint2", HEAVY} <= {f.notice.joint for f in findings}
    ratio = float(findings[0].notice.message.split("1 : ")[1].split(")")[0])
    assert ratio == pytest.approx(100, rel=0.3)


def test_b75_millinewton_metres(log):
    columns, joints, _ = log
    robot = log[2]
    for joint in joints:
        columns[f"tau.{joint.name}"] *= 1000
    findings = checked(columns, joints, robot).findings()
    scale = [f.notice for f in findings if f.notice.code == "torque-scale"]
    assert all("mN m" in notice.message for notice in scale)
    assert {"panda_joint2", HEAVY} <= {notice.joint for notice in scale}


@pytest.mark.parametrize("mount", [(np.pi, 0.0, 0.0), (np.pi / 2, 0.0, 0.0), (0.0, 0.6, 0.0)])
def test_n35_gravity_that_does_not_fit_the_torques(mount):
    """The true robot hangs, or is mounted on a wall; the file says it stands."""
    columns, joints, robot = recording("panda")
    true = load_robot("panda", mount=mount).tree
    _, _, q, _, tau = simulated("panda")
    still = torch.zeros(q.shape, dtype=torch.float64)
    there, here = (rnea(tree, torch.from_numpy(q), still, still) for tree in (true, robot))
    for index, joint in enumerate(joints):
        columns[f"tau.{joint.name}"] = tau[:, index] + (there - here)[:, index].numpy()
    assert found(columns, joints, robot)[0] == {("gravity-direction", None)}
    assert found(columns, joints, true) == (set(), set())
    message = checked(columns, joints, robot).findings()[0].notice.message
    cosine = robot.gravity @ true.gravity / 9.81**2
    said = float(message.split("m/s², ")[1].split("°")[0])
    assert said == pytest.approx(np.rad2deg(np.arccos(cosine)), abs=8)


def test_b67_torques_later_than_motion(log):
    columns, joints, robot = log
    shifted = {n: np.roll(x, 10) if n.startswith("tau.") else x for n, x in columns.items()}
    findings = checked({n: x[10:] for n, x in shifted.items()}, joints, robot).findings()
    assert [(f.notice.code, f.refused) for f in findings] == [("torque-lag", False)]
    assert "later" in findings[0].notice.message
    said = float(findings[0].notice.hint.split("lag_s = ")[1].split()[0])
    assert said == pytest.approx(10 / RATE, abs=1.5 / RATE)


@pytest.mark.parametrize("with_robot", [True, False])
def test_unsigned_torques_are_refused(log, with_robot):
    columns, joints, robot = log
    for joint in joints:
        np.abs(columns[f"tau.{joint.name}"], out=columns[f"tau.{joint.name}"])
    refused, others = found(columns, joints, robot if with_robot else None)
    assert refused == {("unsigned-torque", joint.name) for joint in joints}
    assert others == set()


def test_unsigned_torque_of_a_single_joint():
    columns, joints, robot = recording("pendulum")
    name = f"tau.{joints[0].name}"
    columns[name] = np.abs(columns[name])
    assert found(columns, joints, robot)[0] == {("unsigned-torque", joints[0].name)}


def test_torque_that_stays_positive_is_no_magnitude():
    """A joint that always holds against gravity."""
    columns, joints, robot = recording("pendulum")
    name = f"tau.{joints[0].name}"
    columns[name] -= columns[name].min() - 0.01
    refused, _ = found(columns, joints, robot)
    assert "unsigned-torque" not in {code for code, _ in refused}


def computed(robot, model):
    """A recording whose torques are those of a model along sines."""
    t = np.arange(3000) / 250.0
    rate = 2 * np.pi * np.linspace(0.15, 0.4, robot.n)
    middle = (robot.bound("lower") + robot.bound("upper")) / 2
    q = middle + 0.5 * np.sin(np.outer(t, rate))
    qd, qdd = 0.5 * rate * np.cos(np.outer(t, rate)), -0.5 * rate**2 * np.sin(np.outer(t, rate))
    tau = rnea(model, *(torch.from_numpy(x) for x in (q, qd, qdd))).numpy()
    columns = {"t": np.round(t * 1e9).astype(np.int64), "segment": np.zeros(3000, np.int64)}
    for signal, values in (("q", q), ("qd", qd), ("tau", tau)):
        columns |= {f"{signal}.{j.name}": values[:, i] for i, j in enumerate(robot.driven)}
    return columns, joints_of(robot), robot


def test_computed_torque_of_the_robot_file_is_refused(log):
    robot = log[2]
    refused, others = found(*computed(robot, robot))
    assert refused == {("computed-torque", name) for name in robot.joint_names}
    assert others == set()


def test_computed_torque_of_another_model_is_suspected(log):
    robot = log[2]
    other = perturbed(robot, 0.5, np.random.default_rng(5))
    assert found(*computed(robot, other)) == (set(), {("computed-torque-suspected", None)})


def test_joints_of_the_robot_in_another_order(log):
    columns, joints, robot = log
    assert found(columns, joints[::-1], robot) == (set(), set())
    assert [joint.name for joint in joints_of(robot)] == [joint.name for joint in joints]


def test_b93_collision(log):
    columns, joints, robot = log
    tau = columns[f"tau.{HEAVY}"]
    hit = slice(700, 700 + int(0.3 * RATE))
    tau[hit] += 2.5 * np.std(tau)
    assert found(columns, joints, robot) == (set(), {("unexplained-torque", HEAVY)})
    (finding,) = checked(columns, joints, robot).findings()
    assert finding.notice.time == pytest.approx(700 / RATE, abs=0.1)
    assert "--exclude" in finding.notice.hint
