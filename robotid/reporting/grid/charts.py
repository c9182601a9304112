"""The motions as a grid of small drawings: models downward, robots and data across."""

from collections.abc import Sequence

import numpy as np

from robotid.contracts.comparison import ForwardComparison
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned
from robotid.reporting.grid.gathered import Model, column_of, model_of
from robotid.reporting.grid.motions import Motion, Run

_POINTS = 60  # of a line
_SIZE = 180, 110  # [px]
_COLOURS = {"conserving": 1, "bounded": 0, "unbounded": 2}


def grid(found: ForwardComparison, runs: Sequence[Run]) -> list[list[Drawing | None]]:
    """A drawing for each cell: the first fit of each model, dashed what was recorded."""
    first: dict[tuple[Model, int], Run] = {}
    places = {column: place for place, column in enumerate(found.columns)}
    for run in runs:
        first.setdefault((model_of(run), places[column_of(run)]), run)
    rows = []
    for row in found.rows:
        model = row.model, row.actuator, row.kinematics, row.init
        own = (first.get((model, place)) for place in range(len(found.columns)))
        rows.append([None if run is None else _drawing(run) for run in own])
    return rows


def _drawing(run: Run) -> Drawing | None:
    motion = run.motion
    series = [
        Series("", *thinned(motion.t, motion.q, _POINTS), "line", _COLOURS[run.fit.energy]),
    ]
    if motion.true is not None:
        series.append(Series("", *thinned(motion.t, motion.true, _POINTS), "dashed", None))
    width, height = _SIZE
    upward = Axis(run.rollout.joints[-1], *_window(motion))
    return drawn(Chart("", Axis("time [s]"), upward, series, width=width, height=height))


def _window(motion: Motion) -> tuple[float | None, float | None]:
    """Ends of the axis: what was recorded fills at least a third of it."""
    if motion.true is None:
        return None, None
    low, high = float(motion.true.min()), float(motion.true.max())
    room = (high - low) or 1.0
    with_model = np.nanmin(motion.q), np.nanmax(motion.q)
    return max(low - room, min(low, float(with_model[0]))), min(
        high + room, max(high, float(with_model[1]))
    )
