"""Every format of a recording gives the same samples, and they can be filtered."""

import json

import numpy as np
import pytest

from robotid.contracts.truth import read_truth
from robotid.robot.load import load_robot
from robotid.stages.contract import Source
from robotid.stages.filter import FilterConfig
from robotid.stages.filter import run as run_filter
from tests.sample_logs.conftest import SAMPLE_LOGS

ROBOTS = ("double_pendulum", "cartpole", "furuta", "panda", "ur10")
# Format, map, and how far numbers may be from those of the CSV, as a share of the largest.
EXACT, TEN_DIGITS, UNITS = 0.0, 1e-9, 1e-15
FORMATS = {
    "panda/run1.mcap": (None, EXACT),
    "panda/run1_bag": (None, EXACT),
    "ur10/run1.mat": ("ur10/mat.map.toml", UNITS),
    "ur10/run1.npz": ("ur10/npz.map.toml", EXACT),
    "ur10/run1.h5": ("ur10/h5.map.toml", EXACT),
    "furuta/run1.parquet": (None, EXACT),
    "furuta/run1.json": ("furuta/json.map.toml", EXACT),
    "furuta/run1.bag": (None, EXACT),
    "cartpole/run1_lab.txt": ("cartpole/lab.map.toml", TEN_DIGITS),
    "double_pendulum/run1_motor.tsv": ("double_pendulum/motor.map.toml", TEN_DIGITS),
}


def test_every_file_is_known():
    """What stands in the folders is tried below; and all of it together stays small."""
    found = set()
    for robot in ROBOTS:
        paths = (SAMPLE_LOGS / robot).iterdir()
        found |= {f"{robot}/{path.name}" for path in paths if path.name != "truth.json"}
    maps = {given for given, _ in FORMATS.values() if given}
    logs = {f"{robot}/run{n}.csv" for robot in ROBOTS for n in (1, 2, 3)}
    assert found == {*FORMATS, *maps, *logs, *(f"{robot}/simulate.toml" for robot in ROBOTS)}
    files = [path for path in SAMPLE_LOGS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 15e6
    lines = {given: len((SAMPLE_LOGS / given).read_text().splitlines()) for given in maps}
    assert max(lines.values()) <= 26


@pytest.mark.parametrize("log", FORMATS)
def test_all_formats_hold_the_same_samples(ingest, log):
    robot = log.partition("/")[0]
    given, tolerance = FORMATS[log]
    words = ("--map", given) if given else ()
    found = ingest(SAMPLE_LOGS / log, "--robot", robot, *words, folder=SAMPLE_LOGS)
    plain = ingest(SAMPLE_LOGS / robot / "run1.csv", "--robot", robot)
    assert (found.code, plain.code, plain.notices) == (0, 0, [])
    assert found.facts.joints == plain.facts.joints
    assert list(found.columns) == list(plain.columns)
    assert len(found.columns["t"]) == len(plain.columns["t"]) >= 2000
    for name, values in plain.columns.items():
        allowed = tolerance * np.abs(values).max()
        if name == "t" and tolerance:
            allowed = 1.0  # ns
        np.testing.assert_allclose(found.columns[name], values, rtol=0, atol=allowed, err_msg=name)


@pytest.mark.parametrize("robot", ROBOTS)
def test_each_recording_goes_through_ingest_and_filter(ingest, robot, tmp_path):
    """Jitter is seen and resampled; nothing is lost but what the filter forgets at the ends."""
    joints = [joint.name for joint in load_robot(robot).tree.driven]
    for name in ("run1", "run2", "run3"):
        found = ingest(SAMPLE_LOGS / robot / f"{name}.csv", "--robot", robot)
        assert (found.code, found.notices) == (0, [])
        assert [joint.name for joint in found.facts.joints] == joints
        assert found.facts.time.jitter == pytest.approx(0.055, abs=0.01)  # 0.04, of differences
        out = tmp_path / name
        out.mkdir()
        inputs = {"dataset": [Source(name, found.path, "")]}
        notices = run_filter(FilterConfig(), inputs, out)
        assert "jitter" in {notice.code for notice in notices}
        assert not [notice for notice in notices if notice.effect != "none"]
        facts = json.loads((out / "recording.json").read_text())
        assert facts["samples"] > 1600


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_truth_stands_beside_the_logs(robot):
    truth = read_truth(SAMPLE_LOGS / robot)
    assert truth.engine == "mujoco"
    assert list(truth.recordings) == ["run1", "run2", "run3"]
    assert [joint.name for joint in truth.joints] == [
        joint.name for joint in load_robot(robot).tree.driven
    ]
    # Joints without a motor have torques of zero, and no Coulomb friction.
    driven = [joint for joint in truth.joints if joint.torque_scale > 0]
    assert driven
    assert all(joint.coulomb > 0 and joint.noise_tau > 0 for joint in driven)
    assert all(joint.viscous > 0 for joint in truth.joints)
    assert truth.options["jitter"] == 0.04
    assert any(link.phi != link.nominal_phi for link in truth.links)


def test_from_the_command_line(robotid, tmp_path):
    """Three formats of one recording at once, then the filter, as the README says."""
    logs = [SAMPLE_LOGS / "panda" / name for name in ("run1.csv", "run1.mcap", "run1_bag")]
    answer = robotid("ingest", *logs, "--robot", "panda", "--out", tmp_path / "data", "--json")
    assert (answer.code, answer.json["warnings"]) == (0, [])
    answer = robotid("filter", tmp_path / "data", "--out", tmp_path / "smooth", "--json")
    assert answer.code == 0, answer.err
    index = json.loads((tmp_path / "smooth" / "dataset.json").read_text())
    assert {facts["samples"] for facts in index["recordings"].values()} == {
        next(iter(index["recordings"].values()))["samples"]
    }
    assert len(index["recordings"]) == 3
