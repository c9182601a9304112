"""Parquet: numbers by column, lists of fixed length and structures spread out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from robotid import progress
from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Batch, Column, Kind, Log, Numbers, ReadOptions, Stream

_ROWS = 1 << 16
_LARGEST_ROW_GROUP = 4 << 30
_LONGEST_LIST = 256
Place = tuple[str, ...]  # a column, then fields of structures, then `[i]` for an item of a list


def open_parquet(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a Parquet file."""
    del options
    with _refusing(path):
        file = pq.ParquetFile(path, memory_map=False, page_checksum_verification=True)
        for group in range(file.metadata.num_row_groups):
            size = file.metadata.row_group(group).total_byte_size
            if size > _LARGEST_ROW_GROUP:
                said = f"row group {group} takes {size / 1e9:.1f} GB in memory"
                raise BadDataError("too-large", said, file=str(path))
        return ParquetLog(path, findings, file)


class ParquetLog(Log):
    """The table of a Parquet file; a single stream."""

    def __init__(self, path: Path, findings: Findings, file: Any) -> None:
        places: dict[str, Place] = {}
        columns: list[Column] = []
        for field in file.schema_arrow:
            lengths = _list_lengths(file, field)
            for name, place, kind in _spread(field.name, field.type, (field.name,), lengths):
                places[name] = place
                columns.append(Column(name, kind, _unit(field)))
        rows = file.metadata.num_rows
        if not rows:
            raise BadDataError("no-samples", "the table has no rows", file=str(path))
        stream = Stream("data", "", tuple(columns), rows)
        super().__init__(path, "parquet", findings, (stream,))
        self._file, self._places = file, places

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        top = list(dict.fromkeys(self._places[column.name][0] for column in columns))
        start = 0
        with self.findings.one_pass() as found, _refusing(self.path):
            batches = self._file.iter_batches(batch_size=_ROWS, columns=top, use_threads=False)
            for batch in batches:
                progress.report(start, stream.rows or 1, "reading")
                read = {c.name: self._numbers(batch, c, start, found) for c in columns}
                end = start + batch.num_rows
                if batch.num_rows:
                    yield Batch(read, range(start + 1, end + 1), "row")
                start = end

    def _numbers(self, batch: Any, column: Column, start: int, found: Findings) -> Numbers:
        first, *rest = self._places[column.name]
        values = batch.column(batch.schema.get_field_index(first))
        for step in rest:
            if step.startswith("["):
                lengths = pc.list_value_length(values)
                if pc.any(pc.less_equal(lengths, int(step[1:-1]))).as_py():
                    said = f"a list in {first} is shorter than others"
                    raise BadDataError("unequal-lengths", said, file=str(self.path))
                values = pc.list_element(values, int(step[1:-1]))
            else:
                values = pc.struct_field(values, step)
        if pa.types.is_timestamp(values.type):
            values = values.cast(pa.timestamp("ns")).cast(pa.int64())
        elif pa.types.is_duration(values.type):
            values = values.cast(pa.duration("ns")).cast(pa.int64())
        missing = values.null_count
        if missing:
            row = start + 1 + int(np.flatnonzero(np.asarray(values.is_null()))[0])
            if column.kind is not Kind.FLOAT and not pa.types.is_integer(values.type):
                said = f"a missing value in {column.name}, row {row}"
                raise BadDataError("missing-value", said, file=str(self.path))
            said = "missing values became NaN"
            found.add("missing-value", said, where=f"row {row} of {column.name}", count=missing)
            return np.asarray(values.cast(pa.float64()).fill_null(float("nan")), np.float64)
        if column.kind is Kind.FLOAT:
            return np.asarray(values.cast(pa.float64()), np.float64)
        return np.asarray(values.cast(pa.int64()), np.int64)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _spread(
    name: str, kind: Any, place: Place, lengths: dict[Place, int], depth: int = 0
) -> Iterator[tuple[str, Place, Kind]]:
    """Columns of a field: name, place, kind."""
    if pa.types.is_struct(kind) and depth < 8:
        for field in kind:
            inner = (*place, field.name)
            yield from _spread(f"{name}.{field.name}", field.type, inner, lengths, depth + 1)
    elif place in lengths:
        for i in range(lengths[place]):
            inner = (*place, f"[{i}]")
            yield from _spread(f"{name}[{i}]", kind.value_type, inner, lengths, depth + 1)
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        yield name, place, Kind.FLOAT
    elif pa.types.is_integer(kind) or pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        yield name, place, Kind.INT
    else:
        yield name, place, Kind.BOOL if pa.types.is_boolean(kind) else Kind.TEXT


def _list_lengths(file: Any, field: Any) -> dict[Place, int]:
    """How long the lists of a column are, by its first row."""
    kind = field.type
    if not (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    ):
        return {}
    for batch in file.iter_batches(batch_size=1, columns=[field.name], use_threads=False):
        first = batch.column(0)[0].as_py()
        if first is not None and len(first) <= _LONGEST_LIST:
            return {(field.name,): len(first)}
        break
    return {}


def _unit(field: Any) -> str | None:
    for key in (b"unit", b"units"):
        if key in (field.metadata or {}):
            return str(field.metadata[key].decode("utf-8", "backslashreplace"))
    kind = field.type
    return "ns" if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) else None


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Say of what pyarrow stumbles over that the file is damaged; names need not be text."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError) as error:
        said = f"the Parquet file is damaged: {type(error).__name__}: {error}"[:300]
        raise BadDataError("damaged-file", said, file=str(path)) from error
