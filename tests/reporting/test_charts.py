"""Charts: what is drawn lies inside, ticks are in order, thinning keeps what matters."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import drawn
from robotid.reporting.charts.thinning import kept
from robotid.reporting.charts.ticks import linear_ticks, log_ticks

values = st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-9)
gaps = st.sampled_from([np.nan, np.inf, -np.inf])
lines = arrays(np.float64, st.integers(1, 60), elements=st.one_of(values, gaps))
styles = st.sampled_from(["line", "dashed", "points", "dots", "bars", "band"])


def numbers(path):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", path)]


def pairs(path):
    """Points of a line: `M` and `L` only."""
    assert re.fullmatch(r"([ML]-?[\d.]+ -?[\d.]+)*", path)
    found = numbers(path)
    return list(zip(found[::2], found[1::2], strict=True))


def chart(*series, across=None, upward=None, **more):
    return Chart("A chart", across or Axis("x"), upward or Axis("y"), series, **more)


@settings(max_examples=80, deadline=None)
@given(y=lines, style=styles, log=st.booleans(), zoom=st.booleans())
def test_whatever_is_drawn_lies_inside(y, style, log, zoom):
    x = np.arange(y.size, dtype=np.float64)
    drawing = drawn(chart(Series("s", x, y, style), upward=Axis("y", log=log), zoom=zoom))
    if not (np.isfinite(y) & ((y > 0) | (not log))).any():
        assert drawing is None
        return
    low, high = drawing.y_range
    assert low < high
    for place in drawing.upward:
        assert -0.1 <= place.at <= drawing.height + 0.1
    for place in drawing.across:
        assert -0.1 <= place.at <= drawing.width + 0.1
    if style in ("line", "dashed"):
        finite = np.isfinite(y)
        points = pairs(drawing.shapes[0].path)
        assert len(points) == np.count_nonzero(finite)
        assert all(-0.1 <= a <= drawing.width + 0.1 and b >= -0.1 for a, b in points)
        assert log or all(b <= drawing.height + 0.1 for _, b in points)
        starts = finite & ~np.concatenate([[False], finite[:-1]])
        assert drawing.shapes[0].path.count("M") == np.count_nonzero(starts)  # gaps break it
    assert "nan" not in drawing.shapes[0].path
    assert "inf" not in drawing.shapes[0].path


@settings(max_examples=150, deadline=None)
@given(low=values, span=st.floats(1e-6, 1e9), most=st.integers(2, 12))
def test_even_ticks(low, span, most):
    high = low + span
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        return  # such axes are widened before they have ticks
    ticks = linear_ticks(low, high, most)
    step = span / most
    at = [tick.value for tick in ticks]
    assert 1 <= len(ticks) <= most + 1
    assert at == sorted(at)
    assert all(low - 1e-6 * step <= value <= high + 1e-6 * step for value in at)
    texts = [tick.text for tick in ticks]
    assert len(set(texts)) == len(texts)
    for value, text in zip(at, texts, strict=True):
        assert float(text) == pytest.approx(value, abs=1e-6 * step, rel=1e-9)


@settings(max_examples=150, deadline=None)
@given(low=st.floats(1e-12, 1e9), ratio=st.floats(1.01, 1e15), most=st.integers(2, 12))
def test_ticks_of_a_logarithmic_axis(low, ratio, most):
    high = low * ratio
    ticks = log_ticks(low, high, most)
    at = [tick.value for tick in ticks]
    assert 1 <= len(ticks) <= most + 1
    assert at == sorted(set(at))
    assert all(low * (1 - 1e-6) <= value <= high * (1 + 1e-6) for value in at)
    assert len({tick.text for tick in ticks}) == len(ticks)
    for tick in ticks:
        assert float(tick.text) == pytest.approx(tick.value, rel=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (-1, 1, ["-1.0", "-0.5", "0", "0.5", "1.0"]),
        (0, 1.1e6, ["0", "0.2e6", "0.4e6", "0.6e6", "0.8e6", "1.0e6"]),
        (0, 4e-5, ["0", "10e-6", "20e-6", "30e-6", "40e-6"]),
        (
            100.001,
            100.002,
            ["100.0010", "100.0012", "100.0014", "100.0016", "100.0018", "100.0020"],
        ),
    ],
)
def test_labels_of_ticks(low, high, texts):
    assert [tick.text for tick in linear_ticks(low, high, 6)] == texts


@settings(max_examples=80, deadline=None)
@given(
    y=arrays(np.float64, st.integers(1, 150), elements=st.one_of(values, st.just(np.nan))),
    most=st.integers(5, 60),
)
def test_thinning(y, most):
    places = kept(y, most)
    assert places.size <= max(most, min(y.size, most))
    assert places.tolist() == sorted(set(places.tolist()))
    assert {0, y.size - 1} <= set(places.tolist())
    if np.isfinite(y).any():
        assert np.nanmin(y[places]) == np.nanmin(y)
        assert np.nanmax(y[places]) == np.nanmax(y)
    assert np.isnan(y[places]).any() == np.isnan(y).any()


def test_a_long_line_keeps_its_spike():
    y = np.sin(np.linspace(0, 50, 100_000))
    y[54_321] = 9.0
    drawing = drawn(chart(Series("", np.arange(y.size, dtype=np.float64), y)))
    points = pairs(drawing.shapes[0].path)
    assert 1000 < len(points) <= 1200
    assert min(b for _, b in points) == pytest.approx(0.04 / 1.08 * drawing.height, abs=0.2)


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-7, 1e12])
@pytest.mark.parametrize("log", [False, True])
def test_constant_data_lie_in_the_middle(value, log):
    if log and value <= 0:
        return
    y = np.full(3, value) * (1 + 1e-12 * np.arange(3))  # rounding is no signal
    drawing = drawn(chart(Series("", np.arange(3.0), y), upward=Axis("y", log=log)))
    for _, height in pairs(drawing.shapes[0].path):
        assert height == pytest.approx(drawing.height / 2, abs=0.2)
    assert drawing.upward


def test_nothing_to_draw():
    assert drawn(chart()) is None
    assert drawn(chart(Series("", np.zeros(0), np.zeros(0)))) is None
    assert drawn(chart(Series("", np.arange(2.0), np.full(2, np.nan)))) is None
    assert drawn(chart(Series("", np.arange(2.0), -np.ones(2)), upward=Axis("y", log=True))) is None


def test_one_point():
    drawing = drawn(chart(Series("", np.array([5.0]), np.array([2.0]), "points")))
    assert drawing.shapes[0].path == "M304 86h0"
    assert drawing.x_range == (4.5, 5.5)


def test_given_ends_that_the_data_do_not_reach():
    x = np.arange(3.0)
    drawing = drawn(chart(Series("", x, x), upward=Axis("y", low=5.0)))
    assert drawing.y_range[0] < drawing.y_range[1]
    drawing = drawn(chart(Series("", x, x), upward=Axis("y", low=0.0, log=True)))
    assert drawing.y_range[0] == 1.0


def bars(path):
    return [numbers(bar) for bar in path.split("Z")[:-1]]


def test_bars_of_several_series_stand_side_by_side():
    places = np.arange(3.0)
    series = [Series(n, places + s, places + 1, "bars", 0) for n, s in (("a", -0.2), ("b", 0.2))]
    drawing = drawn(chart(*series, across=Axis("", names=["x", "y", "z"])))
    edges = sorted((b[0], b[3]) for shape in drawing.shapes for b in bars(shape.path))
    assert all(end < begin for (_, end), (begin, _) in pairwise(edges))
    assert all(0 <= begin < end <= drawing.width for begin, end in edges)
    assert drawing.y_range[0] <= 0  # they stand on it


def test_bars_below_zero_hang_from_it():
    drawing = drawn(chart(Series("", np.arange(2.0), np.array([1.0, -1.0]), "bars")))
    up, down = bars(drawing.shapes[0].path)
    assert up[1] == down[1] == pytest.approx(drawing.height / 2, abs=0.1)
    assert up[2] < up[1] < down[2]


def test_a_band_with_a_gap_is_two():
    y = np.array([1.0, 2.0, np.nan, 2.0, 1.0])
    drawing = drawn(chart(Series("", np.arange(5.0), y, "band", low=y - 1)))
    assert drawing.shapes[0].path.count("Z") == drawing.shapes[0].path.count("M") == 2
    points = numbers(drawing.shapes[0].path)
    assert len(points) == 2 * 8


def test_a_cloud_keeps_its_extremes():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 50_000))
    drawing = drawn(chart(Series("", x, y, "points")))
    found = numbers(drawing.shapes[0].path.replace("h0", ""))
    across, down = found[::2], found[1::2]
    assert len(across) <= 600
    assert (min(across), max(across)) == (0, drawing.width)
    assert max(down) - min(down) == pytest.approx(drawing.height / 1.08, abs=0.2)


def test_long_names_are_slanted_and_cut():
    y, names = np.ones(7), [f"a_joint_with_a_very_long_name_{n}" for n in range(7)]
    drawing = drawn(chart(Series("", np.arange(7.0), y, "dots"), across=Axis("joint", names=names)))
    assert drawing.slanted
    assert all(len(place.text) == 20 and place.text.endswith("…") for place in drawing.across)
    short = drawn(
        chart(Series("", np.arange(2.0), y[:2], "dots"), across=Axis("", names=["a", "b"]))
    )
    assert not short.slanted
    assert short.height > drawing.height


def test_legend_has_each_name_once():
    x = np.arange(2.0)
    series = [Series(name, x, x, colour=None) for name in ("before", "before", "", "after")]
    assert [shape.name for shape in drawn(chart(*series)).legend] == ["before", "after"]
