"""`robotid rollout` as a user calls it: files, figures, what is said and what is refused."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from robotid.contracts.fit import Reason, Verdict
from robotid.contracts.rollout import read_rollout
from tests.exporting.fits import write_fit as write_torque_fit
from tests.rollouts.fits import exploding, rigid, write_dataset, write_fit

QUICK = ("--horizon-s", "0.2")


@pytest.fixture
def in_process(robotid, monkeypatch):
    """Without a worker for every call."""
    from tests.docs.in_process import InProcess

    monkeypatch.setattr("robotid.cli.session.LocalExecutor", InProcess)
    return robotid


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Recordings of a robot, the model that made them, and a model that is not quite right."""
    folder = tmp_path_factory.mktemp("made")
    right = rigid(actuator="viscous", larger=0.1)
    write_fit(folder / "right", right)
    write_fit(folder / "heavy", rigid(actuator="viscous", mass=1.3, larger=0.1))
    write_fit(folder / "network", exploding())
    write_fit(folder / "cartpole", rigid("cartpole"), "cartpole")
    write_torque_fit(folder / "torque", "furuta")
    write_dataset(folder / "dataset", right, ("train", "train", "test"))
    write_dataset(folder / "gaps", right, ("train",), samples=200, gap_at=80)
    write_dataset(folder / "states", right, ("train",), samples=50, independent=True)
    write_dataset(folder / "other", rigid("cartpole"), ("train",), samples=100)
    return folder


def test_fits_beside_what_was_recorded(robotid, made, tmp_path):
    out = tmp_path / "out"
    words = ("rollout", made / "heavy", made / "right", "--from", made / "dataset", *QUICK)
    answer = robotid(*words, "--out", out, "--starts", "6")
    assert answer.code == 0, answer.err
    assert answer.out == f"{out}\n"
    names = {path.name for path in out.iterdir()}
    assert names == {"rollout.json", "rollout.html", "trajectories.parquet", "manifest.json"}
    found = read_rollout(out)
    assert (found.split, found.best, len(found.starts)) == ("test", "right", 6)
    assert {start.recording for start in found.starts} == {"run2"}
    times = [start.time_s for start in found.starts]
    np.testing.assert_allclose(np.diff(times), np.mean(np.diff(times)), atol=0.005)
    assert times[-1] == pytest.approx(499 / 250 - 0.2, abs=1e-6)
    right, heavy = found.fits["right"], found.fits["heavy"]
    assert right.error_at_horizon < 1e-7 < 1e-5 < heavy.error_at_horizon
    assert len(right.error.t_s) == len(right.error.mean) == 50
    assert right.error.t_s[-1] == pytest.approx(0.2)
    assert (right.actuator, right.energy) == ("viscous", "bounded")
    assert right.energy_growth < 1e-5
    assert right.driven.diverged == right.uncontrolled.diverged == 0
    for said in ("right is nearest to what was recorded after 0.2 s", "right *", "does not grow"):
        assert said in answer.err
    again = robotid(*words, "--starts", "6", "--json")
    assert again.json["cached"] is True


