"""The header of a text log: names, units, and what makes a line a header."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from robotid.errors import BadDataError
from robotid.logs.log import ReadOptions
from robotid.logs.number_grammar import is_number

# In lower case, without blanks.
_UNITS = frozenset(
    (
        *("s", "sec", "ms", "us", "µs", "μs", "ns", "min", "h", "hz", "khz"),
        *("rad", "deg", "°", "rev", "turn", "m", "cm", "mm", "km", "counts", "count", "ticks"),
        *("rad/s", "deg/s", "°/s", "rpm", "m/s", "mm/s"),
        *("rad/s^2", "rad/s2", "rad/s²", "deg/s^2", "m/s^2", "m/s2", "m/s²"),
        *("nm", "n*m", "n.m", "n·m", "n-m", "mnm", "ncm", "n", "mn", "kn", "kg", "g"),
        *("a", "ma", "v", "mv", "w", "kw", "°c", "degc", "c", "k", "%", "bool", "-", "1"),
    )
)
_IN_BRACKETS = re.compile(r"[\[(]\s*([^\[\]()]+?)\s*[\])]\s*$")


def column_unit(name: str, stated: str) -> str | None:
    """The unit of a column: from the units row, or in brackets at the end of its name."""
    if stated:
        return stated.strip("[]() ") or None
    found = _IN_BRACKETS.search(name)
    if found is None or found[1].isdigit():  # q[1] is the second of several, not of unit 1
        return None
    return found[1] if found[1].lower().replace(" ", "") in _UNITS else None


def is_units_row(cells: Sequence[str], expected: int) -> bool:
    """Whether a line holds nothing but units (B31)."""
    if len(cells) != expected or not any(cells):
        return False
    words = [cell.strip("[]() ").lower().replace(" ", "") for cell in cells]
    some = [word for word in words if word]
    return all(word in _UNITS for word in some) and not all(is_number(word) for word in some)


def header_cells(
    cells: Sequence[str],
    before: Sequence[str],
    delimiter: str,
    expected: int,
    options: ReadOptions,
    path: Path,
    line: int,
) -> tuple[Sequence[str], bool]:
    """The names a file gives its columns, and whether they stand in a comment above the data.

    Args:
        cells: of the first line that is no comment.
        before: the comments above it.
        delimiter: between cells.
        expected: how many cells most lines have.
        options: what the user says.
        path: for messages.
        line: of the cells, for messages.
    """
    data = [cell for cell in cells if is_number(cell.replace(",", ".")) or cell.startswith("[")]
    filled = [cell for cell in cells if cell]
    if 2 * len(data) < len(filled) or not filled:
        if options.names and len(options.names) != len(cells):
            _refuse_names(options, len(cells), path, line)
        return cells, False
    if options.names:
        if len(options.names) != len(cells):
            _refuse_names(options, len(cells), path, line)
        return (), False
    if options.header is False:
        return (), False
    if before:  # as numpy.savetxt writes it
        text = before[-1].strip().lstrip("#%/").strip()
        named = [
            name.strip().strip('"') for name in text.split(None if delimiter == " " else delimiter)
        ]
        if len(named) == expected == len(cells) and not any(is_number(name) for name in named):
            return named, True
    raise BadDataError(
        "no-header",
        f"the first line holds numbers, not the names of {len(cells)} columns",
        file=str(path),
        line=line,
        hint="give the names of the columns (names), or header = false to number them c1, c2, …",
    )


def _refuse_names(options: ReadOptions, cells: int, path: Path, line: int) -> None:
    said = f"{len(options.names)} names were given for {cells} columns"
    raise BadDataError("wrong-names", said, file=str(path), line=line)


def expect_distinct(names: Sequence[str], path: Path, line: int) -> None:
    """Refuse empty names and names that occur twice (B28, B29)."""
    places: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        places.setdefault(name, []).append(position)
    if "" in places:
        said = f"column {places[''][0]} has no name"
        raise BadDataError("unnamed-column", said, file=str(path), line=line, column=places[""][0])
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = "; ".join(
            f"{name!r} in columns {', '.join(map(str, places[name]))}" for name in repeated[:5]
        )
        raise BadDataError(
            "same-column",
            f"columns with the same name: {shown}",
            file=str(path),
            line=line,
            column=places[repeated[0]][1],
        )


def refuse_open_quote(path: Path, line: int) -> NoReturn:
    """Refuse a line on which a quote is opened and not closed (B37)."""
    said = "a quote is opened on this line and not closed on it"
    raise BadDataError("open-quote", said, file=str(path), line=line)
