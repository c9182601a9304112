"""Parameters in the report: intervals, changes, choices, gains; the forest chart."""

import pytest

from robotid.contracts.fit import Choice, DriveGain, Parameter
from robotid.reporting.charts.forest import Estimate, forest, shares
from robotid.reporting.page import render
from robotid.reporting.sections.parameters import section, width_charts
from tests.reporting.results import changed, view
from tests.reporting.test_page import PAYLOADS, Elements


def estimate(value, before, half=0.1, name="x"):
    return Estimate(name, value, value - half, value + half, before, "●", "identified")


@pytest.fixture
def plain(tmp_path):
    return view(tmp_path / "fit")


def test_intervals_and_changes(plain):
    first = Parameter(
        name="upper.m", owner="upper", unit="kg", value=2.0, std=0.1, status="identified",
        nominal=1.6,
    )  # fmt: skip
    second = first.model_copy(update={"std": None, "nominal": 0.0, "said": "only in m1 + m2"})
    third = first.model_copy(update={"nominal": None})
    given = [first, second, third, *plain.fit.parameters[3:]]
    view_of = changed(plain, parameters=given)
    rows = section(view_of).links[0].rows
    assert (rows[0].lower, rows[0].upper) == (pytest.approx(1.804), pytest.approx(2.196))
    assert rows[0].change == pytest.approx(0.4)
    assert rows[0].change_percent == pytest.approx(25.0)
    assert (rows[1].lower, rows[1].change, rows[1].change_percent) == (None, 2.0, None)
    assert (rows[2].change, rows[2].change_percent) == (None, None)
    text = render([view_of])
    for words in ("1.804 … 2.196", "(+25 %)", "only in m1 + m2"):
        assert words in text


def test_rounding_at_a_bound_is_shown_as_zero(plain):
    first, second, third = plain.fit.parameters[:3]
    zero = first.model_copy(update={"value": 1.64e-41, "std": 0.009})
    alone = second.model_copy(update={"value": -3.7e-33, "std": None})
    small = third.model_copy(update={"value": 1.23e-7, "std": 0.02})  # small, but no rounding
    given = [zero, alone, small, *plain.fit.parameters[3:]]
    base = plain.fit.base_parameters[0].model_copy(update={"value": -2.5e-31})
    text = render([changed(plain, parameters=given, base_parameters=[base])])
    assert not any(digits in text for digits in ("e-41", "e-33", "e-31"))
    assert "1.23e-07" in text


def test_all_parameters_are_shown_by_owner(plain):
    found = section(plain)
    assert [group.owner for group in found.links] == plain.fit.robot.links
    assert [group.owner for group in found.joints] == plain.fit.joints
    rows = [row.parameter for group in (*found.links, *found.joints) for row in group.rows]
    assert rows == plain.fit.parameters
    text = render([plain])
    own = text[text.index('class="parameters"') : text.index('class="bodies"')]
    wrapped = own.count('<div class="wide">\n<table class="sortable">')
    assert wrapped == own.count("<table") == 4  # base parameters, joints, two links


def test_links_of_nine_entries(tmp_path):
    full = view(tmp_path / "fit", full=True, base_parameters=[], links=[])
    found = section(full)
    assert [row.label for row in found.links[0].rows][-3:] == ["Izx", "Izy", "Izz"]
    assert found.full
    text = render([full])
    assert "nine entries of its own" in text
    assert "Base parameters beside" not in text


def test_what_was_chosen(plain):
    choice = Choice(
        owner="elbow", term="stribeck", candidates=[0.01, 0.1, 1.0], losses=[4.0, 2.0, 1.0],
        chosen=1.0, at_edge=True,
    )  # fmt: skip
    [chart] = width_charts([choice, choice.model_copy(update={"owner": "shoulder"})])
    assert chart.series[0].y.tolist() == [300.0, 100.0, 0.0]
    assert [series.name for series in chart.series] == ["elbow", "shoulder"]
    shown = changed(
        plain, choices=[choice], gains=[DriveGain(joint="elbow", value=2.0, std=0.5)],
        torque="current", essential=["L1yy"],
    )  # fmt: skip
    text = render([shown])
    for words in ("offer ones beyond it", "1.02 … 2.98", "(current)", "✓ essential"):
        assert words in text
    inside = choice.model_copy(update={"at_edge": False})
    quiet = render([changed(plain, choices=[inside])])
    assert "offer ones beyond it" not in quiet
    for words in ("Drive gains", "Essential", "essential</th>"):
        assert words not in quiet


