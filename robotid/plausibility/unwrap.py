"""Positions that jump by a full turn, made continuous while they pass by."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.plausibility.blocks import Array
from robotid.types import Columns

_CLOSE = 0.25  # of a period: how far from a full one a jump may be
_SPAN = 1.05  # of a period: more than that a value that wraps never shows


class Unwrapper:
    """Takes jumps of about a full period out of columns.

    A step between consecutive samples of a segment is a jump when it is close to one period. Steps
    between a quarter and three quarters of a period could be fast motion or a jump and are refused.
    Missing values are skipped; segments start anew, as nothing is known of the time between them.
    A column whose first rows already span more than a period does not wrap, and is left as it is.

    Args:
        periods: by column name [rad, or what the column counts in]; for joints that turn.
        file: the log, for errors.
    """

    def __init__(self, periods: Mapping[str, float], file: str | None = None) -> None:
        self._periods = dict(periods)
        self._file = file
        self._last: dict[str, tuple[int, float, float]] = {}  # segment, as read, turns added
        self._looked = False
        self.counts = dict.fromkeys(periods, 0)

    def push(self, columns: Columns) -> Columns:
        """The same rows with the wrapped columns made continuous; rows come in order of time."""
        changed = dict(columns)
        if not self._looked and columns["t"].size:
            self._looked = True
            self._periods = {n: p for n, p in self._periods.items() if _fits(columns[n], p)}
        for name, period in self._periods.items():
            changed[name] = self._unwrapped(name, period, columns)
        return changed

    def _unwrapped(self, name: str, period: float, columns: Columns) -> Array:
        values = np.asarray(columns[name], dtype=np.float64)
        if self._goes_on(name, period, values, columns):
            return values
        values = values.copy()
        rows = np.flatnonzero(np.isfinite(values))
        if rows.size == 0:
            return values
        segment, seen = columns["segment"][rows], values[rows]
        last, before, added = self._last.get(name, (int(segment[0]), float(seen[0]), 0.0))
        steps = np.diff(seen, prepend=before)
        same = np.diff(segment, prepend=last) == 0
        steps[~same] = 0.0
        turns = -np.round(steps / period)
        rest = np.abs(steps + turns * period)
        unclear = same & (np.abs(steps) > _CLOSE * period) & (rest > _CLOSE * period)
        if unclear.any():
            self._refuse(name, period, int(columns["t"][rows[np.argmax(unclear)]]))
        self.counts[name] += int(np.count_nonzero(turns))
        total = np.cumsum(turns)
        starts = np.maximum.accumulate(np.where(same, -1, np.arange(len(rows))))
        carried = np.where(starts < 0, added, 0.0)
        offset = total - np.where(starts < 0, 0.0, total[np.maximum(starts, 0)]) + carried
        values[rows] = seen + offset * period
        self._last[name] = int(segment[-1]), float(seen[-1]), float(offset[-1])
        return values

    def _goes_on(self, name: str, period: float, values: Array, columns: Columns) -> bool:
        """Whether nothing has to be done, which is the usual case and quick to see."""
        segment = columns["segment"]
        last, before, added = self._last.get(name, (int(segment[0]), float(values[0]), 0.0))
        step = np.abs(np.diff(values, prepend=before)).max()
        if added or segment[0] != last or segment[-1] != last or not step < _CLOSE * period:
            return False
        self._last[name] = last, float(values[-1]), 0.0
        return True

    def _refuse(self, name: str, period: float, t: int) -> None:
        raise BadDataError(
            "ambiguous-wrap",
            f"{name} steps by about half its period {period:.4g} between two samples: whether it "
            "turned that fast or jumped back cannot be told",
            file=self._file,
            joint=name.partition(".")[2],
            time=t / 1e9,
            hint="log faster, or map a position that does not wrap; to take positions as they are: "
            "--accept ambiguous-wrap",
        )


def _fits(values: NDArray[Any], period: float) -> bool:
    """Whether values lie within one period."""
    seen = values[np.isfinite(values)]
    return not seen.size or float(seen.max() - seen.min()) <= _SPAN * period
