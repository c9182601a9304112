"""The table from results."""

import json
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from robotid.contracts.table import Figure, Row, TableFacts
from robotid.errors import ConfigError, nearest
from robotid.reporting.tabulated import claims, paths


class Entry(NamedTuple):
    """A result and its name."""

    name: str
    facts: dict[str, Any]


class Wanted(NamedTuple):
    """What a table is to hold; see `TabulateConfig`."""

    title: str
    rows: Mapping[str, str]
    over: Sequence[str]
    columns: Mapping[str, str]
    relative: Mapping[str, Sequence[str]]
    published: Mapping[str, Mapping[str, float]]
    source: str
    claims: Sequence[str]


def facts_of(folders: Mapping[str, Path], file: str) -> list[Entry]:
    """Facts of fits of any kind, or of predictions."""
    return [Entry(name, json.loads((path / file).read_bytes())) for name, path in folders.items()]


def models_of(folders: Mapping[str, Path], file: str) -> list[Entry]:
    """Every model of every tracking or decomposition, under the names of both."""
    return [
        Entry(f"{name}/{model}", facts)
        for name, path in folders.items()
        for model, facts in json.loads((path / file).read_bytes())["models"].items()
    ]


def table(entries: Sequence[Entry], wanted: Wanted) -> TableFacts:
    """All figures, row by row."""
    if wanted.rows:
        own = {name: _matching(pattern, entries) for name, pattern in wanted.rows.items()}
    else:
        own = _alike(entries, wanted.over)
    check_names(wanted, own)
    rows = [_row(name, of_row, wanted) for name, of_row in own.items()]
    for name, of in wanted.relative.items():
        rows = _with_relative(rows, name, of)
    columns = {**wanted.columns, **{name: _said(of) for name, of in wanted.relative.items()}}
    known = {row.name: row for row in rows}
    return TableFacts(
        title=wanted.title,
        source=wanted.source,
        columns=columns,
        rows=rows,
        over=sorted({axis for of_row in own.values() for axis in _differing(of_row)}),
        claims=[claims.concluded(claims.parse(text), known) for text in wanted.claims],
    )


def check_names(wanted: Wanted, rows: Collection[str] | None) -> None:
    """Refuse what is said of rows and columns that there are not; `rows` None: not known yet."""
    columns = [*wanted.columns, *wanted.relative]
    for name, of in wanted.relative.items():
        for column in of:
            _must_know(column, wanted.columns, f"relative: {name!r} is of a column")
    for row, figures in wanted.published.items():
        if rows is not None:
            _must_know(row, rows, "published: figures are of a row")
        for column in figures:
            _must_know(column, columns, f"published: {row!r} has a column")
    for claim in map(claims.parse, wanted.claims):
        for name in (*claim.left, *claim.right):
            if rows is None or (name in claim.right and claims.number(name) is not None):
                continue
            _must_know(name, rows, f"claims: {claim.text!r} is about a row")
        _must_know(claim.column, columns, f"claims: {claim.text!r} is about a column")


def has_any(found: TableFacts, column: str) -> bool:
    """Whether some result has a figure of a column."""
    return any(row.cells[column] is not None for row in found.rows)


def _matching(pattern: str, entries: Sequence[Entry]) -> list[Entry]:
    own = [entry for entry in entries if fnmatchcase(entry.name, pattern)]
    if not own:
        said = f"rows: no result is called {pattern!r}"
        hint = f"there are {', '.join(entry.name for entry in entries[:5])}"
        raise ConfigError("no-such-result", said, hint=hint)
    return own


def _alike(entries: Sequence[Entry], over: Sequence[str]) -> dict[str, list[Entry]]:
    """Results of a sweep that differ along some axes only, under the name they have in common."""
    rows: dict[str, list[Entry]] = {}
    met = set()
    for entry in entries:
        axes = {part: part.partition("=")[0] for part in entry.name.split("/") if "=" in part}
        met |= set(axes.values())
        kept = [part for part in entry.name.split("/") if axes.get(part) not in over]
        rows.setdefault("/".join(kept), []).append(entry)
    for axis in over:
        if axis not in met:
            said = f"over: no result is one of an axis {axis!r}"
            raise ConfigError("no-such-axis", said, hint=nearest(axis, sorted(met)))
    return rows


def _differing(entries: Sequence[Entry]) -> set[str]:
    """Axes of a sweep that results of one row differ in."""
    values: dict[str, set[str]] = {}
    for entry in entries:
        for part in entry.name.split("/"):
            axis, equals, value = part.partition("=")
            if equals:
                values.setdefault(axis, set()).add(value)
    return {axis for axis, own in values.items() if len(own) > 1}


def _row(name: str, own: Sequence[Entry], wanted: Wanted) -> Row:
    return Row(
        name=name,
        results=len(own),
        cells={column: _cell(path, own) for column, path in wanted.columns.items()},
        published=dict(wanted.published.get(name, {})),
    )


def _cell(path: str, own: Sequence[Entry]) -> Figure | None:
    column = paths.column(path)
    own = [entry for entry in own if fnmatchcase(entry.name, column.names)]
    values = (paths.figure(entry.facts, column) for entry in own)
    found = [value for value in values if value is not None]
    if not found:
        return None
    return Figure(
        mean=fmean(found),
        std=stdev(found) if len(found) > 1 else None,
        least=min(found),
        largest=max(found),
        count=len(found),
        missing=len(own) - len(found),
    )


def _with_relative(rows: Sequence[Row], name: str, of: Sequence[str]) -> list[Row]:
    """Rows with a column more: how far others are from the best, over the worst, on average."""
    ends = {}
    for column in of:
        means = [cell.mean for row in rows if (cell := row.cells[column]) is not None]
        ends[column] = min(means, default=0.0), max(means, default=0.0)
    return [
        row.model_copy(update={"cells": {**row.cells, name: _relative(row, ends)}}) for row in rows
    ]


def _relative(row: Row, ends: Mapping[str, tuple[float, float]]) -> Figure | None:
    shares = []
    for column, (least, largest) in ends.items():
        cell = row.cells[column]
        if cell is None or not largest:
            return None
        shares.append((cell.mean - least) / largest)
    mean = fmean(shares)
    return Figure(mean=mean, std=None, least=min(shares), largest=max(shares), count=len(shares))


def _said(of: Sequence[str]) -> str:
    return f"mean of (figure - least) / largest in {', '.join(of)}"


def _must_know(name: str, known: Collection[str], said: str) -> None:
    if name not in known:
        hint = nearest(name, list(known))
        raise ConfigError("no-such-name", f"{said} {name!r} that is not there", hint=hint)
