"""JSON: a list of records, arrays of equal length, or one record per line.

A document is bounded in size, for it is parsed as a whole; lines are streamed. What stands beside
the records (`{"mass": 0.5, "entries": [...]}`) becomes constants.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from robotid.errors import BadDataError
from robotid.logs.byte_source import blocks
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Batch, Column, Kind, Log, Numbers, ReadOptions, Stream
from robotid.logs.message_fields import kind_of, leaves, wider
from robotid.logs.text_lines import whole_lines

LARGEST_DOCUMENT = 256 << 20
_ROWS = 16384
_SAMPLES = 1000  # records that show which fields there are
Record = dict[str, int | float | str | None]


def open_json(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a JSON document, or a file with one record per line."""
    del options
    if _has_records_by_line(path):
        return JsonLinesLog(path, findings)
    document = _parse(_content(path, findings), path)
    return JsonLog(path, findings, document)


def _parse(text: bytes, path: Path, line: int | None = None) -> Any:
    try:
        return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        at = line or error.lineno
        said = f"not JSON: {error.msg}"
        raise BadDataError("not-json", said, file=str(path), line=at, column=error.colno) from error
    except (ValueError, RecursionError) as error:  # also UnicodeDecodeError and numbers too long
        said = f"not JSON: {error}"[:200]
        raise BadDataError("not-json", said, file=str(path), line=line) from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice in an object")
    return found


def _content(path: Path, findings: Findings) -> bytes:
    parts, size = [], 0
    for block in blocks(path, findings):
        parts.append(block)
        size += len(block)
        if size > LARGEST_DOCUMENT:
            raise BadDataError(
                "too-large",
                f"a JSON document of more than {LARGEST_DOCUMENT >> 20} MB",
                file=str(path),
                hint="write one record per line (.jsonl), which is streamed",
            )
    return b"".join(parts)


def _has_records_by_line(path: Path) -> bool:
    """Whether the first line is a whole object and another one follows."""
    try:
        lines = next(whole_lines(path, Findings(str(path)), 1 << 16), None)
    except BadDataError:  # a long line: one document
        return False
    texts = lines.text.split(b"\n", 2) if lines else []
    if len(texts) < 2 or not texts[0].startswith(b"{"):
        return False
    try:
        json.loads(texts[0])
    except (ValueError, RecursionError):
        return False
    return texts[1].lstrip().startswith(b"{") or not texts[1].strip()


def _flat(record: Any) -> Record:
    """The numbers and texts of a record by path; null stays, as a value that is missing."""
    found: Record = dict(leaves(record))
    if isinstance(record, dict):
        found |= {str(key): None for key, value in record.items() if value is None}
    return found


def _columns(records: Sequence[Record]) -> tuple[Column, ...]:
    kinds: dict[str, Kind | None] = {}
    for record in records:
        for name, value in record.items():
            known = kinds.get(name)
            kinds[name] = known if value is None else wider(known, kind_of(value))
    return tuple(Column(name, kind or Kind.FLOAT) for name, kind in kinds.items())


class _RecordsLog(Log):
    """Records, however they are stored."""

    def read(
        self,
        records: Sequence[Record],
        columns: Sequence[Column],
        found: Findings,
        where: Callable[[int], str],
    ) -> dict[str, Numbers]:
        """Columns of some records; what is missing or of another kind is refused."""
        read: dict[str, Numbers] = {}
        for column in columns:
            values = []
            for row, record in enumerate(records):
                value = record.get(column.name, "")
                if value is None:
                    found.add("missing-value", "null became NaN", where=where(row))
                    value = float("nan")
                if isinstance(value, str):
                    shown = "is missing" if column.name not in record else f"is {value[:40]!r}"
                    self.refuse("not-a-number", f"{where(row)}: {column.name} {shown}")
                values.append(value)
            whole = all(not isinstance(value, float) for value in values)
            try:
                read[column.name] = (
                    np.array(values, np.int64)
                    if column.kind is not Kind.FLOAT and whole
                    else np.array(values, np.float64)
                )
            except OverflowError:
                self.refuse("integer-too-large", f"{where(0)} or after: {column.name} is too large")
        return read

    def refuse(self, code: str, said: str) -> NoReturn:
        """Refuse the file."""
        raise BadDataError(code, said, file=str(self.path))


class JsonLog(_RecordsLog):
    """A JSON document."""

    def __init__(self, path: Path, findings: Findings, document: Any) -> None:
        constants: dict[str, float | str] = {}
        self._tables: dict[str, list[Record]] = {}
        self._find(document, "", constants, 0)
        streams = [
            Stream(name, "", _columns(records[:_SAMPLES]), len(records))
            for name, records in self._tables.items()
        ]
        streams = [stream for stream in streams if stream.columns]
        super().__init__(path, "json", findings, tuple(streams), constants)
        if not streams:
            self.refuse("no-samples", "no list of records and no arrays of numbers")

    def _find(self, value: Any, path: str, constants: dict[str, float | str], depth: int) -> None:
        """Tables in a document: lists of records or of lists, and arrays side by side."""
        if isinstance(value, list) and value and isinstance(value[0], dict | list):
            self._tables[path or "data"] = [_flat(record) for record in value]
        elif isinstance(value, list) and value and not path:
            self._tables["data"] = [{"value": item} for item in value]
        elif isinstance(value, dict) and depth < 8:
            arrays: dict[int, dict[str, list[Any]]] = {}
            for key, item in value.items():
                inner = f"{path}.{key}" if path else str(key)
                if isinstance(item, list) and item and not isinstance(item[0], dict):
                    arrays.setdefault(len(item), {})[str(key)] = item
                elif isinstance(item, bool | int | float | str):
                    constants[inner] = item
                else:
                    self._find(item, inner, constants, depth + 1)
            for number, (_, group) in enumerate(sorted(arrays.items(), reverse=True)):
                name = (path or "data") + (f" {number + 1}" if number else "")
                rows = [
                    dict(zip(group, row, strict=True)) for row in zip(*group.values(), strict=True)
                ]
                self._tables[name] = [_flat(row) for row in rows]

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        records = self._tables[stream.name]
        with self.findings.one_pass() as found:
            for start in range(0, len(records), _ROWS):
                part = records[start : start + _ROWS]
                read = self.read(part, columns, found, lambda row, s=start: f"record {s + row + 1}")  # type: ignore[misc]
                yield Batch(read, range(start + 1, start + 1 + len(part)), "record")


class JsonLinesLog(_RecordsLog):
    """One record per line, streamed."""

    def __init__(self, path: Path, findings: Findings) -> None:
        super().__init__(path, "json", findings)
        with findings.one_pass() as found:
            head, _ = next(self._records(found, 1 << 18), ([], []))
        self.streams = (Stream("data", "", _columns(head[:_SAMPLES]), None),)

    def _records(
        self, found: Findings, size: int = 4 << 20
    ) -> Iterator[tuple[list[Record], list[int]]]:
        for lines in whole_lines(self.path, found, size):
            records, numbers = [], []
            for index, text in enumerate(lines.text.split(b"\n")[:-1]):
                number = lines.first + index
                if not text.strip():
                    found.add("blank-line", "blank lines were left out", line=number)
                    continue
                records.append(_flat(_parse(text, self.path, number)))
                numbers.append(number)
            yield records, numbers

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        del stream
        with self.findings.one_pass() as found:
            for records, numbers in self._records(found):
                if records:
                    where = [f"line {number}" for number in numbers]
                    yield Batch(
                        self.read(records, columns, found, where.__getitem__), numbers, "line"
                    )
