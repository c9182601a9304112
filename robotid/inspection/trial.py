"""What ingest would say of a log with a proposed map: found out by trying, writing nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from robotid.errors import Notice, RobotidError
from robotid.ingestion.column_map import ColumnMap
from robotid.ingestion.options import IngestOptions
from robotid.ingestion.recording import read_recording, with_options
from robotid.ingestion.resolve import resolve
from robotid.ingestion.sources import Sources
from robotid.inspection.survey import limited
from robotid.logs.log import Batch, Column, Log, Stream
from robotid.types import Columns

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

_MOST_TRIES = 8
_STAND_IN_HZ = 100.0  # for a rate that the user has yet to name


class Trial(NamedTuple):
    """What was refused, flags that answer it, and what was found besides."""

    refused: tuple[Notice, ...]
    flags: tuple[str, ...]
    findings: tuple[Notice, ...]


class _Limited(Log):
    """A log of which only the first rows are read."""

    def __init__(self, log: Log, limit: int) -> None:
        super().__init__(log.path, log.format, log.findings, log.streams, log.constants)
        self._log, self._limit = log, limit

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        names = [column.name for column in columns]
        return limited(self._log.batches(stream.name, names), self._limit)


def tried(
    sources: Sources, columns: ColumnMap, robot: "RobotTree | None", path: Path, limit: int
) -> Trial:
    """Read a log as ingest would; what can be accepted is, to see what comes next."""
    logs = {name: _Limited(log, limit) for name, log in sources.logs.items()}
    options = IngestOptions()
    refused: list[Notice] = []
    flags: list[str] = []
    for _ in range(_MOST_TRIES):
        mapped = with_options(columns, options)
        try:
            plan = resolve(mapped, Sources(path, dict(logs)), robot)
            done = read_recording(plan, mapped, robot, options, path, _forget)
        except RobotidError as error:
            refused.append(error.notice)
            answer = _answer(error.notice, options)
            if answer is None:
                return Trial(tuple(refused), tuple(flags), ())
            flag, options = answer
            flags.append(flag)
        else:
            found = [*done.findings.notices(), *done.missing.notices()]
            if options.rate_hz is None:  # a stand-in says nothing of motion
                implausible = done.checks.refused()
                refused += implausible
                found += [n for n in done.checks.notices() if n not in implausible]
            return Trial(tuple(refused), tuple(flags), tuple(found))
    return Trial(tuple(refused), tuple(flags), ())


def _forget(rows: Columns) -> None:
    del rows


def _answer(notice: Notice, options: IngestOptions) -> tuple[str, IngestOptions] | None:
    """The flag that answers a refusal, and options that stand for it."""
    accept = f"--accept {notice.code}"
    if accept in (notice.hint or "") and notice.code not in options.accept:
        return accept, options.model_copy(update={"accept": (*options.accept, notice.code)})
    if notice.code == "no-time" and options.rate_hz is None:
        return "--rate-hz HZ", options.model_copy(update={"rate_hz": _STAND_IN_HZ})
    return None
