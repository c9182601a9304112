"""Proposed maps: which columns, in which units, for which joints, and what is to be checked."""

import tomllib

import numpy as np
import pytest

from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.inspection import inspect_log
from robotid.inspection.map_text import map_text
from robotid.robot.load import load_robot
from tests.inspection.motion import Motion, columns, write_csv
from tests.logs.bags import ROS2, START, TYPE, states, write_rosbag2
from tests.robot.urdf_texts import ARM


@pytest.fixture
def look(tmp_path):
    """Inspect a CSV of these columns."""

    def of(*parts, robot=None, name="log.csv"):
        data = {key: values for part in parts for key, values in part.items()}
        return inspect_log(write_csv(tmp_path / name, data), robot)

    return of


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return load_robot(str(path)).tree


def checked(found):
    return {remark.table for remark in found.proposal.checks}


def reasons(found, table):
    return {
        passed.columns: passed.reason for passed in found.proposal.passed if passed.table == table
    }


@pytest.mark.parametrize(
    ("q", "qd", "tau", "first"),
    [
        ("Position{n}", "Velocity{n}", "Torque{n}", 1),
        ("pos_meas{n}", "vel_meas{n}", "tau_meas{n}", 1),
        ("q_{n}", "dq_{n}", "tau_{n}", 0),
        ("q{n}", "qd{n}", "trq{n}", 1),
        ("position[{n}]", "velocity[{n}]", "effort[{n}]", 0),
        ("rec.arm.q[{n}]", "rec.arm.qdot[{n}]", "rec.arm.moment[{n}]", 0),
        ("joint{n}_angle", "joint{n}_speed", "joint{n}_torque", 1),
        ("theta{n}", "omega{n}", "effort{n}", 1),
        ("A{n} pos", "A{n} vel", "A{n} trq", 1),
    ],
)
def test_numbered_columns(look, q, qd, tau, first):
    motion = Motion()
    found = look(
        {"time": motion.t},
        columns(q, motion.q, first),
        columns(qd, motion.qd, first),
        columns(tau, motion.tau, first),
    )
    mapped = found.proposal.columns
    place = "{i}" if first == 0 else "{n}"
    for signal, pattern in (("q", q), ("qd", qd), ("tau", tau)):
        assert getattr(mapped, signal).columns == pattern.replace("{n}", place)
    assert (mapped.q.unit, mapped.qd.unit, mapped.tau.unit) == ("rad", "rad/s", "Nm")
    assert (mapped.time.column, mapped.time.unit) == ("time", "s")
    assert found.proposal.checks == []
    assert found.proposal.needed
    assert found.trial.refused == ()


def test_named_columns(look):
    motion = Motion()
    names = ("torso_lift", "arm_1", "arm_2")
    found = look(
        {"t": motion.t},
        {f"- {n}_joint_position": motion.q[:, j] for j, n in enumerate(names)},
        {f"- {n}_joint_effort": motion.tau[:, j] for j, n in enumerate(names)},
    )
    assert found.proposal.columns.q.columns == "- {joint}_position"
    assert found.proposal.columns.tau.columns == "- {joint}_effort"
    assert found.trial.refused == ()


@pytest.mark.parametrize(
    ("unit", "factor", "speed", "speed_factor", "certain"),
    [
        ("rad", 1.0, "rad/s", 1.0, True),
        ("deg", 180 / np.pi, "rad/s", 1.0, True),
        ("deg", 180 / np.pi, "rpm", 30 / np.pi, True),
        ("rad", 1.0, "deg/s", 180 / np.pi, True),
        ("rad", 1.0, "rpm", 30 / np.pi, True),
        ("deg", 180 / np.pi, "deg/s", 180 / np.pi, False),
    ],
)
def test_units_by_the_ratio_of_velocities(look, unit, factor, speed, speed_factor, certain):
    motion = Motion()
    found = look(
        {"t": motion.t},
        columns("q{n}", motion.q * factor),
        columns("qd{n}", motion.qd * speed_factor),
        columns("tau{n}", motion.tau),
    )
    assert found.proposal.columns.q.unit == unit
    assert found.proposal.columns.qd.unit == speed
    said = " ".join(r.text for r in found.proposal.remarks if r.table == "qd")
    assert f"{factor / speed_factor:.4g}"[:4] in said
    assert ("q" not in checked(found)) == certain


def test_velocities_that_do_not_fit(look):
    motion = Motion()
    geared = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("qd{n}", 101 * motion.qd),
        columns("tau{n}", motion.tau),
    )  # fmt: skip
    assert "qd" in checked(geared)
    flipped = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("qd{n}", motion.qd * [1, -1, 1]),
        columns("tau{n}", motion.tau),
    )  # fmt: skip
    remark = next(r for r in flipped.proposal.checks if r.table == "qd")
    assert remark.line == "scale = [1, -1, 1]"
    unrelated = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("qd{n}", motion.qd[:, ::-1] ** 2),
        columns("tau{n}", motion.tau),
    )  # fmt: skip
    assert "could not be compared" in next(
        r.text for r in unrelated.proposal.checks if r.table == "qd"
    )


