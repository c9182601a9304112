"""CSV, TSV and other text with one sample per line, plain or compressed.

Chunks of whole lines go through polars with forced types. A chunk it cannot read without exception
is looked at line by line, and only then cell by cell, so that every repair and every refusal has
its line and column.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from robotid import progress
from robotid.errors import BadDataError, Effect
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Batch, Column, Kind, Log, Numbers, ReadOptions, Stream
from robotid.logs.read_ahead import worked_on
from robotid.logs.text_cells import CellReader
from robotid.logs.text_dialect import Dialect, find_dialect, split
from robotid.logs.text_header import refuse_open_quote
from robotid.logs.text_lines import Lines, whole_lines

_HEAD = 1 << 18


def open_delimited(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a text log: its layout is found on the first lines."""
    with findings.one_pass() as found:
        lines = next(whole_lines(path, found, _HEAD), None)
        if lines is None or not lines.text.strip():
            said = "the file holds no whole line of text"
            raise BadDataError("empty-file", said, file=str(path))
        cut = lines.text.rfind(b"\n", 0, _HEAD) + 1 or lines.text.find(b"\n") + 1
        whole = lines.last and cut == len(lines.text)
        dialect = find_dialect(lines.text[:cut].decode(), options, path, found, whole=whole)
    return DelimitedLog(path, findings, dialect, options)


def _fast(reader: CellReader, lines: Lines) -> dict[str, Numbers] | None:
    return reader.fast(lines.text, lines.end - lines.first) if lines.text else None


class _Kept(NamedTuple):
    """Lines of one segment that hold samples, and their numbers in the file."""

    lines: list[str]
    numbers: list[int]
    segment: int


class DelimitedLog(Log):
    """Text with one sample per line; a single stream."""

    def __init__(
        self, path: Path, findings: Findings, dialect: Dialect, options: ReadOptions
    ) -> None:
        stream = Stream("data", "", dialect.columns, None)
        super().__init__(path, "delimited text", findings, (stream,))
        self.dialect, self._options = dialect, options
        self._segment = 0

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        del stream  # there is only one
        for column in columns:
            if column.kind is Kind.BOOL:
                said = f"column {column.name!r} holds truth values, not numbers"
                raise BadDataError("boolean-column", said, file=str(self.path))
        reader = CellReader(self.dialect, columns, self._options, self.path)
        self._segment = rows = done = 0
        size = self.path.stat().st_size
        with self.findings.one_pass() as found:
            chunks = map(self._data_of, whole_lines(self.path, found))
            for lines, columns_read in worked_on(chunks, lambda lines: _fast(reader, lines)):
                done += len(lines.text)
                progress.report(done, max(size, done), "reading")
                for batch in self._read(lines, columns_read, reader, found):
                    rows += batch.rows
                    yield batch
            if not rows:
                raise BadDataError("no-samples", "the file holds no samples", file=str(self.path))

    def _data_of(self, lines: Lines) -> Lines:
        """Without what comes before the first sample."""
        skipped = self.dialect.first_line - lines.first
        if skipped <= 0:
            return lines
        parts = lines.text.split(b"\n", skipped)
        if len(parts) <= skipped:
            return Lines(b"", lines.end, lines.end, lines.last)
        return Lines(parts[-1], self.dialect.first_line, lines.end, lines.last)

    def _read(
        self,
        lines: Lines,
        columns: dict[str, Numbers] | None,
        reader: CellReader,
        found: Findings,
    ) -> Iterator[Batch]:
        """The samples of some lines, given as `columns` where they are all as expected."""
        if columns is not None:
            yield Batch(columns, range(lines.first, lines.end), "line", self._segment)
            return
        for kept in self._kept(lines, found):
            if not kept.lines:
                continue
            tidy: dict[str, Numbers] | None = None
            if not self._options.na_values:
                text = "\n".join(kept.lines) + "\n"
                tidy = reader.fast(text.encode(), len(kept.lines))
            if tidy is None:
                tidy = reader.exact(kept.lines, kept.numbers)
            yield Batch(tidy, kept.numbers, "line", kept.segment)

    def _kept(self, lines: Lines, found: Findings) -> Iterator[_Kept]:
        """The lines that hold samples: blank lines and comments left out, counts checked."""
        dialect = self.dialect
        kept: list[str] = []
        numbers: list[int] = []
        texts = lines.text.decode().split("\n")[:-1]
        final = len(texts) - 1 if lines.last else -1
        while final >= 0 and not texts[final].strip():
            final -= 1
        for index, line in enumerate(texts):
            number = lines.first + index
            stripped = line.strip()
            if not stripped:
                found.add("blank-line", "blank lines were left out", line=number)
                continue
            if self._options.comments and stripped.startswith(self._options.comments):
                found.add("comment", "comment lines were left out", line=number)
                continue
            if '"' in line and line.count('"') % 2:
                refuse_open_quote(self.path, number)
            cells = split(line, dialect.delimiter)
            if dialect.header and tuple(cells) == dialect.header:
                if not self._options.split_at_header:
                    self._refuse_repeated_header(number)
                said = "the header is repeated: a new segment starts there"
                found.add("repeated-header", said, line=number)
                yield _Kept(kept, numbers, self._segment)
                kept, numbers = [], []
                self._segment += 1
                continue
            if not self._fits(cells, number, found, final=index == final):
                continue
            kept.append(dialect.delimiter.join(cells) if '"' not in line else line)
            numbers.append(number)
        yield _Kept(kept, numbers, self._segment)

    def _fits(self, cells: Sequence[str], line: int, found: Findings, *, final: bool) -> bool:
        expected = len(self.dialect.fields)
        for position, (cell, name) in enumerate(zip(cells, self.dialect.fields, strict=False), 1):
            if cell and not name:
                said = f"{cell[:40]!r} in a column without a name"
                raise BadDataError(
                    "unnamed-column", said, file=str(self.path), line=line, column=position
                )
        if len(cells) == expected or (len(cells) == expected - 1 and not self.dialect.fields[-1]):
            return True
        said = f"{len(cells)} cells, {expected} are expected"
        if final and len(cells) < expected:
            said = f"the last line has {said} and was left out"
            found.add("short-last-line", said, line=line, effect=Effect.DATA_LOST)
            return False
        hint = None
        if self.dialect.delimiter == "," and expected < len(cells) <= 2 * expected:
            hint = "are there decimal commas or thousands separators? then use another delimiter"
        column = min(len(cells), expected) + (len(cells) > expected)
        raise BadDataError(
            "wrong-cell-count", said, file=str(self.path), line=line, column=column, hint=hint
        )

    def _refuse_repeated_header(self, first: int) -> None:
        """Name all the lines, for the rest of the file is worth a look (B27)."""
        places: list[int] = []
        for lines in whole_lines(self.path, Findings(str(self.path))):
            if lines.end <= first:
                continue
            for index, line in enumerate(lines.text.decode().split("\n")):
                number = lines.first + index
                if number >= first and split(line, self.dialect.delimiter) == [
                    *self.dialect.header
                ]:
                    places.append(number)
        shown = ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")
        raise BadDataError(
            "repeated-header",
            f"the header is repeated on {len(places)} lines ({shown}): logs were put together",
            file=str(self.path),
            line=first,
            hint="cut the file there, or ask for segments with split_at_header",
        )
