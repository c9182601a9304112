"""Whether a few values go one way: Kendall's rank test and Theil's slope."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_EXACT = 300  # values; of more, scores are normal but for some percent of the probability


class Trends(NamedTuple):
    """How k things change from the first time to the last, and how likely chance does the same."""

    change: Array
    chance: Array


def trends(times: Array, values: Array) -> Trends:
    """The trends of values over time; equal ones count for neither direction.

    Kendall's test knows only which of two values is larger, so no single block can decide it;
    the change is the median slope of all pairs (Theil) times the time.

    Args:
        times: ascending, shape (n,).
        values: shape (n, k), n >= 2.
    """
    first, second = _pairs(times.size)
    rises = values[second] - values[first]
    slopes = np.sort(rises / (times[second] - times[first])[:, None], axis=0)
    slope = (slopes[(len(slopes) - 1) // 2] + slopes[len(slopes) // 2]) / 2
    scores = np.abs(np.sign(rises).sum(0)).tolist()
    chance = np.array([_chance(times.size, int(score)) for score in scores])
    return Trends(slope * (times[-1] - times[0]), chance)


@lru_cache(maxsize=64)
def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of all pairs of n values."""
    first, second = np.triu_indices(n, 1)
    return first, second


@lru_cache(maxsize=4096)
def _chance(n: int, score: int) -> float:
    """Probability that n values in random order have a score this far from zero, or farther."""
    if n > _EXACT:
        deviation = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
        return math.erfc(max(0, score - 1) / deviation / math.sqrt(2))
    share = _shares(n)
    far = np.abs(share.size - 1 - 2 * np.arange(share.size)) >= score
    return min(1.0, float(share[far].sum()))


@lru_cache(maxsize=64)
def _shares(n: int) -> Array:
    """Probabilities of k = 0 … n (n - 1) / 2 pairs of n values in the wrong order.

    The score is then n (n - 1) / 2 - 2 k. They follow by inserting one value after the other.
    """
    share = np.ones(1)
    for size in range(2, n + 1):
        # Each is the mean of `size` neighbours; the upper half mirrors the lower one, in which
        # differences of sums keep their digits.
        sums = np.cumsum(np.append(share, np.zeros(size - 1)))
        sums[size:] -= sums[:-size].copy()
        half = sums.size // 2
        sums[-half:] = sums[:half][::-1]
        share = sums / size
    return share
