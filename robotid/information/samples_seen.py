"""What is kept of the samples themselves while a recording is reduced to factors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.factors import MIDDLE, Middle
from robotid.types import Columns

Array = NDArray[np.float64]


class SamplesSeen:
    """Least and greatest values of each block, and some samples in the middle of the recording.

    A fit over hundreds of recordings shows few samples of each: these it finds without opening the
    recording.
    """

    def __init__(
        self,
        columns: Sequence[str],
        joints: Sequence[str],
        names: Sequence[str],
        edges: Sequence[int],
    ) -> None:
        """Get ready for the samples.

        Args:
            columns: the signals, q, qd, qdd and torque of all joints.
            joints: their names.
            names: all columns that the recording has.
            edges: first sample of each block, and the number of samples.
        """
        self.columns = list(columns)
        self.temperatures = [t for joint in joints if (t := f"temperature.{joint}") in names]
        self._joints, self._edges = joints, np.asarray(edges)
        samples = int(edges[-1])
        size = min(MIDDLE, samples)
        self._first = (samples - size) // 2
        blocks = len(edges) - 1
        self._low = np.full((blocks, len(columns)), np.inf)
        self._high = np.full((blocks, len(columns)), -np.inf)
        self._t = np.zeros(size)
        self._signals = np.zeros((len(columns), size))
        rows = len(joints) if self.temperatures else 0
        self._warmth = np.full((rows, size), np.nan)

    def look(self, at: int, seconds: Array, signals: Array, batch: Columns) -> None:
        """Samples from number `at` on: their times, shape (m,), and signals, shape (columns, m)."""
        end = at + seconds.size
        for block in range(
            int(np.searchsorted(self._edges, at, "right")) - 1,
            int(np.searchsorted(self._edges, end, "left")),
        ):
            inside = slice(max(0, self._edges[block] - at), self._edges[block + 1] - at)
            own = signals[:, inside]
            self._low[block] = np.minimum(self._low[block], own.min(axis=1))
            self._high[block] = np.maximum(self._high[block], own.max(axis=1))
        first, last = max(at, self._first), min(end, self._first + self._t.size)
        if first < last:
            here, there = (
                slice(first - at, last - at),
                slice(first - self._first, last - self._first),
            )
            self._t[there] = seconds[here]
            self._signals[:, there] = signals[:, here]
            for row, joint in enumerate(self._joints):
                if f"temperature.{joint}" in self.temperatures:
                    self._warmth[row, there] = batch[f"temperature.{joint}"][here]

    def found(self) -> tuple[Array, Middle]:
        """Extremes of the blocks, shape (blocks, columns, 2), and the samples in the middle."""
        middle = Middle(self._t, self._signals, self._warmth)
        return np.stack([self._low, self._high], axis=-1), middle
