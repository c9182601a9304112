"""The loss of fits that were trained, step by step."""

from collections.abc import Sequence

import numpy as np

from robotid.contracts.fit import AnyFit, CurvePoint
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.view import View


def section(view: View[AnyFit]) -> Drawing | None:
    """The curve."""
    return drawn(training_chart(view.fit.curve)) if len(view.fit.curve) > 1 else None


def training_chart(curve: Sequence[CurvePoint]) -> Chart:
    """Losses over steps; logarithmic, for they span decades."""
    steps = np.array([point.step for point in curve], dtype=np.float64)
    train = np.array([point.train for point in curve])
    checked = np.array([np.nan if p.validation is None else p.validation for p in curve])
    there = np.isfinite(checked)  # losses on validation data need not be there at every step
    bare = np.array([np.nan if p.formulas is None else p.formulas for p in curve])
    known = np.isfinite(bare)
    without = Series("validation, without the network", steps[known], bare[known], "dashed", 2)
    return Chart(
        title="Loss over steps",
        across=Axis("step"),
        upward=Axis("mean squared weighted error", log=True),
        series=[
            Series("training", steps, train, colour=0),
            Series("validation", steps[there], checked[there], "line", 1),
            *([without] if known.any() else []),
        ],
        zoom=True,
    )
