"""Leaving samples out: what the user excludes, and where another stream has no values."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.types import Columns

Array = NDArray[np.float64]


class Selection:
    """Takes out rows of a stream; a new segment starts behind every hole.

    Args:
        exclude: stretches to leave out [s from the start].
    """

    def __init__(self, exclude: Sequence[tuple[float, float]]) -> None:
        self._exclude = exclude
        self.dropped: dict[str, int] = {}
        self.first = 0  # time of the first sample that was kept [ns]
        self._any = False
        self._number = -1
        self._holes = {"excluded": _Holes(), "no-overlap": _Holes()}

    def chosen(self, batch: Columns) -> Columns:
        """The rows that the user does not exclude."""
        if not self._exclude:
            return batch
        seconds = np.asarray(batch["t"], np.int64) / 1e9
        keep = np.ones(seconds.size, np.bool_)
        for start, end in self._exclude:
            keep &= (seconds < start) | (seconds > end)
        return self._without("excluded", batch, keep)

    def joined(self, batch: Columns, others: Mapping[str, Array]) -> Columns:
        """The rows that another stream has values for, with these."""
        both: Columns = {**batch, **others}
        first = next(iter(others.values()))
        outside = np.isnan(first)
        for values in others.values():
            outside &= np.isnan(values)
        return self._without("no-overlap", both, ~outside)

    def _without(self, why: str, batch: Columns, keep: NDArray[np.bool_]) -> Columns:
        hole = self._holes[why]
        if keep.all():
            return {**batch, "segment": hole.numbers(np.asarray(batch["segment"]), keep)}
        self.dropped[why] = self.dropped.get(why, 0) + int((~keep).sum())
        rows = {name: values[keep] for name, values in batch.items()}
        rows["segment"] = hole.numbers(np.asarray(batch["segment"]), keep)
        return rows


class _Holes:
    """Numbers segments anew: each hole ends one."""

    def __init__(self) -> None:
        self._number, self._segment = -1, -1
        self._hole = False

    def numbers(self, segment: NDArray[np.int64], keep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """New numbers of the kept rows."""
        if not segment.size:
            return segment
        new = np.diff(segment, prepend=self._segment) != 0
        # A row starts a segment if one began, or a hole ended, since the last kept row.
        marks = np.cumsum(new | ~np.concatenate([[not self._hole], keep[:-1]]))
        kept = marks[keep]
        self._segment, self._hole = int(segment[-1]), not keep[-1]
        if not kept.size:
            # What was new here is still new for the next kept row.
            self._hole = True
            return kept
        rises = np.diff(kept, prepend=0) != 0
        if self._number < 0:
            rises[0] = True
        numbers = np.cumsum(rises) + self._number
        self._number = int(numbers[-1])
        return numbers.astype(np.int64)
