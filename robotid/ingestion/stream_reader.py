"""One stream of a log as signals in SI units, with times that only increase."""

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.ingestion.convert import convert
from robotid.ingestion.raw_times import Raw
from robotid.ingestion.resolve import StreamPlan
from robotid.ingestion.timeline import FIRST, TimeLine, Times, Window
from robotid.logs.bag import LOG_TIME
from robotid.logs.joint_state import STAMP
from robotid.logs.log import Batch
from robotid.types import Columns


class _Pending:
    """Rows that were read and not given out: raw times, parts of the file, places, signals."""

    def __init__(self) -> None:
        self.columns: Columns = {}
        self.counted = "row"
        self.rows = 0

    def add(self, columns: Columns, counted: str) -> None:
        self.counted = counted
        if self.rows:
            columns = {
                name: np.concatenate([self.columns[name], values])
                for name, values in columns.items()
            }
        self.columns = columns
        self.rows = len(columns["raw"])

    def keep(self, rows: Times) -> None:
        """Only these rows go on waiting."""
        self.columns = {name: values[rows] for name, values in self.columns.items()}
        self.rows = rows.size

    @property
    def raw(self) -> Raw:
        """Times as they are in the file."""
        return cast("Raw", self.columns["raw"])

    def where(self, row: int) -> str:
        return f"{self.counted} {int(self.columns['position'][row])}"

    def same(self, left: Times, right: Times) -> NDArray[np.bool_]:
        """Whether pairs of rows hold the same values; missing ones are alike."""
        alike = np.ones(left.size, np.bool_)
        for name, values in self.columns.items():
            if name not in ("raw", "part", "position"):
                a, b = values[left], values[right]
                alike &= (a == b) | (np.isnan(a) & np.isnan(b))
        return alike


class StreamReader:
    """Reads a stream as batches of `t` [ns], `segment` and signals."""

    def __init__(self, plan: StreamPlan, line: TimeLine) -> None:
        self._plan, self.line = plan, line
        self.read = 0
        self.clocks_s = 0.0  # how far the two clocks of a message move against each other

    def batches(self) -> Iterator[Columns]:
        """All samples in order."""
        plan, waiting, started = self._plan, _Pending(), False
        wanted = plan.columns
        both = plan.time == STAMP and plan.place.stream.column(LOG_TIME) is not None
        if both:
            wanted = list(dict.fromkeys([*wanted, LOG_TIME]))
        offsets: list[float] = []
        for batch in plan.place.log.batches(plan.place.stream.name, wanted):
            if both and batch.rows:
                offset = batch.columns[LOG_TIME] - batch.columns[STAMP]
                offsets += [float(offset.min()), float(offset.max())]
                offsets = [min(offsets), max(offsets)]
                self.clocks_s = (offsets[1] - offsets[0]) / 1e9
            waiting.add(self._columns(batch), batch.counted)
            self.read += batch.rows
            if not started and waiting.rows < FIRST:
                continue
            started = self._start(waiting, started)
            yield from self._put(waiting, final=False)
        if self.read < 2:
            said = f"{self.read} samples: at least two are needed"
            raise BadDataError("no-samples", said, file=str(plan.place.log.path))
        self._start(waiting, started)
        yield from self._put(waiting, final=True)

    def _columns(self, batch: Batch) -> Columns:
        rows = batch.rows
        found: Columns = {}
        if self._plan.time is None:
            found["raw"] = np.arange(self.read, self.read + rows, dtype=np.float64)
        else:
            found["raw"] = batch.columns[self._plan.time]
        found["part"] = np.full(rows, batch.segment, np.int64)
        positions = batch.positions
        if isinstance(positions, range):
            found["position"] = np.arange(positions.start, positions.stop, positions.step)
        else:
            found["position"] = np.asarray(positions, np.int64)
        for block in self._plan.blocks:
            found |= convert(batch, block)
        return found

    def _start(self, waiting: _Pending, started: bool) -> bool:
        if not started:
            skipped = self.line.start(waiting.raw[:FIRST], waiting.where)
            if skipped:
                waiting.keep(np.arange(skipped, waiting.rows))
        return True

    def _put(self, waiting: _Pending, *, final: bool) -> Iterator[Columns]:
        columns = waiting.columns
        part = np.asarray(columns["part"], np.int64)
        window = Window(waiting.raw, part, waiting.same, waiting.where, final)
        timed = self.line.put(window)
        if timed.rows.size:
            first, last = int(timed.rows[0]), int(timed.rows[-1])
            plain = last - first + 1 == timed.rows.size and bool((np.diff(timed.rows) == 1).all())
            chosen: slice | Times = slice(first, last + 1) if plain else timed.rows
            signals = {name: columns[name][chosen] for name in self._plan.signals}
            yield {"t": timed.t, "segment": timed.segment, **signals}
        waiting.keep(timed.kept)
