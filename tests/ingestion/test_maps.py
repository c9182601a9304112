"""Which column is what: maps, units, motors, names of joints, and logs that need no map."""

import numpy as np
import pytest
from pydantic import ValidationError

from robotid.errors import BadDataError, ConfigError, InputMissingError, RobotidError
from robotid.ingestion.column_map import ColumnMap
from robotid.robot.load import load_robot
from tests.ingestion.conftest import table

T = {"column": "t", "unit": "s"}


@pytest.fixture
def raw():
    """Two motors, 100 samples at 100 Hz, columns of plain names."""
    t = np.arange(100) / 100
    one, two = np.sin(5 * t), np.cos(4 * t)
    return {"t": t, "p1": one, "p2": two, "i1": 2 * one, "i2": -two, "extra": 0 * t}


def code_of(call, *arguments, **options):
    with pytest.raises(RobotidError) as error:
        call(*arguments, **options)
    return error.value.notice


def test_patterns_and_lists_name_columns(ingest, raw):
    by_number = ingest(raw, {"time": T, "q": {"columns": "p{n}"}, "joints": ["a", "b"]})
    by_list = ingest(raw, {"time": T, "q": {"columns": ["p1", "p2"]}, "joints": ["a", "b"]})
    for name in ("q.a", "q.b"):
        np.testing.assert_array_equal(by_number.columns[name], by_list.columns[name])
    np.testing.assert_array_equal(by_number.columns["q.b"], raw["p2"])
    assert [joint.name for joint in by_number.facts.joints] == ["a", "b"]


def test_joints_without_names_are_numbered(ingest, raw):
    done = ingest(raw, {"time": T, "q": {"columns": "p{n}"}})
    assert [joint.name for joint in done.facts.joints] == ["joint1", "joint2"]


def test_b75_units(ingest, raw):
    columns = {
        "time": T,
        "joints": ["a", "b"],
        "q": {"columns": "p{n}", "unit": "deg"},
        "qd": {"columns": "i{n}", "unit": "rpm"},
        "tau": {"columns": ["extra", "t"], "unit": "mN m"},
    }
    done = ingest(raw, columns, accept=("velocity-unit", "dead-channel"))
    np.testing.assert_allclose(done.columns["q.a"], np.deg2rad(raw["p1"]), rtol=1e-15)
    np.testing.assert_allclose(done.columns["qd.b"], raw["i2"] * 2 * np.pi / 60, rtol=1e-15)
    np.testing.assert_allclose(done.columns["tau.b"], raw["t"] / 1000, rtol=1e-15)


def test_units_that_do_not_fit_are_refused(ingest, raw):
    wrong = {"time": T, "q": {"columns": "p{n}", "unit": "Nm"}}
    assert code_of(ingest, raw, wrong).code == "wrong-unit"
    unknown = {"time": T, "q": {"columns": "p{n}", "unit": "furlong"}}
    assert code_of(ingest, raw, unknown).code == "unknown-unit"


def test_b76_current_needs_a_constant(ingest, raw):
    columns = {"time": T, "q": {"columns": "p{n}"}, "tau": {"columns": "i{n}", "unit": "A"}}
    said = code_of(ingest, raw, columns)
    assert said.code == "current-as-torque"
    columns["tau"]["constant"] = [0.5, 2.0]
    done = ingest(raw, columns)
    np.testing.assert_allclose(done.columns["tau.joint1"], 0.5 * raw["i1"], rtol=1e-15)
    np.testing.assert_allclose(done.columns["tau.joint2"], 2.0 * raw["i2"], rtol=1e-15)


