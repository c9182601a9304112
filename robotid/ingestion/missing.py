"""Samples without a value: counted, filled where that is asked for, refused where too many."""

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, Notice
from robotid.logs.findings import Findings
from robotid.types import Columns

_MOST = 0.05  # of the samples of a signal


class Missing:
    """Counts values that are missing; short holes may be filled with a straight line.

    Args:
        signals: names of the columns to look at.
        fill: holes of at most this many samples are filled; 0 fills none.
        file: for messages.
    """

    def __init__(self, signals: list[str], fill: int, file: str) -> None:
        self._signals, self._fill, self._file = signals, fill, file
        self.counts = dict.fromkeys(signals, 0)
        self.filled = 0
        self.samples = 0
        self._first: dict[str, float] = {}
        self._waiting: Columns = {}
        self._given = 0  # rows at the front of those that were given out already
        self.findings = Findings(file)
        self._looked = False
        self.absent: set[str] = set()  # signals that can be done without, and have no values

    def put(self, rows: Columns) -> Columns:
        """The rows that are settled; with `fill` the last ones wait for what follows."""
        if not rows["t"].size:
            return rows
        if not self._looked:
            self._look(rows)
        if self.absent:
            self._refuse_late_values(rows)
            rows = {name: values for name, values in rows.items() if name not in self.absent}
        if not self._fill:
            self._count(rows)
            return rows
        joined = _joined(self._waiting, rows)
        settled = joined["t"].size - self._fill - 1
        if settled <= self._given:
            self._waiting = joined
            return _part(joined, 0, 0)
        filled = self._filled(joined, settled)
        # The last row that is given out stays, to start lines from.
        given, self._given = self._given, 1
        self._waiting = _part(filled, settled - 1, None)
        return self._counted(_part(filled, given, settled))

    def end(self) -> Columns:
        """The rows that waited to the last."""
        rows, self._waiting = self._waiting, {}
        if not rows:
            return {"t": np.empty(0, np.int64)}
        return self._counted(_part(self._filled(rows, rows["t"].size), self._given, None))

    def _look(self, rows: Columns) -> None:
        """Velocities and the like that hold nothing at all are as good as not logged (B72)."""
        self._looked = True
        for name in self._signals:
            if name.split(".")[0] not in ("q", "tau") and np.isnan(rows[name]).all():
                self.absent.add(name)
                said = f"{name} holds no values and is left out"
                self.findings.add("no-values", said, where=name)
        self._signals = [name for name in self._signals if name not in self.absent]
        self.counts = dict.fromkeys(self._signals, 0)

    def _refuse_late_values(self, rows: Columns) -> None:
        """What was left out for having no values at the start must not have any later."""
        for name in self.absent:
            there = np.isfinite(rows[name])
            if there.any():
                at = float(rows["t"][int(np.argmax(there))]) / 1e9
                raise BadDataError(
                    "missing-values",
                    f"{name} has no value before t = {at:.3f} s",
                    file=self._file,
                    time=at,
                    joint=name.partition(".")[2],
                    hint=f"leave the start out: --exclude :{at:.3f}, or the signal, with a map",
                )

    def _counted(self, rows: Columns) -> Columns:
        self._count(rows)
        return rows

    def _count(self, rows: Columns) -> None:
        self.samples += rows["t"].size
        for name in self._signals:
            values = rows[name]
            if np.isfinite(values.sum()):
                continue
            bad = np.isnan(values)
            count = int(bad.sum())
            if count:
                self.counts[name] += count
                at = float(rows["t"][int(np.argmax(bad))]) / 1e9
                self._first.setdefault(name, at)

    def _filled(self, rows: Columns, settled: int) -> Columns:
        """Fill short holes that begin before a row, within segments only.

        A hole is filled only once all of it, and the values around it, are there; so how rows come
        in pieces does not matter.
        """
        t, segment = np.asarray(rows["t"]), np.asarray(rows["segment"])
        out = dict(rows)
        for name in self._signals:
            values = np.asarray(rows[name], np.float64)
            bad = np.isnan(values)
            if not bad[:settled].any():
                continue
            values = values.copy()
            for start, end in _runs(bad):
                whole = 0 < start < settled and end < values.size and end - start <= self._fill
                if whole and segment[start - 1] == segment[end]:
                    share = (t[start:end] - t[start - 1]) / (t[end] - t[start - 1])
                    rise = values[end] - values[start - 1]
                    values[start:end] = values[start - 1] + share * rise
                    self.filled += end - start
            out[name] = values
        return out

    def notices(self) -> list[Notice]:
        """What is missing, by signal."""
        found = self.findings.notices()
        for name, count in self.counts.items():
            if count:
                found.append(
                    Notice(
                        code="missing-values",
                        message=f"{name} has no value in {count} of {self.samples} samples; "
                        "nothing is filtered across them",
                        file=self._file,
                        time=self._first[name],
                        joint=name.partition(".")[2],
                        hint="to interpolate short holes: --fill SAMPLES",
                    )
                )
        if self.filled:
            said = f"{self.filled} missing values were interpolated"
            found.append(Notice(code="filled-values", message=said, file=self._file))
        return found

    def refuse_if_many(self, accept: frozenset[str]) -> None:
        """Refuse a recording in which a signal is missing, or too much of it is (B72, B73)."""
        for name, count in self.counts.items():
            if count == self.samples:
                raise BadDataError(
                    "no-values",
                    f"{name} has no finite value at all",
                    file=self._file,
                    joint=name.partition(".")[2],
                    hint="name another column in the map, or leave the signal out",
                )
            if count > _MOST * self.samples and "missing-values" not in accept:
                raise BadDataError(
                    "missing-values",
                    f"{name} has no value in {count / self.samples:.0%} of the samples",
                    file=self._file,
                    time=self._first[name],
                    joint=name.partition(".")[2],
                    hint="to go on with what is there: --accept missing-values",
                )


def _joined(left: Columns, right: Columns) -> Columns:
    if not left:
        return right
    return {name: np.concatenate([left[name], right[name]]) for name in right}


def _part(rows: Columns, start: int, end: int | None) -> Columns:
    return {name: values[start:end] for name, values in rows.items()}


def _runs(bad: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and one past the last of each run of True."""
    edges = np.flatnonzero(np.diff(bad, prepend=False, append=False))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
