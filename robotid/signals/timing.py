"""The time axis of a recording: its usual step, its jitter, and where it has gaps."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError

Times = NDArray[np.int64]

_FINE = 512  # bins of the histogram of steps per usual step, at least
_BINS = 8 * _FINE
_NEAR = 0.2  # steps within this share of the median say how long the usual one is
_LATE = 1.5  # a step longer than this many usual ones has lost a sample


class Timing(NamedTuple):
    """What the times of a recording say.

    `step_s` is the usual step. `jitter` is the standard deviation of the steps near it, `largest`
    the longest step that is not a gap, both as shares of it. `late` counts steps in which a sample
    was lost. A step longer than `gap_s` is a gap; `longest` is how many samples the longest stretch
    without one has.
    """

    step_s: float
    jitter: float
    largest: float
    late: int
    gap_s: float
    gaps: int
    longest: int
    samples: int


def survey(times: Callable[[], Iterable[Times]], gap_steps: float) -> Timing:
    """Look at all times, twice, in constant memory.

    Args:
        times: gives all times from the beginning [ns], in consecutive pieces; they must increase.
        gap_steps: a step longer than this many usual ones is a gap.
    """
    step = _usual_step(times)
    gap, late, gaps, longest, run, samples = gap_steps * step, 0, 0, 0, 1, 1
    largest = total = squares = near = 0.0
    for steps in _steps(times()):
        usual = steps[np.abs(steps - step) <= _NEAR * step] - step
        near += usual.size
        total, squares = total + float(usual.sum()), squares + float(np.sum(usual**2))
        inside = steps[steps <= gap]
        late += int((inside > _LATE * step).sum())
        largest = max(largest, float(inside.max(initial=0.0)))
        ends = np.flatnonzero(steps > gap)
        lengths = np.diff(np.concatenate([[-run], ends, [steps.size]]))
        gaps, longest = gaps + ends.size, max(longest, int(lengths.max()))
        run, samples = int(lengths[-1]), samples + steps.size
    spread = math.sqrt(max(0.0, squares / near - (total / near) ** 2)) if near else 0.0
    return Timing(
        step / 1e9, spread / step, largest / step, late, gap / 1e9, gaps, longest, samples
    )


def _usual_step(times: Callable[[], Iterable[Times]]) -> float:
    """The median step, sharpened to the mean of all steps near it [ns].

    The mean matters where the true step is no whole number of nanoseconds: a grid of medians would
    drift away from the samples. Bins are powers of two wide and fit the median in the end, so that
    it does not matter in which pieces the times came.
    """
    first = next(_steps(times()), None)
    if first is None:
        raise BadDataError("no-samples", "fewer than two samples")
    exponent = _exponent(float(np.median(first)))
    while True:
        counts, sums = np.zeros(_BINS + 1), np.zeros(_BINS + 1)
        for steps in _steps(times()):
            bins = np.minimum(steps * 0.5**exponent, _BINS).astype(np.int64)
            counts += np.bincount(bins, minlength=_BINS + 1)
            sums += np.bincount(bins, weights=steps, minlength=_BINS + 1)
        middle = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
        if _FINE <= middle < 2 * _FINE:
            low, high = (int(middle * share) for share in (1 - _NEAR, 1 + _NEAR))
            return float(sums[low : high + 1].sum() / counts[low : high + 1].sum())
        # The first piece was far from usual: look again with bins that fit better.
        exponent += _exponent(max(middle, 0.5))


def _exponent(step: float) -> int:
    """The width of bins that puts a step among bins _FINE ... 2 _FINE, as a power of two."""
    return math.floor(math.log2(step / _FINE))


def _steps(times: Iterable[Times]) -> Iterator[NDArray[np.float64]]:
    """The steps between consecutive times [ns]; times that do not increase are refused."""
    before, samples = np.empty(0, dtype=np.int64), 0
    for piece in times:
        t = np.concatenate([before, piece])
        steps = np.diff(t)
        if steps.size and steps.min() <= 0:
            where = int(np.argmax(steps <= 0))
            row = samples - before.size + where + 1
            what = "is the same as" if steps[where] == 0 else "is before"
            said = f"the time of row {row} {what} that of the row before it"
            hint = "ingest sorts out such times; ingest the log again"
            raise BadDataError("time-not-increasing", said, time=t[where + 1] / 1e9, hint=hint)
        if steps.size:
            yield steps.astype(np.float64)
        before, samples = t[-1:], samples + piece.size
