"""Whether one model predicts better than another, beyond chance: errors of both, block by block.

Blocks are paired, so what makes a stretch of motion hard for both does not count. The interval is
that of the jackknife (leave out one block at a time) on the very figure that is shown, the mean
over joints of the root mean square error. Neighbouring blocks resemble each other; the variance is
widened by (1 + r) / (1 - r) with their correlation r, and the degrees of freedom shrink alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Array = NDArray[np.float64]

LEAST_BLOCKS = 6  # fewer give intervals that say nothing
_MOST_CORRELATED = 0.9
_DOUBT = 0.5  # standard deviations by which the correlation is taken larger than it seems


class Blocks(NamedTuple):
    """Errors of one model: blocks in the order of time, one recording after the other.

    Args:
        power: mean square errors, shape (blocks, joints).
        weight: of each block, its share of the samples, shape (blocks,).
        recording: number of the recording of each block, shape (blocks,).
    """

    power: Array
    weight: Array
    recording: NDArray[np.int64]


def half_width(one: Blocks, other: Blocks, confidence: float) -> float:
    """Half the width of the interval of the difference of two models' errors [N m or N]."""
    count = one.weight.size
    without = _left_out(one) - _left_out(other)
    error = (without - without.mean()) * (count - 1)
    r = _correlation(error, one.recording)
    independent = max(count * (1 - r) / (1 + r), 2.0)
    variance = float(error @ error) / count / (independent - 1)
    quantile = float(stdtrit(independent - 1, 0.5 + confidence / 2))
    return quantile * float(np.sqrt(variance))


def _left_out(given: Blocks) -> Array:
    """Mean over joints of the root mean square, each block left out in turn, shape (blocks,)."""
    sums = given.weight[:, None] * given.power
    rest = np.maximum(sums.sum(axis=0) - sums, 0.0)
    weight = given.weight.sum() - given.weight
    return np.asarray(np.sqrt(rest / weight[:, None]).mean(axis=1))


def _correlation(error: Array, recording: NDArray[np.int64]) -> float:
    """Of neighbours within a recording, freed of the bias of short series; never negative."""
    power = float(error @ error)
    if power == 0:
        return 0.0
    together = recording[1:] == recording[:-1]
    r = float((error[1:] * error[:-1])[together].sum()) / power
    r += (1 + 4 * r) / error.size + _DOUBT / np.sqrt(error.size)
    return float(np.clip(r, 0.0, _MOST_CORRELATED))
