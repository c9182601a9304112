"""Spectra before and after filtering."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import FilteredData
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.view import FitView

_DECADES = 10  # of density that are shown
TITLES = {"q": "positions", "qd": "velocities", "tau": "torques"}


class Spectra(NamedTuple):
    """How a recording was filtered, and a drawing for each kind of signal."""

    data: FilteredData
    drawings: list[Drawing]


def section(view: FitView) -> dict[str, Spectra] | None:
    """Spectra by recording."""
    found = {}
    for name, data in view.fit.filtered.items():
        charts = (spectrum(data, signal) for signal in TITLES)
        found[name] = Spectra(data, [d for c in charts if c is not None and (d := drawn(c))])
    return found or None


def spectrum(data: FilteredData, signal: str) -> Chart | None:
    """Power densities of all joints over the frequency; None where there are none."""
    f = np.array(data.frequency_hz)
    rows = {
        (name, colour): [
            np.array(row) for column, row in given.items() if column.partition(".")[0] == signal
        ]
        for given, name, colour in ((data.before, "before", None), (data.after, "after", 0))
    }
    before = rows["before", None]
    if np.count_nonzero(f > 0) < 2 or not any((row > 0).any() for row in before):
        return None
    top = max(float(row.max()) for row in before)
    return Chart(
        title=f"Spectra of {TITLES[signal]}",
        across=Axis("frequency [Hz]", low=float(f[f > 0][0]), high=float(f[-1]), log=True),
        upward=Axis("power density", low=top * 10.0**-_DECADES, high=2 * top, log=True),
        series=[
            Series(name, f[f > 0], row[f > 0], colour=colour)
            for (name, colour), kind in rows.items()
            for row in kind
        ],
        marks=[data.cutoff_hz],
    )
