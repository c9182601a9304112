"""Forward fits in a report: every section, in the words and units of accelerations."""

import re

import numpy as np
import pytest

from robotid.contracts.fit import Link
from robotid.contracts.forward import EnergyClass
from robotid.errors import BadDataError, ConfigError
from robotid.reporting.advice import advice
from robotid.reporting.comparison import compare
from robotid.reporting.energy import PROMISES
from robotid.reporting.facts import ReportFacts
from robotid.reporting.gates.outcomes import outcomes
from robotid.reporting.markdown import markdown
from robotid.reporting.page import render
from robotid.reporting.sections import combinations, drives, errors, placements
from robotid.reporting.sections.table import SECTIONS
from robotid.reporting.summary import comparison_table, summary
from robotid.reporting.view import ForwardView, read_views
from tests.reporting.forward import forward_view
from tests.reporting.full import full_view, metrics_of
from tests.reporting.test_page import Elements
from tests.rollouts.fits import exploding, rigid, write_fit

JOINTS = ("slide", "pivot")


@pytest.fixture(scope="module")
def cartpole(tmp_path_factory):
    """One joint that slides and one that turns."""
    return forward_view(tmp_path_factory.mktemp("fit") / "fit", "cartpole")


def facts_of(*views):
    fits = {view.name: view.fit for view in views}
    return ReportFacts(
        fits=fits, units=views[0].units, comparison=compare(fits) if len(fits) > 1 else None
    )


def words(page):
    """What a reader sees, on one line."""
    return re.sub(r"\s+", " ", " ".join(Elements(page).data))


def test_page_has_every_section_and_no_word_of_torques(cartpole):
    page = render([cartpole])
    shown = re.findall(r'<section id="fit1-(\w+)"', page)
    assert shown == ["verdict", "errors", "energy", "data", "coverage", "combinations", "bodies",
                     "drives", "training", "provenance"]  # fmt: skip
    text = words(page)
    assert "forward model diffnea of cartpole" in text
    for said in ("no torque", "mean torque", "of the torque", "N m or N"):
        assert said not in text
    for said in ("no acceleration", "the mean acceleration", "of the acceleration", "energy"):
        assert said in text
    assert "robotid fit DATASET --model sdp" in text  # its provenance, whatever that says


def test_errors_have_the_unit_of_their_joint(cartpole):
    found = errors.section(cartpole)
    assert {row.name: row.unit for row in found.splits[0].joints} == {
        "slide": "m/s²", "pivot": "rad/s²",
    }  # fmt: skip
    assert found.unit == found.splits[0].mean.unit == "rad/s² or m/s²"
    assert [split.split for split in found.splits] == ["test", "train", "val"]
    assert "0.1&nbsp;m/s²" in render([cartpole])


def test_units_of_a_robot_that_only_turns(tmp_path):
    view = forward_view(tmp_path / "fit", "furuta")
    assert view.unit == facts_of(view).unit == "rad/s²"


@pytest.mark.parametrize("energy", PROMISES)
def test_energy_is_said_in_words(tmp_path, energy: EnergyClass):
    view = forward_view(tmp_path / "fit", energy=energy)
    text = words(render([view]))
    assert f"Energy is {PROMISES[energy].short}." in text
    assert PROMISES[energy].said in text
    short = summary(facts_of(view))
    assert ["energy, nobody driving", PROMISES[energy].short] in short.tables[1].rows


def test_no_promise_for_links_that_cannot_exist(tmp_path):
    bad = Link(name="arm", mass=-1, centre=None, moments=None, margin=-1, consistent=False)
    text = words(render([forward_view(tmp_path / "fit", links=[bad])]))
    assert "Here some cannot (arm)" in text
    assert "1 of 1 links cannot exist" in text


def test_combinations_stand_beside_the_robot_file(cartpole):
    found = combinations.section(cartpole)
    assert found.rows[0].found.name == "m1 + m2"
    assert found.rows[0].percent == pytest.approx(10)  # links are made heavier by so much
    assert {row.found.unit for row in found.rows} == {"kg", "kg m", "kg m²"}
    assert found.forests[0].rows[0].name == "m1"


