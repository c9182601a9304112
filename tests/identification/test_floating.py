"""White-box fits of a floating robot, from logs to a robot file, as a user calls them."""

import json

import numpy as np
import pytest

from robotid.contracts.any_fit import read_any_fit
from robotid.contracts.fit import read_fit
from robotid.contracts.predictions import read_predictions
from robotid.contracts.truth import read_truth
from robotid.information.structure import base_of
from robotid.models.from_fit import read_fitted
from robotid.robot.catalog import robot_path
from robotid.robot.load import load_robot
from robotid.robot.tree import BASE_ROWS
from tests.floating import true_parameters
from tests.identification.tripod import fitted

MODELS = {
    "ols": {"model": "ols"},
    "wls": {"model": "wls"},
    "irls": {"model": "irls"},
    "ridge": {"model": "ridge"},
    "sdp": {"model": "sdp"},
    "diffbary": {"model": "diffbary"},
    **{f"diffnea {i}": {"model": "diffnea", "inertia": i} for i in ("free", "spd", "moments", "cov", "log")},
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_models_find_the_robot(project, tmp_path, name):
    """Errors are those of the noise, the mass is that of the truth, links are where data are."""
    fit, _ = fitted(project, tmp_path / "fit", **MODELS[name])
    assert fit.verdict.usable, fit.verdict.sentence
    rows = (*BASE_ROWS, "a_joint", "b_joint", "c_joint")
    assert tuple(fit.joints) == rows
    assert set(fit.metrics["test"]["rmse"].joints) == set(rows)
    assert fit.metrics["test"]["rmse"].mean < 0.1 * fit.baselines["nominal"]["test"]["rmse"].mean
    truth = read_truth(project / "logs")
    mass = sum(link.phi[0] for link in truth.links)
    assert abs(fit.total_mass.value - mass) < 4 * fit.total_mass.std + 1e-3
    assert fit.total_mass.std < 0.01
    assert fit.total_mass.nominal == pytest.approx(9.6)
    assert "Total mass" in fit.verdict.sentence
    model = read_fitted(tmp_path / "fit").model
    base = base_of(model.layout)
    want = base.beta(true_parameters(model.layout, truth))
    far = (base.beta(model.phi) - want) / [one.std for one in fit.base_parameters]
    assert np.median(np.abs(far)) < 1.5
    assert np.abs(far).max() < 8
    assert fit.ranges["base.fz"].tau[1] > 50
    assert fit.ranges["a_joint"].position_limits == (-1.2, 1.2)


def test_rows_of_the_base_alone_give_the_same_parameters(project, tmp_path):
    """Without any torque of a joint, which need not even be recorded."""
    every, _ = fitted(project, tmp_path / "all", model="wls")
    alone, _ = fitted(project, tmp_path / "base", "base", model="wls", rows="base")
    assert alone.joints == list(BASE_ROWS)
    assert alone.forces.kind == "base"
    of_links = {one.name: one for one in every.base_parameters if one.grouping[0] in "mlL"}
    for one in alone.base_parameters:
        both = np.hypot(one.std, of_links[one.name].std)
        assert abs(one.value - of_links[one.name].value) < 5 * both, one.name
    trained, _ = fitted(project, tmp_path / "adam", "base", model="diffnea", optimizer="adam",
                        init="sdp", rows="base", epochs=1)  # fmt: skip
    assert trained.metrics["test"]["rmse"].mean < 2 * alone.metrics["test"]["rmse"].mean


@pytest.mark.parametrize("inertia", ["free", "spd", "moments", "cov", "log"])
def test_adam_goes_down_on_samples(project, tmp_path, inertia):
    fit, _ = fitted(project, tmp_path / "fit", model="diffnea", optimizer="adam", init="prior",
                    inertia=inertia, epochs=2, batch=64)  # fmt: skip
    assert fit.curve[-1].validation < 0.7 * fit.curve[0].validation
    assert fit.metrics["test"]["rmse"].mean < fit.baselines["nominal"]["test"]["rmse"].mean


def test_places_of_links_are_learned_with_them(robotid, project, tmp_path):
    """16 parameters of each link but the base, which is where it was measured to be."""
    answer = robotid(
        "fit", project / "data", "--robot", project / "tripod.urdf", "--model", "diffnea",
        "--factors", project / "factors", "--kinematics", "learned", "--optimizer", "adam",
        "--init", "prior", "--inertia", "cov", "--epochs", "4", "--batch", "128",
        "--learning-rate", "0.02", "--out", tmp_path / "fit",
    )  # fmt: skip
    assert answer.code in (0, 4), answer.err
    fit = read_any_fit(tmp_path / "fit")
    assert fit.model == "kinodynamic"
    assert fit.learning.weights == 4 * 10 + 3 * 6 + 3 * 4  # links, places of joints, their terms
    assert fit.curve[-1].validation < 0.5 * fit.curve[0].validation
    errors = fit.metrics["test"]["rmse"].mean, fit.baselines["nominal"]["test"]["rmse"].mean
    assert errors[0] < 0.6 * errors[1]
    places = np.array(fit.placements)
    true = load_robot(str(project / "tripod.urdf")).tree.placements
    np.testing.assert_array_equal(places[0], np.eye(4))
    assert 1e-4 < np.linalg.norm(places[1:, :3, 3] - true[1:, :3, 3]) < 0.1
    answer = robotid("report", tmp_path / "fit", "--out", tmp_path / "report")
    assert answer.code in (0, 4), answer.err
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Where the joints are" in page
    answer = robotid("predict", tmp_path / "fit", project / "data", "--out", tmp_path / "said")
    assert answer.code in (0, 4), answer.err
    said = read_predictions(tmp_path / "said").recordings["run3"].errors["base.fz"].rmse
    assert said == pytest.approx(fit.metrics["test"]["rmse"].joints["base.fz"], rel=1e-6)


def test_learned_places_mend_a_robot_file_of_another_length(robotid, tmp_path):
    """A fixed base: links of the file are a fifth too short, which known kinematics cannot mend."""
    file = robot_path("double_pendulum").read_text()
    assert file.count('xyz="0 0 -0.3"') == 1
    longer = tmp_path / "longer.urdf"
    longer.write_text(file.replace('xyz="0 0 -0.3"', 'xyz="0 0 -0.36"'))
    for command in (
        ["simulate", "--robot", longer, "--recordings", "2", "--duration-s", "8", "--rate-hz",
         "100", "--friction", "viscous", "--harmonics", "10", "--out", tmp_path / "logs"],
        ["ingest", *(tmp_path / "logs" / f"run{n}.csv" for n in (1, 2)), "--out", tmp_path / "raw"],
        ["filter", tmp_path / "raw", "--cutoff-hz", "15", "--out", tmp_path / "data"],
    ):  # fmt: skip
        answer = robotid(*command)
        assert answer.code == 0, answer.err
    answer = robotid(
        "fit", tmp_path / "data", "--robot", "double_pendulum", "--model", "diffnea",
        "--kinematics", "learned", "--optimizer", "adam", "--init", "prior", "--inertia", "cov",
        "--epochs", "30", "--batch", "128", "--learning-rate", "0.01", "--out", tmp_path / "fit",
    )  # fmt: skip
    assert answer.code in (0, 4), answer.err
    fit = read_any_fit(tmp_path / "fit")
    known = fit.baselines["sdp"]["test"]["rmse"].mean
    assert fit.metrics["test"]["rmse"].mean < 0.7 * known
    assert abs(np.linalg.norm(np.array(fit.placements)[1, :3, 3]) - 0.36) < 0.03
    answer = robotid("export", tmp_path / "fit", "--format", "c", "--out", tmp_path / "code")
    assert answer.code in (0, 3, 4), answer.err


def test_from_a_fit_to_report_predictions_and_robot_file(robotid, project, tmp_path):
    fit = tmp_path / "fit"
    answer = robotid("fit", project / "data", "--robot", project / "tripod.urdf",
                     "--factors", project / "factors", "--out", fit, "--json")  # fmt: skip
    assert answer.code == 0, answer.err
    answer = robotid("report", fit, "--out", tmp_path / "report")
    assert answer.code == 0, answer.err
    page = (tmp_path / "report" / "report.html").read_text()
    assert "tripod (3 joints on a floating base)" in page
    for row in BASE_ROWS:
        assert row in page
    found = read_fit(fit)
    assert f"± {found.total_mass.std:.2g}" in page
    facts = json.loads((tmp_path / "report" / "report.json").read_text())
    assert "base.fz" in json.dumps(facts)
    answer = robotid("predict", fit, project / "data", "--out", tmp_path / "said")
    assert answer.code == 0, answer.err
    errors = read_predictions(tmp_path / "said").recordings["run3"].errors
    for row, own in errors.items():
        assert own.rmse == pytest.approx(found.metrics["test"]["rmse"].joints[row], rel=1e-6)
    answer = robotid("export", fit, "--format", "urdf", "--out", tmp_path / "file")
    assert answer.code == 0, answer.err
    robot = load_robot(str(tmp_path / "file" / "robot.urdf")).tree
    assert robot.floating
    assert robot.phi[:, 0].sum() == pytest.approx(found.total_mass.value, rel=1e-9)
    for kind in ("c", "mjcf", "python"):
        answer = robotid("export", fit, "--format", kind, "--out", tmp_path / kind)
        assert (answer.code, "floats" in answer.err) == (78, True)


def test_without_force_sensors_of_contacts(robotid, tmp_path):
    """From the command line, with a quadruped; forces are not even in the log."""
    logs = tmp_path / "logs"
    answer = robotid("simulate", "--robot", "quadruped", "--recordings", "2", "--duration-s", "8",
                     "--rate-hz", "100", "--harmonics", "12", "--perturb", "0.1",
                     "--friction", "viscous", "--out", logs)  # fmt: skip
    assert answer.code == 0, answer.err
    for name in ("run1", "run2"):
        header, *lines = (logs / f"{name}.csv").read_text().splitlines()
        kept = [i for i, c in enumerate(header.split(",")) if not c.startswith("contact.")]
        rows = [",".join(row.split(",")[i] for i in kept) for row in (header, *lines)]
        (logs / f"{name}.csv").write_text("\n".join(rows) + "\n")
    (logs / "manifest.json").unlink()
    answer = robotid("ingest", logs / "run1.csv", logs / "run2.csv", "--robot", "quadruped",
                     "--test", "run2", "--out", tmp_path / "raw", "--json")  # fmt: skip
    assert answer.code == 0, answer.err
    assert "no-contacts" in [w["code"] for w in answer.json["warnings"]]
    assert (
        robotid("filter", tmp_path / "raw", "--cutoff-hz", "15", "--out", tmp_path / "d").code == 0
    )
    feet = [
        word for foot in ("FL", "FR", "RL", "RR") for word in ("--contact-links", f"{foot}_foot")
    ]
    answer = robotid("fit", tmp_path / "d", "--robot", "quadruped", "--contacts", "projected", *feet,
                     "--out", tmp_path / "fit")  # fmt: skip
    assert answer.code == 0, answer.err
    fit = read_fit(tmp_path / "fit")
    assert fit.total_mass is None  # forces that nobody knows may carry any weight
    assert (fit.identifiability.rank, fit.identifiability.structural_rank) == (138, 138)
    truth = true_parameters(read_fitted(tmp_path / "fit").model.layout, read_truth(logs))
    model = read_fitted(tmp_path / "fit").model
    base = base_of(model.layout)
    off = base.beta(model.phi) - base.beta(truth)
    assert np.median(np.abs(off) / [one.std for one in fit.base_parameters]) < 1.5
    file = fit.baselines["nominal"]["test"]["rmse"].mean
    assert fit.metrics["test"]["rmse"].mean < 0.3 * file
    answer = robotid("predict", tmp_path / "fit", tmp_path / "d", "--out", tmp_path / "said")
    assert answer.code == 0, answer.err
    plain = robotid("fit", tmp_path / "d", "--robot", "quadruped", "--out", tmp_path / "no")
    assert plain.code == 4  # nothing carries the robot: no parameters explain that
    assert "baseline-not-beaten" in plain.err or "Not to be used" in plain.err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--rows", "base", "--terms", "viscous"], 78, "of their own"),
        (["--rows", "base", "--model", "mlp"], 78, "need all generalised forces"),
        (["--contacts", "projected"], 78, "contact_links"),
        (["--contact-links", "a_foot"], 78, "for contacts projected"),
        (["--rows", "base", "--contacts", "projected", "--contact-links", "a_foot"], 78, "leaves"),
        (["--contacts", "projected", "--contact-links", "a_fot"], 78, "did you mean 'a_foot'"),
        (["--contacts", "projected", "--contact-links", "a_foot", "--model", "diffnea",
          "--optimizer", "adam"], 78, "known to factors"),
        (["--loss", "forward", "--model", "diffnea"], 78, "forward models have a fixed one"),
        (["--model", "diffnea", "--kinematics", "learned"], 78, "optimizer adam"),
        (["--model", "diffnea", "--kinematics", "learned", "--optimizer", "adam"], 78, "prior or"),
        (["--base", "fixed", "--rows", "base"], 78, "has a fixed base"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for(robotid, project, words, code, says):
    answer = robotid("fit", project / "data", "--robot", project / "tripod.urdf", *words)
    assert answer.code == code, answer.err
    assert says in answer.err


def test_a_dataset_without_a_base_is_refused(robotid, project, tmp_path):
    header, *lines = (project / "logs" / "run1.csv").read_text().splitlines()
    kept = [i for i, c in enumerate(header.split(",")) if not c.startswith("base.")]
    rows = [",".join(row.split(",")[i] for i in kept) for row in (header, *lines)]
    (tmp_path / "run1.csv").write_text("\n".join(rows) + "\n")
    robot = project / "tripod.urdf"
    answer = robotid("ingest", tmp_path / "run1.csv", "--robot", robot)
    assert (answer.code, "[base.quat]" in answer.err) == (65, True)
    answer = robotid("ingest", tmp_path / "run1.csv", "--robot", robot, "--accept", "base-missing",
                     "--out", tmp_path / "raw")  # fmt: skip
    assert answer.code == 0, answer.err
    assert robotid("filter", tmp_path / "raw", "--out", tmp_path / "data").code == 0
    answer = robotid("fit", tmp_path / "data", "--robot", robot)
    assert (answer.code, "base-missing" in answer.err) == (65, True)


def test_init_and_inspect_take_floating_robots(robotid, project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    logs = [project / "logs" / f"run{n}.csv" for n in (1, 2)]
    answer = robotid("init", *logs, "--robot", project / "tripod.urdf")
    assert answer.code == 0, answer.err
    assert "base, contact" in answer.err + answer.out
    assert "columns" not in (tmp_path / "pipeline.toml").read_text()  # the log needs no map
    answer = robotid("inspect", logs[0], "--robot", project / "tripod.urdf", "--json")
    assert answer.code == 0, answer.err


def test_a_base_that_a_fixed_robot_does_not_use_is_said(robotid, project, tmp_path):
    answer = robotid("factors", project / "data", "--robot", project / "tripod.urdf", "--base",
                     "fixed", "--json")  # fmt: skip
    assert answer.code == 0, answer.err
    assert "base-not-used" in [w["code"] for w in answer.json["warnings"]]
