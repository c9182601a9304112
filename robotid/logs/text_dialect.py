"""How a text log is laid out: delimiter, decimal comma, header, units, kinds of columns."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.log import Column, Kind, ReadOptions
from robotid.logs.number_grammar import DECIMAL, is_number
from robotid.logs.text_header import (
    column_unit,
    expect_distinct,
    header_cells,
    is_units_row,
    refuse_open_quote,
)

# Where several fit equally well, the earlier one is meant: `1, 2` is a comma, `1,5; 2,5` is not.
_DELIMITERS = (";", "\t", ",", "|", " ")
_NAMES = {";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
_LOOKED_AT = 200  # lines that decide on the delimiter
MOST_COLUMNS = 10_000
_LONG_FORMAT = {"joint", "joint_name", "axis", "motor", "name", "joint_id", "signal"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The layout of a text log.

    Args:
        delimiter: between cells; a space stands for any run of blanks.
        decimal_comma: numbers are written `1,5`.
        fields: names of the fields of a line; those without a name hold nothing.
        columns: the columns, lists in cells spread out.
        lists: how many numbers are in a cell, by field, for cells like `[1.0, 2.0]`.
        header: the cells of the header line, empty without one.
        first_line: the first line that may hold data.
    """

    delimiter: str
    decimal_comma: bool
    fields: tuple[str, ...]
    columns: tuple[Column, ...]
    lists: dict[str, int]
    header: tuple[str, ...]
    first_line: int


def split(line: str, delimiter: str) -> list[str]:
    """The cells of a line without blanks around them; quotes are taken off (B30)."""
    if '"' not in line:
        cells = line.split(None if delimiter == " " else delimiter)
    else:
        try:
            cells = next(csv.reader([line.strip(" ")], delimiter=delimiter, skipinitialspace=True))
        except csv.Error:  # a cell of more than 128 kB
            cells = [line]
    return [cell.strip() for cell in cells]


def find_dialect(
    head: str, options: ReadOptions, path: Path, findings: Findings, *, whole: bool
) -> Dialect:
    """The layout, from the first lines of a file.

    Args:
        head: whole lines.
        options: what the user says of it.
        path: the file, for messages.
        findings: takes what is worth saying.
        whole: there is no more than the head.
    """
    numbered = list(enumerate(head.split("\n")[:-1], start=1))
    content = [(n, line) for n, line in numbered if _is_content(line, options.comments)]
    if not content:
        raise BadDataError("no-samples", "the file holds no samples", file=str(path))
    looked_at = [line for _, line in content[:_LOOKED_AT]]
    delimiter = _find_delimiter(looked_at)
    if delimiter in _NAMES:
        findings.add("delimiter", f"cells are separated by {_NAMES[delimiter]}")
    first = content[0]
    before = [line for n, line in numbered if n < first[0] and line.strip()]
    if first[1].count('"') % 2:
        refuse_open_quote(path, first[0])
    cells = split(first[1], delimiter)
    expected = Counter(len(split(line, delimiter)) for line in looked_at).most_common(1)[0][0]
    header, from_comment = header_cells(cells, before, delimiter, expected, options, path, first[0])
    names = list(options.names) or list(header) or [f"c{i + 1}" for i in range(len(cells))]
    if before:
        said = "comment lines before the data were left out"
        findings.add("preamble", said, count=len(before), line=first[0] - 1)
    rows = content[1:] if header and not from_comment else content
    if len(names) >= MOST_COLUMNS:
        said = f"{len(names)} columns: a line looks like a signal, not like a sample"
        raise BadDataError("too-wide", said, file=str(path), hint="transpose the table")
    units: list[str] = []
    if header and len(rows) > 1 and is_units_row(split(rows[0][1], delimiter), len(names)):
        units = split(rows[0][1], delimiter)
        findings.add("units-row", "the line below the header gives the units", line=rows[0][0])
        rows = rows[1:]
    if not rows and whole:
        said = "a header and no samples"
        raise BadDataError("no-samples", said, file=str(path))
    table = [split(line, delimiter) for _, line in rows]
    if table and all(len(r) == len(names) + 1 and not r[-1] for r in table):
        names.append("")
    if "" in names and _are_empty([i for i, name in enumerate(names) if not name], table):
        findings.add("trailing-delimiter", "columns without name and content were left out")
        named = [name for name in names if name]
    else:
        named = names
    expect_distinct(named, path, first[0])
    decimal_comma = delimiter != "," and _has_decimal_commas(table)
    if decimal_comma:
        findings.add("decimal-comma", "numbers have decimal commas")
    columns, lists = _columns(names, units, table, decimal_comma=decimal_comma)
    _refuse_long_format(columns, table, path)
    start = rows[0][0] if rows else numbered[-1][0] + 1
    return Dialect(
        delimiter, decimal_comma, tuple(names), tuple(columns), lists, tuple(header), start
    )


