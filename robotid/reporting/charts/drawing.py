"""A chart on paper: coordinates of lines, ticks and labels, for a template to write as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.paths import Pen
from robotid.reporting.charts.scale import Scale
from robotid.reporting.charts.ticks import Tick, linear_ticks, log_ticks

Array = NDArray[np.float64]

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 26, 42  # room around the plot [px]
_BOTTOM_NAMES = 26  # under an axis whose places have names, which needs no label
_MARGIN = 0.04  # of the range, above and below
_PER_TICK = (60, 28)  # pixels that a label needs across and upward
_LETTER = 7.5  # pixels of a letter
_NARROWEST = 300  # pixels across a plot on a small screen, where names have to fit as well
_LONGEST = 20  # letters of a name under an axis
_CONSTANT = 1e-9  # relative range below which values are all the same


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
    """All a template needs; coordinates of shapes are those of the plot's inside.

    `slanted` labels under the axis are names too long to stand side by side; `most` is how many
    ticks there is room for, across and upward.
    """

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
    slanted: bool
    most: tuple[int, int]

    def share(self, at: float) -> float:
        """A place across, in per cent of the plot."""
        return round(100 * at / self.width, 3)

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
    width = chart.width - _LEFT - _RIGHT
    slant = _slant(chart.across.names, width)
    bottom = _BOTTOM_NAMES + slant if chart.across.names else _BOTTOM
    height = max(40, chart.height - _TOP - bottom)
    x = Scale(x_range, (0.0, float(width)), chart.across.log)
    y = Scale(y_range, (float(height), 0.0), chart.upward.log)
    pen = Pen(x, y, series, fine=chart.zoom)
    most = max(2, width // _PER_TICK[0]), max(2, height // _PER_TICK[1])
    return Drawing(
        chart=chart,
        left=_LEFT,
        top=_TOP,
        width=width,
        height=height,
        shapes=[
            Shape(
                path=pen.path(one),
                style=one.style,
                colour="grey" if one.colour is None else f"c{one.colour % 8}",
                name=one.name,
            )
            for one in series
        ],
        across=_places(chart.across, x, most[0]),
        upward=_places(chart.upward, y, most[1]),
        marks=[round(x.at(m), 1) for m in chart.marks if x_range[0] <= m <= x_range[1]],
        x_range=x_range,
        y_range=y_range,
        slanted=slant > 0,
        most=most,
    )


def _any_finite(one: Series, chart: Chart) -> bool:
    good = np.isfinite(one.x) & np.isfinite(one.y)
    if chart.across.log:
        good &= one.x > 0
    if chart.upward.log:
        good &= one.y > 0
    return bool(good.any())


def _ends(axis: Axis, values: Array, margin: float) -> tuple[float, float]:
    """Where an axis begins and ends; the first is less than the second."""
    if axis.names:
        return -margin, len(axis.names) - 1 + margin
    good = values[np.isfinite(values) & (values > 0 if axis.log else True)]
    low = float(good.min()) if axis.low is None else axis.low
    high = float(good.max()) if axis.high is None else axis.high
    if axis.log and low <= 0:
        low = float(good.min())
    if high - low <= _CONSTANT * max(abs(low), abs(high)):
        # all the same, or beyond a given end
        middle = low if axis.high is None else high
        spare = abs(middle) * 0.1 or 1.0
        return (middle / 2, middle * 2) if axis.log else (middle - spare, middle + spare)
    room = (high / low) ** margin if axis.log else margin * (high - low)
    if axis.low is None:
        low = low / room if axis.log else low - room
    if axis.high is None:
        high = high * room if axis.log else high + room
    return low, high


def _places(axis: Axis, scale: Scale, most: int) -> list[Place]:
    if axis.names:
        ticks = [Tick(float(place), _short(name)) for place, name in enumerate(axis.names)]
    else:
        ticks = (log_ticks if axis.log else linear_ticks)(*scale.ends, most)
    return [Place(round(scale.at(tick.value), 1), tick.text) for tick in ticks]


def _slant(names: Sequence[str], width: int) -> int:
    """Height that slanted names need beyond level ones [px]; 0 if they stand side by side."""
    longest = max((len(_short(name)) for name in names), default=0)
    level = longest * _LETTER * len(names) <= min(width, _NARROWEST)
    return 0 if level else round(longest * _LETTER / 2)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
