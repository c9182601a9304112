"""Spectra before and after filtering, and what lies above the cut-off."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from robotid.contracts.fit_data import FilteredData
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.samples import Units, units
from robotid.reporting.view import FitView, LearnedView

_BELOW = 10.0  # times below the floor of what came in, lines that were filtered are shown
_MOST_DECADES = 24  # of density; what lies deeper is the rounding of a joint at rest
_RECORDINGS = 2  # that are shown: the first one and the last
TITLES = {"q": "positions", "qd": "velocities", "tau": "torques"}
_UNITS = {"q": "position", "qd": "velocity", "tau": "torque"}  # fields of `Units`

Shares = dict[str, dict[str, float | None]]  # by joint, by signal


class Spectra(NamedTuple):
    """How a recording was filtered.

    Args:
        data: the facts.
        drawings: one for each kind of signal.
        above: shares of the power above the cut-off; None without spectra.
    """

    data: FilteredData
    drawings: list[Drawing]
    above: Shares | None = None


def section(view: FitView | LearnedView) -> dict[str, Spectra] | None:
    """Spectra by recording."""
    names, of = list(view.fit.filtered), set(units(view).values())
    found = {}
    for name in dict.fromkeys([*names[: _RECORDINGS - 1], *names[-1:]]):
        data = view.fit.filtered[name]
        charts = (spectrum(data, signal, density_unit(signal, of)) for signal in TITLES)
        drawings = [d for chart in charts if chart is not None and (d := drawn(chart))]
        found[name] = Spectra(data, drawings, above_cutoff(data) if drawings else None)
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


def density_unit(signal: str, of: Iterable[Units]) -> str:
    """The unit of power density; two where some joints turn and others slide."""
    found = sorted({getattr(one, _UNITS[signal]) for one in of}, reverse=True)
    squared = [f"({unit})²" if set(" /") & set(unit) else f"{unit}²" for unit in found]
    return " or ".join(f"{unit}/Hz" for unit in squared)


def spectrum(data: FilteredData, signal: str, unit: str = "") -> Chart | None:
    """Power densities of all joints over the frequency; None where there are none.

    Grey before the filter, in the colour of the joint after it. The axis reaches below the floor
    of what came in, for that is what tells where the motion ends and noise begins.
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
    seen = np.concatenate([row[f > 0] for row in before.values()])
    top = float(max(row.max() for row in before.values()))
    floor = float(seen[seen > 0].min(initial=top))
    low = max(floor / _BELOW, top * 10.0**-_MOST_DECADES)
    return Chart(
        title=f"Spectra of {TITLES[signal]}",
        across=Axis("frequency [Hz]", low=float(f[f > 0][0]), high=float(f[-1]), log=True),
        upward=Axis(
            f"power density [{unit}]" if unit else "power density", low=low, high=2 * top, log=True
        ),
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
