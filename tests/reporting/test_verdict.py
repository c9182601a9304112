"""Verdict and errors: what the words say is what the figures say."""

import re

import pytest

from robotid.contracts.fit import Status
from robotid.contracts.words import BASELINES
from robotid.reporting.page import render
from robotid.reporting.sections import errors, verdict
from robotid.reporting.sections.errors import compared
from robotid.robot.catalog import FILES
from tests.reporting.full import full_view
from tests.reporting.results import changed, view


@pytest.fixture
def full(tmp_path):
    return full_view(tmp_path / "fit")


@pytest.mark.parametrize(
    ("own", "others", "better", "said"),
    [
        (0.1, {"zero": 2.0, "nominal": 0.5}, True, "5 times less than the robot file"),
        (0.1, {"zero": 2.0}, True, "20 times less than no torque"),
        (1.0, {"nominal": 0.5, "mean": 4.0}, False, "2 times as much as the robot file"),
        (1.0, {"mean": 1.001}, None, "about as much as the mean torque"),
        (1.001, {"mean": 1.0}, False, "about as much as the mean torque"),
        (5e-4, {"zero": 0.0}, False, "more than no torque, which has none"),  # nothing drives it
        (1e-15, {"zero": 0.0}, False, "about as much as no torque"),
        (0.0, {"mean": 1.0}, True, "over 1000 times less than the mean torque"),
        (1.0, {"of my own": 0.5}, False, "2 times as much as of my own"),
        (None, {"mean": 1.0}, None, "–"),
        (1.0, {"mean": None}, None, "–"),
        (1.0, {}, None, "–"),
    ],
)
def test_an_error_beside_the_best_baseline(own, others, better, said):
    assert compared(own, others, BASELINES) == (better, said)


def test_a_recording_that_was_cut_is_in_several_splits(full):
    """The fit states the first of them only; its blocks have all."""
    blocks = [block.model_copy(update={"recording": "run1"}) for block in full.fit.blocks]
    cut = changed(full, recordings={"run1": "train"}, split_by="segment", blocks=blocks)
    assert [one.recordings for one in errors.section(cut).splits] == [["run1"]] * 3
    found = verdict.section(cut)
    assert found.tiles[-1][1:] == ("1", "1 for training, 1 for validation and 1 for the test")
    assert found.predicted[0].startswith("On held-out data (run1)")


def test_one_joint_has_one_error(full):
    one = full.fit.metrics["test"]["relative"].model_copy(update={"joints": {"elbow": 0.25}})
    metrics = {**full.fit.metrics, "test": {**full.fit.metrics["test"], "relative": one}}
    said = verdict.section(changed(full, metrics=metrics)).predicted[0]
    assert said == "On held-out data (run3), the error is 25\u00a0% of the torque (elbow)."


def test_held_out_data_come_first(full):
    found = errors.section(full)
    assert [one.split for one in found.splits] == ["test", "train", "val"]
    first = found.splits[0]
    assert first.recordings == ["run3"]
    assert [row.metrics["rmse"] for row in first.joints] == [0.1, 0.2]
    assert all(row.compared.better is False for row in first.joints)  # the robot file is better
    assert first.joints[0].baselines == {"zero": 2.0, "nominal": 0.05, "still": None}
    page = render([full])
    assert "✗ 2 times as much as the robot file" in page
    assert "Cross-validation" in page


def test_sliding_joints_have_forces(tmp_path):
    given = full_view(tmp_path / "fit", "cartpole")
    found = errors.section(given)
    assert [row.unit for row in found.splits[0].joints] == ["N", "N m"]
    assert found.unit == "N m or N"
    assert verdict.section(given).tiles[0].value == "0.15 N m or N"


def test_findings_of_one_kind_are_together(full):
    found = verdict.section(full).findings
    assert [finding.refuses for finding in found] == [True, False, False, False]
    shoulder, elbow = full.fit.joints
    assert found[0].code == "gate-failed"
    said = [f"{shoulder}: much worse", f"{elbow}: worse"]
    assert found[1] == (said, "record more", False, "held-out-worse")
    assert found[2] == (["run1: lies higher"], "zero it", False, "offset-differs")
    assert found[3] == (["the condition number is high"], None, False, "high-condition")
    page = render([full])
    for finding in found:
        assert f"<code>{finding.code}</code>" in page


