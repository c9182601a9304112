"""Raw times into ns from the start, strictly increasing, cut into segments.

What can be put right without a guess is, and is counted; what could mean two things is refused
until the user says which.
"""

from collections.abc import Callable
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, Effect
from robotid.ingestion.raw_times import (
    DAY,
    Raw,
    Where,
    before_clock,
    check_rate,
    check_resolution,
    line_of,
    must_be_finite,
    must_be_near,
)
from robotid.logs.findings import Findings

Times = NDArray[np.int64]
Same = Callable[[Times, Times], NDArray[np.bool_]]

FIRST = 4096  # samples that show the usual step
AHEAD = 32  # samples that may be out of order, and so are kept back
_PAUSE = 10  # steps between segments whose clock was set
_MOST_SEGMENTS = 10_000
_MOST_DISORDER = 100_000  # rows that wait


class Window(NamedTuple):
    """Rows that wait for their time.

    Args:
        raw: times as they are in the file.
        part: rises where the file itself starts anew.
        same: whether pairs of rows hold the same values.
        where: the place of a row in the file, in words.
        final: no more rows come after these.
    """

    raw: Raw
    part: Times
    same: Same
    where: Where
    final: bool


class Timed(NamedTuple):
    """Samples in order: which rows of the window, times [ns from the start], segments.

    `kept` are the rows that have to come again with the next window.
    """

    rows: Times
    t: Times
    segment: Times
    kept: Times


