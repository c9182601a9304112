"""What is kept of the samples themselves while a recording is reduced to factors."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.factors import MIDDLE, Middle
from robotid.information.samples import SampleReader
from robotid.types import Columns

Array = NDArray[np.float64]


class SamplesSeen:
    """Least and greatest values of each block, and some samples in the middle of the recording.

    A fit over hundreds of recordings shows few samples of each: these it finds without opening the
    recording.
    """

    def __init__(self, reader: SampleReader, edges: Sequence[int]) -> None:
        """Get ready for the samples.

        Args:
            reader: of the recording.
            edges: first sample of each block, and the number of samples.
        """
        self._reader, self._edges = reader, np.asarray(edges)
        samples, blocks, rows = int(edges[-1]), len(edges) - 1, 4 * reader.robot.nv
        size = min(MIDDLE, samples)
        self._first = (samples - size) // 2
        self._low = np.full((blocks, rows), np.inf)
        self._high = np.full((blocks, rows), -np.inf)
        self._middle = {
            name: np.zeros(size) for name in ("t", *reader.columns, *reader.temperatures)
        }

    def look(self, at: int, batch: Columns, signals: Array) -> None:
        """Samples from number `at` on, as `SampleReader.batches` gives them."""
        extent = self._reader.extent(batch, signals)
        end = at + extent.shape[1]
        for block in range(
            int(np.searchsorted(self._edges, at, "right")) - 1,
            int(np.searchsorted(self._edges, end, "left")),
        ):
            own = extent[:, max(0, self._edges[block] - at) : self._edges[block + 1] - at]
            self._low[block] = np.minimum(self._low[block], own.min(axis=1))
            self._high[block] = np.maximum(self._high[block], own.max(axis=1))
        first, last = max(at, self._first), min(end, self._first + self._middle["t"].size)
        if first < last:
            there = slice(first - self._first, last - self._first)
            for name, kept in self._middle.items():
                here = batch[name][first - at : last - at]
                kept[there] = here / 1e9 if name == "t" else here

    def found(self) -> tuple[Array, Middle]:
        """Extremes of the blocks, shape (blocks, 4 nv, 2), and the samples in the middle."""
        return np.stack([self._low, self._high], axis=-1), self._middle
