"""`robotid excite` as a user calls it: files, what is said, what is refused, and where it leads."""

import json
import math

import numpy as np
import pytest

from robotid.contracts.excitation import read_excitation
from robotid.contracts.fit import INFORMATION
from robotid.contracts.information import Information, InformationFacts, write_information
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from robotid.signals.planned import motions
from tests.conftest import PROJECT
from tests.exporting.fits import write_fit

ROBOT = ("--robot", "double_pendulum")
QUICK = (
    "--restarts", "1", "--iterations", "15", "--harmonics", "2", "--period-s", "3",
    "--acceleration", "30", "--rate-hz", "100",
)  # fmt: skip
PIPELINE = """
[stages.excite]
inputs.robot = "double_pendulum"
restarts = 1
iterations = 15
harmonics = 3
period_s = 4.0
acceleration = ["30"]
speeds = [0.1, 0.2]
home = [0.1, -0.1]
rate_hz = 100.0

[stages.simulate]
inputs.robot = "double_pendulum"
inputs.design = "@excite"
rate_hz = 250.0
noise_tau = 0.0005

[stages.ingest]
inputs.logs = "@simulate"
test = ["t1_10pct"]

[stages.filter]
inputs.dataset = "@ingest"

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "double_pendulum"
model = "wls"
"""


@pytest.fixture
def in_process(robotid, monkeypatch):
    """The same without a worker for every call."""
    from tests.docs.in_process import InProcess

    monkeypatch.setattr("robotid.cli.session.LocalExecutor", InProcess)
    return robotid


