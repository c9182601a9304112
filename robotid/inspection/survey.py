"""What is in a stream: ranges, repeats, a track for a sparkline, and what could be its times.

One pass, some rows at a time; a very long log is looked at up to a number of rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.ingestion.sources import Place
from robotid.inspection.step_survey import StepSurvey, TimeFacts
from robotid.logs.log import Batch, Kind, Numbers

ROWS = 2_000_000  # of a stream that are looked at
BINS = 40  # of a track
_STORED = 8 * BINS  # so that stretches of the track are nearly equal
_SIGN_BITS = (8, 16, 32)

Array = NDArray[np.float64]


class Track(NamedTuple):
    """Lowest, mean and highest value in each of up to 40 stretches of equal length."""

    low: tuple[float | None, ...]
    mean: tuple[float | None, ...]
    high: tuple[float | None, ...]


class ColumnFacts(NamedTuple):
    """What was seen of a column; None where there was no finite value.

    Args:
        name, kind, unit: as the file states them.
        values: how many finite ones there are.
        not_finite: how many are not.
        low, high, mean, std: of finite values.
        first, last: the first and last finite value.
        repeats: the share of values equal to the one before.
        roughness: std of second differences over std of values; white noise has 2.4.
        lost_sign_bits: the width of numbers with a sign that look logged without it.
        track: for a sparkline.
        time: steps between values, where it could be a column of times.
    """

    name: str
    kind: Kind
    unit: str | None
    values: int = 0
    not_finite: int = 0
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    std: float | None = None
    first: float | None = None
    last: float | None = None
    repeats: float = 0.0
    roughness: float | None = None
    lost_sign_bits: int | None = None
    track: Track = Track((), (), ())
    time: TimeFacts | None = None

    @property
    def constant(self) -> bool:
        """Whether it never changes."""
        return self.values > 0 and self.low == self.high


class StreamFacts(NamedTuple):
    """What was seen of a stream; `complete` if that is all of it."""

    place: Place
    rows: int
    complete: bool
    columns: tuple[ColumnFacts, ...]

    def column(self, name: str) -> ColumnFacts:
        """The facts of a column."""
        return next(column for column in self.columns if column.name == name)


def survey(place: Place, limit: int = ROWS) -> StreamFacts:
    """Look at the numbers of a stream, at most at `limit` rows of it."""
    numeric = [column for column in place.stream.columns if column.kind is not Kind.TEXT]
    seen = {column.name: _Seen(column.name) for column in numeric}
    rows, complete = 0, True
    with np.errstate(all="ignore"):  # what overflows shows up as not finite
        for batch in place.log.batches(place.stream.name, list(seen)) if seen else ():
            if rows >= limit:
                complete = False
                break
            taken = min(batch.rows, limit - rows)
            complete = taken == batch.rows
            for name, column in seen.items():
                column.put(batch.columns[name][:taken], rows)
            rows += taken
        facts = [
            seen[c.name].facts(c.kind, c.unit) if c.name in seen else ColumnFacts(*c)
            for c in place.stream.columns
        ]
    return StreamFacts(place, rows, complete, tuple(facts))


def limited(batches: Iterator[Batch], limit: int) -> Iterator[Batch]:
    """The batches up to a number of rows, the last one whole."""
    rows = 0
    for batch in batches:
        yield batch
        rows += batch.rows
        if rows >= limit:
            return


class _Seen:
    """What was seen of one column so far."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._values = self._bad = self._equal = 0
        self._low, self._high = np.inf, -np.inf
        self._mean = self._squares = 0.0
        self._first: float | None = None
        self._last: float | None = None
        self._tail: Array = np.empty(0)  # the last two values, for second differences
        self._rough, self._rough_count = 0.0, 0
        self._halves = dict.fromkeys(_SIGN_BITS, (-1.0, np.inf))
        self._bins = _Bins()
        self._steps = StepSurvey(name)

    def put(self, raw: Numbers, start: int) -> None:
        """Look at the next rows; `start` were seen before."""
        self._steps.put(raw)
        values = raw.astype(np.float64)
        self._bins.put(values, start)
        finite = np.isfinite(values)
        if not finite.all():
            self._bad += int((~finite).sum())
            values = values[finite]
        if not values.size:
            return
        self._low = min(self._low, float(values.min()))
        self._high = max(self._high, float(values.max()))
        self._add_moments(values)
        joined = np.concatenate([self._tail, values])
        steps = np.diff(joined[max(0, self._tail.size - 1) :])
        bends = np.diff(joined, 2)
        self._rough += float(bends @ bends)
        self._equal += int((steps == 0).sum())
        self._rough_count += bends.size
        self._tail = joined[-2:]
        if self._low >= 0:
            self._look_at_sign(values)
        self._first = float(values[0]) if self._first is None else self._first
        self._last = float(values[-1])

    def _add_moments(self, values: Array) -> None:
        """Mean and squares of what came before and these values together."""
        mean = float(values.mean())
        squares = float(((values - mean) ** 2).sum())
        count = self._values + values.size
        delta = mean - self._mean
        self._squares += squares + delta * delta * (self._values * values.size / count)
        self._mean += delta * values.size / count
        self._values = count

    def _look_at_sign(self, values: Array) -> None:
        """The highest value of the lower half of a range of bits, the lowest of the upper half."""
        for bits, (below, above) in self._halves.items():
            upper = values >= 2.0 ** (bits - 1)
            self._halves[bits] = (
                float(np.max(values, initial=below, where=~upper)),
                float(np.min(values, initial=above, where=upper)),
            )

    def facts(self, kind: Kind, unit: str | None) -> ColumnFacts:
        """All that was seen."""
        if not self._values:
            return ColumnFacts(self._name, kind, unit, not_finite=self._bad)
        std = float(np.sqrt(self._squares / self._values))
        rough = float(np.sqrt(self._rough / max(1, self._rough_count)))
        return ColumnFacts(
            name=self._name,
            kind=kind,
            unit=unit,
            values=self._values,
            not_finite=self._bad,
            low=self._low,
            high=self._high,
            mean=_finite(self._mean),
            std=_finite(std),
            first=self._first,
            last=self._last,
            repeats=self._equal / max(1, self._values - 1),
            roughness=_finite(rough / std) if std > 0 else None,
            lost_sign_bits=self._lost_sign() if kind is Kind.INT else None,
            track=self._bins.track(),
            time=self._steps.facts(),
        )

    def _lost_sign(self) -> int | None:
        """Numbers near zero on both sides, of which the negative ones appear at the top."""
        if self._low < 0:
            return None
        for bits, (below, above) in self._halves.items():
            if below >= 0 and 2.0 ** (bits - 1) <= self._high < 2.0**bits:
                return bits if above - below > 2.0 ** (bits - 1) else None
        return None


