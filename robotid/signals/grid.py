"""Bringing samples onto a uniform grid, segment by segment."""

import itertools

import numpy as np
from numpy.typing import NDArray

_GAP = 3.0  # a step longer than this many usual steps is a gap


def segments(t: NDArray[np.float64]) -> tuple[float, list[slice]]:
    """The usual step of a time axis and the stretches without a gap.

    Args:
        t: increasing times, shape (samples,) [s].

    Returns:
        The median step [s] and a slice for each stretch.
    """
    steps = np.diff(t)
    step = float(np.median(steps))
    ends = np.flatnonzero(steps > _GAP * step) + 1
    bounds = [0, *ends.tolist(), t.size]
    return step, [slice(a, b) for a, b in itertools.pairwise(bounds)]


def resample(
    t: NDArray[np.float64], values: NDArray[np.float64], step: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values at equal steps over the length of one segment, by linear interpolation.

    Args:
        t: increasing times, shape (samples,) [s].
        values: shape (samples, channels).
        step: the new step [s].

    Returns:
        Times, shape (m,), and values, shape (m, channels).
    """
    count = int(np.floor((t[-1] - t[0]) / step * (1 + 1e-9))) + 1
    grid = t[0] + step * np.arange(count)
    return grid, np.column_stack([np.interp(grid, t, channel) for channel in values.T])