def test_trajectories_and_page(in_process, made, tmp_path):
    out = tmp_path / "out"
    words = ("rollout", made / "right", made / "network", "--from", made / "dataset", *QUICK)
    assert in_process(*words, "--out", out, "--starts", "5", "--quiet").code == 0
    found, table = read_rollout(out), pq.read_table(out / "trajectories.parquet").to_pydict()
    assert set(table["fit"]) == {"right", "network"}
    assert set(table["start"]) == set(found.shown)
    rows = [
        row for row, fit in enumerate(table["fit"])
        if fit == "right" and table["motion"][row] == "driven"
    ]  # fmt: skip
    for joint in found.joints:
        for signal in ("q", "qd"):
            own, true = (
                np.array(table[f"{kind}.{joint}"])[rows] for kind in (signal, f"{signal}_true")
            )
            np.testing.assert_allclose(own.astype(float), true.astype(float), atol=2e-3)
    free = [row for row, kind in enumerate(table["motion"]) if kind == "uncontrolled"]
    assert all(table["q_true.motor"][row] is None for row in free)
    page = (out / "rollout.html").read_text()
    for said in ("Error over the horizon", "Energy with nobody driving", "When motions diverged"):
        assert said in page
    assert page.index("verdict-box") < page.index("<table>")
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_divergence_is_said_and_is_no_failure(in_process, made, tmp_path):
    out = tmp_path / "out"
    words = ("rollout", made / "network", "--from", made / "dataset", *QUICK, "--json")
    answer = in_process(*words, "--out", out)
    assert answer.code == 0, answer.err
    (said,) = {w["message"] for w in answer.json["warnings"] if "recorded commands" in w["message"]}
    assert "20 of 20 motions under recorded commands diverge, the first after 0.004 s" in said
    found = read_rollout(out).fits["network"]
    assert found.driven.diverged == found.uncontrolled.diverged == 20
    assert found.driven.first_diverged_s == min(found.driven.diverged_s)
    assert found.error_at_horizon is found.median_at_horizon is found.energy_growth is None


def test_states_without_a_dataset(in_process, made, tmp_path):
    out = tmp_path / "out"
    words = ("rollout", made / "right", "--state", "motor=0.3,pivot=3:-2", "--state", "pivot=1")
    answer = in_process(*words, *QUICK, "--out", out)
    assert answer.code == 0, answer.err
    found = read_rollout(out)
    assert found.split is found.best is found.fits["right"].driven is found.fits["right"].error
    first, second = found.starts
    assert (first.q, first.qd) == ({"motor": 0.3, "pivot": 3.0}, {"motor": 0.0, "pivot": -2.0})
    assert (second.q, second.recording) == ({"motor": 0.0, "pivot": 1.0}, None)
    assert "None of 2 motions diverges" in answer.err