@pytest.mark.parametrize(
    ("name", "factor", "unit"),
    [("Time", 1e3, "ms"), ("timestamp", 1e6, "us"), ("stamp", 1e9, "ns"), ("clock_ms", 1e3, "ms")],
)
def test_units_of_time(look, name, factor, unit):
    motion = Motion()
    times = np.rint(motion.t * factor) + 1000
    found = look({name: times}, columns("q{n}", motion.q), columns("tau{n}", motion.tau))
    assert found.proposal.columns.time.column == name
    assert found.proposal.columns.time.unit == unit
    assert "time" not in checked(found)
    assert found.trial.refused == ()


def test_time_without_a_telling_name(look):
    motion = Motion()
    found = look({"a": motion.t + 5}, columns("q{n}", motion.q), columns("tau{n}", motion.tau))
    assert found.proposal.columns.time.column == "a"


def test_no_times(look):
    motion = Motion()
    found = look(columns("q{n}", motion.q), columns("tau{n}", motion.tau))
    assert found.proposal.columns.time.column is None
    remark = next(r for r in found.proposal.checks if r.table == "time")
    assert remark.line == "rate_hz = …"
    assert [n.code for n in found.trial.refused] == ["no-time"]
    assert found.trial.flags == ("--rate-hz HZ",)


def test_measured_ones_are_chosen(look):
    motion = Motion()
    zeros = np.zeros_like(motion.q)
    found = look(
        {"Time": motion.t},
        columns("Position{n}", motion.q),
        columns("Torque{n}", motion.smooth),
        columns("TorqueSm{n}", zeros),
        columns("TorqueCur{n}", motion.tau),
        columns("TorqueCmptd{n}", motion.smooth),
        columns("TorqueFilt{n}", motion.smooth),
        columns("Cur{n}", motion.tau / 10),
        columns("Temp{n}", zeros + 30),
        columns("PositionCmptd{n}", motion.q),
    )
    mapped = found.proposal.columns
    assert mapped.q.columns == "Position{n}"
    assert mapped.tau.columns == "TorqueCur{n}"
    assert (mapped.current.columns, mapped.temperature.columns) == ("Cur{n}", "Temp{n}")
    said = reasons(found, "tau")
    assert said["TorqueSm{n}"] == "never changes"
    assert "computed by a model" in said["Torque{n}"]
    assert "computed" in said["TorqueCmptd{n}"]
    assert "filtered" in said["TorqueFilt{n}"]
    assert reasons(found, "q") == {"PositionCmptd{n}": "computed, not measured"}


def test_sensors_come_before_currents(look):
    motion = Motion()
    found = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("TorqueCur{n}", motion.tau),
        columns("TorqueSm{n}", motion.tau + 0.1),
    )  # fmt: skip
    assert found.proposal.columns.tau.columns == "TorqueSm{n}"


def test_commanded_torques(look):
    motion = Motion()
    both = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("tau_meas{n}", motion.tau),
        columns("tau_cmd{n}", motion.smooth),
    )  # fmt: skip
    assert both.proposal.columns.tau.columns == "tau_meas{n}"
    assert both.proposal.columns.tau_cmd.columns == "tau_cmd{n}"
    assert both.proposal.columns.tau_cmd.kind == "commanded"
    alone = look({"t": motion.t}, columns("q{n}", motion.q), columns("tau_cmd{n}", motion.smooth))
    assert alone.proposal.columns.tau.kind == "commanded"
    assert alone.proposal.columns.tau_cmd is None
    assert checked(alone) == {"tau"}


def test_currents_stand_for_torques(look):
    motion = Motion()
    found = look(
        {"t": motion.t}, columns("q{n}", motion.q), columns("current{n}", 900 * motion.tau)
    )
    assert found.proposal.columns.tau.unit == "mA"
    assert found.proposal.columns.current is None
    assert any((r.line or "").startswith("constant") for r in found.proposal.checks)
    assert [n.code for n in found.trial.refused] == ["current-as-torque"]


def test_signs_that_were_lost(look):
    motion = Motion()
    q, qd = columns("q{n}", motion.q), columns("qd{n}", motion.qd)
    found = look({"t": motion.t}, q, qd, columns("torque{n}", np.abs(motion.tau - 2)))
    assert "signs were lost" in next(r.text for r in found.proposal.checks if r.table == "tau")
    whole = np.rint(10 * (motion.tau - 2)).astype(np.int64)
    path = found.path.with_suffix(".npz")
    np.savez(path, t=motion.t, q=motion.q, load=whole % 2**16)
    mapped = inspect_log(path).proposal.columns
    assert (mapped.tau.columns, mapped.tau.bits) == ("load[{i}]", 16)


