"""Values with intervals beside what they were before, in rows: a forest chart."""

from collections.abc import Sequence
from typing import NamedTuple

from robotid.reporting.charts.ticks import linear_ticks

WIDTH = 440
_LEFT, _RIGHT, _TOP, _BOTTOM, _ROW = 84, 30, 6, 34, 15  # [px]
_WIDEST = 2.0  # a value and its old one are at most twice the larger apart
_NARROWEST = 0.25
_TICKS = 6


class Estimate(NamedTuple):
    """A value, its interval, what it was before, and the sign to draw it with."""

    name: str
    value: float
    lower: float
    upper: float
    before: float
    symbol: str
    style: str


class ForestRow(NamedTuple):
    """A row on paper: name, height, ends of the interval, place of the value, what was cut off."""

    name: str
    y: float
    low: float
    high: float
    at: float
    cut_low: bool
    cut_high: bool
    symbol: str
    style: str


class Forest(NamedTuple):
    """A chart on paper; `zero` is where nothing has changed, ticks are places and texts."""

    rows: list[ForestRow]
    zero: float
    ticks: list[tuple[float, str]]
    height: float
    bottom: float
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    width: int = WIDTH


def shares(one: Estimate) -> tuple[float, float, float]:
    """By how much a value has grown in size, with the ends of that: over the larger of both.

    Growth is along the sign that the value had before, so that a mass moment of -2 that becomes
    -4 has grown as one of 2 that becomes 4; what was zero can only have grown.
    """
    size = max(abs(one.value), abs(one.before)) or max(abs(one.lower), abs(one.upper)) or 1.0
    sign = -1.0 if (one.before or one.value) < 0 else 1.0
    change, *ends = (sign * (x - one.before) / size for x in (one.value, one.lower, one.upper))
    return change, min(ends), max(ends)


def forest(estimates: Sequence[Estimate], most: int = 36) -> list[Forest]:
    """Charts of about equally many rows, at most `most` each, all at one scale."""
    if not estimates:
        return []
    ends = [end for one in estimates for end in shares(one)]
    low = -max(_NARROWEST, min(_WIDEST, -min(ends)))
    high = max(_NARROWEST, min(_WIDEST, max(ends)))
    panels = -(-len(estimates) // most)
    each = -(-len(estimates) // panels)
    return [
        _forest(estimates[begin : begin + each], low, high)
        for begin in range(0, len(estimates), each)
    ]


def _forest(estimates: Sequence[Estimate], low: float, high: float) -> Forest:
    def place(share: float) -> float:
        inside = (min(max(share, low), high) - low) / (high - low)
        return round(_LEFT + inside * (WIDTH - _LEFT - _RIGHT), 1)

    rows = []
    for number, one in enumerate(estimates):
        change, lower, upper = shares(one)
        rows.append(
            ForestRow(
                name=one.name,
                y=_TOP + _ROW * (number + 0.5),
                low=place(lower),
                high=place(upper),
                at=place(change),
                cut_low=lower < low - 1e-9,
                cut_high=upper > high + 1e-9,
                symbol=one.symbol,
                style=one.style,
            )
        )
    bottom = float(_TOP + _ROW * len(estimates))
    ticks = linear_ticks(100 * low, 100 * high, _TICKS)
    return Forest(
        rows=rows,
        zero=place(0.0),
        ticks=[
            (place(tick.value / 100), f"{tick.value:+.0f} %" if tick.value else "0")
            for tick in ticks
        ],
        height=bottom + _BOTTOM,
        bottom=bottom,
    )