def _are_empty(positions: Sequence[int], table: Sequence[Sequence[str]]) -> bool:
    return not any(row[i] for row in table for i in positions if i < len(row))


def _is_content(line: str, comments: tuple[str, ...]) -> bool:
    stripped = line.lstrip()
    return bool(stripped) and not (comments and stripped.startswith(comments))


def _find_delimiter(lines: Sequence[str]) -> str:
    """The character that cuts most lines into the same number of cells, more than one."""
    best, best_share = ",", 0.0
    for delimiter in _DELIMITERS:
        counts = Counter(len(split(line, delimiter)) for line in lines)
        cells, agreeing = counts.most_common(1)[0]
        share = agreeing / len(lines)
        if cells > 1 and share > best_share + 0.2:
            best, best_share = delimiter, share
    return best


def _has_decimal_commas(table: Sequence[Sequence[str]]) -> bool:
    cells = [cell for row in table for cell in row if "," in cell]
    return any(
        DECIMAL.fullmatch(cell.replace(",", ".", 1)) and cell.count(",") == 1 for cell in cells
    )


def _columns(
    names: Sequence[str],
    units: Sequence[str],
    table: Sequence[Sequence[str]],
    *,
    decimal_comma: bool,
) -> tuple[list[Column], dict[str, int]]:
    columns: list[Column] = []
    lists: dict[str, int] = {}
    for position, name in enumerate(names):
        if not name:
            continue
        unit = column_unit(name, units[position] if units else "")
        cells = [row[position] for row in table if position < len(row) and row[position]]
        if decimal_comma:
            cells = [cell.replace(",", ".") for cell in cells]
        length = _list_length(cells)
        if length:
            lists[name] = length
            columns += [Column(f"{name}[{i}]", Kind.FLOAT, unit) for i in range(length)]
        else:
            columns.append(Column(name, _kind(cells), unit))
    return columns, lists


def _list_length(cells: Sequence[str]) -> int:
    """How many numbers each cell lists as `[1, 2]`; 0 when they do not all, or differently."""
    if not cells or not all(cell.startswith("[") and cell.endswith("]") for cell in cells):
        return 0
    lengths = {cell.count(",") + 1 for cell in cells}
    return lengths.pop() if len(lengths) == 1 else 0


def _kind(cells: Sequence[str]) -> Kind:
    """Numbers, unless no cell is one.

    Whole numbers are kept apart only where float64 would lose digits, as in ns since 1970: a
    velocity that starts with many 0 is still a float.
    """
    if any(is_number(cell) for cell in cells):
        whole = all(cell.lstrip("+-").isdecimal() and cell.isascii() for cell in cells)
        return Kind.INT if whole and max(map(len, cells)) >= 16 else Kind.FLOAT
    if cells and all(cell.lower() in ("true", "false") for cell in cells):
        return Kind.BOOL
    return Kind.TEXT if cells else Kind.FLOAT


def _refuse_long_format(
    columns: Sequence[Column], table: Sequence[Sequence[str]], path: Path
) -> None:
    """One line per joint and time instead of one per time (B51)."""
    for position, column in enumerate(columns):
        if column.kind is not Kind.TEXT or column.name.lower() not in _LONG_FORMAT:
            continue
        cells = [row[position] for row in table if position < len(row)]
        if 1 < len(set(cells)) <= len(cells) // 2:
            raise BadDataError(
                "long-format",
                f"one line per {column.name} and time ({', '.join(sorted(set(cells))[:4])}, …)",
                file=str(path),
                hint="give one line per time with a column per joint",
            )