class _Bins:
    """Lowest, mean and highest values of equal stretches; pairs are joined when they are many."""

    def __init__(self) -> None:
        self._rows = 1  # in a bin
        self._count = np.zeros(_STORED)
        self._sum = np.zeros(_STORED)
        self._low = np.full(_STORED, np.inf)
        self._high = np.full(_STORED, -np.inf)

    def put(self, values: Array, start: int) -> None:
        if not values.size:
            return
        while (start + values.size - 1) // self._rows >= _STORED:
            self._halve()
        bins = np.arange(start, start + values.size) // self._rows
        edges = np.flatnonzero(np.diff(bins, prepend=-1))
        chosen = bins[edges]
        finite = np.isfinite(values)
        clean = np.where(finite, values, 0.0)
        self._sum[chosen] += np.add.reduceat(clean, edges)
        self._count[chosen] += np.add.reduceat(finite.astype(np.float64), edges)
        low = np.minimum.reduceat(np.where(finite, values, np.inf), edges)
        high = np.maximum.reduceat(np.where(finite, values, -np.inf), edges)
        self._low[chosen] = np.minimum(self._low[chosen], low)
        self._high[chosen] = np.maximum(self._high[chosen], high)

    def _halve(self) -> None:
        self._rows *= 2
        for name, join, empty in (
            ("_count", np.add, 0.0),
            ("_sum", np.add, 0.0),
            ("_low", np.minimum, np.inf),
            ("_high", np.maximum, -np.inf),
        ):
            old: Array = getattr(self, name)
            joined = np.full(_STORED, empty)
            joined[: _STORED // 2] = join(old[0::2], old[1::2])
            setattr(self, name, joined)

    def track(self) -> Track:
        """At most 40 stretches."""
        used = int(np.flatnonzero(self._low <= self._high)[-1]) + 1
        starts = np.unique(np.arange(BINS) * used // BINS)
        low = np.minimum.reduceat(self._low[:used], starts)
        high = np.maximum.reduceat(self._high[:used], starts)
        count, total = (np.add.reduceat(v[:used], starts) for v in (self._count, self._sum))
        mean = total / count
        return Track(*(tuple(map(_finite, values)) for values in (low, mean, high)))


def _finite(value: float) -> float | None:
    """A plain number, or None if it is not finite."""
    return float(value) if np.isfinite(value) else None
