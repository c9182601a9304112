"""Opening logs in tests: everything read at once, and what was found on the way."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from robotid.errors import BadDataError, RobotidError
from robotid.logs.formats import open_log
from robotid.logs.log import Kind, Log, ReadOptions


@dataclass
class Read:
    """All numbers of a stream, the line or other place of each row, and the findings."""

    log: Log
    columns: dict[str, np.ndarray]
    positions: list[int]
    segments: list[int]

    @property
    def codes(self) -> dict[str, str]:
        return {notice.code: str(notice.effect) for notice in self.log.findings.notices()}

    def notice(self, code):
        return next(notice for notice in self.log.findings.notices() if notice.code == code)

    def count(self, code):
        return next(found.count for found in self.log.findings.all() if found.code == code)


def read_all(path: Path, options: ReadOptions = ReadOptions(), stream=None, columns=None) -> Read:  # noqa: B008
    """Every number of a stream (the first one unless named)."""
    with open_log(Path(path), options) as log:
        chosen = log.stream(stream) if stream else log.streams[0]
        numeric = (Kind.FLOAT, Kind.INT, Kind.BOOL)
        wanted = columns or [column.name for column in chosen.columns if column.kind in numeric]
        batches = list(log.batches(chosen.name, wanted))
        parts = {name: [batch.columns[name] for batch in batches] for name in wanted}
        return Read(
            log,
            {name: np.concatenate(part) if part else np.empty(0) for name, part in parts.items()},
            [int(position) for batch in batches for position in batch.positions],
            [batch.segment for batch in batches],
        )


def refused(path: Path, options: ReadOptions = ReadOptions(), **wanted):  # noqa: B008
    """The notice of the error that reading a log ends in."""
    with pytest.raises(RobotidError) as caught:
        read_all(path, options, **wanted)
    assert isinstance(caught.value, BadDataError) or caught.value.exit_code in (66, 74, 75)
    assert caught.value.notice.file is not None
    return caught.value.notice
