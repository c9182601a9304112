"""Single samples far from their neighbours on both sides."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.plausibility.blocks import Array, Block

_STEPS = 6.0  # times the mean step of a block: worth a closer look
_SIGMAS = 8.0  # from the median of the neighbours
_NEIGHBOURS = 6  # on each side
_KEPT = 512


class Spike(NamedTuple):
    """When [ns], and how far off."""

    t: int
    size: float


class Spikes:
    """The largest spikes of each column.

    A cheap test finds samples where the column jumps one way and back; these are compared with the
    median and the spread of their neighbours (a Hampel filter).
    """

    def __init__(self, columns: int) -> None:
        self.found: list[list[Spike]] = [[] for _ in range(columns)]
        self._before: tuple[NDArray[np.int64], NDArray[np.int64], Array] | None = None

    def add(self, block: Block) -> None:
        """Go on through a block; samples at its end are looked at with the next one."""
        t, segment, values = block.t, block.segment, block.values
        if self._before is not None:
            old_t, old_segment, old = self._before
            t = np.concatenate([old_t, t])
            segment = np.concatenate([old_segment, segment])
            values = np.concatenate([old, values], 1)
        keep = min(2 * _NEIGHBOURS, len(t))
        self._before = t[-keep:].copy(), segment[-keep:].copy(), values[:, -keep:].copy()
        if len(t) <= 2 * _NEIGHBOURS:
            return
        steps = np.diff(values)
        size = np.abs(steps).mean(1)
        if np.isnan(size).any():
            size = np.nan_to_num(np.abs(steps)).mean(1)
        back = steps[:, :-1] * steps[:, 1:]
        looked = slice(_NEIGHBOURS - 1, back.shape[1] + 1 - _NEIGHBOURS)
        column, at = np.nonzero(back[:, looked] < -np.square(_STEPS * size)[:, None])
        if column.size:
            self._look(column, at + _NEIGHBOURS, t, segment, values)

    def _look(
        self,
        column: NDArray[np.int64],
        row: NDArray[np.int64],
        t: NDArray[np.int64],
        segment: NDArray[np.int64],
        values: Array,
    ) -> None:
        """Compare candidates with their neighbours."""
        around = np.delete(np.arange(-_NEIGHBOURS, _NEIGHBOURS + 1), _NEIGHBOURS)
        near = row[:, None] + around
        others = values[column[:, None], near]
        middle = np.median(others, 1)
        spread = 1.4826 * np.median(np.abs(others - middle[:, None]), 1)
        steps = np.median(np.abs(np.diff(others)), 1)
        off = np.abs(values[column, row] - middle)
        inside = segment[near[:, 0]] == segment[near[:, -1]]
        for index in np.flatnonzero(inside & (off > _SIGMAS * np.maximum(spread, steps))):
            found = self.found[column[index]]
            found.append(Spike(int(t[row[index]]), float(off[index])))
            if len(found) > 2 * _KEPT:
                best = sorted(found, key=lambda spike: (-spike.size, spike.t))[:_KEPT]
                self.found[column[index]] = sorted(best)
