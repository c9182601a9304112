"""Samples of an excerpt, joint by joint, and what bins of them say."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import AnyFit
from robotid.contracts.residuals import Window
from robotid.reporting.charts.chart import Axis
from robotid.reporting.view import View

Array = NDArray[np.float64]

_BINS = 32
_FEWEST = 8  # samples of a bin


class Units(NamedTuple):
    """Units of a joint: of its position, velocity and torque."""

    position: str
    velocity: str
    torque: str


_TURNS = Units("rad", "rad/s", "N m")
_SLIDES = Units("m", "m/s", "N")


def units(view: View[AnyFit]) -> dict[str, Units]:
    """Units of every joint, and of the rows of a floating base."""
    torques = view.robot.torque_units
    return {row: _SLIDES if unit == "N" else _TURNS for row, unit in torques.items()}


def windows_of(view: View[AnyFit], *splits: str) -> list[Window]:
    """Windows of the excerpt in these splits; none where the fit has no excerpt."""
    if view.excerpt is None:
        return []
    return [window for window in view.excerpt.windows if window.split in splits]


def joined(windows: Sequence[Window], signal: str, place: int) -> Array:
    """One column of a signal over all windows, shape (N,); NaN where a window has none of it.

    Args:
        windows: of one excerpt.
        signal: a field of `Window`, or `residual` (measured minus predicted).
        place: of the joint.
    """
    parts = [np.zeros(0)]
    for window in windows:
        values = window.tau - window.predicted if signal == "residual" else getattr(window, signal)
        parts.append(np.full(window.t.size, np.nan) if values is None else values[:, place])
    return np.concatenate(parts)


class Bins(NamedTuple):
    """Samples in order of x, in bins of as many each: medians, and the middle half of y."""

    x: Array
    median: Array
    low: Array
    high: Array


def binned(x: Array, y: Array, bins: int = _BINS) -> Bins:
    """Bins with as many samples each; samples that are not finite are left out.

    Args:
        x: shape (N,).
        y: shape (N,).
        bins: at most so many.
    """
    good = np.isfinite(x) & np.isfinite(y)
    x, y = x[good], y[good]
    if not x.size:
        return Bins(*[np.zeros(0)] * 4)
    order = np.argsort(x, kind="stable")
    groups = np.array_split(order, max(1, min(bins, x.size // _FEWEST)))
    found = [(np.median(x[g]), *np.quantile(y[g], (0.5, 0.25, 0.75))) for g in groups]
    return Bins(*np.array(found).T)


def padded(label: str, *values: Array) -> Axis:
    """An axis with room at both ends, so that points there are whole."""
    every = np.concatenate(values)
    every = every[np.isfinite(every)]
    if not every.size:
        return Axis(label)
    low, high = float(every.min()), float(every.max())
    room = 0.04 * (high - low) or 1.0
    return Axis(label, low - room, high + room)
