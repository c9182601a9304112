"""`robotid simulate` as a user calls it, alone and in a pipeline."""

import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

from robotid.contracts.truth import read_truth
from robotid.robot.load import load_robot
from tests.conftest import PROJECT

SHORT = ("--recordings", "2", "--duration-s", "3", "--rate-hz", "200", "--noise-tau", "0.01")

PIPELINE = """
[stages.simulate]
inputs.robot = "double_pendulum"
recordings = 3
duration_s = 4.0
rate_hz = 200.0
perturb = 0.1

[stages.ingest]
inputs.logs = "@simulate"

[stages.filter]
inputs.dataset = "@ingest"
"""


@pytest.fixture
def pipeline(tmp_path):
    path = tmp_path / "pipeline.toml"
    path.write_text(PIPELINE)
    return path


def statuses(answer):
    assert answer.code == 0, answer.err
    return {stage["stage"]: stage["cached"] for stage in answer.json["stages"]}


def test_files_of_a_simulation_are_always_the_same(robotid, tmp_path):
    out = tmp_path / "logs"
    answer = robotid("simulate", "--robot", "double_pendulum", *SHORT, "--out", out)
    assert answer.code == 0, answer.err
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    truths = {"truth/run1.parquet", "truth/run2.parquet", "truth.json"}
    assert names == {"run1.csv", "run2.csv", "manifest.json"} | truths
    lines = (out / "run1.csv").read_text().splitlines()
    joints = ("shoulder", "elbow")
    assert lines[0].split(",") == ["t", *(f"{s}.{j}" for s in ("q", "qd", "tau") for j in joints)]
    assert len(lines) == 601
    log = np.loadtxt(out / "run1.csv", delimiter=",", skiprows=1)
    true = pq.read_table(out / "truth" / "run1.parquet")
    np.testing.assert_allclose(log[:, 0] * 1e9, true["t"].to_numpy(), atol=1e-3)
    truth = read_truth(out)
    for column, level in (("q.elbow", 1e-5), ("qd.elbow", 1e-3), ("tau.elbow", 0.01 * 5.0)):
        error = log[:, lines[0].split(",").index(column)] - true[column].to_numpy()
        assert error.std() == pytest.approx(level, rel=0.15)  # 600 samples: 3 %, five times that
    assert [joint.name for joint in truth.joints] == list(joints)
    assert truth.options["duration_s"] == 3.0
    assert truth.engine == "mujoco"
    assert "mujoco" in truth.versions
    # The same again, in a cache that knows nothing of the first: the same bytes.
    words = ("--cache-dir", tmp_path / "other", "--out", tmp_path / "again")
    assert robotid("simulate", "--robot", "double_pendulum", *SHORT, *words).code == 0
    for name in names:
        assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_pipeline_feeds_logs_into_ingest(robotid, pipeline, tmp_path):
    """Twice: the second time nothing is computed, and nothing would be."""
    answer = robotid("run", pipeline, "--dry-run")
    assert "waits for simulate" in answer.out + answer.err
    answer = robotid("run", pipeline, "--json", "--out", tmp_path / "out")
    assert statuses(answer) == {"simulate": False, "ingest": False, "filter": False}
    index = json.loads((tmp_path / "out" / "ingest" / "dataset.json").read_text())
    assert sorted(index["recordings"]) == ["run1", "run2", "run3"]
    again = robotid("run", pipeline, "--json")
    assert statuses(again) == {"simulate": True, "ingest": True, "filter": True}
    assert "miss" not in robotid("run", pipeline, "--dry-run", "--json").out
    # Logs given as files are the same input as the result they lie in.
    logs = sorted((tmp_path / "out" / "simulate").glob("*.csv"))
    assert robotid("ingest", *logs, "--json").json["cached"]


