"""An inspected log as text: a table per stream with a sparkline per column."""

from robotid.cli.alignment import aligned
from robotid.cli.sparkline import plain_terminal, sparkline
from robotid.inspection.column_words import read_name
from robotid.inspection.inspection import Inspection
from robotid.inspection.roles import Role, roles_of
from robotid.inspection.survey import ColumnFacts, StreamFacts

_MOST_COLUMNS = 200
_MOST_ALIKE = 6
_LONGEST_NAME = 60
_HEADER = ("column", "kind", "is", "unit", "low", "high", "mean", "std", "repeats", "not finite")


def shown(found: Inspection) -> list[str]:
    """All that is to be seen, in lines."""
    plain = plain_terminal()
    lines = [f"{found.path}: {', '.join(found.formats)}"]
    if found.alike:
        more = ", …" if len(found.alike) > _MOST_ALIKE else ""
        names = ", ".join(found.alike[:_MOST_ALIKE]) + more
        lines.append(f"{len(found.alike)} more with the same columns: {names}")
    if found.constants:
        lines.append("beside: " + ", ".join(f"{k} = {v}" for k, v in _few(found.constants)))
    roles = roles_of(found.proposal.columns, found.streams)
    for stream in found.streams:
        lines += ["", *_stream(stream, found, roles, plain=plain)]
    return lines


def _few(constants: dict[str, float | str]) -> list[tuple[str, float | str]]:
    return list(constants.items())[:20]


def _stream(
    stream: StreamFacts, found: Inspection, roles: dict[tuple[str, str, str], Role], *, plain: bool
) -> list[str]:
    place = stream.place
    name = place.name if found.folder else place.stream.name
    kind = f" ({place.stream.message_type})" if place.stream.message_type else ""
    rows = f"{stream.rows:,} rows" if stream.complete else f"first {stream.rows:,} rows"
    lines = [f"{name}{kind}: {rows}, {len(stream.columns)} columns"]
    lines += _times(stream, found)
    table = []
    for column in stream.columns[:_MOST_COLUMNS]:
        role = roles.get((str(place.log.path), place.stream.name, column.name))
        table.append(_row(column, role, plain=plain))
    lines += aligned([*_HEADER, "track"], table)
    if len(stream.columns) > _MOST_COLUMNS:
        lines.append(f"… and {len(stream.columns) - _MOST_COLUMNS} more (all: --json)")
    return lines


def _times(stream: StreamFacts, found: Inspection) -> list[str]:
    """Rates in each unit of time that makes sense, gaps and jitter of what could be times."""
    lines = []
    chosen = found.proposal.columns.time
    for column in stream.columns:
        facts = column.time
        if facts is None:
            continue
        if column.name != chosen.column and read_name(column.name).signal != "time":
            continue
        units = [chosen.unit] if column.name == chosen.column and chosen.unit else None
        rates = ", ".join(
            f"{facts.rate_hz(unit):.6g} Hz in {unit}" for unit in units or facts.plausible_units()
        )
        odd = [f"{facts.gaps} gaps" if facts.gaps else "no gaps"]
        odd += [f"longest step {facts.longest:.6g}"] if facts.gaps else []
        odd += [f"{facts.back} steps back"] if facts.back else []
        odd += [f"{facts.same} steps of zero"] if facts.same else []
        mark = "times" if column.name == chosen.column else "other times"
        said = f"{mark} {column.name}: steps of {facts.step:.6g}, {rates or 'no usual rate'}"
        lines.append(f"{said}, jitter {facts.jitter:.2%}, {', '.join(odd)}")
    return lines


def _row(column: ColumnFacts, role: Role | None, *, plain: bool) -> list[str]:
    name = column.name
    if len(name) > _LONGEST_NAME:
        name = name[: _LONGEST_NAME - 1] + "…"
    unit = column.unit or (f"{role.unit}?" if role is not None and role.unit else "-")
    numbers = (column.low, column.high, column.mean, column.std)
    line = ""
    if column.low is not None and column.high is not None:
        line = sparkline(column.track.mean, column.low, column.high, plain=plain)
    return [
        *(name, str(column.kind), role.signal if role is not None else "-", unit),
        *("-" if value is None else f"{value:.5g}" for value in numbers),
        f"{column.repeats:.0%}" if column.values else "-",
        str(column.not_finite) if column.not_finite else "-",
        line,
    ]