def test_nothing_that_looks_like_a_log(look):
    found = look({"apples": np.arange(50.0) % 7, "pears": np.arange(50.0) % 5})
    assert found.proposal.columns.q is None
    assert "q" in checked(found)
    assert [n.code for n in found.trial.refused] == ["no-positions"]


def test_joints_of_the_robot(look, arm):
    motion = Motion(joints=2)
    times = {"t": motion.t}
    numbered = look(
        times, columns("q{n}", motion.q), columns("tau{n}", motion.tau), robot=arm
    ).proposal
    assert numbered.columns.joints == ("shoulder", "elbow")
    assert any(r.table == "joints" and r.check for r in numbered.remarks)
    exact = look(
        times,
        {f"{j}_pos": motion.q[:, i] for i, j in enumerate(arm.joint_names)},
        {f"{j}_trq": motion.tau[:, i] for i, j in enumerate(arm.joint_names)},
        robot=arm,
    )
    assert exact.proposal.columns.joints == ()
    assert exact.proposal.columns.q.columns == "{joint}_pos"
    assert exact.trial.refused == ()
    prefixed = look(
        times,
        {f"pos.left_{j.title()}": motion.q[:, i] for i, j in enumerate(arm.joint_names)},
        {f"trq.left_{j.title()}": motion.tau[:, i] for i, j in enumerate(arm.joint_names)},
        robot=arm,
    )
    expected = {"shoulder": "left_Shoulder", "elbow": "left_Elbow"}
    assert prefixed.proposal.columns.joints == expected
    assert "joints" in checked(prefixed)
    assert prefixed.trial.refused == ()


def test_joints_that_are_missing_or_too_many(look, arm):
    motion = Motion(joints=3)
    names = ("shoulder", "elbow", "gripper")
    more = look(
        {"t": motion.t},
        {f"pos.{j}": motion.q[:, i] for i, j in enumerate(names)},
        {f"trq.{j}": motion.tau[:, i] for i, j in enumerate(names)},
        robot=arm,
    )
    assert more.trial.refused == ()
    fewer = look(
        {"t": motion.t}, {"pos.elbow": motion.q[:, 0]}, {"trq.elbow": motion.tau[:, 0]}, robot=arm
    )
    assert "joints" in checked(fewer)
    assert [n.code for n in fewer.trial.refused] == ["joint-missing"]


def test_degrees_by_the_limits_of_the_robot(look):
    robot = load_robot("panda").tree
    motion = Motion(joints=7)
    centre = (robot.bound("lower") + robot.bound("upper")) / 2
    q = centre + 0.3 * motion.q
    for factor, unit in ((1.0, "rad"), (180 / np.pi, "deg")):
        found = look(
            {"t": motion.t}, columns("q{n}", q * factor), columns("tau{n}", motion.tau), robot=robot
        )
        assert found.proposal.columns.q.unit == unit
        assert ("q" in checked(found)) == (unit == "deg")


def test_files_that_belong_together(tmp_path):
    motion = Motion()
    for stem, values in (("pos_read_data", 60 * motion.q), ("curr_data", motion.tau)):
        write_csv(tmp_path / f"{stem}.csv", columns("Joint_{n}", values))
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    found = inspect_log(tmp_path)
    mapped = found.proposal.columns
    assert found.folder
    assert (mapped.q.file, mapped.tau.file) == ("pos_read_data.csv", "curr_data.csv")
    assert mapped.q.columns == mapped.tau.columns == "Joint_{n}"
    assert checked(found) == {"time", "q", "tau"}


def test_files_of_signals_with_times(tmp_path):
    motion = Motion()
    for stem, values in (("position", motion.q), ("velocity", motion.qd), ("effort", motion.tau)):
        data = {"t": motion.t, **columns(f"- arm_{{n}}_joint_{stem}", values)}
        write_csv(tmp_path / f"arm_{stem}.csv", data)
    found = inspect_log(tmp_path)
    assert found.proposal.columns.qd.file == "arm_velocity.csv"
    assert found.proposal.columns.qd.unit == "rad/s"
    assert found.proposal.checks == []
    assert found.trial.refused == ()


def test_files_that_are_recordings(tmp_path):
    motion = Motion()
    data = {"t": motion.t, **columns("q{n}", motion.q), **columns("tau{n}", motion.tau)}
    for name in ("b", "a", "c"):
        write_csv(tmp_path / f"{name}.csv", data)
    write_csv(tmp_path / "other.csv", {"t": motion.t, "x": motion.t})
    found = inspect_log(tmp_path)
    assert (found.path.name, found.alike, found.folder) == ("a.csv", ("b.csv", "c.csv"), False)
    assert [n.code for n in found.findings] == ["other-files"]