@pytest.mark.parametrize("actuator", ["none", "viscous", "coulomb", "stribeck", "nn-friction"])
def test_curve_is_the_friction_of_the_actuator(tmp_path, actuator):
    view = forward_view(tmp_path / "fit", "cartpole", actuator=actuator)
    found = drives.section(view)
    assert len(found.curves) == 2  # the robot file has damping, also where the model has none
    named = {row.found.name for row in found.rows}
    assert bool(named) == (actuator not in ("none", "nn-friction"))
    for drawing, (velocity, torque) in zip(
        found.curves, [("m/s", "N"), ("rad/s", "N m")], strict=True
    ):
        assert drawing.chart.across.label == f"velocity [{velocity}]"
        assert drawing.chart.upward.label == f"lost [{torque}]"
        line = next(one for one in drawing.chart.series if one.name == "this model")
        assert np.all(line.y * line.x >= 0)  # it brakes
        assert bool(line.y.any()) == (actuator != "none")
        bands = [one for one in drawing.chart.series if one.style == "band"]
        assert bool(bands) == (actuator == "nn-friction")  # which depends on the position


def test_curve_of_viscous_friction_has_its_value(cartpole):
    found = drives.section(cartpole)
    value = {row.found.joint: row.found.value for row in found.rows}
    for drawing in found.curves:
        line = next(one for one in drawing.chart.series if one.name == "this model")
        np.testing.assert_allclose(line.y, value[drawing.chart.title] * line.x, atol=1e-12)
    nominal = {row.found.joint: row.found.nominal for row in found.rows}
    assert nominal == {joint.name: joint.damping for joint in cartpole.robot.driven}


def test_actuator_without_anything_lost(tmp_path):
    """Neither the model nor the file of this robot has friction."""
    view = forward_view(tmp_path / "fit", "panda", actuator="none")
    damped = any(joint.damping or joint.friction for joint in view.robot.driven)
    assert bool(drives.section(view).curves) == damped


