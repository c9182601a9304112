"""Charts of robots under control: errors by gain, and one motion of every model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracked_motions import TrackedMotion, axes_of
from robotid.contracts.tracking import Tracking
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned

Array = NDArray[np.float64]
_POINTS = 120  # of a line
_SMALL = 340, 200  # width and height of charts that stand side by side [px]


class MotionShown(NamedTuple):
    """The first motion with one gain and length: where it goes, and by how much it errs."""

    title: str
    positions: list[Drawing]
    errors: list[Drawing]


def by_gain(found: Tracking) -> list[Drawing]:
    """Errors of all models over the gains, a chart for each length."""
    gains = list(found.gains)
    label = "NMSE of velocity" if found.task == "reaching" else f"RMSE [{found.mean_unit}]"
    charts = []
    for duration_s in found.durations_s:
        series = []
        for colour, (name, model) in enumerate(found.models.items()):
            own = [one for one in model.outcomes if one.duration_s == duration_s]
            scores = [np.nan if one.score is None else one.score.mean for one in own]
            x = np.arange(len(gains), dtype=np.float64)
            series.append(Series(name, x, np.array(scores), "dots", colour))
        charts.append(
            Chart(
                f"Error by gain, motions of {duration_s:g} s",
                Axis("gain", low=-0.5, high=len(gains) - 0.5, names=gains),
                Axis(label, log=True),
                series,
                width=_SMALL[0],
                height=_SMALL[1],
            )
        )
    return _drawn(charts)


def motions(found: Tracking, shown: Sequence[TrackedMotion]) -> list[MotionShown]:
    """The first motion of every gain and length, as all models make it."""
    return [
        MotionShown(
            f"{ranked.gain}, {ranked.duration_s:g} s",
            _drawn([_positions(found, own, axis) for axis in range(len(axes_of(found)))]),
            _drawn([_errors(found, own, axis) for axis in range(len(axes_of(found)))]),
        )
        for ranked in found.ranked
        if (own := [m for m in shown if (m.gain, m.duration_s) == (ranked.gain, ranked.duration_s)])
    ]


def _positions(found: Tracking, own: Sequence[TrackedMotion], axis: int) -> Chart:
    name, unit, factor = _shown(found, axis)
    series = [
        Series("desired", *_line(own[0].t, factor * own[0].desired[:, axis]), "dashed", None),
        *(
            Series(one.model, *_line(one.t, factor * one.actual[:, axis]), "line", colour)
            for colour, one in enumerate(own)
        ),
    ]
    desired = factor * own[0].desired[:, axis]
    room = 0.5 * float(np.ptp(desired)) or 1.0
    upward = Axis(f"position [{unit}]", float(desired.min()) - room, float(desired.max()) + room)
    return Chart(name, Axis("time [s]"), upward, series, width=_SMALL[0], height=_SMALL[1])


def _errors(found: Tracking, own: Sequence[TrackedMotion], axis: int) -> Chart:
    name, unit, factor = _shown(found, axis)
    series = []
    for colour, one in enumerate(own):
        error = np.abs(factor * (one.desired[:, axis] - one.actual[:, axis]))
        # A logarithmic axis has no zero: an error that passes through it is a gap.
        error = np.where(error > 0, error, np.nan)
        series.append(Series(one.model, *_line(one.t, error), "line", colour))
    upward = Axis(f"error [{unit}]", log=True)
    return Chart(name, Axis("time [s]"), upward, series, width=_SMALL[0], height=_SMALL[1])


def _shown(found: Tracking, axis: int) -> tuple[str, str, float]:
    """Name, unit, and what turns SI into it."""
    name = axes_of(found)[axis]
    unit = found.units.get(name, "m")
    return name, unit, 180 / np.pi if unit == "deg" else 1.0


def _line(t: Array, values: Array) -> tuple[Array, Array]:
    return thinned(t, values, _POINTS)


def _drawn(charts: Sequence[Chart]) -> list[Drawing]:
    return [drawing for chart in charts if (drawing := drawn(chart)) is not None]
