"""A chart on paper: coordinates of lines, ticks and labels, for a template to write as SVG."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.thinning import thinned
from robotid.reporting.charts.ticks import Tick, linear_ticks, log_ticks

Array = NDArray[np.float64]

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 8, 40  # room around the plot [px]
_POINTS = 1200  # of a line that is not zoomed
_POINTS_ZOOMED = 4000
_CLOUD = 600  # points of a cloud
_MARGIN = 0.04  # of the range, above and below
_BAR = 0.86  # of the distance between bars
_PER_TICK = (90, 36)  # pixels that a label needs across and upward


class Shape(NamedTuple):
    """An SVG path of one series, and the names of its style and colour."""

    path: str
    style: str
    colour: str
    name: str


class Place(NamedTuple):
    """A tick on paper."""

    at: float
    text: str


@dataclass(frozen=True)
class Drawing:
    """All a template needs; coordinates of shapes are those of the plot's inside."""

    chart: Chart
    left: int
    top: int
    width: int
    height: int
    shapes: list[Shape]
    across: list[Place]
    upward: list[Place]
    marks: list[float]
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    @property
    def legend(self) -> list[Shape]:
        """Series with a name."""
        seen: dict[str, Shape] = {}
        for shape in self.shapes:
            if shape.name:
                seen.setdefault(shape.name, shape)
        return list(seen.values())


def drawn(chart: Chart) -> Drawing | None:
    """The chart on paper; None where it has nothing finite to show."""
    series = [one for one in chart.series if _any_finite(one, chart)]
    if not series:
        return None
    xs = np.concatenate([one.x for one in series])
    ys = [one.y for one in series] + [one.low for one in series if one.low is not None]
    if any(one.style == "bars" for one in series) and not chart.upward.log:
        ys.append(np.zeros(1))
    x_range = _ends(chart.across, xs, margin=0.5 if chart.across.names else 0.0)
    y_range = _ends(chart.upward, np.concatenate(ys), margin=_MARGIN)
    width, height = chart.width - _LEFT - _RIGHT, chart.height - _TOP - _BOTTOM
    x = _scale(chart.across, x_range, 0.0, float(width))
    y = _scale(chart.upward, y_range, float(height), 0.0)
    return Drawing(
        chart=chart,
        left=_LEFT,
        top=_TOP,
        width=width,
        height=height,
        shapes=[
            Shape(
                path=_path(one, chart, x, y),
                style=one.style,
                colour="grey" if one.colour is None else f"c{one.colour % 8}",
                name=one.name,
            )
            for one in series
        ],
        across=_places(chart.across, x_range, x, width // _PER_TICK[0]),
        upward=_places(chart.upward, y_range, y, height // _PER_TICK[1]),
        marks=[round(float(x(np.array([m]))[0]), 1) for m in chart.marks if _inside(m, x_range)],
        x_range=x_range,
        y_range=y_range,
    )


def _any_finite(one: Series, chart: Chart) -> bool:
    good = np.isfinite(one.x) & np.isfinite(one.y)
    if chart.across.log:
        good &= one.x > 0
    if chart.upward.log:
        good &= one.y > 0
    return bool(good.any())


def _ends(axis: Axis, values: Array, margin: float) -> tuple[float, float]:
    """Where an axis begins and ends."""
    good = values[np.isfinite(values) & (values > 0 if axis.log else True)]
    low = float(good.min()) if axis.low is None else axis.low
    high = float(good.max()) if axis.high is None else axis.high
    if axis.names:
        return -margin, len(axis.names) - 1 + margin
    if not high > low:
        spare = abs(low) * 0.1 or 1.0
        return (low / 2, low * 2) if axis.log else (low - spare, high + spare)
    if axis.log:
        room = (high / low) ** margin
        return (
            low / room if axis.low is None else low,
            high * room if axis.high is None else high,
        )
    room = margin * (high - low)
    return (low - room if axis.low is None else low, high + room if axis.high is None else high)


def _scale(
    axis: Axis, ends: tuple[float, float], first: float, last: float
) -> Callable[[Array], Array]:
    """From values to pixels."""

    def linear(values: Array) -> Array:
        return np.asarray(first + (values - ends[0]) / (ends[1] - ends[0]) * (last - first))

    def logarithmic(values: Array) -> Array:
        low, high = np.log(ends[0]), np.log(ends[1])
        shares = (np.log(np.maximum(values, ends[0] * 1e-3)) - low) / (high - low)
        return np.asarray(first + shares * (last - first))

    return logarithmic if axis.log else linear


def _places(
    axis: Axis, ends: tuple[float, float], to_pixels: Callable[[Array], Array], most: int
) -> list[Place]:
    if axis.names:
        ticks = [Tick(float(place), name) for place, name in enumerate(axis.names)]
    else:
        ticks = (log_ticks if axis.log else linear_ticks)(*ends, max(2, most))
    at = to_pixels(np.array([tick.value for tick in ticks], dtype=np.float64))
    return [Place(round(float(a), 1), tick.text) for a, tick in zip(at, ticks, strict=True)]


def _inside(value: float, ends: tuple[float, float]) -> bool:
    return ends[0] <= value <= ends[1]


def _path(
    one: Series, chart: Chart, x: Callable[[Array], Array], y: Callable[[Array], Array]
) -> str:
    """The `d` of an SVG path."""
    if one.style == "band":
        low = one.y if one.low is None else one.low
        edge = np.concatenate([one.x, one.x[::-1]]), np.concatenate([one.y, low[::-1]])
        return _line(x(edge[0]), y(edge[1])) + "Z"
    if one.style == "bars":
        floor = float(chart.height - _TOP - _BOTTOM)
        ground = floor if chart.upward.log else min(floor, float(y(np.zeros(1))[0]))
        return _bars(x(one.x), y(one.y), ground)
    if one.style == "points":
        chosen = np.unique(np.linspace(0, one.x.size - 1, _CLOUD).astype(np.int64))
        return "".join(
            f"M{_px(a)} {_px(b)}h0"
            for a, b in zip(x(one.x[chosen]), y(one.y[chosen]), strict=True)
            if np.isfinite(a) and np.isfinite(b)
        )
    kept = thinned(one.x, one.y, _POINTS_ZOOMED if chart.zoom else _POINTS)
    return _line(x(kept[0]), y(kept[1]))


def _line(x: Array, y: Array) -> str:
    parts, pen_up = [], True
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if not (np.isfinite(a) and np.isfinite(b)):
            pen_up = True
            continue
        parts.append(f"{'M' if pen_up else 'L'}{_px(a)} {_px(b)}")
        pen_up = False
    return "".join(parts)


def _bars(x: Array, y: Array, ground: float) -> str:
    step = float(np.min(np.diff(x))) if x.size > 1 else 30.0
    half = 0.5 * _BAR * step
    return "".join(
        f"M{_px(a - half)} {_px(ground)}V{_px(b)}H{_px(a + half)}V{_px(ground)}Z"
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
        if np.isfinite(b)
    )


def _px(value: float) -> str:
    """A coordinate to a tenth of a pixel, as short as it can be."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
