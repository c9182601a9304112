"""Periodic motions: finding the period, and averaging over the periods.

The mean over M periods has 1/M of the noise power; how single periods scatter about it says how
much noise there is, without any model of it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.signals.grid import Piece

Array = NDArray[np.float64]

_POINTS = 20_000  # of the coarse signal in which a period is looked for
_ALIKE = 0.8  # correlation of a signal with itself one period later, at least
_AS_GOOD = 0.98  # of the best such correlation; the shortest lag that is as good is the period
_TRANSIENT = 3.0  # a period at an end that differs by this many times the usual is left out
_COVERED = 0.5  # share of a period that must be there for it to be compared

Pieces = Callable[[], Iterable[Piece]]


class Averaged(NamedTuple):
    """The mean period, shape (channels, n), noise of one sample (channels,), and what was used."""

    mean: Array
    noise_std: Array
    periods: int
    left_out: list[int]


def find_period(pieces: Iterable[Piece], rows: list[int], samples: int, step_s: float) -> float:
    """The period of a motion [s], from how alike it is to itself some time later.

    Args:
        pieces: grid samples that all lie on one grid.
        rows: channels to look at.
        samples: grid samples from the first to the last, about.
        step_s: of the grid.
    """
    width = max(1, samples // _POINTS)
    sums, counts = np.zeros((len(rows), samples // width + 2)), np.zeros(samples // width + 2)
    for piece in pieces:
        bins = (piece.first + np.arange(piece.values.shape[1])) // width
        bins = np.minimum(bins, counts.size - 1)
        counts += np.bincount(bins, minlength=counts.size)
        for number, row in enumerate(rows):
            sums[number] += np.bincount(bins, piece.values[row], counts.size)
    there = counts > 0
    there[np.flatnonzero(there)[-1:]] = False  # the last bin may be filled in part
    coarse = np.where(there, sums / np.maximum(counts, 1), 0.0)
    coarse -= np.where(there, coarse.sum(axis=1, keepdims=True) / max(1, there.sum()), 0.0)
    alike = _likeness(coarse, there.astype(np.float64))
    lag = _shortest_period(alike) if there.any() else None
    if lag is None:
        said = f"the motion does not repeat itself within half of {samples * step_s:.3g} s"
        hint = "give period_s, or leave average_periods out"
        raise BadDataError("no-period", said, hint=hint)
    if (ends := round(lag)) * 5 < there.size:  # what gets going or stops would pull at the maxima
        there[:ends] = there[-ends:] = False
        alike = _likeness(np.where(there, coarse, 0.0), there.astype(np.float64))
    # Many periods later the same maximum says the period so many times more precisely.
    for many in range(2, int(alike.size / lag)):
        near = round(many * lag)
        reach = max(1, round(lag / 8 / many))
        found = near - reach + int(np.argmax(alike[near - reach : near + reach + 1]))
        if found + 1 >= alike.size or alike[found] < _ALIKE:
            break
        lag = _peak(alike, found) / many
    return float(lag * width * step_s)


def _likeness(signals: Array, there: Array) -> Array:
    """Correlation of signals with themselves at each lag up to half their length.

    Each lag has its own mean power, because a motion may get going slowly.
    """
    n = there.size
    size = 1 << (2 * n - 1).bit_length()

    def correlate(a: Array, b: Array) -> Array:
        product = np.fft.rfft(a, size) * np.conj(np.fft.rfft(b, size))
        return np.fft.irfft(product, size)[..., : n // 2]

    scale = np.sqrt(np.maximum(np.mean(signals**2, axis=1, keepdims=True), 1e-300))
    x = signals / scale
    power = np.sum(x**2, axis=0)
    both = correlate(x, x).sum(axis=0)
    total = correlate(power, there) + correlate(there, power)
    return np.asarray(2 * both / np.maximum(total, 1e-9 * max(1.0, float(total.max()))))


def _shortest_period(alike: Array) -> float | None:
    """The first lag, behind the first fall, at which the signal is about as alike as ever again."""
    low = np.flatnonzero(alike < 0.5)
    if not low.size:
        return None
    start = int(low[0])
    later = alike[start:]
    if later.size < 3 or later.max() < _ALIKE:
        return None
    high = np.flatnonzero(later >= _AS_GOOD * later.max())
    begin = start + int(high[0])
    end = begin
    while end + 1 < alike.size and alike[end + 1] >= alike[end]:
        end += 1
    return _peak(alike, end) if 0 < end < alike.size - 1 else None


def _peak(values: Array, at: int) -> float:
    """Where the parabola through three values has its top."""
    left, middle, right = values[at - 1 : at + 2]
    curve = left - 2 * middle + right
    return at + (0.5 * (left - right) / curve if curve < 0 else 0.0)


def average(pieces: Pieces, channels: int, length: int, first: int = 0) -> Averaged:
    """The mean over all periods but those at the ends that differ from their neighbours.

    Args:
        pieces: gives all grid samples from the beginning; those of sample k belong to place k mod
            length of period k // length.
        channels: their number.
        length: samples of a period.
        first: number of the first period.
    """
    count, left_out = _transients(pieces(), channels, length, first)
    base = np.zeros((channels, length))
    seen = np.zeros(length, dtype=np.int64)
    sums, squares = np.zeros((channels, length)), np.zeros((channels, length))
    for period, place, values in _by_period(pieces(), length):
        if period in left_out:
            continue
        where = slice(place, place + values.shape[1])
        fresh = seen[where] == 0
        base[:, where][:, fresh] = values[:, fresh]  # keeps the squares small
        difference = values - base[:, where]
        sums[:, where] += difference
        squares[:, where] += difference**2
        seen[where] += 1
    if seen.min() < 2:
        raise fewer_than_two_periods(length)
    variance = (squares - sums**2 / seen) / (seen - 1)
    noise = np.sqrt(np.maximum(variance.mean(axis=1), 0.0))
    return Averaged(base + sums / seen, noise, count - len(left_out), left_out)


def fewer_than_two_periods(samples: float) -> BadDataError:
    """The error for a recording that is too short for its period."""
    said = f"the recording has fewer than two whole periods of {samples:.0f} samples"
    return BadDataError("one-period", said, hint="leave average_periods out")


def _by_period(pieces: Iterable[Piece], length: int) -> Iterator[tuple[int, int, Array]]:
    """Samples cut where periods end: number of the period, place in it, values."""
    for piece in pieces:
        k, n = piece.first, piece.values.shape[1]
        used = 0
        while used < n:
            period, place = divmod(k + used, length)
            take = min(length - place, n - used)
            yield period, place, piece.values[:, used : used + take]
            used += take


def _transients(
    pieces: Iterable[Piece], channels: int, length: int, first: int
) -> tuple[int, list[int]]:
    """How many periods there are, and those at the ends that are unlike the rest."""
    before = np.full((channels, length), np.nan)
    change: dict[int, list[Array]] = {}
    power, samples, last = np.zeros(channels), 0, first
    for period, place, values in _by_period(pieces, length):
        where = slice(place, place + values.shape[1])
        difference = values - before[:, where]
        both = np.isfinite(difference[0])
        if both.any():
            sums = np.append(np.sum(difference[:, both] ** 2, axis=1), both.sum())
            change.setdefault(period, []).append(sums)
        before[:, where] = values
        power += np.sum((values - values.mean(axis=1, keepdims=True)) ** 2, axis=1)
        samples, last = samples + values.shape[1], period
    scale = np.maximum(power / max(1, samples), 1e-300)
    # How much each period differs from the one before, all channels alike.
    differs = {}
    for period, parts in change.items():
        *sums, covered = np.sum(parts, axis=0)
        if covered >= _COVERED * length:
            differs[period] = float(np.mean(np.array(sums) / covered / scale))
    usual = float(np.median(list(differs.values()))) if differs else 0.0
    left_out = []
    begin, end = first, last
    while begin + 1 < end and differs.get(begin + 1, 0.0) > _TRANSIENT**2 * usual:
        left_out.append(begin)
        begin += 1
    while end - 1 > begin and differs.get(end, 0.0) > _TRANSIENT**2 * usual:
        left_out.append(end)
        end -= 1
    return last - first + 1, left_out
