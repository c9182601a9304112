"""Spectra in the report: inside the picture, in order, escaped."""

import numpy as np
import pytest

from robotid.contracts.fit_data import FilteredData
from robotid.reporting.charts.drawing import drawn
from robotid.reporting.page import render
from robotid.reporting.sections.filters import TITLES, above_cutoff, section, spectrum
from tests.reporting.full import full_view
from tests.reporting.results import changed as other
from tests.reporting.results import view
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


def points(path):
    return [tuple(map(float, point.split())) for point in path[1:].split("L")]


def test_lines_lie_inside_and_fall_behind_the_cutoff():
    drawing = drawn(spectrum(filtered(), "q"))
    before, after = (points(shape.path) for shape in drawing.shapes)
    assert len(before) == len(FREQUENCY) - 1  # zero has no place on this axis
    assert all(0 <= x <= drawing.width and y >= 0 for x, y in before + after)
    assert [x for x, _ in before] == sorted(x for x, _ in before)
    for (x, y), (_, lower) in zip(before, after, strict=True):
        assert (lower > y) == (x > drawing.marks[0])  # downwards in a picture is more
    assert [tick.text for tick in drawing.across] == ["0.5", "1", "2", "5", "10", "20", "50"]
    assert len(drawn(spectrum(filtered(), "tau")).shapes) == 4


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
    assert [spectrum(filtered(**changed), signal) for signal in TITLES] == [None] * 3


def test_s19_page_shows_them_and_names_stay_text(tmp_path):
    plain = view(tmp_path / "fit", filtered={"run1": filtered()})
    before = Elements(render([plain]))
    assert before.attributes.count(("class", "line grey")) == 4 + 1  # and the legend
    for payload in PAYLOADS:
        found = Elements(render([other(plain, filtered={payload: filtered()})]))
        assert found.tags == before.tags


def test_joints_have_colours_of_their_own_after_the_filter():
    chart = spectrum(filtered(), "tau")
    assert [(s.name, s.colour) for s in chart.series] == [
        ("before", None), ("before", None), ("a", 0), ("b", 1),
    ]  # fmt: skip


def test_power_above_the_cutoff():
    flat = filtered(frequency_hz=[0.0, 1.0, 2.0, 3.0, 4.0], cutoff_hz=3.0,
                    before={"q.a": [1.0] * 5, "tau.a": [0.0] * 5, "slow.a": [1.0] * 5},
                    after={})  # fmt: skip
    assert above_cutoff(flat) == {"a": {"q": 0.25, "tau": None}}
    assert above_cutoff(filtered())["a"]["q"] < 0.01


def test_of_many_recordings_two_are_shown(tmp_path):
    many = {f"run{number}": filtered() for number in range(5)}
    given = view(tmp_path / "fit", filtered=many)
    assert list(section(given)) == ["run0", "run4"]
    said = "Of 5 recordings the first and the last are shown, run0 and run4"
    assert said in render([given])
    assert "the first and the last are shown" not in render(
        [other(given, filtered={"run0": filtered()})]
    )


def test_lines_reach_their_floor():
    """Positions of good encoders fall by more than ten decades before they meet their noise."""
    row = (10.0 ** -np.arange(0.0, 16.0, 2.0)).tolist()
    drawing = drawn(spectrum(filtered(before={"q.a": row}, after={"q.a": row}), "q"))
    assert drawing.y_range[0] < row[-1]
    assert all(0 <= y <= drawing.height for _, y in points(drawing.shapes[0].path))
    rest = [1.0, *[1e-40] * 7]  # a joint that stands still: its rounding is not worth a chart
    low, high = drawn(spectrum(filtered(before={"q.a": row, "q.b": rest}), "q")).y_range
    assert 1e14 < high / low < 1e26


@pytest.mark.parametrize(
    ("robot", "units"),
    [
        ("double_pendulum", ["rad²/Hz", "(rad/s)²/Hz", "(N m)²/Hz"]),
        ("cartpole", ["rad²/Hz or m²/Hz", "(rad/s)²/Hz or (m/s)²/Hz", "(N m)²/Hz or N²/Hz"]),
    ],
)
def test_densities_have_their_unit(tmp_path, robot, units):
    spectra = section(full_view(tmp_path / "fit", robot))["run1"]
    labels = [drawing.chart.upward.label for drawing in spectra.drawings]
    assert labels == [f"power density [{unit}]" for unit in units]