def test_files_are_always_the_same(robotid, tmp_path, request):
    out = tmp_path / "design"
    answer = robotid("excite", *ROBOT, *QUICK, "--speeds", "0.1", "--speeds", "0.3", "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out == f"{out}\n"
    found = read_excitation(out)
    plays = list(motions(found))
    assert len(plays) == 2
    suffixes = (".csv", ".parquet", ".joint_trajectory.yaml")
    files = {f"{play}{suffix}" for play in plays for suffix in suffixes}
    files |= {"excitation.json", "excitation.html", "manifest.json"}
    assert {path.name for path in out.iterdir()} == files
    for said in ("All", "limits kept", "trace-inv *", "logdet", "mineig", "cond", "for all times"):
        assert said in answer.err
    for said in ("Closest limits", "Worst known", "Best known", *(f"{p}.csv" for p in plays)):
        assert said in answer.err
    assert found.options["speeds"] == [0.1, 0.3]
    for name, (play, _) in motions(found).items():
        table = np.loadtxt(out / f"{name}.csv", delimiter=",", skiprows=1)
        assert len(table) == math.ceil(play.duration_s * 100 - 1e-9) + 1
        assert not table[-1, 3:].any()
    # In a cache that knows nothing of the first, quietly: the same bytes.
    again = tmp_path / "again"
    words = (*ROBOT, *QUICK, "--speeds", "0.1", "--speeds", "0.3", "--out", again, "--quiet")
    here = request.getfixturevalue("in_process")  # and not in a worker
    answer = here("excite", *words, "--cache-dir", tmp_path / "other")
    assert "Closest" not in answer.err
    for name in files:
        assert (out / name).read_bytes() == (again / name).read_bytes(), name


def test_json_on_standard_output(in_process, tmp_path):
    answer = in_process("excite", *ROBOT, *QUICK, "--json", "--out", tmp_path / "design")
    assert answer.code == 0, answer.err
    assert answer.json["outputs"] == {"excitation": str(tmp_path / "design")}
    codes = {notice["code"] for notice in answer.json["warnings"]}
    helped = any(p.advice for p in read_excitation(tmp_path / "design").parameters)
    assert ("badly-excited" in codes) == helped


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "--robot"),
        (["--robot", "pandaa"], 66, "did you mean"),
        (["--robot", "quadruped"], 78, "floating base"),
        (["--robot", "furuta"], 78, "(pivot): excite: the joint has no lower limit"),
        ([*ROBOT, "--velocity", "elbo=1"], 78, "no joint 'elbo' | did you mean 'elbow'?"),
        ([*ROBOT, "--upper", "elbow=far"], 78, "'elbow=far' is not VALUE or JOINT=VALUE"),
        ([*ROBOT, "--posture", "0"], 78, "posture: 1 values for 2 joints"),
        ([*ROBOT, "--home", "0", "--home", "9"], 78, "(elbow): excite: home: 9 is outside"),
        ([*ROBOT, "--upper", "-7"], 78, "above the upper limit -7 by 0.7"),
        ([*ROBOT, "--period-s", "0.01"], 78, "a period of"),
        ([*ROBOT, "--parameters", "elbows"], 78, "did you mean 'elbow'?"),
        ([*ROBOT, "--keep-in", "tip:0,0,0,1,1,1"], 78, "tip"),
        ([*ROBOT, "--speeds", "2"], 78, "at most 1"),
        ([*ROBOT, "--speeds", "0.2", "--speeds", "0.2"], 78, "a value is given twice"),
        ([*ROBOT, "--noise", "1e-200"], 78, "every value must be from 1e-09"),
        ([*ROBOT, "--capsules", "hand:0,0,0,0,0,1,0.1"], 78, "no link or frame 'hand'"),
        ([*ROBOT, "--warm-start", PROJECT / "docs"], 66, "this is not an excitation"),
        ([*ROBOT, "--criterion", "det"], 2, "logdet"),
        ([*ROBOT, "--given", PROJECT / "docs"], 66, "fit.json"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said(in_process, words, code, says):
    answer = in_process("excite", *words)
    assert answer.code == code, answer.err
    assert says in answer.err
    assert "Traceback" not in answer.err


def fit_of(folder, robot, std):
    """A fit that knows every parameter to the same standard deviation."""
    write_fit(folder, robot)
    layout = Layout(load_robot(robot).tree, TERMS)
    count = layout.parameters
    facts = InformationFacts(
        robot=robot,
        geometry_sha256=layout.digest,
        parameters=list(layout.names),
        noise=dict.fromkeys(layout.robot.joint_names, 0.1),
        independent=1.0,
        count=10 * count,
    )
    numbers = Information(facts, np.eye(count) / std, np.zeros(count), 1.0)
    write_information(folder / INFORMATION, numbers)
    return folder


def test_a_fit_that_is_given_counts(in_process, tmp_path):
    alone = in_process("excite", *ROBOT, *QUICK, "--out", tmp_path / "alone")
    assert alone.code == 0, alone.err
    fit = fit_of(tmp_path / "fit", "double_pendulum", 1e-5)
    words = (*ROBOT, *QUICK, "--given", fit, "--out", tmp_path / "more")
    assert in_process("excite", *words).code == 0
    without, known = (read_excitation(tmp_path / name) for name in ("alone", "more"))
    assert (without.given, len(known.given)) == ("", 64)
    for one, other in zip(known.parameters, without.parameters, strict=True):
        assert one.std <= 1.0001e-5
        assert one.std < other.std


def test_a_fit_of_another_robot_is_refused(in_process, tmp_path):
    fit = fit_of(tmp_path / "fit", "pendulum", 1e-3)
    answer = in_process("excite", *ROBOT, *QUICK, "--given", fit)
    assert answer.code == 65, answer.err
    assert "pendulum" in answer.err


def zero(fit):
    """The error of a model that says no torque is needed."""
    return fit["baselines"]["zero"]["test"]["rmse"]["mean"]


def test_from_a_design_to_a_fit(robotid, tmp_path):
    """Designed, run in simulation, read, filtered and fitted, in one pipeline."""
    path = tmp_path / "pipeline.toml"
    path.write_text(PIPELINE)
    answer = robotid("run", path, "--json", "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    design = read_excitation(tmp_path / "out" / "excite")
    index = json.loads((tmp_path / "out" / "ingest" / "dataset.json").read_text())
    assert sorted(index["recordings"]) == sorted(motions(design))
    fit = json.loads((tmp_path / "out" / "fit" / "fit.json").read_text())
    status = {p["name"]: p["status"] for p in fit["parameters"]}
    terms = [p.name for p in design.parameters if p.name in status and p.std < 0.02 * p.scale]
    assert {"elbow.coulomb", "shoulder.coulomb"} <= set(terms)
    assert status["elbow.coulomb"] == status["shoulder.coulomb"] == "identified"
    assert fit["metrics"]["test"]["rmse"]["mean"] < 0.05 * zero(fit)
    again = robotid("run", path, "--json")
    assert all(stage["cached"] for stage in again.json["stages"])
