"""What a design will tell of each parameter: its expected deviation as a share of its scale."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robotid.contracts.excitation import Excitation, ExpectedParameter
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.words import counted

WELL, BADLY = 0.05, 0.5  # shares of the scale
_GRADES = ("well", "fairly", "badly")
_COLOURS = {"well": 2, "fairly": 5, "badly": 1}
_MOST = 24  # bars in a chart


class Expected(NamedTuple):
    """A parameter, its deviation after each trajectory as shares of its scale, and a grade."""

    parameter: ExpectedParameter
    share: float
    shares: list[float]
    grade: str


def expected(design: Excitation) -> list[Expected]:
    """All parameters, the least certain first."""
    found = []
    for parameter in design.parameters:
        scale = parameter.scale or 1.0
        share = parameter.std / scale
        grade = "well" if share <= WELL else "badly" if share > BADLY else "fairly"
        found.append(Expected(parameter, share, [s / scale for s in parameter.std_after], grade))
    return sorted(found, key=lambda one: -one.share)


def in_words(found: Sequence[Expected]) -> str:
    """How many parameters will be known how well, in a sentence."""
    graded = [(grade, sum(one.grade == grade for one in found)) for grade in _GRADES]
    parts = [f"{count} {grade}" for grade, count in graded if count]
    return f"Of {counted(len(found), 'parameter')}, {', '.join(parts)} excited."


def charts(found: Sequence[Expected]) -> list[Drawing]:
    """Bars of all parameters, some to a chart, all at one scale."""
    values = [one.share for one in found if one.share > 0]
    if not values:
        return []
    low, high = 0.8 * min([*values, WELL]), 1.25 * max([*values, BADLY])
    panels = -(-len(found) // _MOST)
    each = -(-len(found) // panels)
    made = []
    for panel in range(panels):
        part = found[panel * each : (panel + 1) * each]
        more = f" ({panel + 1} of {panels})" if panels > 1 else ""
        chart = Chart(
            title=f"Expected standard deviation as a share of the scale{more}",
            across=Axis("parameter", names=[one.parameter.name for one in part]),
            upward=Axis("share of the scale", low=low, high=high, log=True),
            series=[_bars(part, grade) for grade in _GRADES if any(o.grade == grade for o in part)],
            width=860,
            height=260,
        )
        drawing = drawn(chart)
        if drawing is not None:
            made.append(drawing)
    return made


def _bars(part: Sequence[Expected], grade: str) -> Series:
    places = [place for place, one in enumerate(part) if one.grade == grade]
    return Series(
        f"{grade} excited",
        np.array(places, dtype=np.float64),
        np.array([part[place].share for place in places]),
        "bars",
        _COLOURS[grade],
    )