def test_b77_motor_side(ingest, raw):
    """Power is the same on both sides of coupled gears."""
    coupling = np.array([[50.0, 0.0], [20.0, -40.0]])
    columns = {
        "time": T,
        "motor": {"coupling": coupling.tolist()},
        "q": {"columns": "p{n}", "side": "motor", "offset": [0.1, -0.2]},
        "tau": {"columns": "i{n}", "side": "motor"},
    }
    done = ingest(raw, columns)
    joints = np.array([done.columns["q.joint1"] - 0.1, done.columns["q.joint2"] + 0.2])
    np.testing.assert_allclose(coupling @ joints, [raw["p1"], raw["p2"]], atol=1e-15)
    torque = np.array([done.columns["tau.joint1"], done.columns["tau.joint2"]])
    at_motors = np.array([raw["i1"], raw["i2"]]) * np.array([raw["p1"], raw["p2"]])
    np.testing.assert_allclose((torque * joints).sum(0), at_motors.sum(0), atol=1e-12)


def test_gears_are_a_diagonal_coupling(ingest, raw):
    columns = {
        "time": T,
        "motor": {"gear": [100.0, -50.0]},
        "q": {"columns": "p{n}", "side": "motor"},
        "tau": {"columns": "i{n}", "side": "motor"},
    }
    done = ingest(raw, columns)
    np.testing.assert_allclose(done.columns["q.joint2"], raw["p2"] / -50, rtol=1e-15)
    np.testing.assert_allclose(done.columns["tau.joint2"], raw["i2"] * -50, rtol=1e-15)


def test_missing_value_of_one_motor_stays_with_its_joints(ingest, raw):
    raw["p2"][10] = np.nan
    columns = {
        "time": T,
        "motor": {"coupling": [[50.0, 0.0], [20.0, -40.0]]},
        "q": {"columns": "p{n}", "side": "motor"},
    }
    done = ingest(raw, columns)
    assert np.isfinite(done.columns["q.joint1"]).all()
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(done.columns["q.joint2"])), [10])


def test_b85_signs_that_were_lost(ingest):
    t = np.arange(50) / 100
    load = np.arange(-25, 25)
    log = {"t": t, "p": np.sin(t), "load": load % 65536}
    columns = {"time": T, "q": {"columns": "p"}, "tau": {"columns": "load", "bits": 16}}
    done = ingest(log, columns)
    np.testing.assert_array_equal(done.columns["tau.joint1"], load)


def test_b48_b50_columns_by_name_and_unused_ones_listed(ingest, motion):
    turned = dict(reversed([*motion.items(), ("temperature_box", motion["t"])]))
    done = ingest(turned)
    np.testing.assert_array_equal(done.columns["tau.a"], motion["tau.a"])
    (found,) = done.notices
    assert found.code == "unused-columns"
    assert "temperature_box" in found.message


def test_b49_a_column_that_is_missing(ingest, motion):
    columns = {"time": T, "q": {"columns": "q.{joint}"}, "tau": {"columns": "torque.{joint}"}}
    said = code_of(ingest, motion, {**columns, "joints": ["a"]})
    assert said.file is not None
    assert said.code in ("no-such-column", "joints-differ")


def test_b79_b81_b82_joints_of_the_robot(ingest, raw):
    robot = load_robot("double_pendulum").tree
    names = robot.joint_names
    log = {"t": raw["t"], **{f"q.{name}": raw["p1"] for name in reversed(names)}}
    log |= {f"tau.{name}": raw["p2"] for name in names} | {"q.gripper": raw["p1"]}
    done = ingest(log, robot=robot)
    assert tuple(joint.name for joint in done.facts.joints) == names
    assert "q.gripper" in done.notices[0].message

    prefixed = {name.replace("q.", "q.left_"): values for name, values in log.items()}
    del prefixed["q.left_gripper"]
    said = code_of(ingest, prefixed, robot=robot)
    assert said.code == "joints-differ"
    assert f"{names[0]} = 'left_{names[1]}'" in said.hint  # in the order of the log

    del log[f"q.{names[0]}"]
    said = code_of(ingest, log, robot=robot)
    assert said.code == "joints-differ"
    assert names[0] in said.message


