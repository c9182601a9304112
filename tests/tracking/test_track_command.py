"""`robotid track` as a user calls it: files, figures, what is said and what is refused."""

import json

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from robotid.contracts.fit import Reason, Verdict
from robotid.contracts.tracking import read_tracking
from robotid.information.layout import TERMS, Layout
from robotid.information.sizes import nominal
from robotid.robot.load import load_robot
from tests.exporting.fits import write_fit
from tests.rollouts.fits import rigid
from tests.rollouts.fits import write_fit as write_forward_fit

QUICK = ("--durations-s", "0.5", "--motions", "2", "--gains", "stiff", "--warm-up", "5",
         "--engine", "own")  # fmt: skip


@pytest.fixture
def in_process(robotid, monkeypatch):
    """Without a worker for every call."""
    from tests.docs.in_process import InProcess

    monkeypatch.setattr("robotid.cli.session.LocalExecutor", InProcess)
    return robotid


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Fits that are the robot file itself, of several robots and kinds."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("pendulum", "double_pendulum"):
        layout = Layout(load_robot(name).tree, TERMS)
        write_fit(folder / name, name, phi=nominal(layout))
    write_fit(folder / "heavy", "pendulum", seed=1)
    write_fit(folder / "nominal", "pendulum")
    write_fit(folder / "floating", "quadruped")
    write_forward_fit(folder / "forward", rigid())
    return folder