def test_a_result_of_logs_is_not_a_dataset(robotid, tmp_path):
    path = tmp_path / "pipeline.toml"
    path.write_text(PIPELINE.replace('inputs.dataset = "@ingest"', 'inputs.dataset = "@simulate"'))
    answer = robotid("run", path)
    assert answer.code == 78
    assert "is a logs, a dataset is needed" in answer.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "--robot"),
        (["--robot", "pandaa"], 66, "did you mean"),
        (["--robot", "quadruped", "--trajectory", "swing-up"], 78, "no pendulum"),
        (["--robot", "quadruped", "--elastic-hz", "10"], 78, "elastic_hz"),
        (["--robot", "quadruped", "--bandwidth-hz", "3"], 78, "bandwidth_hz"),
        (["--robot", "quadruped", "--step-hz", "2"], 78, "nothing steps"),
        (["--robot", "quadruped", "--friction", "stick-slip"], 78, "stick-slip"),
        (["--robot", "quadruped", "--feet", "FL_fot"], 78, "FL_foot"),
        (["--robot", "quadruped", "--feet", "world"], 78, "does not move"),
        (["--robot", "panda", "--base", "floating"], 78, "--feet"),
        (["--robot", "panda", "--feet", "panda_link7"], 78, "no floating base"),
        (["--robot", "panda", "--trajectory", "sway"], 78, "fixed base"),
        (["--robot", "quadruped", "--trajectory", "sway", "--engine", "own"], 78, "floor"),
        (["--robot", "quadruped", "--trajectory", "sway", "--base-shift", "1", "--duration-s", "5"],
         78, "base_shift"),
        (["--robot", "panda", "--true-robot", "ur10"], 78, "different joints"),
        (["--robot", "panda", "--lock", "panda_joint8=0"], 78, "panda_joint8"),
        (["--robot", "panda", "--engine", "bullet"], 2, "mujoco"),
        (["--robot", "panda", "--speeds", "1.5"], 78, "at most 1"),
        (["--robot", "panda", "--coulomb", "-1"], 78, "negative"),
        (["--robot", "panda", "--control-hz", "700"], 78, "multiple"),
        (
            ["--robot", "panda", "--friction", "stick-slip", "--bristle-deflection", "1e-7",
             "--substeps", "1", "--duration-s", "1"],
            78, "(panda_joint",
        ),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said(robotid, words, code, says):
    answer = robotid("simulate", *words)
    assert answer.code == code, answer.err
    assert says in answer.err
    assert "Traceback" not in answer.err


def test_true_robot_from_a_file(robotid, tmp_path):
    text = (PROJECT / "robotid" / "robot" / "files" / "pendulum.urdf").read_text()
    other = tmp_path / "other.urdf"
    mass = re.search(r'<mass value="([^"]+)"', text)[1]
    other.write_text(text.replace(f'mass value="{mass}"', f'mass value="{2 * float(mass)}"', 1))
    words = ("--robot", "pendulum", "--true-robot", other, "--duration-s", "1", "--recordings", "1")
    answer = robotid("simulate", *words, "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    (link,) = read_truth(tmp_path / "out").links
    assert link.phi[0] == 2 * link.nominal_phi[0] == 2 * float(mass)


def test_a_robot_is_changed_before_it_is_simulated(robotid, tmp_path):
    """Held base of a quadruped, all legs but one locked; and another gravity."""
    joints = [joint.name for joint in load_robot("quadruped").tree.driven]
    locks = [word for name in joints[3:] for word in ("--lock", f"{name}=-0.5")]
    answer = robotid(
        "simulate", "--robot", "quadruped", "--base", "fixed", *locks, "--gravity", "0,0,-1.6",
        "--duration-s", "0.5", "--recordings", "1", "--out", tmp_path / "out",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    truth = read_truth(tmp_path / "out")
    assert [joint.name for joint in truth.joints] == joints[:3]
    assert truth.gravity == [0.0, 0.0, -1.6]
    assert truth.options["base"] == "fixed"


def test_sample_logs_are_what_simulate_makes(robotid, tmp_path):
    """Seven digits are written; another processor may round the last one differently."""
    folder = PROJECT / "sample_logs" / "arm"
    answer = robotid(
        "simulate", "--robot", folder / "arm.urdf", "--config", folder / "simulate.toml",
        "--out", tmp_path / "arm",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    logs = sorted(folder.glob("*.csv"))
    assert [log.name for log in logs] == ["run1.csv", "run2.csv", "run3.csv"]
    for log in logs:
        assert log.read_text().split("\n", 1)[0] == "t," + ",".join(
            f"{s}.{j}" for s in ("q", "qd", "tau") for j in ("base", "shoulder", "elbow")
        )
        made, kept = (
            np.loadtxt(path, delimiter=",", skiprows=1)
            for path in (tmp_path / "arm" / log.name, log)
        )
        np.testing.assert_allclose(made, kept, rtol=1e-5, atol=1e-5)
    made, kept = read_truth(tmp_path / "arm"), read_truth(folder)
    assert made.options == kept.options
    for own, other in zip(made.links, kept.links, strict=True):
        assert own.phi == pytest.approx(other.phi, rel=1e-9)
