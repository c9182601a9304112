"""Logs of real robots from inspect to filter, each with a map of at most 20 lines.

They are not part of the project: `ROBOTID_REAL_LOGS` says where they are.
"""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

REAL = Path(os.environ.get("ROBOTID_REAL_LOGS", "/nowhere"))
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="ROBOTID_REAL_LOGS is not set")


class Case(NamedTuple):
    """Logs of one robot: pattern, map, robot file, flags, and the refusal if they must be."""

    logs: str
    columns: str = ""
    robot: str = ""
    flags: tuple[str, ...] = ()
    refused: str = ""
    cutoff_hz: float = 10.0


CASES = {
    "ur10": Case("ur10_rosbag2/ur10_exciting_trajectory.db3", robot="ur10_rosbag2/ur10_robot.urdf"),
    "ur10 plan": Case("ur10_rosbag2/model_torques.db3", refused="planned-trajectory"),
    "panda": Case(
        "panda_rosbag2/panda_exciting_trajectory.db3",
        "[joints]\n" + "".join(f'panda_joint{n} = "fer_joint{n}"\n' for n in range(1, 8)),
        "panda_rosbag2/panda_no_gripper.urdf",
        cutoff_hz=3.0,
    ),
    "tx40": Case(
        "tx40",
        """
[time]
rate_hz = 5000
[q]
file = "pos_read_data.csv"
columns = "Joint_{n}"
side = "motor"
offset = [0, -1.5707963267948966, 1.5707963267948966, 0, 0, 0]
[tau]
file = "curr_data.csv"
columns = "Joint_{n}"
side = "motor"
[motor]
coupling = [
  [32, 0, 0, 0, 0, 0], [0, 32, 0, 0, 0, 0], [0, 0, 45, 0, 0, 0],
  [0, 0, 0, -48, 0, 0], [0, 0, 0, 0, 45, 0], [0, 0, 0, 0, 32, 32],
]
""",
        "tx40/tx40_mdh_modified.urdf",
    ),
    "double pendulum": Case(
        "double_pendulum/design_C1_run*.csv",
        """
time = {column = "time", unit = "s"}
q = {columns = "pos_meas{n}"}
qd = {columns = "vel_meas{n}"}
tau = {columns = "tau_meas{n}"}
""",
        "double_pendulum/acrobot.urdf",
    ),
    "double pendulum, first design": Case(
        "double_pendulum/design_A0_measured.csv",
        """
time = {column = "time", unit = "s"}
q = {columns = "pos{n}"}
qd = {columns = "vel{n}"}
tau = {columns = "tau{n}"}
""",
        "double_pendulum/acrobot.urdf",
    ),
    "kinova": Case(
        "kinova_gen3/*.csv",
        """
time = {column = "Time", unit = "ms"}
q = {columns = "Position{n}"}
qd = {columns = "Velocity{n}"}
tau = {columns = "TorqueCur{n}"}
temperature = {columns = "Temp{n}"}
""",
        "kinova_gen3/gen3.urdf",
    ),
    "kuka": Case(
        "kuka_kr300/*.mat",
        """
time = {column = "rec.time_cont", unit = "s"}
q = {columns = "rec.act_pos_se_deg[{i}]", unit = "deg"}
qd = {columns = "rec.act_vel_se_deg_per_s[{i}]", unit = "deg/s"}
tau = {columns = "rec.act_torque_abs_nm[{i}]"}
""",
    ),
    "tiago": Case(
        "tiago",
        """
joints = ["torso_lift_joint", "arm_1_joint", "arm_2_joint", "arm_3_joint", "arm_4_joint"]
exclude = [":9.5", "68.2:"]
time = {column = "t", unit = "s"}
q = {file = "tiago_position.csv", columns = "- {joint}_position"}
qd = {file = "tiago_velocity.csv", columns = "- {joint}_velocity"}
[tau]
file = "tiago_effort.csv"
columns = "- {joint}_effort"
unit = "A"
constant = [1, 0.136, 0.136, -0.087, -0.087]
side = "motor"
[motor]
gear = [1, 100, 100, 100, 100]
""",
    ),
    "tiago, dead wrist": Case(
        "tiago",
        """
time = {column = "t", unit = "s"}
q = {file = "tiago_position.csv", columns = "- {joint}_position"}
qd = {file = "tiago_velocity.csv", columns = "- {joint}_velocity"}
tau = {file = "tiago_effort.csv", columns = "- {joint}_effort"}
""",
        refused="dead-channel",
    ),
    "servo bench": Case(
        "xl330_bench/2026*.json",
        """
time = {column = "timestamp", unit = "s"}
q = {columns = "position"}
qd = {columns = "speed"}
tau = {columns = "load", bits = 16, scale = 0.001}
temperature = {columns = "temp"}
""",
    ),
    "unsigned torques": Case(
        "so101_unsigned/state_motor.csv",
        """
joints = ["Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll", "Jaw"]
time = {column = "timestamp", unit = "us"}
q = {columns = "positions[{i}]"}
qd = {columns = "velocities[{i}]"}
tau = {columns = "torques[{i}]"}
""",
        refused="unsigned-torque",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_from_inspect_to_filter(robotid, tmp_path, name):
    case = CASES[name]
    assert len(case.columns.strip().splitlines()) <= 20
    logs = sorted(REAL.glob(case.logs))
    assert logs
    robot = ["--robot", REAL / case.robot] if case.robot else []
    answer = robotid("inspect", logs[0], *robot, "--out", tmp_path / "proposed.toml", "--json")
    assert answer.code in ((0,) if not case.refused else (0, 65)), answer.err
    columns = []
    if case.columns:
        (tmp_path / "map.toml").write_text(case.columns)
        columns = ["--map", tmp_path / "map.toml"]
    out = tmp_path / "dataset"
    answer = robotid("ingest", *logs, *columns, *robot, *case.flags, "--out", out, "--json")
    if case.refused:
        assert (answer.code, answer.json["error"]["code"]) == (65, case.refused)
        return
    assert answer.code == 0, answer.err
    answer = robotid("filter", out, "--cutoff-hz", case.cutoff_hz, "--json")
    assert answer.code == 0, answer.err


def test_torque_that_a_model_computed_is_named(robotid, tmp_path):
    columns = CASES["kinova"].columns.replace("TorqueCur", "Torque")
    (tmp_path / "map.toml").write_text(columns)
    log = REAL / "kinova_gen3" / "opti_traj_testing1.csv"
    robot = REAL / CASES["kinova"].robot
    answer = robotid("ingest", log, "--map", tmp_path / "map.toml", "--robot", robot, "--json")
    (said,) = (w for w in answer.json["warnings"] if w["code"].startswith("computed-torque"))
    assert "tau.joint_1" in said["message"]