def test_learned_placements_are_compared_by_what_motion_shows(tmp_path):
    view = forward_view(tmp_path / "fit", "double_pendulum", learned=True)
    before = placements.section(view)
    assert [row.before for row in before] == ["", "shoulder"]
    for row in before:  # it was begun with the robot file
        assert row.learned.angle == pytest.approx(row.given.angle, abs=1e-6)
    assert before[1].learned.distance == pytest.approx(before[1].given.distance)
    assert before[1].given.distance > 0.1
    turn, slide = np.eye(4), np.eye(4)
    turn[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    slide[2, 3] = 0.3
    moved = np.array(view.fit.placements)
    moved[0] = moved[0] @ turn @ slide  # another frame of the same joint
    moved[1] = np.linalg.inv(turn @ slide) @ moved[1] @ slide
    after = placements.section(
        ForwardView(view.name, view.folder,
                    view.fit.model_copy(update={"placements": moved.tolist()}))
    )  # fmt: skip
    for old, new in zip(before, after, strict=True):
        assert new.learned.angle == pytest.approx(old.learned.angle, abs=1e-6)
        assert new.learned.distance == pytest.approx(old.learned.distance)
    text = words(render([view]))
    assert "Placements of the links were learned" in text
    assert "which was learned and is not that of the robot file" in text
    assert "the vertical" in text


def test_network_has_neither_links_nor_actuator(tmp_path):
    view = ForwardView.read("net", write_fit(tmp_path / "fit", exploding(), metrics={}))
    shown = re.findall(r'<section id="fit1-(\w+)"', render([view]))
    assert shown == ["verdict", "energy", "coverage", "provenance"]
    assert "There are no figures on how well it predicts." in render([view])


def test_several_side_by_side(tmp_path):
    good, poor = (
        forward_view(tmp_path / name, "cartpole", name=name, metrics=metrics_of(JOINTS, error),
                     actuator=actuator)
        for name, error, actuator in (("good", 0.1, "viscous"), ("poor", 0.3, "none"))
    )  # fmt: skip
    facts = facts_of(poor, good)
    assert (facts.comparison.least, facts.comparison.best) == ("good", None)
    assert "do not state errors of single stretches" in facts.comparison.sentence
    table = comparison_table(facts.comparison, facts.quantity, facts.unit)
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["rmse [rad/s² or m/s²]"] == ["0.45", "0.15"]
    assert rows["actuator"] == ["none", "viscous"]
    assert rows["energy, nobody driving"] == ["kept", "never added to"]
    assert (table.best, table.mark) == (2, "☆")
    assert not {"told apart", "identified", "above the least"} & rows.keys()
    assert "acceleration" in " ".join(table.notes)
    found = advice(facts)
    assert found.use == "good"
    assert "15 % of the acceleration" in " ".join(found.said)
    assert "Against poor: its error is 200 % larger." in found.said
    text = markdown(facts)
    assert "no acceleration" in text
    assert "torque" not in text
    page = render([poor, good], table, advice=found)
    assert page.count("The same as of") == 2  # data and coverage are shown once


def test_advice_warns_of_models_that_may_gain_energy(tmp_path):
    views = [
        forward_view(tmp_path / name, "cartpole", name=name, actuator=actuator,
                     metrics=metrics_of(JOINTS, error), energy=energy)
        for name, error, actuator, energy in (
            ("kept", 0.2, "none", "conserving"), ("free", 0.1, "nn-residual", "unbounded"))
    ]  # fmt: skip
    said = advice(facts_of(*views)).said
    assert any("Nothing keeps free from gaining energy" in one for one in said)
    better = [forward_view(tmp_path / "best", "cartpole", metrics=metrics_of(JOINTS, 0.05))]
    against = [one for one in advice(facts_of(*views, *better)).said if "Against free" in one]
    assert "its error is 100 % larger; nothing keeps it from gaining energy" in against[0]


def test_facts_are_read_back_as_they_were(cartpole):
    facts = facts_of(cartpole)
    again = ReportFacts.model_validate_json(facts.model_dump_json())
    assert again == facts
    assert again.quantity.name == "acceleration"


def test_gates(cartpole):
    fits = {"a": cartpole.fit}
    given = ["test.rmse[pivot] > 0.15", "test.nmse_var > 1", "test.rmse > baselines.mean.test.rmse",
             "not (usable and converged and consistent)", "samples.test < 10"]  # fmt: skip
    found = outcomes(given, fits)
    assert [gate.passed for gate in found] == [False, True, True, True, True]
    assert found[0].said == "0.2 > 0.15"
    for gate in ("identified < 3", "condition > 100", "parameters.x.value > 1"):
        with pytest.raises(ConfigError, match="a fit of accelerations has no") as caught:
            outcomes([gate], fits)
        assert caught.value.notice.code == "bad-gate"
        assert "usable, converged, consistent" in caught.value.notice.hint


def test_fits_of_torques_and_accelerations_are_not_mixed(tmp_path):
    forward_view(tmp_path / "forward", "double_pendulum")
    full_view(tmp_path / "torques")
    folders = {name: tmp_path / name for name in ("forward", "torques")}
    with pytest.raises(BadDataError) as caught:
        read_views(folders)
    notice = caught.value.notice
    assert notice.code == "fits-differ"
    assert f"accelerations: forward ({folders['forward']})" in notice.message
    assert f"torques: torques ({folders['torques']})" in notice.message
    assert "one report of the fits of torques" in notice.hint


def test_damaged_fit_is_refused(tmp_path):
    folder = write_fit(tmp_path / "fit", rigid("furuta"))
    text = (folder / "fit.json").read_text()
    (folder / "fit.json").write_text(text.replace('"train":1000', '"train":NaN'))
    with pytest.raises(BadDataError, match="not a fit as robotid writes it"):
        read_views({"fit": folder})
    (folder / "fit.json").write_text(text.replace('"format":1', '"format":9'))
    with pytest.raises(BadDataError, match="newer version"):
        read_views({"fit": folder})


def test_sections_of_one_name_are_never_of_one_fit():
    """A page would have two elements of one name."""
    from robotid.reporting.view import FitView

    for kind in (FitView, ForwardView):
        names = [section.name for section in SECTIONS if issubclass(kind, section.of)]
        assert len(set(names)) == len(names)
