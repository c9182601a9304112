"""One recording: a Parquet file that carries its own facts."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, ValidationError

from robotid import on_demand
from robotid.contracts.finding import RecordingFinding
from robotid.contracts.repair import Repair
from robotid.errors import BadDataError, raise_trouble
from robotid.types import Columns

RECORDING = "recording.parquet"
FACTS = "recording.json"
GAP_STEPS = 1.5  # usual steps of time: a longer one is a gap
_FACTS_KEY = b"robotid.recording"
_ROW_GROUP = 65536  # rows that are written at a time


class Joint(BaseModel):
    """A joint and how it moves; revolute joints are in rad and N m, prismatic ones in m and N."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Literal["revolute", "prismatic"] = "revolute"


class Spectra(BaseModel):
    """Power densities [unit²/Hz] of the signals at some frequencies, before and after filtering."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    frequency_hz: list[float]
    before: dict[str, list[float]]
    after: dict[str, list[float]]


class CutoffChoice(BaseModel):
    """How a cut-off was chosen: the predicted error of acceleration for each candidate.

    `error` is a share of the acceleration's power, `by_joint_hz` what each joint alone would want,
    `residual` the power taken out over that of noise alone (1: nothing but noise was taken out).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidates_hz: list[float]
    error: list[float]
    by_joint_hz: dict[str, float]
    residual: dict[str, float]


class Averaging(BaseModel):
    """What averaging over periods used, and the standard deviation of one sample about the mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    period_s: float
    found: bool
    periods: int
    left_out: list[int]
    noise_std: dict[str, float]


class Grid(BaseModel):
    """How samples came onto a uniform grid; jitter and the largest step are shares of a step.

    `samples` is how many the grid has in stretches that were long enough for the filter.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate_hz: float
    method: str
    jitter: float
    largest_step: float
    late_samples: int
    gaps: int
    stretches: int
    samples: int | None = None


class Segment(BaseModel):
    """Filtered samples without a gap: times of the first and the last [s], and their number."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start_s: float
    end_s: float
    samples: int


class FilterFacts(BaseModel):
    """How the signals were filtered, and after how long the filter has forgotten.

    `cutoff_hz` is the design value of one pass (-6 dB after both), `effective_hz` where both passes
    have -3 dB. `low_speed` is the share of samples of each joint that are slower than
    `low_speed_below` [rad/s or m/s]; the column `slow.<joint>` says which.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cutoff_hz: float
    order: int
    memory_s: float
    trimmed: int
    effective_hz: float | None = None
    signal_cutoffs_hz: dict[str, float] = {}
    acceleration: str | None = None
    velocity_from_position: list[str] = []
    decimated_by: int = 1
    segments: list[Segment] = []
    grid: Grid | None = None
    acceleration_snr_db: dict[str, float | None] = {}
    low_speed_below: float | None = None
    low_speed: dict[str, float] = {}
    choice: CutoffChoice | None = None
    averaging: Averaging | None = None
    spectra: Spectra | None = None


class TimeFacts(BaseModel):
    """The times of a recording as they were logged; jitter is a share of the usual step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step_s: float
    jitter: float
    gaps: int
    missing_samples: int
    longest_gap_s: float
    segments: int


class TorqueFacts(BaseModel):
    """What the torques of a recording are, and what the controller has taken out of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["measured", "commanded"] = "measured"
    compensated: list[Literal["gravity", "friction", "inertia"]] = []


