"""Where the data are: ranges against limits, and positions with velocities."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import AnyFit
from robotid.contracts.fit_data import JointRange
from robotid.contracts.residuals import Excerpt
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.samples import Units, joined, padded, units
from robotid.reporting.view import View
from robotid.robot.tree import BASE_ROWS

_HALF = 0.32  # of the distance between joints, a bar to either side
_FAR = 20.0  # times as far apart as positions: such limits would hide the motion in a chart


class Row(NamedTuple):
    """A joint: what it did, and shares of what it may do (null where no limit is known)."""

    joint: str
    unit: Units
    did: JointRange
    position: float | None
    velocity: float | None
    effort: float | None


class Coverage(NamedTuple):
    """Ranges as a table and as a chart, and a chart of the motion per joint."""

    rows: list[Row]
    limits: Drawing | None
    motions: list[Drawing]


def section(view: View[AnyFit]) -> Coverage | None:
    """What there is of both."""
    if not view.fit.ranges and view.excerpt is None:
        return None
    of = units(view)
    rows = [row(joint, did, of[joint]) for joint, did in view.fit.ranges.items()]
    motions = []
    if view.excerpt is not None:
        charts = [
            motion_chart(view.excerpt, place, of[joint], view.fit.ranges.get(joint))
            for place, joint in enumerate(view.excerpt.joints)
        ]
        motions = [found for chart in charts if (found := drawn(chart))]
    limits = drawn(limits_chart(view.fit.ranges)) if rows else None
    return Coverage(rows, limits, motions) if rows or motions else None


def row(joint: str, did: JointRange, unit: Units) -> Row:
    """Shares of the limits that were used."""
    limits = _limits(did)
    position = (did.q[1] - did.q[0]) / (limits[1] - limits[0]) if limits else None
    return Row(
        joint=joint,
        unit=unit,
        did=did,
        position=position,
        velocity=_share(did.qd, did.velocity_limit),
        effort=_share(did.tau, did.effort_limit),
    )


def limits_chart(ranges: Mapping[str, JointRange]) -> Chart:
    """Bars between the limits of positions (zero and one); for joints that have some."""
    names = [name for name in ranges if name not in BASE_ROWS]
    series = []
    for place, did in enumerate(ranges[name] for name in names):
        limits = _limits(did)
        if limits is None:
            continue
        x = np.array([place - _HALF, place + _HALF])
        low, high = ((end - limits[0]) / (limits[1] - limits[0]) * 100 for end in did.q)
        both = np.ones(2)
        series += [
            Series("between the limits", x, 100 * both, "band", None, low=0 * both),
            Series("in training data", x, high * both, "band", 0, low=low * both),
        ]
    return Chart(
        title="Positions in training data, between the limits of the robot file",
        across=Axis("joint", names=names),
        upward=Axis("position [% of the range]", low=0.0, high=100.0),
        series=series,
        width=900,
        height=240,
    )


def motion_chart(excerpt: Excerpt, place: int, unit: Units, did: JointRange | None) -> Chart:
    """Velocities of a joint over its positions, of training and of held-out data."""
    kinds = {
        "training": [window for window in excerpt.windows if window.split == "train"],
        "held out": [window for window in excerpt.windows if window.split != "train"],
    }
    positions = joined(excerpt.windows, "q", place)
    limits = list((did and _limits(did)) or ())
    if limits and did is not None and limits[1] - limits[0] > _FAR * (did.q[1] - did.q[0]):
        limits = []
    return Chart(
        title=excerpt.joints[place],
        across=padded(f"position [{unit.position}]", positions, np.array(limits)),
        upward=Axis(f"velocity [{unit.velocity}]"),
        series=[
            Series(name, joined(some, "q", place), joined(some, "qd", place), "points", colour)
            for colour, (name, some) in enumerate(kinds.items())
            if some
        ],
        marks=limits,
        width=340,
        height=220,
    )


def _limits(did: JointRange) -> tuple[float, float] | None:
    """Of positions; None where there are none, or such as stand for none (the largest number)."""
    limits = did.position_limits
    return limits if limits is not None and 0 < limits[1] - limits[0] < np.inf else None


def _share(ends: tuple[float, float] | None, limit: float | None) -> float | None:
    return max(map(abs, ends)) / limit if limit and ends else None