class TimeLine:
    """Puts the times of one stream in order, a window of rows at a time.

    Args:
        file: for messages.
        findings: takes what was found.
        unit_ns: nanoseconds in one unit of the raw times.
        gap_steps: a step longer than this many usual ones is a gap.
        accept: codes of findings that the user accepts.
        lag_s: how much later samples were stamped than measured.
        zero: the raw time that is the start; by default that of the first sample.
    """

    def __init__(
        self,
        file: str,
        findings: Findings,
        unit_ns: float,
        gap_steps: float,
        accept: frozenset[str],
        lag_s: float = 0.0,
        zero: float | None = None,
    ) -> None:
        self._file, self.findings, self._unit = file, findings, unit_ns
        self._gap_steps, self._accept = gap_steps, accept
        self.step = 0  # the usual one [ns]
        self.lost = self.repeated = 0
        self.gaps = self.missing = 0
        self.longest_gap_s = 0.0
        self.segments = 0
        self.zero = zero
        self._lag = round(lag_s * 1e9)
        self._shift = 0  # added to the clock of the file
        self._last: int | None = None  # the last time given out
        self._part = 0
        self._steps, self._sum, self._squares = 0, 0.0, 0.0

    @property
    def clock_was_set(self) -> bool:
        """Whether times were moved."""
        return self._shift != 0

    @property
    def mean_step_s(self) -> float:
        """The mean step between gaps."""
        return (self.step + self._sum / max(1, self._steps)) / 1e9

    @property
    def jitter(self) -> float:
        """The standard deviation of steps between gaps, as a share of the mean."""
        if not self._steps:
            return 0.0
        variance = self._squares / self._steps - (self._sum / self._steps) ** 2
        return float(np.sqrt(max(0.0, variance))) / (self.mean_step_s * 1e9)

    def start(self, raw: Raw, where: Where) -> int:
        """Look at the first rows: the usual step, and how many to leave out at the front."""
        must_be_finite(raw, where, self._file)
        skipped = before_clock(raw, self._unit)
        if skipped:
            self.lost += skipped
            self.findings.add(
                "before-clock-set",
                f"samples before the clock was set (time {raw[0]:g}) were left out",
                count=skipped,
                where=where(0),
                effect=Effect.DATA_LOST,
            )
        rest = raw[skipped:]
        if self.zero is None:
            self.zero = rest[0].item()
        steps = np.diff(self._nanoseconds(rest))
        if rest.size > 1 and not steps.any():
            said = f"all times are {rest[0]:g}"
            hint = "name another column: --time-column, for a bag log_time"
            raise BadDataError("constant-time", said, file=self._file, hint=hint)
        forward = steps[steps > 0]
        if not forward.size:
            said = "fewer than two samples with increasing times"
            raise BadDataError("no-samples", said, file=self._file)
        self.step = max(1, int(np.median(forward)))
        if "odd-rate" not in self._accept:
            check_rate(self.step, self._unit, self._file)
        must_be_near(rest, self.zero, self._unit, lambda row: where(skipped + row), self._file)
        check_resolution(rest, self.step, self._unit, self._file, self.findings)
        return skipped

    def put(self, window: Window) -> Timed:
        """The next samples in order."""
        must_be_finite(window.raw, window.where, self._file)
        must_be_near(window.raw, self.zero or 0, self._unit, window.where, self._file)
        source = self._nanoseconds(window.raw)
        pieces, end = self._pieces(source, window)
        given: list[tuple[Times, Times, Times]] = []
        kept = np.arange(end, source.size)
        for number, (found, starts) in enumerate(pieces):
            piece = self._in_turn(found, source, window)
            last = number == len(pieces) - 1
            taken = piece.size if window.final or not last else max(0, piece.size - AHEAD)
            if last:
                kept = np.concatenate([piece[taken:], kept])
            if taken:
                given.append(self._given_out(piece[:taken], source, window, starts=starts))
                self._part = int(window.part[piece[taken - 1]])
        if not given:
            none = np.empty(0, np.int64)
            return Timed(none, none, none, kept)
        rows, t, segment = (np.concatenate(parts) for parts in zip(*given, strict=True))
        return Timed(rows, t, segment, kept)

    def _nanoseconds(self, raw: Raw) -> Times:
        """Times since the first sample; whole numbers stay exact."""
        zero = self.zero or 0
        if raw.dtype.kind == "i" and isinstance(self._unit, int):
            return (raw.astype(np.int64) - int(zero)) * self._unit - self._lag
        with np.errstate(over="ignore", invalid="ignore"):  # such times are refused by name
            return np.rint((raw - float(zero)) * self._unit).astype(np.int64) - self._lag

    def _pieces(self, source: Times, window: Window) -> tuple[list[tuple[Times, bool]], int]:
        """Rows between jumps of the clock, whether each piece starts a segment, and their end.

        Rows behind the end have to wait: what they mean depends on rows that are not there yet.
        """
        before = source[:1] - 1 if self._last is None else [self._last - self._shift]
        steps = np.diff(source, prepend=before)
        new_part = np.diff(window.part, prepend=self._part) != 0
        events = np.flatnonzero((steps < 0) | (steps > DAY) | new_part)
        end = source.size if window.final else max(0, source.size - AHEAD)
        # No event so close to the end that rows from before it would have to be kept back.
        while not window.final and (near := events[(events >= end - AHEAD) & (events < end)]).size:
            end = int(near[0])
        if source.size - end > _MOST_DISORDER:
            said = f"{window.where(end)}: from here on times go back and forth"
            raise BadDataError("out-of-order", said, file=self._file, time=source[end] / 1e9)
        pieces, begin, starts = [], 0, False
        for i in events[events < end].tolist():
            previous = int(source[i] - steps[i])
            late = steps[i] < 0 and bool((source[i : i + AHEAD] > previous).any())
            if late and not new_part[i]:
                self._late(i, -int(steps[i]), source, window)
                if source[i] < source[max(begin, i - AHEAD)]:
                    self._refuse_late(i, source, window)
                continue
            if not new_part[i]:
                self._clock_set(i, int(steps[i]), source, window)
            if i > begin:
                pieces.append((np.arange(begin, i), starts))
            begin, starts = i, True
        if end > begin:
            pieces.append((np.arange(begin, end), starts))
        return pieces, end

    def _late(self, i: int, back: int, source: Times, window: Window) -> None:
        """A few samples come late (B56): sorted where the user says so."""
        time = float(source[i]) / 1e9
        if "out-of-order" not in self._accept:
            raise BadDataError(
                "out-of-order",
                line=line_of(window.where(i)),
                message=f"{window.where(i)}: time goes back by {back / 1e9:.6g} s, and forth again",
                file=self._file,
                time=time,
                hint="if samples may be sorted by time: --accept out-of-order",
            )
        self.findings.add(
            "out-of-order", "samples that came late were sorted by time", where=window.where(i)
        )

    def _refuse_late(self, i: int, source: Times, window: Window) -> NoReturn:
        place = window.where(i)
        raise BadDataError(
            "out-of-order",
            f"{place}: a sample comes more than {AHEAD} samples late",
            file=self._file,
            line=line_of(place),
            time=float(source[i]) / 1e9,
            hint="sort the log by time",
        )

    def _clock_set(self, i: int, jump: int, source: Times, window: Window) -> None:
        """The clock was set back (B57) or far forward (B69): a new segment starts."""
        way = "back" if jump < 0 else "forward"
        self.findings.add(
            "clock-set",
            f"the clock was set {way} by {abs(jump) / 1e9:.6g} s: a new segment starts there, "
            "its times go on after a pause",
            where=f"{window.where(i)} (t = {source[i] / 1e9:.3f} s)",
        )

    def _in_turn(self, piece: Times, source: Times, window: Window) -> Times:
        """The rows of a piece in the order of time, each time once."""
        t = source[piece]
        if (t[1:] < t[:-1]).any():
            piece = piece[np.argsort(t, kind="stable")]
            t = source[piece]
        twice = np.flatnonzero(t[1:] == t[:-1]) + 1
        if not twice.size:
            return piece
        same = window.same(piece[twice], piece[twice - 1])
        if not same.all() and "duplicate-times" not in self._accept:
            row = int(piece[twice[~same][0]])
            raise BadDataError(
                "duplicate-times",
                line=line_of(window.where(row)),
                message=f"{window.where(row)}: the same time as the sample before, with other "
                f"values ({int((~same).sum())} times hereabouts)",
                file=self._file,
                time=float(source[row]) / 1e9,
                hint="if the first of them is to be kept: --accept duplicate-times",
            )
        for code, chosen in (("repeated-sample", same), ("duplicate-times", ~same)):
            if chosen.any():
                lossy = code == "duplicate-times"
                count = int(chosen.sum())
                self.lost += count if lossy else 0
                self.repeated += 0 if lossy else count
                self.findings.add(
                    code,
                    "samples with the time of the one before and other values were left out"
                    if lossy
                    else "samples that repeat time and values of the one before were left out",
                    count=count,
                    where=window.where(int(piece[twice[chosen][0]])),
                    effect=Effect.DATA_LOST if lossy else Effect.NONE,
                )
        return np.delete(piece, twice)

    def _given_out(
        self, rows: Times, source: Times, window: Window, *, starts: bool
    ) -> tuple[Times, Times, Times]:
        t = source[rows]
        if starts and self._last is not None:
            ahead = int(t[0]) + self._shift - self._last
            if not 0 < ahead <= DAY:
                self._shift += _PAUSE * self.step - ahead
        t = t + self._shift
        if self._last is not None and t[0] <= self._last:
            self._refuse_late(int(rows[0]), source, window)
        before = t[0] if self._last is None else self._last
        steps = np.diff(t, prepend=before)
        gap = steps > self._gap_steps * self.step
        new = gap.copy()
        new[0] |= starts or self._last is None
        self._count(steps[1:] if self._last is None or starts else steps, t)
        segment = np.cumsum(new) + (self.segments - 1)
        self.segments = int(segment[-1]) + 1
        if self.segments > _MOST_SEGMENTS:
            raise BadDataError(
                "too-many-segments",
                f"times make more than {_MOST_SEGMENTS} segments",
                file=self._file,
                hint="is it the right column of times?",
            )
        self._last = int(t[-1])
        return rows, t, segment

    def _count(self, steps: Times, t: Times) -> None:
        """Statistics of steps: gaps, samples missing, jitter."""
        gap = steps > self._gap_steps * self.step
        self.gaps += int(gap.sum())
        late = steps > 1.5 * self.step
        if late.any():
            missing = np.rint(steps[late] / self.step).astype(np.int64) - 1
            self.missing += int(missing.sum())
            self.longest_gap_s = max(self.longest_gap_s, float(steps.max()) / 1e9)
            first = int(np.flatnonzero(late)[0])
            place = f"t = {t[t.size - steps.size + first] / 1e9:.3f} s"
            code, said = "missing-samples", "samples are missing (steps of several usual ones)"
            self.findings.add(code, said, count=int(missing.sum()), where=place)
            if gap.any():
                said = f"gaps of more than {self._gap_steps:g} steps: a new segment starts there"
                first = int(np.flatnonzero(gap)[0])
                place = f"t = {t[t.size - steps.size + first] / 1e9:.3f} s"
                self.findings.add("gap", said, count=int(gap.sum()), where=place)
        usual = (steps[~gap] - self.step).astype(np.float64)  # small numbers, so that digits last
        self._steps += usual.size
        self._sum += float(usual.sum())
        self._squares += float((usual**2).sum())