class RecordingFacts(BaseModel):
    """What is known of a recording besides its columns.

    Args:
        format: of these facts.
        joints: in the order of the log.
        source_sha256: digest of the log.
        source_format: of the log.
        rate_hz: of the samples here.
        duration_s: from the first of them to the last.
        samples: here.
        logged: samples of the log; those that are not here are in `dropped` or, once it is
            filtered, in `filter`. Null in datasets of older versions.
        dropped: samples that were left out, by reason.
        missing: samples without a value, by column.
        excluded: stretches of time that the user left out [s].
        repairs: what reading the log noticed: how often, and where first.
        findings: of all stages so far.
        time: as it was logged.
        torque: what kind it is.
        filter: how it was filtered, if it was.
        independent: samples are states one by one and no motion; times only number them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    joints: list[Joint]
    source_sha256: str
    source_format: str = ""
    rate_hz: float
    duration_s: float
    samples: int
    logged: int | None = None
    dropped: dict[str, int] = {}
    missing: dict[str, int] = {}
    excluded: list[str] = []
    repairs: list[Repair] = []
    findings: list[RecordingFinding] = []
    time: TimeFacts | None = None
    torque: TorqueFacts | None = None
    filter: FilterFacts | None = None
    independent: bool = False

    def without_spectra(self) -> Self:
        """The same without the one thing that is large."""
        if self.filter is None or self.filter.spectra is None:
            return self
        return self.model_copy(update={"filter": self.filter.model_copy(update={"spectra": None})})


def write_recording(folder: Path, columns: Columns, facts: RecordingFacts) -> None:
    """Write columns of equal length, `t` [ns from start] first, with page checksums.

    The facts are written into the Parquet file, and beside it for those who need no more.

    Args:
        folder: where `recording.parquet` and `recording.json` go.
        columns: `t` and `<signal>.<joint>` in SI units, each of shape (samples,).
        facts: what is known of them.
    """
    write_recording_file(folder / RECORDING, columns, facts)
    (folder / FACTS).write_text(facts.model_dump_json(), encoding="utf-8")


def write_recording_file(path: Path, columns: Columns, facts: RecordingFacts) -> None:
    """Write the Parquet file alone, as it lies in a dataset."""
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    table = table.replace_schema_metadata({_FACTS_KEY: facts.model_dump_json().encode()})
    pq.write_table(table, path, compression="lz4", write_page_checksum=True)


class RecordingWriter:
    """Writes a recording piece by piece, in constant memory; its facts come last.

    Used as a context; the file is whole once `finish` was called.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: pq.ParquetWriter | None = None
        self._pieces: list[Columns] = []
        self._rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, columns: Columns, *, reused: bool = True) -> None:
        """Add rows: columns as in `write_recording`, always the same ones.

        Args:
            columns: the rows.
            reused: their memory may change once this returns, so they have to be copied.
        """
        if reused:
            columns = {name: values.copy() for name, values in columns.items()}
        self._pieces.append(columns)
        self._rows += len(columns["t"])
        if self._rows >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        names = list(self._pieces[0])
        whole = self._pieces[0]
        if len(self._pieces) > 1:
            whole = {n: np.concatenate([piece[n] for piece in self._pieces]) for n in names}
        table = pa.table({name: np.ascontiguousarray(whole[name]) for name in names})
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self._folder / RECORDING,
                table.schema,
                compression="lz4",
                use_dictionary=False,
                store_schema=False,  # else the facts, which come last, would not be found in it
                write_page_checksum=True,
            )
        self._writer.write_table(table)
        self._pieces, self._rows = [], 0

    def finish(self, facts: RecordingFacts) -> None:
        """Write what is left, and the facts; something must have been written."""
        if self._pieces:
            self._flush()
        if self._writer is None:
            msg = "a recording needs columns"
            raise ValueError(msg)
        text = facts.model_dump_json()
        self._writer.add_key_value_metadata({_FACTS_KEY: text.encode()})
        self._writer.close()
        (self._folder / FACTS).write_text(text, encoding="utf-8")


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


def read_stretches(
    path: Path, columns: Sequence[str], stretches: Sequence[tuple[int, int]]
) -> Iterator[Columns]:
    """Some rows of a recording; row groups without any of them are not read.

    Args:
        path: the recording.
        columns: names of the columns.
        stretches: first row and end of each stretch, in any order.
    """
    with open_recording(path) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        ends = np.cumsum(sizes)
        held: list[int] = []  # row groups of the table, which the next stretch may lie in as well
        for begin, end in stretches:
            if not 0 <= begin < end <= file.metadata.num_rows:
                msg = f"rows {begin} to {end} of {file.metadata.num_rows}"
                raise ValueError(msg)
            first, last = (int(np.searchsorted(ends, row, "right")) for row in (begin, end - 1))
            if held != (groups := list(range(first, last + 1))):
                table, held = file.read_row_groups(groups, columns, use_threads=False), groups
            rows = table.slice(begin - (int(ends[first]) - sizes[first]), end - begin)
            yield {name: rows[name].to_numpy() for name in columns}


@contextmanager
def open_recording(path: Path) -> Iterator[pq.ParquetFile]:
    """A recording to be read in part; damage and foreign files are refused."""
    with _refused(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        yield file


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Have a file put in place; say of one that cannot be read as a recording what it is not."""
    on_demand.needed(path)
    try:
        yield
    except (OSError, pa.ArrowException, KeyError, ValidationError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not a recording of robotid ({type(error).__name__})"
        raise BadDataError("not-a-recording", said, file=str(path)) from error


def _facts_in(schema: pa.Schema) -> RecordingFacts:
    return RecordingFacts.model_validate_json((schema.metadata or {})[_FACTS_KEY])


def read_facts(folder: Path) -> RecordingFacts:
    """Read the facts that `write_recording` put beside a recording."""
    return RecordingFacts.model_validate_json((folder / FACTS).read_bytes())