def test_names_of_the_log_may_differ(ingest, raw):
    robot = load_robot("double_pendulum").tree
    one, two = robot.joint_names
    log = {"t": raw["t"], "q.A": raw["p1"], "q.B": raw["p2"]}
    done = ingest(log, {"joints": {one: "A", two: "B"}}, robot=robot)
    np.testing.assert_array_equal(done.columns[f"q.{two}"], raw["p2"])
    said = code_of(ingest, log, {"joints": {one: "A"}}, robot=robot)
    assert (said.code, two in said.message) == ("joint-missing", True)
    said = code_of(ingest, log, {"joints": {one: "A", two: "B", "nose": "C"}}, robot=robot)
    assert said.code == "unknown-joint"


def test_floating_base_and_contact(ingest):
    t = np.arange(20) / 100
    log = {"t": t, "p": t, **{name: t + i for i, name in enumerate("xyz")}}
    log |= dict.fromkeys("abcd", t * 0 + 0.5)
    log |= {f"w{i}": t * i for i in range(6)}
    columns = {
        "time": T,
        "q": {"columns": "p"},
        "base": {"pos": {"columns": ["x", "y", "z"], "unit": "mm"}, "quat": {"columns": [*"abcd"]}},
        "contact": {"foot": {"columns": "w{i}", "frame": "world"}},
    }
    done = ingest(log, columns)
    np.testing.assert_allclose(done.columns["base.pos.y"], (t + 1) / 1000, rtol=1e-15)
    np.testing.assert_array_equal(done.columns["base.quat.w"], 0.5)
    np.testing.assert_array_equal(done.columns["contact.foot.mz"], t * 5)


def test_torque_kind_and_what_was_taken_out_are_kept(ingest, raw):
    tau = {"columns": "i{n}", "kind": "commanded", "compensated": ["gravity"]}
    done = ingest(raw, {"time": T, "q": {"columns": "p{n}"}, "tau": tau})
    assert done.facts.torque.kind == "commanded"
    assert done.facts.torque.compensated == ["gravity"]


@pytest.mark.parametrize(
    "columns",
    [
        {"q": {"columns": ""}},
        {"q": {"columns": ["a", "a"]}},
        {"q": {"columns": "p{n}", "side": "motor"}},
        {"q": {"columns": "p{n}"}, "motor": {"gear": [1.0, 0.0]}},
        {"q": {"columns": "p{n}"}, "motor": {"coupling": [[1.0, 2.0]]}},
        {"time": {"column": "t", "rate_hz": 5.0}},
        {"exclude": ["5:1"]},
        {"joints": ["a", "a"]},
        {"speed": {"columns": "v"}},
    ],
    ids=str,
)
def test_maps_that_make_no_sense(columns):
    with pytest.raises(ValidationError):
        ColumnMap.model_validate(columns)


@pytest.mark.parametrize(
    "columns",
    [
        {"q": {"columns": "p{n}", "scale": [1.0]}},
        {"q": {"columns": ["p1"]}, "joints": ["a", "b"]},
        {"q": {"columns": "p{n}", "side": "motor"}, "motor": {"gear": [2.0]}},
        {
            "q": {"columns": "p{n}", "side": "motor"},
            "motor": {"coupling": [[1.0, 1.0], [1.0, 1.0]]},
        },
    ],
    ids=["scale", "columns", "gear", "singular"],
)
def test_maps_that_do_not_fit_the_joints(ingest, raw, columns):
    with pytest.raises(ConfigError):
        ingest(raw, {"time": T, **columns})


def test_map_without_positions_completes_the_usual_layout(ingest, motion):
    done = ingest(motion, {"tau": {"columns": "tau.{joint}", "kind": "commanded"}})
    assert done.facts.torque.kind == "commanded"
    np.testing.assert_array_equal(done.columns["q.a"], motion["q.a"])


