"""The cells of text lines as numbers: fast where all is well, exact about the place elsewhere."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import polars as pl

from robotid.errors import BadDataError
from robotid.logs.findings import SHOWN_PLACES
from robotid.logs.log import Column, Kind, Numbers, ReadOptions
from robotid.logs.number_grammar import is_number, why_not
from robotid.logs.text_dialect import Dialect, split

_DTYPES = {Kind.FLOAT: pl.Float64, Kind.INT: pl.Int64}
_LIST_ITEM = re.compile(r"(.*)\[(\d+)\]")


class CellReader:
    """Reads the wanted columns of lines of one layout."""

    def __init__(
        self, dialect: Dialect, columns: Sequence[Column], options: ReadOptions, path: Path
    ) -> None:
        self._dialect, self._columns = dialect, columns
        self._options, self._path = options, path
        self._places = [self._place(column) for column in columns]
        schema: dict[str, type[pl.DataType]] = {
            f"{i}": pl.String for i in range(len(dialect.fields))
        }
        for column, (field, item) in zip(columns, self._places, strict=True):
            schema[f"{field}"] = _DTYPES[column.kind] if item is None else pl.String
        self._schema = schema

    def _place(self, column: Column) -> tuple[int, int | None]:
        """(number of the field, number in its list or None)."""
        found = _LIST_ITEM.fullmatch(column.name)
        if found and found[1] in self._dialect.lists:
            return self._dialect.fields.index(found[1]), int(found[2])
        return self._dialect.fields.index(column.name), None

    def fast(self, text: bytes, rows: int) -> dict[str, Numbers] | None:
        """The numbers of lines that fit without exception, None if anything does not.

        Types are forced, never inferred. Lines that are too long and cells that are no numbers make
        the parser fail; lines that are too short and empty cells show as missing values.
        """
        dialect = self._dialect
        if dialect.delimiter == " ":
            text = re.sub(rb"(?m)^ | $", b"", re.sub(rb"[ \t]+", b" ", text))
        if dialect.decimal_comma:
            if b"." in text:
                return None
            text = text.replace(b",", b".")
        try:
            frame = pl.read_csv(
                text,
                has_header=False,
                schema=self._schema,
                separator=dialect.delimiter,
                quote_char='"' if b'"' in text else None,
            )
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return None
        if frame.height != rows:
            return None
        for i, name in enumerate(dialect.fields):
            if frame[f"{i}"].null_count() != (0 if name else rows):
                return None
        found: dict[str, Numbers] = {}
        for column, (field, item) in zip(self._columns, self._places, strict=True):
            series = frame[f"{field}"]
            if item is not None:
                items = series.str.strip_chars("[] ").str.split(",")
                if (items.list.len() != dialect.lists[dialect.fields[field]]).any():
                    return None
                cells = items.list.get(item).str.strip_chars()
                series = cells.cast(pl.Float64, strict=False)
                if series.null_count():
                    return None
            found[column.name] = series.rechunk().to_numpy()
        return found

    def exact(self, lines: Sequence[str], numbers: Sequence[int]) -> dict[str, Numbers]:
        """The same cell by cell; what is no number is refused with its line and column."""
        found: dict[str, list[float]] = {column.name: [] for column in self._columns}
        bad: list[tuple[int, int, str, Column]] = []
        for line, number in zip(lines, numbers, strict=True):
            cells = split(line, self._dialect.delimiter)
            for column, (field, item) in zip(self._columns, self._places, strict=True):
                cell = cells[field]
                if item is not None:
                    items = cell.strip("[] ").split(",")
                    cell = items[item].strip() if item < len(items) else ""
                value = self._value(cell, column)
                if value is None:
                    bad.append((number, field + 1, cell, column))
                    if len(bad) == SHOWN_PLACES:
                        self._refuse(bad)
                else:
                    found[column.name].append(value)
        if bad:
            self._refuse(bad)
        kinds = {column.name: column.kind for column in self._columns}
        return {
            name: np.array(values, np.int64)
            if kinds[name] is Kind.INT
            else np.array(values, np.float64)
            for name, values in found.items()
        }

    def _value(self, cell: str, column: Column) -> float | int | None:
        if column.kind is Kind.INT:
            whole = re.fullmatch(r"[+-]?[0-9]{1,19}", cell)
            value = int(cell) if whole else 1 << 63
            return value if -(1 << 63) <= value < 1 << 63 else None
        if cell in self._options.na_values:
            return float("nan")
        if self._dialect.decimal_comma:
            if "." in cell:
                return None
            cell = cell.replace(",", ".")
        return float(cell) if len(cell) < 1000 and is_number(cell) else None

    def _refuse(self, bad: Sequence[tuple[int, int, str, Column]]) -> NoReturn:
        line, position, cell, column = bad[0]
        reason = why_not(cell)
        if self._dialect.decimal_comma and "." in cell:
            reason = "other numbers have decimal commas"
        shown = cell if len(cell) <= 40 else cell[:40] + "…"
        said = f"{shown!r} is not a number" + (f": {reason}" if reason else "")
        if column.kind is Kind.INT:
            said = f"{shown!r} is not a whole number as the cells before it"
        others = [f"{n}:{p}" for n, p, _, _ in bad[1:]]
        if others:
            said += f"; also at {', '.join(others)}"
        raise BadDataError(
            "not-a-number",
            said,
            file=str(self._path),
            line=line,
            column=position,
            joint=column.name.partition(".")[2] or None,
            hint="if it stands for a missing value, say so with na_values",
        )
