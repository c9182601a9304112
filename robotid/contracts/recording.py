"""One recording: a Parquet file that carries its own facts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.errors import BadDataError
from robotid.types import Columns

RECORDING = "recording.parquet"
FACTS = "recording.json"
_FACTS_KEY = b"robotid.recording"


class Joint(BaseModel):
    """A joint and how it moves; revolute joints are in rad and N m, prismatic ones in m and N."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Literal["revolute", "prismatic"] = "revolute"


class Repair(BaseModel):
    """Something that was mended in a recording: how often, and where first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    count: int
    first: list[str]


class FilterFacts(BaseModel):
    """How the signals were filtered, and after how long the filter has forgotten."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cutoff_hz: float
    order: int
    memory_s: float
    trimmed: int


class RecordingFacts(BaseModel):
    """What is known of a recording besides its columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    joints: list[Joint]
    source_sha256: str
    rate_hz: float
    duration_s: float
    samples: int
    dropped: dict[str, int] = {}
    repairs: list[Repair] = []
    filter: FilterFacts | None = None


def write_recording(folder: Path, columns: Columns, facts: RecordingFacts) -> None:
    """Write columns of equal length, `t` [ns from start] first, with page checksums.

    The facts are written into the Parquet file, and beside it for those who need no more.

    Args:
        folder: where `recording.parquet` and `recording.json` go.
        columns: `t` and `<signal>.<joint>` in SI units, each of shape (samples,).
        facts: what is known of them.
    """
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    text = facts.model_dump_json()
    table = table.replace_schema_metadata({_FACTS_KEY: text.encode()})
    pq.write_table(table, folder / RECORDING, compression="lz4", write_page_checksum=True)
    (folder / FACTS).write_text(text, encoding="utf-8")


def read_recording(path: Path) -> tuple[Columns, RecordingFacts]:
    """Read columns and facts of a recording; damage and foreign files are refused."""
    with _refused(path):
        table = pq.read_table(path, page_checksum_verification=True, memory_map=False)
        facts = _facts_in(table.schema)
    return {name: table[name].to_numpy() for name in table.column_names}, facts


def inspect_recording(path: Path) -> tuple[list[str], RecordingFacts]:
    """Names of the columns and facts of a recording, without its samples."""
    with _refused(path), pq.ParquetFile(path, memory_map=False) as file:
        return file.schema_arrow.names, _facts_in(file.schema_arrow)


def iterate_recording(path: Path, columns: Sequence[str], rows: int = 16384) -> Iterator[Columns]:
    """The columns of a recording, at most some rows at a time, in constant memory.

    Args:
        path: the recording.
        columns: names of the columns.
        rows: how many rows to give at a time.
    """
    # By default the file is read ahead, all of it.
    streamed = {"memory_map": False, "pre_buffer": False, "buffer_size": 1 << 20}
    with (
        _refused(path),
        pq.ParquetFile(path, page_checksum_verification=True, **streamed) as file,
    ):
        for batch in file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False):
            yield {name: np.asarray(batch.column(name)) for name in columns}


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Say of a file that cannot be read as one what it is not."""
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValidationError) as error:
        said = f"not a recording of robotid ({type(error).__name__})"
        raise BadDataError("not-a-recording", said, file=str(path)) from error


def _facts_in(schema: pa.Schema) -> RecordingFacts:
    return RecordingFacts.model_validate_json((schema.metadata or {})[_FACTS_KEY])


def read_facts(folder: Path) -> RecordingFacts:
    """Read the facts that `write_recording` put beside a recording."""
    return RecordingFacts.model_validate_json((folder / FACTS).read_bytes())
