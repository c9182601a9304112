"""`robotid compare`, and the comparison of 26 models in small, as a user runs them."""

import json
import shutil

import pytest

from robotid.contracts.comparison import read_comparison
from robotid.contracts.rollout import ROLLOUT, read_rollout
from robotid.contracts.truth import TRUTH
from robotid.reporting.grid.conclusions import conclusions
from robotid.reporting.grid.motions import runs
from robotid.stages.contract import Source
from robotid.stages.rollout import STAGE
from tests.rollouts.fits import exploding, rigid, write_dataset, write_fit

QUICK = ("--horizon-s", "0.2", "--starts", "4")


@pytest.fixture
def in_process(robotid, monkeypatch):
    """Without a worker for every call."""
    from tests.docs.in_process import InProcess

    monkeypatch.setattr("robotid.cli.session.LocalExecutor", InProcess)
    return robotid


def truth_of(model, robot, friction="viscous"):
    """A `truth.json` in which the robot of a model is the true one."""
    links = [
        {"name": name, "phi": phi, "nominal_phi": phi}
        for name, phi in zip(robot.links, model.links().detach().tolist(), strict=True)
    ]
    absent = dict.fromkeys(
        ("viscous", "coulomb", "static", "width", "stribeck_velocity", "bristle_stiffness",
         "bristle_damping", "stiffness", "damping")
    )  # fmt: skip
    joints = [
        {"name": name, "kind": "revolute", "rotor_inertia": 0.0, **absent, "kp": 0.0, "kd": 0.0,
         "torque_scale": 1.0, "noise_tau": 0.0}
        for name in robot.joint_names
    ]  # fmt: skip
    return {
        "robot": robot.name, "gravity": [0, 0, -9.81], "links": links, "joints": joints,
        "friction": friction, "recordings": {}, "engine": "own", "versions": {}, "substeps": 1,
        "options": {},
    }  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Fits that differ in one thing each, recordings of one of them, and what is true."""
    folder = tmp_path_factory.mktemp("made")
    right = rigid(actuator="viscous", larger=0.1)
    prior = {"options": {"inertia": "free", "hidden": [8], "init": "prior", "seed": 3}}
    write_fit(folder / "right", right, **prior)
    random = {"options": {**prior["options"], "init": "random"}}
    write_fit(folder / "random", rigid(actuator="viscous", larger=0.1, mass=1.01), **random)
    write_fit(folder / "heavy", rigid(mass=1.5), **prior)
    write_fit(folder / "network", exploding())
    write_dataset(folder / "dataset", right, ("train", "test"))
    (folder / "logs").mkdir()
    (folder / "logs" / TRUTH).write_text(json.dumps(truth_of(right, right.robot)))
    return folder


@pytest.fixture(scope="module")
def rolled(made, tmp_path_factory):
    """A rollout of all fits but the network, and one of the network."""
    folder = tmp_path_factory.mktemp("rolled")
    config = STAGE.config(horizon_s=0.2, starts=4, label="one")
    shared = {"from": [Source("", made / "dataset", "")], "truth": [Source("", made / "logs", "")]}
    for name, fits in (("links", ("right", "random", "heavy")), ("net", ("network",))):
        (folder / name).mkdir()
        given = [Source(fit, made / fit, "") for fit in fits]
        STAGE.run(config, {"fits": given, **shared}, folder / name)
    return folder


def test_a_rollout_says_what_was_found_beside_what_is_true(rolled):
    found = read_rollout(rolled / "links")
    right, heavy = found.fits["right"], found.fits["heavy"]
    assert (found.label, found.friction) == ("one", "viscous")
    assert (right.init, right.seed, right.kinematics) == ("prior", 3, "known")
    assert right.inertia_error < 1e-12
    assert heavy.inertia_error == pytest.approx(0.5)
    assert found.fits["random"].inertia_error == pytest.approx(0.01)
    network = read_rollout(rolled / "net").fits["network"]
    assert (network.inertia_error, network.masses, network.init) == (None, [], None)


def test_all_in_one_grid(rolled, in_process, tmp_path):
    out = tmp_path / "out"
    answer = in_process("compare", rolled / "links", rolled / "net", "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out == f"{out}\n"
    assert {path.name for path in out.iterdir()} == {
        "comparison.json", "comparison.html", "comparison.md", "manifest.json",
    }  # fmt: skip
    found = read_comparison(out)
    assert [column.label for column in found.columns] == ["one"]
    assert [row.energy for row in found.rows] == ["conserving", "bounded", "bounded", "unbounded"]
    assert (found.rows[found.best[0]].actuator, found.rows[found.best[0]].init) == (
        "viscous", "prior",
    )  # fmt: skip
    unbounded = found.rows[-1].cells[0]
    assert unbounded.diverged == unbounded.motions == 8
    assert unbounded.horizon is None
    page = (out / "comparison.html").read_text()
    assert page.count('role="img"') == 4
    assert "diffnea viscous known prior" in page
    assert "holds" in answer.err
    text = (out / "comparison.md").read_text(encoding="utf-8")
    assert "diffnea viscous known prior" in text
    assert "\\u00" not in text  # spaces before signs of per cent are spaces


def test_conclusions_are_drawn_from_what_there_is(rolled):
    every = runs({"links": rolled / "links", "net": rolled / "net"})
    found = {one.claim: one for one in conclusions(every)}
    kinematics, diverge, gain, mass, start, stable = found.values()
    assert kinematics.holds is None
    assert diverge.holds is True
    assert "8 of 8 do" in diverge.found
    assert gain.holds is None
    assert mass.holds is True
    assert "50 %" in mass.found.replace("\u00a0", " ")
    assert start.holds is False  # the exact model has next to no error
    assert stable.holds is True


def test_conclusions_can_fail(rolled):
    every = runs({"links": rolled / "links"})
    moved = every[0].fit.uncontrolled.model_copy(update={"diverged": 2})
    bad = every[0]._replace(fit=every[0].fit.model_copy(update={"uncontrolled": moved}))
    found = {one.claim: one for one in conclusions([bad, *every[1:]])}
    assert found["Models whose energy is bounded never diverge"].holds is False


def test_rollouts_that_cannot_stand_side_by_side_are_refused(rolled, in_process, tmp_path):
    shutil.copytree(rolled / "links", tmp_path / "short")
    shorter = {**json.loads((rolled / "links" / ROLLOUT).read_text()), "horizon_s": 0.1}
    (tmp_path / "short" / ROLLOUT).write_text(json.dumps(shorter))
    answer = in_process("compare", rolled / "links", tmp_path / "short")
    assert answer.code == 65
    assert "rollouts-differ" in answer.err
    assert "0.1 s" in answer.err


def test_truth_of_another_robot_is_refused(in_process, made, tmp_path):
    strange = json.loads((made / "logs" / TRUTH).read_text())
    strange["links"][0]["name"] = "wing"
    (tmp_path / TRUTH).write_text(json.dumps(strange))
    answer = in_process(
        "rollout", made / "right", "--from", made / "dataset", "--truth", tmp_path, *QUICK
    )
    assert answer.code == 65
    assert "truth-differs" in answer.err
    assert "wing" in answer.err


def test_the_comparison_of_26_models_in_small(robotid, tmp_path):
    network = '{ fit = { actuator = "ff-nn", optimizer = "adam", epochs = 2, hidden = [8] } }'
    actuators = f'{{ viscous = {{ fit = {{ actuator = "viscous" }} }}, ff-nn = {network} }}'
    ideal = '{ friction = "none", noise_q = 0.0, noise_qd = 0.0, noise_tau = 0.0 }'
    data = ", ".join(f'{name} = {{ inputs = {{ dataset = "@sample" }} }}' for name in FITS)
    label = ", ".join(f'{name} = {{ label = "uniform" }}' for name in ROLLOUTS)
    settings = [
        'sweep.axes.system.values=["cartpole"]',
        'sweep.axes.init.values=["prior"]',
        f"sweep.axes.actuator.choices={actuators}",
        f"sweep.axes.data.choices={{ uniform = {{ simulate = {ideal}, {data}, {label} }} }}",
        "sample.samples=400",
        "simulate.recordings=3",
        "simulate.duration_s=3.0",
        "ingest.val=[]",
        'ingest.test=["run3"]',
        "ffnn.epochs=2",
        *(f"{name}.{key}" for name in ROLLOUTS for key in ("starts=3", "horizon_s=0.1")),
    ]
    words = [word for setting in settings for word in ("--set", setting)]
    answer = robotid("run", "pipelines/lutter_26.toml", *words, "--out", tmp_path / "out")
    assert answer.code in (0, 4), answer.err  # two epochs make no good network
    found = read_comparison(tmp_path / "out" / "compare")
    assert len(found.rows) == 6
    known = next(
        row for row in found.rows if (row.actuator, row.kinematics) == ("viscous", "known")
    )
    assert known.cells[0].one_step.median < 1e-6
    assert known.cells[0].inertia_error.median < 1e-2
    again = robotid("run", "pipelines/lutter_26.toml", *words, "--json")
    stages = json.loads(again.out)["stages"]
    assert all(stage["cached"] for stage in stages)


FITS = "fit", "nea", "ffnn"
ROLLOUTS = "rollout", "rollout_nea", "rollout_ffnn"
