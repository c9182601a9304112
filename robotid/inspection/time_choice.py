"""Which column holds the times, and in which unit."""

from collections.abc import Sequence

from robotid.ingestion.column_map import TimeMap
from robotid.ingestion.units import TIME_UNITS, spelled
from robotid.inspection.column_words import read_name, time_unit_of
from robotid.inspection.derivative_check import Clock
from robotid.inspection.remarks import Passed, Remark
from robotid.inspection.survey import ColumnFacts, StreamFacts
from robotid.logs.bag import LOG_TIME
from robotid.logs.joint_state import STAMP

_MOST_JITTER = 0.5


class TimeChoice:
    """The times of the streams that a map uses."""

    def __init__(
        self, streams: Sequence[StreamFacts], near: str, stated: TimeMap | None = None
    ) -> None:
        """Choose.

        Args:
            streams: what the map uses; one column has to serve all of them.
            near: the name of a column of positions; times in the same structure come first.
            stated: where a known layout has its times; used if there are times in it.
        """
        self.remarks: list[Remark] = []
        self.passed: list[Passed] = []
        first = streams[0]
        shared = [
            column
            for column in first.columns
            if _could_be(column) and all(_has(stream, column.name) for stream in streams)
        ]
        self._stated = stated if stated and any(c.name == stated.column for c in shared) else None
        shared.sort(key=lambda column: _rank(column, near))
        if self._stated:
            wanted = self._stated.column
            shared.sort(key=lambda column: column.name != wanted)
        self._column = shared[0] if shared else None
        self.map = self._map(first)
        for other in shared[1:]:
            if read_name(other.name).signal == "time" or other.name in (STAMP, LOG_TIME):
                self.passed.append(Passed("time", other.name, _reason(other)))

    @property
    def clock(self) -> Clock | None:
        """How to read it; None while that is not known."""
        if self.map.column is None or self.map.unit is None:
            return None
        return Clock(self.map.column, TIME_UNITS[self.map.unit] / 1e9)

    def _map(self, stream: StreamFacts) -> TimeMap:
        column = self._column
        if column is None or column.time is None:
            said = "no column of times: how many samples per second?"
            self.remarks.append(Remark("time", said, True, f"rate_hz = {_rate_hint(stream)}"))
            return TimeMap()
        text = column.unit or (self._stated.unit if self._stated else None)
        stated = spelled(text) if text else None
        unit = stated if stated in TIME_UNITS else time_unit_of(column.name)
        fits = column.time.plausible_units()
        if unit is not None:
            rate = column.time.rate_hz(unit)
            self._say(f"{rate:.6g} Hz; the unit is stated")
            if unit not in fits:
                self._say(f"{rate:.3g} Hz is an odd rate: is the unit right?", check=True)
        elif fits:
            unit = fits[0]
            rate = column.time.rate_hz(unit)
            self._say(f"steps of {column.time.step:.6g}: {rate:.6g} Hz in {unit}")
            if len(fits) > 1:
                rates = ", ".join(f"{column.time.rate_hz(u):.4g} Hz in {u}" for u in fits)
                self._say(f"the unit is not certain: {rates}", check=True)
        else:
            said = f"steps of {column.time.step:.6g} give no usual rate: s, ms, us or ns?"
            self.remarks.append(Remark("time", said, True, 'unit = "…"'))
        return TimeMap(column=column.name, unit=unit)

    def _say(self, text: str, *, check: bool = False) -> None:
        self.remarks.append(Remark("time", text, check))


def _could_be(column: ColumnFacts) -> bool:
    facts = column.time
    if facts is None or column.not_finite:
        return False
    if column.name in (STAMP, LOG_TIME) or read_name(column.name).signal == "time":
        return True
    if read_name(column.name).signal is not None:
        return False
    regular = facts.jitter < _MOST_JITTER and not facts.back and not facts.same
    return regular and bool(facts.plausible_units())


def _has(stream: StreamFacts, name: str) -> bool:
    return any(column.name == name and column.time is not None for column in stream.columns)


def _rank(column: ColumnFacts, near: str) -> tuple[bool, ...]:
    """What sorts first is taken."""
    prefix = near.rpartition(".")[0]
    named = read_name(column.name).signal == "time"
    return (
        column.name != STAMP,
        column.name != LOG_TIME,
        not named,
        column.name.rpartition(".")[0] != prefix,
        _is_counter(column),
        bool(column.time and column.time.back),
    )


def _is_counter(column: ColumnFacts) -> bool:
    return column.time is not None and column.time.step == 1 and column.time.jitter == 0


def _reason(column: ColumnFacts) -> str:
    if _is_counter(column):
        return "counts samples"
    return "the time in the bag" if column.name == LOG_TIME else "would do as well"


def _rate_hint(stream: StreamFacts) -> str:
    """A step that the log states beside its streams, as a rate."""
    for name, value in stream.place.log.constants.items():
        word = name.rpartition(".")[2].lower()
        if isinstance(value, int | float) and value > 0:
            if word in ("dt", "ts", "sample_time", "t_s"):
                return f"{1 / value:.10g}  # {name} = {value:g}"
            if word in ("rate", "rate_hz", "fs", "freq", "frequency", "hz"):
                return f"{value:.10g}  # {name}"
    return "…"
