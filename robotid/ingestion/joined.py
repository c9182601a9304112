"""Signals of another stream, brought to the times of the first."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from robotid.types import Columns

Array = NDArray[np.float64]


class Follower:
    """Interpolates a stream linearly; NaN where it has a gap or nothing at all.

    Args:
        batches: `t` [ns on the clock of the first stream] and signals, in order.
        signals: their names.
        gap_ns: nothing is interpolated across a longer step.
    """

    def __init__(self, batches: Iterator[Columns], signals: list[str], gap_ns: float) -> None:
        self._batches, self._signals, self._gap = batches, signals, gap_ns
        self._t = np.empty(0, np.int64)
        self._values = np.empty((len(signals), 0))
        self._ended = False

    def at(self, t: NDArray[np.int64]) -> dict[str, Array]:
        """The signals at some times, which must not be before those asked for last."""
        if not t.size:
            return {name: np.empty(0) for name in self._signals}
        self._read_until(int(t[-1]))
        # What lies before is never asked for again.
        first = max(0, int(np.searchsorted(self._t, t[0], side="right")) - 1)
        self._t, self._values = self._t[first:], self._values[:, first:]
        if not self._t.size:
            return {name: np.full(t.size, np.nan) for name in self._signals}
        right = np.clip(np.searchsorted(self._t, t, side="left"), 0, self._t.size - 1)
        left = np.maximum(right - 1, 0)
        exact = self._t[right] == t
        left[exact] = right[exact]
        step = self._t[right] - self._t[left]
        inside = exact | ((self._t[left] <= t) & (t <= self._t[right]) & (step <= self._gap))
        share = np.where(step > 0, (t - self._t[left]) / np.maximum(step, 1), 0.0)
        found: dict[str, Array] = {}
        for name, row in zip(self._signals, self._values, strict=True):
            below = row[left]
            value = below + share * (row[right] - below)
            value[exact] = below[exact]
            value[~inside] = np.nan
            found[name] = value
        return found

    def drain(self) -> None:
        """Read the rest, so that all of it is counted and checked."""
        for _ in self._batches:
            pass
        self._ended = True

    def _read_until(self, time: int) -> None:
        parts, blocks = [self._t], [self._values]
        last = self._t[-1] if self._t.size else None
        while not self._ended and (last is None or last < time):
            batch = next(self._batches, None)
            if batch is None:
                self._ended = True
            elif batch["t"].size:
                parts.append(np.asarray(batch["t"], np.int64))
                blocks.append(np.array([batch[name] for name in self._signals], np.float64))
                last = parts[-1][-1]
        if len(parts) > 1:
            self._t, self._values = np.concatenate(parts), np.concatenate(blocks, axis=1)