def test_bounded_models_never_diverge(in_process, tmp_path):
    """200 random starts, with friction stiffer than the step could follow."""
    fits = [
        write_fit(tmp_path / name, rigid(actuator=name, larger=1))
        for name in ("coulomb", "nn-friction")
    ]
    words = ("rollout", *fits, "--state", "random", "--starts", "200", "--horizon-s", "0.1")
    answer = in_process(*words, "--seed", "4", "--out", tmp_path / "out", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["warnings"] == []
    found = read_rollout(tmp_path / "out")
    assert len(found.starts) == 200
    assert len({start.q["pivot"] for start in found.starts}) == 200
    for one in found.fits.values():
        assert one.energy == "bounded"
        assert one.uncontrolled.diverged == 0
        assert one.energy_growth < 1e-3
    assert found.fits["coulomb"].most_halvings >= 1
    assert any(remark.code == "step-halved" for remark in found.remarks)


def test_limits_left_are_said(in_process, made, tmp_path):
    words = (
        "rollout",
        made / "right",
        "--state",
        "motor=2.3:20",
        *QUICK,
        "--out",
        tmp_path / "out",
    )
    assert in_process(*words).code == 0
    found = read_rollout(tmp_path / "out")
    left = found.fits["right"].uncontrolled.limit_left
    assert (left.joint, left.start) == ("motor", 0)
    assert left.time_s == pytest.approx(0.06 / 20, abs=0.004)
    assert [remark.code for remark in found.remarks if remark.joint] == ["limits-left"]


def test_a_fit_that_should_not_be_used(in_process, made, tmp_path):
    reasons = [Reason(code="no-better", message="no better", hint=None)]
    verdict = Verdict(usable=False, sentence="Not to be used.", reasons=reasons)
    fit = write_fit(tmp_path / "fit", rigid(), verdict=verdict)
    answer = in_process("rollout", fit, "--state", "pivot=1", *QUICK)
    assert answer.code == 4
    assert "fit-not-usable" in answer.err


def test_starts_keep_clear_of_gaps(in_process, made, tmp_path):
    """Training data where there are no others; no motion crosses a gap."""
    out = tmp_path / "out"
    words = ("rollout", made / "right", "--from", made / "gaps", "--out", out)
    assert in_process(*words, *QUICK).code == 0
    found = read_rollout(out)
    assert found.split == "train"
    for start in found.starts:
        assert start.time_s + 0.2 <= 79 / 250 + 1e-9 or start.time_s >= 100 / 250


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["torque", "--state", "pivot=1"], 65, "this fit predicts torques"),
        (["right", "--state", "motor=2.5"], 78, "(motor): rollout: state: position 2.5 rad of motor is beyond its upper limit, 2.36 rad"),
        (["right", "--state", "motor=0:-31"], 78, "velocity -31 rad/s of motor is beyond its lower limit, -30 rad/s"),
        (["right", "--state", "pivto=1"], 78, "no joint 'pivto' | did you mean 'pivot'?"),
        (["right", "--state", "pivot"], 78, "'pivot' is not JOINT=POSITION"),
        (["right", "--state", "pivot=nan"], 78, "'pivot=nan' is not JOINT=POSITION"),
        (["right", "--state", "pivot=1,pivot=2"], 78, "names pivot twice"),
        (["right", "--state", "random", "--state", "pivot=1"], 78, "random stands alone"),
        (["right"], 78, "there is nothing to start from"),
        (["right", "--from", "dataset", "--state", "pivot=1"], 78, "not from both"),
        (["right", "--from", "dataset", "--horizon-s", "0.001"], 78, "0.001 s is shorter than a step of 0.004 s"),
        (["right", "--from", "dataset", "--horizon-s", "5"], 65, "the longest stretch has 1.996 s"),
        (["right", "--from", "gaps"], 65, "the longest stretch has 0.396 s"),
        (["right", "--from", "dataset", "--step-s", "0"], 78, "step_s: greater than 0"),
        (["right", "--from", "dataset", "--step-s", "-0.1"], 78, "step_s: greater than 0"),
        (["right", "--from", "dataset", "--step-s", "2"], 78, "1 s is shorter than a step of 2 s"),
        (["right", "--from", "dataset", "--seed", "1"], 78, "seed: has no effect"),
        (["right", "--state", "pivot=1", "--starts", "3"], 78, "starts: has no effect"),
        (["right", "--from", "other"], 65, "joint 'motor' of robot furuta is not in the recording"),
        (["right", "cartpole", "--state", "pivot=1"], 65, "cartpole is a fit of cartpole with joints slide, pivot; right is one of furuta"),
        (["right", "--from", "states"], 65, "samples are states one by one and no motion"),
        (["right", "--from", "right"], 66, "this is not a dataset"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said(in_process, made, words, code, says):
    names = {path.name for path in made.iterdir()}
    answer = in_process("rollout", *(made / word if word in names else word for word in words))
    assert answer.code == code, answer.err
    assert says in answer.err
    assert "Traceback" not in answer.err


def test_a_fit_without_ranges(in_process, tmp_path):
    fit = write_fit(tmp_path / "fit", rigid(), ranges={})
    answer = in_process("rollout", fit, "--state", "random")
    assert answer.code == 65
    assert "does not say in which range motor was" in answer.err


def test_a_dataset_without_the_command(in_process, made, tmp_path):
    fit = write_fit(tmp_path / "fit", rigid(), torque="current")
    answer = in_process("rollout", fit, "--from", made / "dataset")
    assert answer.code == 65
    assert "the recording has no current.motor | map that signal" in answer.err


def test_in_a_pipeline(in_process, made, tmp_path):
    path = tmp_path / "pipeline.toml"
    text = f'[stages.rollout]\ninputs.fits = ["{made}/right"]\n'
    path.write_text(f'{text}inputs.from = "{made}/dataset"\nhorizon_s = 0.2\nstarts = 3\n')
    assert in_process("run", path, "--out", tmp_path / "out").code == 0
    path.write_text(f"{text}horizon_s = 0.2\n")
    answer = in_process("run", path)
    assert answer.code == 78
    assert "stages.rollout.state: there is nothing to start from" in answer.err
