"""Spectra in the report: inside the picture, in order, escaped."""

import pytest

from robotid.contracts.fit import FilteredData
from robotid.reporting.facts import ReportFacts
from robotid.reporting.page import render
from robotid.reporting.spectra import HEIGHT, WIDTH, pictures
from tests.reporting.results import result as made
from tests.reporting.test_page import PAYLOADS, Elements

FREQUENCY = [0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]


def filtered(**changed):
    before = [1.0, 1.0, 0.5, 0.1, 1e-3, 1e-4, 1e-4, 1e-4]
    after = [1.0, 1.0, 0.5, 0.1, 1e-3, 1e-6, 1e-12, 0.0]
    names = ("q.a", "qd.a", "tau.a", "tau.b")
    fields = {
        "rate_hz": 100.0,
        "cutoff_hz": 8.0,
        "effective_hz": 7.0,
        "frequency_hz": FREQUENCY,
        "before": dict.fromkeys(names, before),
        "after": dict.fromkeys((*names, "qdd.a"), after),
    }
    return FilteredData(**{**fields, **changed})


def points(line):
    return [tuple(map(float, point.split(","))) for point in line.split()]


def test_lines_lie_inside_and_fall_behind_the_cutoff():
    positions, velocities, torques = pictures(filtered())
    assert [p.title for p in (positions, velocities, torques)] == [
        "positions",
        "velocities",
        "torques",
    ]
    assert len(torques.before) == len(torques.after) == 2
    before, after = points(positions.before[0]), points(positions.after[0])
    assert len(before) == len(FREQUENCY) - 1  # zero has no place on this axis
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in before + after)
    assert [x for x, _ in before] == sorted(x for x, _ in before)
    for (x, y), (_, lower) in zip(before, after, strict=True):
        assert (lower > y) == (x > positions.cutoff)  # downwards in a picture is more
    assert [mark.text for mark in positions.across] == ["1", "10"]


@pytest.mark.parametrize(
    "changed",
    [
        {"before": {}, "after": {}},
        {"frequency_hz": [0.0], "before": {"q.a": [1.0]}, "after": {"q.a": [1.0]}},
        {"before": {"q.a": [0.0] * 8}, "after": {"q.a": [0.0] * 8}},
    ],
    ids=["nothing", "one frequency", "at rest"],
)
def test_nothing_to_draw(changed):
    assert pictures(filtered(**changed)) == []


def test_page_shows_them_and_names_stay_text(tmp_path):
    result = made(tmp_path / "fit")
    shown = result.model_copy(update={"filtered": {"run1": filtered()}})
    plain = Elements(render(ReportFacts(fits={"ols": shown})))
    assert plain.tags.count("polyline") == 8
    for payload in PAYLOADS:
        hostile = result.model_copy(update={"filtered": {payload: filtered()}})
        found = Elements(render(ReportFacts(fits={"ols": hostile})))
        assert found.tags == plain.tags