def test_from_logs_to_tracking(robotid, tmp_path):
    """Simulated logs of a robot that is not as its file says; a fit finds it, and drives it."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    words = ("--robot", "double_pendulum", "--quiet")
    simulated = ("simulate", *words, "--perturb", "0.2", "--duration-s", "6", "--out", logs)
    assert robotid(*simulated).code == 0
    recordings = [logs / f"run{number}.csv" for number in (1, 2, 3)]
    assert robotid("ingest", *recordings, *words, "--out", tmp_path / "dataset").code == 0
    filtered = ("filter", tmp_path / "dataset", "--cutoff-hz", "10", "--quiet")
    assert robotid(*filtered, "--out", tmp_path / "filtered").code == 0
    fit = ("fit", tmp_path / "filtered", *words, "--model", "sdp", "--out", tmp_path / "sdp")
    assert robotid(*fit).code == 0
    track = ("track", tmp_path / "sdp", "--robot", "double_pendulum", "--truth", logs)
    answer = robotid(*track, "--durations-s", "1", "--motions", "3", "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out == f"{out}\n"
    names = {path.name for path in out.iterdir()}
    assert names == {"tracking.json", "trajectories.parquet", "tracking.html", "manifest.json"}
    found = read_tracking(out)
    assert list(found.models) == ["sdp", "nominal", "none", "truth"]
    assert found.moved.from_truth
    for ranked, gain in zip(found.ranked, ("soft", "medium", "stiff"), strict=True):
        assert (ranked.gain, ranked.best, ranked.next) == (gain, "sdp", "nominal")
        assert ranked.beyond_spread
        assert ranked.sentence in answer.err
    errors = [model.outcomes[2].rmse.mean.mean for model in found.models.values()]
    assert errors[3] < errors[0] < errors[1] / 10
    assert "sdp follows best" in answer.err
    again = robotid(*track, "--durations-s", "1", "--motions", "3", "--json")
    assert again.json["cached"] is True
    first, second = (pq.read_table(out / "trajectories.parquet").column_names[i] for i in (0, 4))
    assert (first, second) == ("model", "q_des.shoulder")


def test_the_robot_of_a_simulation_is_moved(in_process, made, tmp_path):
    """Truth and file differ: with the truth, the robot file is no longer exact."""
    logs = tmp_path / "logs"
    words = ("simulate", "--robot", "pendulum", "--perturb", "0.3", "--duration-s", "1")
    no_rotors = ("--rotor-per-effort", "0")
    one = ("--recordings", "1", "--out", logs, "--quiet")
    assert in_process(*words, *no_rotors, *one).code == 0
    errors = []
    for more, true in ((no_rotors, False), (("--truth", logs), True)):
        out = tmp_path / f"out{true}"
        words = ("track", made / "pendulum", "--robot", "pendulum", *QUICK, *more)
        assert in_process(*words, "--out", out, "--quiet").code == 0
        found = read_tracking(out)
        assert found.moved.from_truth == true
        fit, file = (found.models[name].outcomes[0] for name in ("pendulum", "nominal"))
        assert fit.rmse.mean.mean == pytest.approx(file.rmse.mean.mean, rel=1e-6)
        errors.append(fit.rmse.mean.mean / found.models["truth"].outcomes[0].rmse.mean.mean)
    assert errors[0] == pytest.approx(1.0, abs=1e-6)
    assert errors[1] > 10


def test_motions_of_a_simulation_are_followed_again(in_process, made, tmp_path):
    """With the true robot and model, the arm does once more what the log says it did."""
    logs, out = tmp_path / "logs", tmp_path / "out"
    words = ("simulate", "--robot", "pendulum", "--duration-s", "3", "--recordings", "2", "--friction", "none",
             "--noise-q", "0", "--digits", "12", "--rate-hz", "1000")  # fmt: skip
    assert in_process(*words, "--out", logs, "--quiet").code == 0
    words = ("track", made / "pendulum", "--robot", "pendulum", "--truth", logs, "--task", "recorded",
             "--gains", "stiff", "--durations-s", "2.5", "--out", out, "--quiet")  # fmt: skip
    assert in_process(*words).code == 0
    found = read_tracking(out)
    assert (found.task, found.motions) == ("recorded", 2)
    rows = pq.read_table(out / "trajectories.parquet").to_pylist()
    own = [row for row in rows if row["model"] == "truth"]
    logged = pl.read_csv(logs / "run1.csv")
    times = np.array([row["t"] for row in own])
    wanted = np.interp(times, logged["t"].to_numpy(), logged["q.hinge"].to_numpy())
    np.testing.assert_allclose([row["q_des.hinge"] for row in own], wanted, atol=0.02)
    np.testing.assert_allclose([row["q.hinge"] for row in own], wanted, atol=0.02)
    assert np.ptp(wanted) > 0.2


def test_the_same_bytes_from_another_cache(in_process, made, tmp_path, monkeypatch):
    texts = []
    for name in ("a", "b"):
        monkeypatch.setenv("ROBOTID_CACHE_DIR", str(tmp_path / name / "cache"))
        out = tmp_path / name / "out"
        words = ("track", made / "pendulum", made / "heavy", "--robot", "pendulum", *QUICK)
        assert in_process(*words, "--out", out, "--quiet").code == 0
        texts.append([(out / file).read_bytes() for file in ("tracking.json", "tracking.html", "trajectories.parquet")])  # fmt: skip
    assert texts[0] == texts[1]


def test_page(in_process, made, tmp_path):
    out = tmp_path / "out"
    words = ("track", made / "pendulum", "--robot", "pendulum", *QUICK, "--gains", "soft")
    config = tmp_path / "track.toml"
    config.write_text('[published.other]\nsource = "somebody, 2020"\nrmse = { stiff = 0.744 }\n')
    assert in_process(*words, "--config", config, "--out", out, "--quiet").code == 0
    page = (out / "tracking.html").read_text()
    for said in ("Share of feedback", "0.744", "somebody, 2020", "desired", "Error by gain"):
        assert said in page
    assert page.index("verdict-box") < page.index("<table>")
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_instability_is_said_and_is_no_failure(in_process, made, tmp_path):
    words = ("track", made / "pendulum", "--robot", "pendulum", *QUICK[:4], "--gains", "4e6")
    more = ("--control-hz", "500", "--no-saturate", "--engine", "own", "--json")
    answer = in_process(*words, *more, "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    codes = {warning["code"] for warning in answer.json["warnings"]}
    assert codes == {"unstable"}
    own = json.loads((tmp_path / "out" / "tracking.json").read_text())["models"]["pendulum"]
    assert own["outcomes"][0]["rmse"] is None
    page = (tmp_path / "out" / "tracking.html").read_text()
    assert "no model is stable" in page


def test_a_fit_that_should_not_be_used(in_process, tmp_path):
    reasons = [Reason(code="no-better", message="no better", hint=None)]
    verdict = Verdict(usable=False, sentence="Not to be used.", reasons=reasons)
    fit = write_fit(tmp_path / "fit", "pendulum", verdict=verdict)
    answer = in_process("track", fit, "--robot", "pendulum", *QUICK)
    assert answer.code == 4
    assert "fit-not-usable" in answer.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["double_pendulum", "--robot", "pendulum"], 65, "double_pendulum is a fit of double_pendulum with joints shoulder, elbow; pendulum has hinge"),
        (["forward", "--robot", "furuta", "--lock", "pivot=0"], 65, "this fit predicts accelerations"),
        (["floating", "--robot", "pendulum"], 65, "has a floating base"),
        (["pendulum", "--robot", "quadruped"], 78, "floating base"),
        (["pendulum", "--robot", "cartpole"], 78, "(pivot): track: the joint has no motor"),
        (["nominal", "--robot", "pendulum"], 78, "a fit is called 'nominal', as the baseline is"),
        (["pendulum", "--robot", "pendulum", "--gains", "1,2"], 78, "1,2 has 2 values, pendulum has 1 joints"),
        (["pendulum", "--robot", "pendulum", "--gains", "0"], 78, "gains lie above zero"),
        (["pendulum", "--robot", "pendulum", "--gains", "-3"], 78, "gains lie above zero"),
        (["pendulum", "--robot", "pendulum", "--gains", "stif"], 78, "did you mean 'stiff'?"),
        (["pendulum", "--robot", "pendulum", "--gains", "soft", "--gains", "soft"], 78, "soft is given twice"),
        (["pendulum", "--robot", "pendulum", "--durations-s", "0.0001"], 78, "0.0001 s is shorter than a step of the controller"),
        (["pendulum", "--robot", "pendulum", "--durations-s", "0"], 78, "every value must be above 0"),
        (["pendulum", "--robot", "pendulum", "--targets", "2"], 78, "targets: has no effect, the task is impedance"),
        (["pendulum", "--robot", "pendulum", "--task", "sines", "--hold-s", "2"], 78, "hold_s: has no effect, the task is sines"),
        (["pendulum", "--robot", "pendulum", "--task", "reaching", "--link", "rodd"], 78, "no link 'rodd' that moves | did you mean 'rod'?"),
        (["pendulum", "--robot", "pendulum", "--truth", "pendulum"], 66, "this is not"),
        (["pendulum", "--robot", "pendulum", "--task", "recorded"], 78, "recorded motions are those of a simulation"),
        (["pendulum", "--robot", "pendulum", "--task", "reaching", "--feedback", "joints"], 78, "feedback: has no effect, the task is reaching"),
        (["pendulum"], 2, "--robot"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said(in_process, made, words, code, says):
    words = [made / word if place == 0 or words[place - 1] == "--truth" else word for place, word in enumerate(words)]  # fmt: skip
    answer = in_process("track", *words)
    assert answer.code == code, answer.err
    assert says in answer.err
    assert "Traceback" not in answer.err


def test_a_truth_of_another_robot(in_process, made, tmp_path):
    logs = tmp_path / "logs"
    words = ("simulate", "--robot", "furuta", "--duration-s", "1", "--recordings", "1")
    assert in_process(*words, "--out", logs, "--quiet").code == 0
    track = ("track", made / "pendulum", "--robot", "pendulum", *QUICK, "--truth")
    answer = in_process(*track, logs)
    assert answer.code == 65
    assert "truth-differs" in answer.err
    answer = in_process(*track, logs, "--friction", "none")
    assert answer.code == 78
    assert "friction: the simulation says what the robot is like" in answer.err
    (logs / "manifest.json").unlink()
    (logs / "truth.json").write_text("{}")
    answer = in_process(*track, logs)
    assert answer.code == 65
    assert "not the truth as simulate writes it" in answer.err


def test_in_a_pipeline(in_process, made, tmp_path):
    path = tmp_path / "pipeline.toml"
    path.write_text(
        f'[stages.track]\ninputs.fits = ["{made}/pendulum", "{made}/heavy"]\n'
        'inputs.robot = "pendulum"\ndurations_s = [0.5]\nmotions = 2\ngains = ["stiff"]\n'
        'engine = "own"\n[stages.track.published.other]\nsource = "them"\nrmse = { stiff = 1.0 }\n'
    )
    answer = in_process("run", path, "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    assert list(read_tracking(tmp_path / "out" / "track").models)[:2] == ["pendulum", "heavy"]
    path.write_text(path.read_text().replace("stiff = 1.0", "stif = 1.0"))
    answer = in_process("run", path)
    assert answer.code == 78
    assert "no gain is called 'stif'" in answer.err