def test_folder_of_files_that_belong_together(ingest, tmp_path, raw):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "pos.csv").write_text(table({"t": raw["t"], "j1": raw["p1"], "j2": raw["p2"]}))
    (folder / "cur.csv").write_text(table({"t": raw["t"], "j1": raw["i1"], "j2": raw["i2"]}))
    (folder / "notes.pdf").write_bytes(b"%PDF-1.4 nothing to read")
    columns = {
        "time": T,
        "q": {"file": "pos.csv", "columns": "j{n}"},
        "tau": {"file": "cur.csv", "columns": "j{n}"},
    }
    done = ingest(folder, columns)
    np.testing.assert_array_equal(done.columns["q.joint1"], raw["p1"])
    np.testing.assert_array_equal(done.columns["tau.joint2"], raw["i2"])
    assert code_of(ingest, folder).code == "not-a-log"
    columns["tau"]["file"] = "curr.csv"
    with pytest.raises(InputMissingError) as error:
        ingest(folder, columns)
    assert "cur.csv" in error.value.notice.hint
    columns["tau"]["file"] = "../pos.csv"
    with pytest.raises(BadDataError) as error:
        ingest(folder, columns)
    assert error.value.notice.code == "not-in-folder"


def test_a_column_serves_one_signal(ingest, raw):
    columns = {"time": T, "q": {"columns": ["p1", "p2"]}}
    said = code_of(ingest, raw, {**columns, "tau": {"columns": ["p1", "i2"]}})
    assert said.code == "column-twice"
    assert "[q] and [tau] both name column 'p1'" in said.message
    made = {"columns": "i{n}", "unit": "A"}
    ingest(raw, {**columns, "tau": {**made, "constant": 0.1}, "current": made})


def test_numbers_that_are_no_bits_are_refused(ingest, raw):
    for values in (np.arange(100) + 200, np.arange(100) - 1, np.arange(100) / 7):
        tau = {"columns": "load", "bits": 8}
        columns = {"time": T, "q": {"columns": ["p1"]}, "tau": tau}
        assert code_of(ingest, raw | {"load": values}, columns).code == "wrong-bits"


def test_units_of_base_and_contact(ingest):
    t = np.arange(20) / 100
    log = {"t": t, "p": t, **{f"w{i} [mm]": t + i for i in range(3)}}
    log |= {f"v{i}": t + i for i in range(6)}
    columns = {"time": T, "q": {"columns": "p"}}
    done = ingest(log, {**columns, "base": {"pos": {"columns": "w{i} [mm]"}}})
    np.testing.assert_allclose(done.columns["base.pos.y"], (t + 1) / 1000)  # as the file says
    wrong = {
        "pos": {"columns": "w{i} [mm]", "unit": "deg"},
        "vel": {"columns": "v{i}", "unit": "mm/s"},  # not of what turns
    }
    for part, signal in wrong.items():
        assert code_of(ingest, log, {**columns, "base": {part: signal}}).code == "wrong-unit"
    kilo = {"foot": {"columns": "v{i}", "unit": "kN"}}
    assert code_of(ingest, log, {**columns, "contact": kilo}).code == "wrong-unit"
    same = {"pos": {"columns": "v1"}}
    assert code_of(ingest, log, {**columns, "base": same}).code == "wrong-count"


@pytest.mark.parametrize(
    "columns",
    [
        {"motor": {"coupling": []}},
        {"q": {"columns": "a", "lag_s": 1e300}},
        {"q": {"columns": "a", "scale": [1, 0]}},
        {"tau": {"columns": "a", "constant": 0}},
        {"time": {"rate_hz": 1e-300}},
    ],
)
def test_numbers_that_make_no_sense_in_a_map(columns):
    with pytest.raises(ValidationError):
        ColumnMap.model_validate(columns)


def test_torques_of_some_joints_only(ingest, raw):
    log = {"t": raw["t"], "q.a": raw["p1"], "q.b": raw["p2"], "tau.a": raw["i1"]}
    said = code_of(ingest, log)
    assert said.code == "joints-differ"
    assert "joints = ['a']" in said.hint
    assert "tau.a" in ingest(log, {"joints": ["a"]}).columns


def test_number_before_the_name_of_a_joint(ingest, raw):
    log = {"t": raw["t"], "q1_arm": raw["p1"], "q2_leg": raw["p2"]}
    done = ingest(log, {"time": T, "q": {"columns": "q{n}_{joint}"}})
    np.testing.assert_array_equal(done.columns["q.leg"], raw["p2"])