@pytest.mark.parametrize(
    ("converged", "message", "iterations", "said"),
    [
        (True, "solved", 18, "The fit converged: solved, 18 iterations."),
        (True, "solved", None, "The fit converged: solved."),
        (True, "converged after 5 iterations", 5, "The fit converged after 5 iterations."),
        (False, "weights still change", 1, "The fit did not converge: weights still change, 1 iteration."),
    ],
)  # fmt: skip
def test_how_the_fit_ended(full, converged, message, iterations, said):
    status = Status(converged=converged, message=message, iterations=iterations)
    assert verdict.section(changed(full, status=status)).identified[-1] == said


def test_words_of_the_verdict(full):
    found = verdict.section(full)
    assert "from 1 recording (12\u202f000 samples)" in found.identified[0]
    total, known = (
        len(full.fit.parameters),
        sum(p.status == "identified" for p in full.fit.parameters),
    )
    assert f"Of {total} parameters, {known} are determined one by one" in found.identified[1]
    first, *others = full.fit.parameters
    one = [first.model_copy(update={"status": "in combination"})]
    one += [other.model_copy(update={"status": "not excited"}) for other in others]
    said = verdict.section(changed(full, parameters=one)).identified[1]
    assert "1 is known only in sums with others" in said
    assert f"{len(others)} were not excited by the motion" in said
    assert "No real body can have the parameters of " in found.identified[2]
    shoulder, elbow = full.fit.joints
    assert found.predicted == [
        f"On held-out data (run3), errors are between 10\u00a0% of the torque ({shoulder}) and 20\u00a0% ({elbow}).",
        "It is no better than the best of the baselines (no torque, the robot file and still) for "
        f"{shoulder} and {elbow}.",
    ]  # fmt: skip
    assert found.tiles[1].note == "✗ 2 times as much as the robot file"


def test_a_fit_without_figures_or_remarks_says_so(tmp_path):
    bare = view(tmp_path / "fit", metrics={}, baselines={}, folds=[])
    assert errors.section(bare) is None
    assert verdict.section(bare).predicted == ["There are no figures on how well it predicts."]
    assert "Nothing was found that speaks against it" in render([bare])


def test_nothing_held_out_is_said(full):
    fit = full.fit
    only = {name: {"train": m["train"]} for name, m in fit.baselines.items()}
    given = changed(full, metrics={"train": fit.metrics["train"]}, baselines=only)
    assert (
        "Nothing was held out, so this says little about other motions."
        in verdict.section(given).predicted
    )


def test_several_fits_are_folded_but_the_first(full):
    folds = re.compile(r'<article id="(\w+)">\s*<details( open)?>')
    assert folds.findall(render([full])) == []
    page = render([full, changed(full, name="other")])
    assert folds.findall(page) == [("fit1", " open"), ("fit2", "")]


def test_the_same_facts_give_the_same_page(full):
    assert render([full]) == render([changed(full)])


def test_tables_say_it_in_short(full):
    """The baselines stand beside it, the best of them bold; normalised errors are folded away."""
    assert errors.beside(0.1, {"zero": 2.0, "nominal": 0.5}, BASELINES) == (
        True, "5 times less", "than the robot file", "nominal",
    )  # fmt: skip
    page = render([full])
    own = page[page.index('class="errors"') : page.index('class="torques"')]
    table = own[own.index("Errors by joint") : own.index("</table>")]
    assert '<td class="words versus bad">✗ 2 times as much</td>' in table
    assert "<strong>0.05</strong>" in table
    assert "NMSE (range)" not in table
    assert "(NMSE) on held-out data</summary>" in own


def test_a_robot_file_that_is_no_baseline_says_why(full, tmp_path):
    assert errors.section(full).no_file is None
    only = {"zero": full.fit.baselines["zero"]}
    assert errors.section(changed(full, baselines=only)).no_file is None  # a fit made by hand
    urdf = tmp_path / "bare.urdf"
    text = (FILES / "double_pendulum.urdf").read_text(encoding="utf-8")
    urdf.write_text(re.sub(r"<inertial>.*?</inertial>", "", text, flags=re.DOTALL))
    bare = full_view(tmp_path / "bare", str(urdf), baselines=only)
    said = errors.section(bare).no_file
    assert said.startswith("The robot file is no baseline here, for it cannot predict torques: ")
    assert "moves no mass" in said
    assert said in verdict.section(bare).predicted
    assert "moves no mass" in render([bare])


def test_the_error_of_all_joints_is_called_what_it_is(full):
    assert verdict.section(full).tiles[0].note.startswith("mean over the joints of their RMSE, ")
    one = changed(full, joints=full.fit.joints[:1])
    assert verdict.section(one).tiles[0].note.startswith("RMSE, ")
