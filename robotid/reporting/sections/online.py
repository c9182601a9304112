"""Errors on all data while a model learned in the order of time."""

from collections.abc import Sequence

import numpy as np

from robotid.contracts.fit import AnyFit, OnlinePoint
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.view import View

_COLOURS = 8  # of the palette; the first is that of the mean


def section(view: View[AnyFit]) -> Drawing | None:
    """The curve."""
    return drawn(online_chart(view.fit.online)) if len(view.fit.online) > 1 else None


def online_chart(curve: Sequence[OnlinePoint]) -> Chart:
    """Errors over samples seen, of all joints together and of each; logarithmic."""
    seen = np.array([point.seen for point in curve], dtype=np.float64)
    mean = np.array([_value(point.nmse_var.mean) for point in curve])
    joints = [
        Series(
            joint,
            seen,
            np.array([_value(point.nmse_var.joints[joint]) for point in curve]),
            "dashed",
            1 + number % (_COLOURS - 1),
        )
        for number, joint in enumerate(curve[0].nmse_var.joints)
    ]
    return Chart(
        title="Error on all data while it learned",
        across=Axis("samples learned from"),
        upward=Axis("nmse_var", log=True),
        series=[Series("mean of the joints", seen, mean), *joints],
        zoom=True,
    )


def _value(error: float | None) -> float:
    return np.nan if error is None else error
