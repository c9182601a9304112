"""Proof that distances stay positive between samples, by a Lipschitz bound.

With L = sum over joints of reach_j max|qd_j| on [a, b], a distance v obeys there

    v(t) >= (v(a) + v(b) - L (b - a)) / 2

as it falls from both ends no faster than L. Intervals where that is not enough are halved.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.excitation.clearance import Clearances

Array = NDArray[np.float64]
Speeds = Callable[[Array, Array], Array]
"""Bounds of |qd| on intervals from starts to ends, shape (intervals,), as (intervals, n)."""

# What rounding may add to a computed distance [m]; it is taken off all that is proven.
_ROUNDING = 1e-8
_FIRST = 200  # intervals to begin with
_TIGHT = 0.05  # a bound may lie below the least value seen by this share of that, …
_TIGHT_BROKEN = 1e-3  # … and by at least this [m] where it is not above the margin anyway


class Proven(NamedTuple):
    """What holds at all times from the first to the last, for each of P distances.

    Args:
        bound: no value is below [m], shape (P,).
        nearest: least value that was seen [m].
        time: when [s].
        apart: whether the bound is above the margin.
        evaluations: configurations that were looked at.
    """

    bound: Array
    nearest: Array
    time: Array
    apart: NDArray[np.bool_]
    evaluations: int


def speeds_near(qd: Callable[[Array], Array], acceleration: Array) -> Speeds:
    """Bounds of speed from the speed in the middle and the largest acceleration of each joint.

    Args:
        qd: speeds at times, shape (times, n).
        acceleration: bound of |qdd| at all times, shape (n,).
    """

    def bounds(start: Array, end: Array) -> Array:
        result: Array = np.abs(qd((start + end) / 2)) + np.outer((end - start) / 2, acceleration)
        return result

    return bounds


def prove(
    clearances: Clearances,
    q: Callable[[Array], Array],
    speeds: Speeds | Array,
    first: float,
    last: float,
    *,
    margin: float = 0.0,
    evaluations: int = 100_000,
) -> Proven:
    """Bound all distances of a motion from below, for all times.

    Halving stops where the bound is near the least value seen, and when the evaluations are used
    up. Intervals come first that stand between a distance and its proof.

    Args:
        clearances: P distances.
        q: the motion: configurations at times, shape (times, n), within the joints' ranges.
        speeds: bounds of |qd| on intervals, or for all times, shape (n,).
        first: time it begins [s].
        last: time it ends [s].
        margin: what values should stay above [m].
        evaluations: how many configurations may be looked at.
    """
    if not last > first:
        raise ValueError(f"a motion from {first} to {last} s takes no time")
    times = np.linspace(first, last, max(2, min(_FIRST, evaluations)))
    values = clearances.at(q(times))
    count = len(times)
    least, at = values.min(0), times[values.argmin(0)]
    open_ = _Intervals(times[:-1], times[1:], values[:-1], values[1:])
    bound = np.full(len(clearances.names), np.inf)
    while True:
        lower = open_.lower(clearances.reach(), speeds)
        refused = ~(least > margin)
        slack = _TIGHT * np.abs(least - margin)
        enough = least - np.where(refused, np.maximum(slack, _TIGHT_BROKEN), slack)
        middle = (open_.start + open_.end) / 2
        wide = (open_.start < middle) & (middle < open_.end)
        loose = (lower < enough).any(1) & wide
        urgent = ((lower <= margin + 2 * _ROUNDING) & ~refused).any(1) & wide
        split = urgent if urgent.any() else loose  # a proof comes before a tight bound
        if not split.any() or count + split.sum() > evaluations:
            bound = np.minimum(bound, lower.min(0, initial=np.inf))
            break
        bound = np.minimum(bound, lower[~loose].min(0, initial=np.inf))
        between = clearances.at(q(middle[split]))
        count += len(between)
        lowest = between.min(0)
        at = np.where(lowest < least, middle[split][between.argmin(0)], at)
        least = np.minimum(least, lowest)
        open_ = open_.halved(split, loose & ~split, middle[split], between)
    bound = np.minimum(bound, least) - _ROUNDING
    return Proven(bound, least, at, bound > margin, count)


class _Intervals(NamedTuple):
    """Intervals of time and the values at their ends, shape (intervals, P)."""

    start: Array
    end: Array
    left: Array
    right: Array

    def lower(self, reach: Array, speeds: Speeds | Array) -> Array:
        """What no value within is below, shape (intervals, P)."""
        length = self.end - self.start
        fastest = speeds(self.start, self.end) if callable(speeds) else speeds[None]
        with np.errstate(invalid="ignore"):  # infinite speed times no reach proves nothing: NaN
            falls = (fastest @ reach.T) * length[:, None]
        result: Array = (self.left + self.right - falls) / 2
        return result

    def halved(
        self, which: NDArray[np.bool_], kept: NDArray[np.bool_], middle: Array, values: Array
    ) -> "_Intervals":
        """Halves of some intervals, and others as they are."""
        start, end, left, right = (part[which] for part in self)
        parts = ((start, middle), (middle, end), (left, values), (values, right))
        return _Intervals(
            *(np.concatenate([*two, old[kept]]) for two, old in zip(parts, self, strict=True))
        )
