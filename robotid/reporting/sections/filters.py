"""Spectra before and after filtering, and what lies above the cut-off."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import FilteredData
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.view import FitView

_DECADES = 10  # of density that are shown
_RECORDINGS = 2  # that are shown: the first one and the last
TITLES = {"q": "positions", "qd": "velocities", "tau": "torques"}

Shares = dict[str, dict[str, float | None]]  # by joint, by signal


class Spectra(NamedTuple):
    """How a recording was filtered.

    Args:
        data: the facts.
        signals: names of the signals that have spectra, as `TITLES`.
        drawings: one for each kind of signal.
        above: shares of the power above the cut-off.
    """

    data: FilteredData
    signals: list[str]
    drawings: list[Drawing]
    above: Shares


def section(view: FitView) -> dict[str, Spectra] | None:
    """Spectra by recording."""
    names = list(view.fit.filtered)
    found = {}
    for name in dict.fromkeys([*names[: _RECORDINGS - 1], *names[-1:]]):
        data = view.fit.filtered[name]
        charts = {signal: spectrum(data, signal) for signal in TITLES}
        found[name] = Spectra(
            data,
            [signal for signal, chart in charts.items() if chart is not None],
            [d for chart in charts.values() if chart is not None and (d := drawn(chart))],
            above_cutoff(data),
        )
    return found or None


def above_cutoff(data: FilteredData) -> Shares:
    """Shares of the power that lies above the cut-off before filtering; None without any power."""
    f = np.array(data.frequency_hz)
    found: Shares = {}
    for column, densities in data.before.items():
        signal, _, joint = column.partition(".")
        if signal in TITLES and f.size > 1:
            power = np.diff(f) * (np.array(densities)[1:] + np.array(densities)[:-1]) / 2
            high = power[(f[1:] + f[:-1]) / 2 > data.cutoff_hz].sum()
            whole = power.sum()
            found.setdefault(joint, {})[signal] = float(high / whole) if whole > 0 else None
    return found


def spectrum(data: FilteredData, signal: str) -> Chart | None:
    """Power densities of all joints over the frequency; None where there are none.

    Grey before the filter, in the colour of the joint after it.
    """
    f = np.array(data.frequency_hz)
    before, after = (
        {
            column.partition(".")[2]: np.array(row)
            for column, row in given.items()
            if column.partition(".")[0] == signal
        }
        for given in (data.before, data.after)
    )
    if np.count_nonzero(f > 0) < 2 or not any((row > 0).any() for row in before.values()):
        return None
    top = max(float(row.max()) for row in before.values())
    return Chart(
        title=f"Spectra of {TITLES[signal]}",
        across=Axis("frequency [Hz]", low=float(f[f > 0][0]), high=float(f[-1]), log=True),
        upward=Axis("power density", low=top * 10.0**-_DECADES, high=2 * top, log=True),
        series=[
            *(Series("before", f[f > 0], row[f > 0], colour=None) for row in before.values()),
            *(
                Series(joint, f[f > 0], row[f > 0], colour=place)
                for place, (joint, row) in enumerate(after.items())
            ),
        ],
        marks=[data.cutoff_hz],
        width=900,
        height=280,
    )
