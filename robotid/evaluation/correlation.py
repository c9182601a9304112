"""Correlation of residuals in time, beside what a filter alone would give."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import Autocorrelation
from robotid.signals.filtered_noise import FilteredNoise

Array = NDArray[np.float64]

_LEVEL = 0.05  # of the band, for all lags together
_WINDOW = 5.0  # correlation times over which they are summed (Sokal)
# Distance of Kolmogorov and Smirnov times sqrt(n) that chance exceeds once in a thousand.
_FARTHEST = 1.95
_DENSE, _SPARSE = 40, 80  # lags of a picture: each of the first, and so many of the others
_FAR = 8.0  # correlation times that a picture shows
_FEWEST = 16  # lines of a spectrum; fewer say nothing of its shape


class TimeCorrelation(NamedTuple):
    """How residuals are correlated in time.

    Args:
        autocorrelation: at lags 0, 1, ... samples, shape (lags,).
        expected: the same of white noise passed through the filter, its means taken away (lags,).
        band: how far chance may leave it from that, 95 % for all lags together (lags,).
        lag: samples after which it is no larger than chance may make it where there is none; None
            if never, 0 where there are so few samples that chance may make anything.
        share: of the samples that count as independent; at most what the filter leaves.
        fits_filter: whether the spectrum is that of filtered white noise; true where there are too
            few samples to tell.
    """

    autocorrelation: Array
    expected: Array
    band: Array
    lag: int | None
    share: float
    fits_filter: bool


def correlation_in_time(windows: Sequence[Array], noise: FilteredNoise) -> TimeCorrelation:
    """The correlation of residuals of one joint.

    Args:
        windows: residuals of stretches without gaps, each of shape (samples,), not all zero.
        noise: what the filter makes of white noise.
    """
    # Offsets that differ from recording to recording are another matter; see `offsets`.
    centred = [alike - alike.mean(1, keepdims=True) for alike in _by_size(windows)]
    lags = max(2, max(window.size for window in windows) // 4)
    products, pairs = np.zeros(lags), np.zeros(lags)
    for alike in centred:
        count, samples = alike.shape
        most = min(lags, samples)
        size = 2 ** int(np.ceil(np.log2(2 * samples)))
        power = (np.abs(np.fft.rfft(alike, size)) ** 2).sum(0)
        products[:most] += np.fft.irfft(power)[:most]
        pairs[:most] += count * (samples - np.arange(most))
    found = products / pairs
    found = found / found[0]
    expected = noise.autocorrelation(lags)
    # Bartlett: the variance of an estimate far from lag 0 is the sum of all r² over the samples.
    spread = float(2 * np.sum(expected**2) - 1)
    tests = max(1.0, lags / spread)
    factor = NormalDist().inv_cdf(1 - _LEVEL / (2 * tests))
    outside = np.flatnonzero(np.abs(found) > factor * np.sqrt(spread / pairs))
    last = int(outside[-1]) + 1 if outside.size else 0  # a few samples can say nothing
    return TimeCorrelation(
        autocorrelation=found,
        expected=_without_means(expected, [window.size for window in windows]),
        band=factor * np.sqrt(_variance(expected) / pairs + _at_ends(spread, pairs, len(windows))),
        lag=last if last < lags else None,
        share=min(noise.share, _independent(found)),
        fits_filter=_fits(centred, noise),
    )


def _by_size(windows: Sequence[Array]) -> list[Array]:
    """Windows of the same size together, each of shape (count, samples)."""
    sizes = dict.fromkeys(window.size for window in windows)
    return [np.stack([one for one in windows if one.size == size]) for size in sizes]


def shown(time: TimeCorrelation, rate_hz: float) -> Autocorrelation:
    """A picture of it: all small lags, then fewer and fewer, over some correlation times."""
    last = min(time.autocorrelation.size - 1, max(_DENSE, int(np.ceil(_FAR / time.share))))
    sparse = np.geomspace(_DENSE, max(last, _DENSE), _SPARSE).round().astype(int)
    lags = np.unique(np.concatenate([np.arange(_DENSE), sparse]))
    lags = lags[lags <= last]
    return Autocorrelation(
        lag_s=(lags / rate_hz).tolist(),
        value=time.autocorrelation[lags].tolist(),
        expected=time.expected[lags].tolist(),
        band=time.band[lags].tolist(),
    )


def _without_means(r: Array, sizes: Sequence[int]) -> Array:
    """The autocorrelation r of noise whose mean was taken away in windows of some sizes."""
    power = 0.0  # of the means, summed over samples
    for size in sizes:
        own = r[:size]
        power += float(2 * np.sum(own * (1 - np.arange(own.size) / size)) - 1)
    share = min(power / sum(sizes), 0.9)  # windows of a few samples: most of it is gone
    return np.asarray((r - share) / (1 - share))


def _at_ends(spread: float, pairs: Array, windows: int) -> Array:
    """Variance of estimates because samples at the ends of windows have fewer partners."""
    k = np.arange(pairs.size)
    return np.asarray(k * np.minimum(k, spread) * windows / pairs[0] ** 2)


def _variance(r: Array) -> Array:
    """Of estimates of r, times the samples, after Bartlett: none at lag 0, all r² far from it."""
    both = np.concatenate([r[:0:-1], r])
    size = 2 ** int(np.ceil(np.log2(4 * both.size)))
    products = np.fft.irfft(np.abs(np.fft.rfft(both, size)) ** 2)  # sums of r(m) r(m + k)
    k = np.arange(r.size)
    found = products[0] * (1 + 2 * r**2) + products[2 * k] - 4 * r * products[k]
    return np.asarray(np.maximum(found, 0.0))


def _independent(autocorrelation: Array) -> float:
    """One over the integrated correlation time, summed as far as it is long itself."""
    times = 2 * np.cumsum(autocorrelation) - 1
    long_enough = np.flatnonzero(np.arange(times.size) >= _WINDOW * times)
    time = times[long_enough[0]] if long_enough.size else times.max()
    return float(1.0 / max(1.0, time))


def _fits(windows: Sequence[Array], noise: FilteredNoise) -> bool:
    """Bartlett's test: lines of the spectrum, each over what is expected, add up evenly.

    Args:
        windows: those of the same size together, each of shape (count, samples).
        noise: that is expected.
    """
    lines = []
    for alike in windows:
        count, samples = alike.shape
        frequency = np.fft.rfftfreq(samples, 1 / noise.rate_hz)
        inside = (frequency > 0) & (frequency <= noise.band_hz)
        inside &= frequency < noise.rate_hz / 2  # the last line has one degree of freedom only
        power = np.abs(np.fft.rfft(alike)) ** 2 / noise.expected_power(samples)
        own = np.tile(frequency[inside], count)
        lines.append(np.column_stack([own, power[:, inside].ravel()]))
    ordered = np.concatenate(lines)
    if len(ordered) < _FEWEST:
        return True
    ordered = ordered[np.argsort(ordered[:, 0], kind="stable")]
    reached = np.cumsum(ordered[:, 1]) / ordered[:, 1].sum()
    even = np.arange(1, len(ordered) + 1) / len(ordered)
    return bool(np.abs(reached - even).max() * np.sqrt(len(ordered)) < _FARTHEST)