def test_own_header_needs_no_map(look):
    motion = Motion(joints=1)
    data = {"t": motion.t, "q.hinge": motion.q[:, 0], "tau.hinge": motion.tau[:, 0]}
    found = look(data)
    assert not found.proposal.needed
    assert found.proposal.columns.q.columns == "q.{joint}"


def test_base_of_a_floating_robot(tmp_path):
    motion = Motion(joints=12)
    base = {
        **{f"base_pos_{axis}": motion.t for axis in "xyz"},
        **{f"base_quat_{axis}": motion.t * 0 + 0.5 for axis in "xyzw"},
        **{f"base_linear_{axis}": motion.t * 0 + 1 for axis in "xyz"},
        **{f"base_angular_{axis}": motion.t * 0 for axis in "xyz"},
    }
    data = {"t": motion.t, **columns("q{n}", motion.q), **columns("tau{n}", motion.tau), **base}
    found = inspect_log(write_csv(tmp_path / "a.csv", data))
    mapped = found.proposal.columns
    assert mapped.q.columns == "q{n}"
    assert mapped.base.pos.columns == ("base_pos_x", "base_pos_y", "base_pos_z")
    assert mapped.base.quat.columns[-1] == "base_quat_w"
    assert (mapped.base.vel.columns[3], mapped.base.vel.frame) == ("base_angular_x", "base")
    text = map_text(found.proposal, "a.csv")
    assert "[base.vel]" in text
    assert "in coordinates of the base, or of the world?" in text
    again = ColumnMap.model_validate(tomllib.loads(text))
    assert again.base == mapped.base


def test_a_floating_robot_whose_log_needs_no_map(tmp_path):
    """Base and contacts in robotid's own names; with a robot it says what is missing without."""
    robot = load_robot("quadruped").tree
    motion = Motion(joints=12)
    named = {f"q.{j}": motion.q[:, i] for i, j in enumerate(robot.joint_names)}
    named |= {f"tau.{j}": motion.tau[:, i] for i, j in enumerate(robot.joint_names)}
    base = {f"base.pos.{axis}": motion.t * 0 for axis in "xyz"}
    base |= {f"base.quat.{axis}": motion.t * 0 + (axis == "w") for axis in "xyzw"}
    base |= {f"contact.FL_foot.f{axis}": motion.t * 0 + 147.0 for axis in "xyz"}
    found = inspect_log(write_csv(tmp_path / "a.csv", {"t": motion.t, **named, **base}), robot)
    assert not found.proposal.needed
    assert found.proposal.columns.contact["FL_foot"].frame == "world"
    assert "base-missing" not in [notice.code for notice in found.trial.refused]
    found = inspect_log(write_csv(tmp_path / "b.csv", {"t": motion.t, **named}), robot)
    assert "base-missing" in [notice.code for notice in found.trial.refused]
    assert "[contact.LINK]" in map_text(found.proposal, "b.csv")


def test_stamps_of_zero(tmp_path):
    """Then the time in the bag is all there is (a driver that never set its stamps)."""
    motion = Motion(joints=2)
    path = tmp_path / "a.npz"
    stamps = START + (motion.t * 1e9).astype(np.int64)
    zeros = np.zeros(motion.t.size, np.int64)
    np.savez(path, **{"header.stamp": zeros, "log_time": stamps, "q": motion.q, "tau": motion.tau})
    mapped = inspect_log(path).proposal.columns
    assert (mapped.time.column, mapped.time.unit) == ("log_time", "ns")


def test_commands_and_states_in_one_bag(tmp_path):
    path = write_rosbag2(
        tmp_path / "bag",
        {
            "/joint_commands": (TYPE, states(ROS2, 400, seed=1)),
            "/joint_states": (TYPE, states(ROS2, 400)),
        },
    )
    found = inspect_log(path)
    mapped = found.proposal.columns
    assert (mapped.q.columns, mapped.q.stream) == ("position.{joint}", "/joint_states")
    assert (mapped.tau.columns, mapped.tau.stream) == ("effort.{joint}", "/joint_states")
    assert (mapped.time.column, mapped.time.unit) == ("header.stamp", "ns")
    refused = {notice.code for notice in found.trial.refused}
    assert refused <= {"ambiguous-wrap"}  # random numbers are no motion


def test_velocities_of_some_joints_only(look):
    motion = Motion()
    q, qd = columns("q.j{n}", motion.q), columns("qd.j{n}", motion.qd[:, :1])
    found = look({"t": motion.t}, q, qd)
    assert "qd" in checked(found)
