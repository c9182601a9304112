"""One recording ingested in this process, and logs to ingest."""

from typing import NamedTuple

import numpy as np
import pytest

from robotid.contracts.recording import RecordingFacts, read_recording
from robotid.errors import Notice
from robotid.ingestion.column_map import ColumnMap
from robotid.ingestion.options import IngestOptions
from robotid.ingestion.recording import ingest_recording


class Ingested(NamedTuple):
    """A recording, its facts and what was found."""

    columns: dict[str, np.ndarray]
    facts: RecordingFacts
    notices: list[Notice]

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.notices]


@pytest.fixture
def ingest(tmp_path):
    """Ingest a text, a table of columns (as text) or a path."""
    count = iter(range(1000))

    def go(log, columns=None, robot=None, **options) -> Ingested:
        number = next(count)
        path = log
        if isinstance(log, str | dict):
            path = tmp_path / f"log{number}.csv"
            path.write_text(log if isinstance(log, str) else table(log))
        mapped = None if columns is None else ColumnMap.model_validate(columns)
        out = tmp_path / f"out{number}"
        out.mkdir()
        notices = ingest_recording(path, "0", mapped, robot, IngestOptions(**options), out)
        found, facts = read_recording(out / "recording.parquet")
        # Whatever the log: no sample is unaccounted for, and the facts carry what was found.
        assert facts.logged == facts.samples + sum(facts.dropped.values())
        assert [(f.code, f.message, f.joint, f.time_s, f.hint) for f in facts.findings] == [
            (n.code, n.message, n.joint, n.time, n.hint) for n in notices
        ]
        assert str(tmp_path) not in facts.model_dump_json()
        return Ingested(found, facts, notices)

    return go


def table(columns) -> str:
    """Columns as the text of a CSV file, every digit kept."""
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
    lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def motion():
    """One joint that swings, sampled at 100 Hz for 2 s."""
    t = np.arange(200) / 100
    return {
        "t": t,
        "q.a": np.sin(3 * t),
        "qd.a": 3 * np.cos(3 * t),
        "tau.a": np.sin(3 * t) - 9 * np.sin(3 * t),
    }
