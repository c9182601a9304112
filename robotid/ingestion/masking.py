"""Marking samples that are not to be trusted as missing."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robotid.contracts.finding import as_findings
from robotid.contracts.recording import (
    RECORDING,
    RecordingWriter,
    inspect_recording,
    iterate_recording,
)
from robotid.errors import Effect, Notice
from robotid.plausibility.finding import Interval
from robotid.types import Columns


def mask(folder: Path, intervals: Sequence[Interval], file: str) -> list[Notice]:
    """Take values out of a recording that was written; says how many, and of which columns."""
    if not intervals:
        return []
    names, facts = inspect_recording(folder / RECORDING)
    taken: dict[str, int] = {}
    with TemporaryDirectory(dir=folder) as other:
        (folder / RECORDING).rename(Path(other) / RECORDING)
        with RecordingWriter(folder) as writer:
            for rows in iterate_recording(Path(other) / RECORDING, names):
                writer.write(_masked(rows, intervals, taken))
            missing = {name: facts.missing.get(name, 0) + n for name, n in taken.items()}
            notices = [_notice(name, count, file) for name, count in taken.items()]
            update = {
                "missing": {**facts.missing, **missing},
                "findings": [*facts.findings, *as_findings(notices)],
            }
            writer.finish(facts.model_copy(update=update))
    return notices


def _notice(name: str, count: int, file: str) -> Notice:
    return Notice(
        code="masked",
        message=f"{count} values of {name} were masked",
        file=file,
        joint=name.partition(".")[2],
        effect=Effect.DATA_LOST,
    )


def _masked(rows: Columns, intervals: Sequence[Interval], taken: dict[str, int]) -> Columns:
    t, changed = rows["t"], dict(rows)
    for _, column, first, last in intervals:
        begin, end = np.searchsorted(t, first), np.searchsorted(t, last, side="right")
        if end > begin:
            values = np.array(changed[column], np.float64)
            taken[column] = taken.get(column, 0) + int(np.isfinite(values[begin:end]).sum())
            values[begin:end] = np.nan
            changed[column] = values
    return changed
