"""Fits of the sample arm, whose logs MuJoCo made: every model, what it writes, what it says."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from robotid.contracts.dataset import read_index, write_index
from robotid.contracts.fit import Status, read_fit
from robotid.contracts.information import read_information
from robotid.contracts.splits import Interval
from robotid.contracts.truth import read_truth
from robotid.dynamics.base_parameters import base_parameters
from robotid.errors import BadDataError, ConfigError, Effect
from robotid.fitting import differentiable
from robotid.fitting.differentiable import _end_held_out
from robotid.fitting.sample_loss import Samples
from robotid.identification import folds
from robotid.models.from_fit import read_fitted
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.load import load_robot
from robotid.stages.configuration import parse_config
from robotid.stages.fit import STAGE, FitConfig
from tests.identification.conftest import ARM, with_factors

CONSISTENT = [
    {"model": "sdp"},
    {"model": "sdp", "prior": "gaussian"},
    {"model": "sdp", "prior": "divergence"},
    {"model": "diffbary"},
    *({"model": "diffnea", "inertia": name} for name in ("tri", "cov", "moments", "log")),
    {"model": "diffnea", "init": "random", "seed": 3},
    {"model": "diffnea", "init": "prior"},
]
OTHERS = [
    {"model": "ols"},
    {"model": "nea"},
    {"model": "wls"},
    {"model": "ridge"},
    {"model": "irls"},
    {"model": "irls", "robust": "samples"},
    *({"model": "diffnea", "inertia": name} for name in ("free", "symm", "spd")),
]


def said(keys):
    return "-".join(str(value) for value in keys.values())


@pytest.mark.parametrize("keys", CONSISTENT + OTHERS, ids=said)
def test_every_model_predicts_a_recording_it_has_not_seen(arm, tmp_path, keys):
    fit = arm.fit(tmp_path / "fit", **keys)
    result = fit.result
    assert result.verdict.usable, result.verdict.sentence
    own = result.metrics["test"]["rmse"].mean
    assert own < 0.1 < 8 * own < result.baselines["nominal"]["test"]["rmse"].mean
    assert result.recordings == {"run1": "train", "run2": "train", "run3": "test"}
    assert len(result.parameters) == 3 * 10 + 3 * 4
    if keys in CONSISTENT:
        assert all(link.consistent for link in result.links)
        identified = load_robot(fit.folder / "robot.urdf").tree
        found = np.array([p.value for p in result.parameters[:30]]).reshape(3, 10)
        np.testing.assert_allclose(identified.phi, found, rtol=1e-9, atol=1e-12)


def test_the_files_of_a_fit_agree(arm, tmp_path):
    fit = arm.fit(tmp_path / "fit", model="sdp")
    table = pq.read_table(fit.folder / "parameters.parquet").to_pylist()
    assert [(row["name"], row["value"], row["status"]) for row in table] == [
        (p.name, p.value, p.status) for p in fit.result.parameters
    ]
    information = read_information(fit.folder / "information.safetensors")
    assert information.facts.parameters == [p.name for p in fit.result.parameters]
    # Errors of the excerpt, which is all of these short recordings, are those of the factors.
    rows = pq.read_table(fit.folder / "residuals.parquet").to_pydict()
    test = np.array(rows["split"]) == "test"
    for joint, rmse in fit.result.metrics["test"]["rmse"].joints.items():
        error = (np.array(rows[f"tau.{joint}"]) - np.array(rows[f"pred.{joint}"]))[test]
        assert np.sqrt(np.mean(error**2)) == pytest.approx(rmse, rel=1e-6)
    fitted = read_fitted(fit.folder)
    np.testing.assert_array_equal(fitted.model.phi, [p.value for p in fit.result.parameters])


def test_the_truth_is_found(arm, tmp_path):
    """Nearer than the robot file by far, though friction is simplified and jumps are smoothed."""
    truth = read_truth(ARM)
    fit = arm.fit(tmp_path / "fit", model="sdp")
    layout = read_fitted(fit.folder).model.layout
    base = base_parameters(layout.robot, **layout.arguments)
    own = [x for j in truth.joints for x in (j.viscous, j.coulomb, 0.0, j.rotor_inertia)]
    true = base.beta(np.array([x for link in truth.links for x in link.phi] + own))
    found = {b.name: b for b in fit.result.base_parameters}
    errors = np.array([found[n].value - x for n, x in zip(base.base_names, true, strict=True)])
    off = np.array([found[n].nominal - x for n, x in zip(base.base_names, true, strict=True)])
    large = np.abs(off) > 0.1 * np.abs(true)  # what the robot file has wrong
    large &= np.array([not name.startswith("offset") for name in base.base_names])
    assert large.sum() >= 12
    assert np.median(np.abs(errors[large] / off[large])) < 0.2
    for joint in truth.joints:
        for term in ("viscous", "coulomb"):
            value = next(p.value for p in fit.result.parameters if p.name == f"{joint.name}.{term}")
            assert value == pytest.approx(getattr(joint, term), rel=0.06)


def test_statuses_and_groupings(arm, tmp_path):
    result = arm.fit(tmp_path / "fit", model="wls").result
    statuses = {p.status for p in result.parameters}
    assert {"identified", "in combination", "not excited"} <= statuses
    for p in result.parameters:
        assert (p.std is not None) == (p.status in ("identified", "uncertain"))
        assert bool(p.said) == (p.status not in ("identified", "uncertain"))
        if p.status == "identified":
            assert p.std <= 0.3 * abs(p.value)
    assert len(result.base_parameters) == result.identifiability.rank
    assert all(b.std > 0 for b in result.base_parameters)


def test_n25_what_has_not_converged_is_not_called_identified(arm, tmp_path):
    fit = arm.fit(
        tmp_path / "fit", model="diffnea", inertia="nostr", optimizer="adam", epochs=1,
        learning_rate=1e-6, init="random",
    )  # fmt: skip
    assert not fit.result.status.converged
    assert not fit.result.verdict.usable
    assert "identified" not in fit.result.verdict.sentence
    statuses = {p.status for p in (*fit.result.parameters, *fit.result.base_parameters)}
    assert "identified" not in statuses
    assert "not-converged" in fit.codes()
    assert any(notice.effect is Effect.QUALITY for notice in fit.notices)
    assert len(fit.result.parameters) == 3 * 13 + 3 * 4
    assert read_fitted(fit.folder).model.full


def test_what_a_fit_that_is_not_to_be_used_knows_is_not_vouched_for(arm, tmp_path):
    """What was uncertain stays so, what was known is called by a word of its own."""
    usable = arm.fit(tmp_path / "fit", model="wls").result
    refused = arm.fit(tmp_path / "refused", model="wls", max_rmse=1e-9).result
    assert usable.verdict.usable
    assert not refused.verdict.usable
    for known, disowned in (
        (usable.parameters, refused.parameters),
        (usable.base_parameters, refused.base_parameters),
    ):
        for before, after in zip(known, disowned, strict=True):
            changed = before.status == "identified"
            assert after.status == ("not vouched for" if changed else before.status)
            assert (after.value, after.std) == (before.value, before.std)
    assert "not vouched for" in {p.status for p in refused.parameters}


def test_adam_trains(arm, tmp_path):
    fit = arm.fit(
        tmp_path / "fit", model="diffnea", inertia="cov", optimizer="adam", epochs=3,
        learning_rate=1e-2, init="prior",
    )  # fmt: skip
    curve = fit.result.curve
    assert [point.step for point in curve] == [0, 1, 2, 3]
    assert curve[-1].validation < 0.2 * curve[0].validation
    assert "still fell" in fit.result.status.message


@pytest.mark.parametrize(("init", "converged"), [("prior", False), ("sdp", True)])
@pytest.mark.parametrize("inertia", ["nostr", "cov"])
def test_adam_that_never_got_better(arm, tmp_path, inertia, init, converged):
    """From the robot file that is a failure; from the SDP nothing was left to gain."""
    fit = arm.fit(
        tmp_path / "fit", model="diffnea", inertia=inertia, optimizer="adam", init=init,
        learning_rate=100.0, epochs=4, patience=2, batch=4096,
    )  # fmt: skip
    curve = fit.result.curve
    assert min(point.validation for point in curve[1:]) > curve[0].validation
    assert fit.result.status.converged is converged
    assert ("not-converged" in fit.codes()) is not converged
    assert fit.result.verdict.usable is converged


def test_n22_samples_that_stop_adam_have_no_part_in_those_that_train():
    """A filter reaches to both sides, so twice its memory lies between."""
    numbers = np.arange(1000.0)[:, None]
    train, validation = _end_held_out(Samples(*[numbers] * 4), gap=150)
    assert train.q[-1, 0] == 749
    assert validation.tau[0, 0] == 900
    assert len(validation.qdd) == 100
    with pytest.raises(BadDataError, match="too few to hold some out behind a gap of 900"):
        _end_held_out(Samples(*[numbers] * 4), gap=900)


def test_the_gap_of_a_fit_is_that_of_its_filter(arm, tmp_path, monkeypatch):
    gaps = []
    held_out = differentiable._end_held_out
    monkeypatch.setattr(
        differentiable,
        "_end_held_out",
        lambda train, gap: gaps.append(gap) or held_out(train, gap),
    )
    arm.fit(
        tmp_path / "fit", model="diffnea", inertia="cov", optimizer="adam", epochs=1,
        init="prior", batch=4096,
    )  # fmt: skip
    facts = read_index(arm.dataset).recordings["run1"]
    assert gaps == [int(np.ceil(max(1.0, 2 * facts.filter.memory_s) * facts.rate_hz))]


def test_gates(arm, tmp_path):
    for number, (keys, name) in enumerate(
        [
            ({"max_rmse": 0.01}, "max_rmse"),
            ({"max_relative": 1e-3}, "max_relative"),
            ({"max_condition": 2.0}, "max_condition"),
        ]
    ):
        fit = arm.fit(tmp_path / str(number), model="wls", **keys)
        assert not fit.result.verdict.usable
        assert any(name in reason.message for reason in fit.result.verdict.reasons)
        assert "identified" not in (fit.folder / "fit.json").read_text()
        assert not (fit.folder / "robot.urdf").exists()


@pytest.mark.parametrize(
    "keys",
    [
        {"model": "wls", "prior": "gaussian"},
        {"model": "wls", "centre": ["forearm=0,0,0,1,1,1"]},
        {"model": "ridge", "intervals": "blocks"},
        {"model": "sdp", "optimizer": "adam"},
        {"model": "diffnea", "epochs": 3},
        {"model": "ols", "robust": "samples"},
        {"cv": 1},
        {"model": "diffnea", "seed": 1},
        {"prior_std": 0.1},
        {"prior": "divergence", "prior_std": 0.1},
        {"prior_strength": 3.0},
        {"prior": "gaussian", "prior_strength": 3.0},
        {"model": "diffnea", "optimizer": "adam", "iterations": 3},
        {"load": "1.0"},
        {"centre": ["forearm=0,0,0,1,1,1", "forearm=0,0,0,2,2,2"]},
        {"coupled": ["a+b", "b+a"]},
        {"coupled": ["a-b,b-a"]},
        {"model": "diffnea", "inertia": "nostr", "optimizer": "adam", "cv": 2},
    ],
    ids=str,
)
def test_keys_that_would_do_nothing_are_refused(keys):
    with pytest.raises(ValueError, match=r"is for|folds|blocks say|two boxes|the same motor"):
        FitConfig(**keys)


@pytest.mark.parametrize(
    ("roles", "keys", "said"),
    [
        ((), {"anew": ["coulomb"]}, "anew: has no effect without a load"),
        ((), {"load_link": "forearm"}, "load_link: has no effect without a load"),
        (("payload_of",), {"model": "wls"}, "model: has no effect with payload_of"),
        (("payload_of",), {"cv": 2}, "cv: has no effect with payload_of"),
        (("payload_of",), {"centre": ["a=0,0,0,1,1,1"]}, "centre: has no effect with payload_of"),
    ],
    ids=str,
)
def test_keys_that_do_nothing_with_these_inputs_are_refused(roles, keys, said):
    with pytest.raises(ConfigError, match=said):
        STAGE.check(FitConfig(**keys), roles)


def test_keys_of_loads_are_taken_where_there_is_one():
    STAGE.check(FitConfig(anew=["coulomb"], load_link="forearm"), ("payload_of",))
    STAGE.check(FitConfig(loaded=["a"], load="1", load_link="forearm"), ())
    STAGE.check(FitConfig(model="wls", cv=2, max_rmse=1.0), ())


def test_terms_that_may_have_changed_are_terms():
    with pytest.raises(ValueError, match="no term 'ofset'; did you mean 'offset'"):
        FitConfig(anew=["coulomb", "ofset"])
    assert FitConfig(anew=["coulomb, offset"]).anew == ("coulomb", "offset")
    assert FitConfig(anew=[""]).anew == ()


def test_a_strong_prior_is_said_to_be_one(arm, tmp_path):
    fit = arm.fit(tmp_path / "fit", model="sdp", prior="gaussian", prior_std=1e-3)
    assert sum(p.status == "from prior" for p in fit.result.parameters) > 20


def test_what_a_bound_holds_is_not_called_identified(arm, tmp_path):
    """A box far from where the data put the centre of mass: their own values stay in sight."""
    free = arm.fit(tmp_path / "free", model="wls").result
    fit = arm.fit(tmp_path / "fit", centre=["forearm=1,1,1,2,2,2"])
    own = {b.name: b for b in fit.result.base_parameters}
    for b in free.base_parameters:
        assert own[b.name].lower <= b.value <= own[b.name].upper
        assert own[b.name].lower <= own[b.name].value <= own[b.name].upper
        far = abs(own[b.name].value - b.value) > 2 * b.std
        assert (own[b.name].status == "held by a bound") == far
        assert not far or own[b.name].std > 2 * b.std
    held = next(p for p in fit.result.parameters if p.name == "forearm.hz")
    assert held.status == "held by a bound"
    assert held.said == "the data say 0.1801 ± 0.00033"
    assert held.std == pytest.approx(abs(held.value - 0.1801), rel=0.01)
    (notice,) = [notice for notice in fit.notices if notice.code == "held-by-bounds"]
    assert "l3z by 302 deviations: squared errors are 159 times" in notice.message
    assert "centre of mass of forearm is at x = 1 m" in notice.message
    assert "wls" in notice.hint
    plain = arm.fit(tmp_path / "plain")
    assert not {"held-by-bounds", "held-by-prior", "short-of-the-data"} & plain.codes()


def test_what_a_divergence_draws_away_is_from_the_prior(arm, tmp_path):
    strong = arm.fit(tmp_path / "a", prior="divergence", prior_strength=1e6)
    statuses = {b.name: b.status for b in strong.result.base_parameters}
    assert statuses["l3z"] == statuses["l2z"] == "from prior"
    assert "held by a bound" not in statuses.values()
    (notice,) = [notice for notice in strong.notices if notice.code == "held-by-prior"]
    assert "l3z by 37.6 deviations" in notice.message
    weak = arm.fit(tmp_path / "b", prior="divergence", prior_strength=1e-3)
    assert "held-by-prior" not in weak.codes()
    boxed = arm.fit(
        tmp_path / "c", prior="divergence", prior_strength=1e-3, centre=["forearm=1,1,1,2,2,2"]
    )
    assert "held-by-bounds" in boxed.codes()
    assert "held-by-prior" not in boxed.codes()


def test_training_that_ends_early_does_not_identify(arm, tmp_path):
    fit = arm.fit(
        tmp_path / "fit", model="diffnea", inertia="cov", optimizer="adam", epochs=2, batch=4096,
        init="prior",
    )  # fmt: skip
    assert "short-of-the-data" in fit.codes()
    assert "held by a bound" not in {p.status for p in fit.result.parameters}


@pytest.mark.parametrize("keys", [{"model": "ridge"}, {"prior": "gaussian"}], ids=said)
def test_sums_of_a_prior_are_those_of_the_data(arm, tmp_path, keys):
    """Both tables say the same: what the data know, and what the prior shares out."""
    free = arm.fit(tmp_path / "free", model="wls").result
    result = arm.fit(tmp_path / "fit", **keys).result
    pairs = list(zip(result.base_parameters, free.base_parameters, strict=True))
    for own, other in pairs:
        assert (own.name, own.grouping) == (other.name, other.grouping)
        assert own.value == pytest.approx(other.value, abs=other.std)
        assert own.std <= 1.01 * other.std
    by_name = {p.name: p for p in result.parameters}
    assert by_name["base.rotor"].status == "in combination"
    assert by_name["forearm.m"].status == "in combination"
    assert by_name["column.m"].status == "from prior"
    for own, _ in pairs:  # what is a sum of one has the same status in both
        if own.grouping.startswith("viscous"):
            joint = result.joints[int(own.name[-1]) - 1]
            twin = by_name[f"{joint}.viscous"]
            assert (twin.status, twin.value, twin.std) == (own.status, own.value, own.std)


def test_n15_widths_are_chosen_and_the_logs_are_not_spoilt(arm, tmp_path, robotid):
    """Factors of Stribeck columns, which fast motions hardly show, through the command line."""
    answer = robotid(
        "fit", arm.dataset, "--robot", arm.robot, "--cv", 2, "-o", tmp_path / "fit",
        "--terms", "viscous,coulomb,stribeck(0.02,0.05,0.1,0.2),offset,rotor",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    result = read_fit(tmp_path / "fit")
    assert [choice.term for choice in result.choices] == ["stribeck"] * 3
    assert result.metrics["test"]["rmse"].mean < 0.08
    assert all(fold.metrics["rmse"].mean < 0.5 for fold in result.folds)
    assert set(result.folds_mean) == set(result.folds_spread) == set(result.metrics["test"])


def test_n26_active_constraints_are_listed(arm, tmp_path):
    box = "forearm=-0.05,-0.05,-0.05,0.05,0.05,0.05"
    fit = arm.fit(tmp_path / "fit", model="sdp", centre=[box])
    assert any("centre of mass of forearm is at" in text for text in fit.result.active)
    centre = next(link.centre for link in fit.result.links if link.name == "forearm")
    assert max(map(abs, centre)) <= 0.05 + 1e-9
    with pytest.raises(ConfigError, match="no moving link 'hand'"):
        arm.fit(tmp_path / "other", model="sdp", centre=["hand=0,0,0,1,1,1"])


def test_cross_validation_and_essential_parameters(arm, tmp_path):
    result = arm.fit(tmp_path / "fit", model="wls", cv=2, essential=True).result
    assert [fold.left_out for fold in result.folds] == [["run1"], ["run2"]]
    assert all(fold.metrics["rmse"].mean < 0.2 for fold in result.folds)
    names = {b.name for b in result.base_parameters}
    assert set(result.essential) < names


def test_the_model_of_essential_parameters_can_be_used(arm, tmp_path):
    """Values, covariance and errors; torques of the kept columns alone have these errors."""
    fit = arm.fit(tmp_path / "fit", model="wls", essential=True)
    small = fit.result.reduced
    assert [p.name for p in small.parameters] == fit.result.essential
    names = [b.name for b in fit.result.base_parameters]
    assert sorted([*fit.result.essential, *small.dropped]) == sorted(names)
    np.testing.assert_allclose(
        np.sqrt(np.diag(small.covariance)), [p.std for p in small.parameters]
    )
    assert 0 < small.growth < small.limit
    whole, error = (m["test"]["rmse"].mean for m in (fit.result.metrics, small.metrics))
    assert error == pytest.approx(whole, rel=0.1)
    fitted = read_fitted(fit.folder)
    layout = fitted.model.layout
    short = base_parameters(layout.robot, **layout.arguments).names
    phi = np.zeros(len(short))
    for p in small.parameters:
        phi[short.index(p.name)] = p.value
    rows = pq.read_table(fit.folder / "residuals.parquet").to_pydict()
    test = np.array(rows["split"]) == "test"
    q, qd, qdd, tau = (
        np.column_stack([rows[f"{signal}.{joint}"] for joint in fit.result.joints])[test]
        for signal in ("q", "qd", "qdd", "tau")
    )
    e = tau - RigidBodyModel(layout, phi).torque(q, qd, qdd)
    assert np.sqrt((e**2).mean(axis=0)).mean() == pytest.approx(error, rel=1e-6)
    (notice,) = [notice for notice in fit.notices if notice.code == "essential-found"]
    said = f"{len(small.parameters)} of {len(names)} base parameters are essential; without "
    assert notice.message.startswith(said + small.dropped[0])


def test_what_folds_say(arm, tmp_path, monkeypatch):
    """Their error and its spread beside baselines and the test; fewer folds than asked for."""
    fit = arm.fit(tmp_path / "fit", model="wls", cv=5)
    mean, spread = fit.result.folds_mean["rmse"].mean, fit.result.folds_spread["rmse"].mean
    said = {notice.code: notice.message for notice in fit.notices}
    assert said["fewer-folds"].startswith("2 folds were made, not 5")
    start = f"over 2 folds the error on recordings left out is {mean:.3g} ± {spread:.2g} N m, "
    assert said["cross-validated"].startswith(start)
    own = fit.result.metrics["test"]["rmse"].mean
    assert said["cross-validated"].endswith(f"the fit itself has {own:.3g} on held-out data")
    assert all(set(fold.baselines) == {"zero", "mean", "nominal"} for fold in fit.result.folds)
    assert "fold-not-converged" not in said
    solve = folds.solve

    def stuck(problem):
        status = Status(converged=False, message="stuck", remedy="push")
        return replace(solve(problem), status=status)

    monkeypatch.setattr(folds, "solve", stuck)
    fit = arm.fit(tmp_path / "stuck", model="wls", cv=2)
    assert fit.result.verdict.usable
    found = [notice for notice in fit.notices if notice.code == "fold-not-converged"]
    assert ["without run1" in found[0].message, "without run2" in found[1].message] == [True, True]
    assert found[0].hint == "push"


def test_n22_a_fold_reads_no_sample_that_was_left_out(arm, tmp_path, monkeypatch):
    from robotid.information import samples

    read, original = [], samples.iterate_recording
    monkeypatch.setattr(
        samples,
        "iterate_recording",
        lambda path, columns: read.append(path.stem) or original(path, columns),
    )
    arm.fit(tmp_path / "fit", model="irls", robust="samples", cv=2)
    whole, folds = read[: read.index("run2") + 1], read
    assert whole == ["run1", "run2"]
    passes = "".join(name[-1] for name in folds).replace("12", "")  # of the fit itself
    assert "3" not in passes
    assert passes == "2" * passes.count("2") + "1" * passes.count("1")  # one fold, then the other


@pytest.mark.parametrize("robust", ["blocks", "samples"])
def test_a_robust_fit_says_which_stretches_it_distrusts(arm, leaning, tmp_path, robust):
    usual = arm.fit(tmp_path / "usual", model="irls", robust=robust)
    assert "stretches-distrusted" not in usual.codes()
    fit = leaning.fit(tmp_path / "fit", model="irls", robust=robust)
    (found,) = [n.message for n in fit.notices if n.code == "stretches-distrusted"]
    assert "run1 from " in found
    assert "run2" not in found
    assert "exclude" in next(n.hint for n in fit.notices if n.code == "stretches-distrusted")
    plain = leaning.fit(tmp_path / "plain", model="wls")
    assert "stretches-distrusted" not in plain.codes()
    errors = [one.result.metrics["test"]["rmse"].mean for one in (usual, fit, plain)]
    assert errors[1] - errors[0] < 0.3 * (errors[2] - errors[0])
    # What the fit passes on says the same as the fit.
    passed = read_information(fit.folder / "information.safetensors")
    best = np.linalg.lstsq(passed.R, passed.z, rcond=1e-12)[0]
    phi, other = (np.array([p.value for p in one.result.parameters]) for one in (fit, plain))
    near, far = (np.linalg.norm(passed.R @ (given - best)) for given in (phi, other))
    assert near < 0.1 * far


def test_a_value_is_said_once():
    with pytest.raises(ConfigError) as caught:
        parse_config(FitConfig, {"loaded": ["a"], "load": "1,2"})
    assert caught.value.notice.message.count("'1,2'") == 1
    with pytest.raises(ConfigError, match="not 'two'"):
        parse_config(FitConfig, {"iterations": "two"})


def test_a_random_start_says_which_values_are_random(arm, tmp_path):
    fit = arm.fit(tmp_path / "a", model="diffnea", init="random", seed=3)
    (found,) = [n for n in fit.notices if n.code == "random-start"]
    assert "m1" in found.message or ".m" in found.message
    assert "init prior" in found.hint
    assert "random-start" not in arm.fit(tmp_path / "b", model="diffnea", init="prior").codes()


def test_n29_two_ways_to_account_for_correlated_errors_agree(arm, tmp_path):
    usual = arm.fit(tmp_path / "a", model="wls").result
    blocks = arm.fit(tmp_path / "b", model="wls", intervals="blocks").result
    ratios = [
        b.std / a.std for a, b in zip(usual.base_parameters, blocks.base_parameters, strict=True)
    ]
    assert 0.7 < np.median(ratios) < 1.5
    assert min(ratios) > 0.3
    assert max(ratios) < 4.0


def test_residuals_name_what_differs(arm, tmp_path):
    """Offsets of the torque sensors differ from recording to recording, as the truth says."""
    fit = arm.fit(tmp_path / "fit", model="wls")
    found = {n.joint: n.message for n in fit.notices if n.code == "offset-differs"}
    bias = {name: one.bias for name, one in read_truth(ARM).recordings.items()}
    bias = {name: own for name, own in bias.items() if name != "run3"}  # the test takes no part
    assert set(found) == {"base"}
    for joint, text in found.items():
        biases = {name: own[joint] for name, own in bias.items()}
        first = max(biases, key=biases.__getitem__)
        assert f"the torque of {first} lies" in text
        change = biases[first] - min(biases.values())
        said = float(text.split("lies ")[1].split(" N m")[0])
        assert said == pytest.approx(change, rel=0.3)
    assert set(fit.result.whiteness) == {"base", "shoulder", "elbow"}
    assert len(fit.result.blocks) == sum(
        len(json.loads((arm.factors / "factors.json").read_text())["recordings"][n]["blocks"])
        for n in ("run1", "run2", "run3")
    )


def test_factors_of_another_robot_or_with_other_terms(arm, tmp_path):
    with pytest.raises(BadDataError, match="another geometry"):
        arm.fit(tmp_path / "a", gravity="0,0,-9.7")
    with pytest.raises(BadDataError, match="other terms of joints") as caught:
        arm.fit(tmp_path / "b", terms=["viscous"])
    assert "same terms" in caught.value.notice.hint
    with pytest.raises(BadDataError, match="other terms of joints"):
        arm.fit(tmp_path / "c", terms=["viscous,coulomb(1.0),offset,rotor"])
    with pytest.raises(BadDataError, match="of tau, not of tau_cmd"):
        arm.fit(tmp_path / "d", torque="tau_cmd")


def test_factors_of_another_dataset(arm, tmp_path):
    other = tmp_path / "data"
    shutil.copytree(arm.dataset, other)
    index = json.loads((other / "dataset.json").read_text())
    index["recordings"]["run1"]["samples"] += 1
    (other / "dataset.json").write_text(json.dumps(index))
    with pytest.raises(BadDataError, match="another dataset"):
        arm._replace(dataset=other).fit(tmp_path / "fit")


def test_factors_of_other_splits(arm, tmp_path):
    other = tmp_path / "data"
    shutil.copytree(arm.dataset, other)
    index = json.loads((other / "dataset.json").read_text())
    index["splits"]["run1"] = "val"
    (other / "dataset.json").write_text(json.dumps(index))
    with pytest.raises(BadDataError, match="splits differ"):
        arm._replace(dataset=other).fit(tmp_path / "fit")


def test_blocks_on_both_sides_of_a_cut_are_refused(arm, tmp_path):
    """They would be in no split, and samples be lost without a word."""
    folder = tmp_path / "data"
    folder.mkdir()
    facts = read_index(arm.dataset).recordings["run1"]
    middle = facts.duration_s / 2 + 0.01
    cut = [
        Interval(split="train", start_s=0.0, end_s=middle),
        Interval(split="test", start_s=middle + 1.0, end_s=1e3),
    ]
    write_index(folder, {"run1": facts}, {"run1": "train"}, {"run1": cut})
    (folder / "run1.parquet").hardlink_to(arm.dataset / "run1.parquet")
    (folder / "run1.cut.json").unlink()
    data = with_factors(tmp_path, folder, arm.robot)
    with pytest.raises(BadDataError, match="not cut where the recording is"):
        data.fit(tmp_path / "fit")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"model": "diffnea", "inertia": "nostr"}, "inertia: nostr.* needs optimizer adam"),
        ({"centre": ["forearm=0,0,1,1,1,0"]}, "lower corner first"),
        ({"centre": ["forearm=0,0,nan,1,1,1"]}, "lower corner first"),
        ({"loaded": ["a"], "load": "-1"}, "a mass above 0"),
        ({"loaded": ["a"], "load": "1,0,inf,0"}, "finite numbers"),
    ],
    ids=str,
)
def test_values_that_cannot_be(keys, said):
    with pytest.raises(ValueError, match=said):
        FitConfig(**keys)


@pytest.mark.parametrize(
    ("keys", "code", "said"),
    [
        ({"centre": ["forarm=0,0,0,1,1,1"]}, "unknown-link", "centre: .*no moving link 'forarm'"),
        ({"load": "1,0,0,0,1,1,9,0,0,0"}, "bad-load", "load: the load is no rigid body"),
        ({"load": "1", "load_link": "forarm"}, "unknown-link", "load_link: .*no link 'forarm'"),
    ],
    ids=str,
)
def test_values_that_the_robot_does_not_have_name_their_key(keys, code, said, arm, tmp_path):
    loaded = {"loaded": ["run2"]} if "load" in keys else {}
    with pytest.raises(ConfigError, match=said) as caught:
        arm.fit(tmp_path / "fit", **keys, **loaded)
    assert caught.value.notice.code == code


def test_a_load_that_is_named_has_to_be_known(arm, tmp_path):
    with pytest.raises(ConfigError, match="not what the load is"):
        arm.fit(tmp_path / "fit", loaded=["run2"])
    with pytest.raises(ConfigError, match="no recording is called"):
        arm.fit(tmp_path / "fit", loaded=["run9"], load="1.0")