def test_constraints_are_listed(plain):
    assert "1 constraint holds" in render([plain])
    text = render([changed(plain, active=[f"joint{n}.viscous is zero" for n in range(9)])])
    assert "9 constraints hold" in text
    assert "Held back" not in render([changed(plain, active=[])])


def test_shares_are_of_the_larger():
    assert shares(estimate(1.5, 1.0, 0.3)) == pytest.approx((1 / 3, 0.2 / 1.5, 0.8 / 1.5))
    assert shares(estimate(0.2, 0.0))[0] == 1.0
    assert shares(estimate(-1.0, 1.0))[0] == -2.0
    assert shares(estimate(0.0, 0.0, 0.5)) == (0.0, -1.0, 1.0)


def test_growth_is_growth_whatever_the_sign():
    """A moment of -2 that becomes -4 has grown; what the robot file does not have cannot shrink."""
    assert shares(estimate(-4.0, -2.0)) == pytest.approx(shares(estimate(4.0, 2.0)))
    assert shares(estimate(-0.2, 0.0)) == pytest.approx((1.0, 0.5, 1.5))
    assert shares(estimate(0.0, -0.2))[0] == shares(estimate(0.0, 0.2))[0] == -1.0
    assert shares(estimate(1.0, -1.0))[0] == -2.0
    [found] = forest([estimate(-4.0, -2.0), estimate(-0.2, 0.0)])
    assert all(found.zero < row.at for row in found.rows)
    assert all(row.low <= row.at <= row.high for row in found.rows)


def test_forest_places_and_cuts():
    [found] = forest([estimate(1.0, 1.0, 0.0), estimate(1.0, 0.0, 9.0), estimate(2.0, 1.0, 0.0)])
    same, uncertain, twice = found.rows
    assert same.at == found.zero
    assert (uncertain.low, uncertain.high) == (found.left, found.right)
    assert (uncertain.cut_low, uncertain.cut_high) == (True, True)
    assert (twice.cut_low, twice.cut_high) == (False, False)
    assert found.zero < twice.at < uncertain.at < found.right
    assert [row.y for row in found.rows] == sorted(row.y for row in found.rows)


def test_long_forests_are_parted_at_one_scale():
    given = [estimate(1.0 + 0.01 * n, 1.0, name=f"p{n}") for n in range(75)]
    found = forest(given, most=36)
    assert [len(part.rows) for part in found] == [25, 25, 25]
    assert [row.name for part in found for row in part.rows] == [one.name for one in given]
    assert len({(part.zero, tuple(part.ticks)) for part in found}) == 1
    assert forest([]) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_texts_stay_text(plain, payload):
    def hostile(text):
        base = [b.model_copy(update={"grouping": text, "name": text, "unit": text})
                for b in plain.fit.base_parameters]  # fmt: skip
        choice = Choice(owner=text, term=text, candidates=[0.1, 1.0], losses=[1.0, 2.0],
                        chosen=0.1, at_edge=False)  # fmt: skip
        own = [p.model_copy(update={"said": text, "unit": text}) for p in plain.fit.parameters]
        return changed(
            plain, parameters=own, base_parameters=base, choices=[choice], active=[text],
            gains=[DriveGain(joint=text, value=1.0, std=0.1)], torque=text, essential=[text],
        )  # fmt: skip

    before, found = (Elements(render([hostile(text)])) for text in ("plain", payload))
    assert found.tags == before.tags
    assert {name for name, _ in found.attributes} == {name for name, _ in before.attributes}
    assert sum(payload in data for data in found.data) > len(plain.fit.parameters)
