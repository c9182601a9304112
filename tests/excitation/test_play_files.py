"""Files of a play: the motion in full, at its rate, at rest at the end, in every format."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML
from scipy.interpolate import BPoly

from robotid.excitation import play_files
from robotid.excitation.play_files import CSV, PARQUET, ROS, write_plays
from robotid.signals.planned import motions
from tests.excitation.designs import small_design


@pytest.fixture(scope="module")
def design():
    return small_design("double_pendulum", speeds=(0.4, 0.15), rate_hz=130.0, ros_hz=130.0)


@pytest.fixture(scope="module")
def folder(design, tmp_path_factory):
    path = tmp_path_factory.mktemp("plays")
    names = write_plays(path, design)
    assert sorted(names) == sorted(file.name for file in path.iterdir())
    return path


def table(path):
    return np.loadtxt(path, delimiter=",", skiprows=1)


def test_csv_is_the_motion(design, folder):
    for name, (play, motion) in motions(design).items():
        path = folder / f"{name}{CSV}"
        header = path.read_text().split("\n", 1)[0]
        assert header == "t," + ",".join(
            f"{signal}.{joint}" for signal in ("q", "qd", "qdd") for joint in design.joints
        )
        found = table(path)
        t = np.arange(len(found)) / 130.0
        assert (found[:, 0] == t).all()
        assert t[-2] < play.duration_s <= t[-1] + 1e-9
        expected = np.hstack(motion.at(t))
        expected[-1, 2:] = 0.0  # at rest
        assert (found[:, 1:] == expected).all()  # to the last bit
        assert not found[0, 3:].any()  # from rest, too


def test_limits_hold_in_the_files(design, folder):
    for name in motions(design):
        found = table(folder / f"{name}{CSV}")
        for place, joint in enumerate(design.joints):
            limit = design.limits[joint]
            q, qd, qdd = (found[:, 1 + place + 2 * signal] for signal in range(3))
            assert limit.lower < q.min() < q.max() < limit.upper
            assert np.abs(qd).max() <= limit.velocity
            assert np.abs(qdd).max() <= limit.acceleration


def test_parquet_says_the_same(design, folder):
    for name in motions(design):
        found, plain = pq.read_table(folder / f"{name}{PARQUET}"), table(folder / f"{name}{CSV}")
        assert found.schema.field("t").type == "int64"  # nanoseconds, as in every recording
        np.testing.assert_allclose(found["t"].to_numpy(), plain[:, 0] * 1e9, atol=0.5)
        columns = np.column_stack([found[column].to_numpy() for column in found.column_names[1:]])
        assert (columns == plain[:, 1:]).all()


def parsers():
    """A parser of YAML 1.2, and one of 1.1 as ROS has it."""
    found = [YAML(typ="safe", pure=True).load]
    try:
        import yaml
    except ImportError:
        return found
    return [*found, yaml.safe_load]


@pytest.mark.parametrize("parse", parsers(), ids=lambda parse: parse.__module__)
def test_ros_trajectory(design, folder, parse):
    name = next(iter(motions(design)))
    found = parse((folder / f"{name}{ROS}").read_text())
    plain = table(folder / f"{name}{CSV}")
    assert found["joint_names"] == design.joints
    points = found["points"]
    assert len(points) == len(plain)
    fields = ("positions", "velocities", "accelerations")
    flat = [[value for field in fields for value in point[field]] for point in points]
    assert all(type(value) is float for row in flat for value in row)  # ROS takes nothing else
    assert (np.array(flat) == plain[:, 1:]).all()
    times = [point["time_from_start"] for point in points]
    assert all(0 <= t["nanosec"] < 10**9 for t in times)
    seconds = [t["sec"] + 1e-9 * t["nanosec"] for t in times]
    np.testing.assert_allclose(seconds, plain[:, 0], atol=1e-9)


def test_ros_points_are_few_and_enough(tmp_path):
    """Quintic interpolation between points, as ROS controllers do it, gives the motion back."""
    design = small_design("double_pendulum", speeds=(0.4,), rate_hz=500.0, ros_hz=60.0)
    write_plays(tmp_path, design)
    (name,) = motions(design)
    points = YAML(typ="safe", pure=True).load((tmp_path / f"{name}{ROS}").read_text())["points"]
    seconds = np.array(
        [p["time_from_start"]["sec"] + 1e-9 * p["time_from_start"]["nanosec"] for p in points]
    )
    plain = table(tmp_path / f"{name}{CSV}")
    assert seconds[-1] == pytest.approx(plain[-1, 0], abs=1e-9)
    assert np.diff(seconds)[:-1] == pytest.approx(9 / 500.0)
    given = np.array([[p["positions"], p["velocities"], p["accelerations"]] for p in points])
    found = BPoly.from_derivatives(seconds, given)(plain[:, 0])
    assert np.abs(found - plain[:, 1:3]).max() < 1e-6


@pytest.mark.parametrize("value", [1e-5, -1e-300, 0.0, 1e22, 1.5e-7, -3.0])
def test_numbers_stay_floats(value):
    text = play_files._float(value)
    for parse in parsers():
        found = parse(f"[{text}]")[0]
        assert type(found) is float
        assert found == value


@pytest.mark.parametrize("name", ["a: b", 'say "hi"', "back\\slash", "é ☃ 😀", "line\nbreak", "no"])
def test_any_name_of_a_joint(name):
    for parse in parsers():
        assert parse(f"[{play_files._quoted(name)}]") == [name]


def test_same_design_same_bytes_however_it_is_cut(design, folder, tmp_path, monkeypatch):
    """Row groups of Parquet are the pieces; its bytes are compared with pieces as they were."""
    (tmp_path / "again").mkdir()
    write_plays(tmp_path / "again", design)
    monkeypatch.setattr(play_files, "_PIECE", 97)
    (tmp_path / "cut").mkdir()
    write_plays(tmp_path / "cut", design)
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
        if file.suffix != PARQUET:
            assert file.read_bytes() == (tmp_path / "cut" / file.name).read_bytes()
