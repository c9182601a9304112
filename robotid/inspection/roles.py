"""What each column of a log is by a map."""

from collections.abc import Sequence
from typing import NamedTuple

from robotid.ingestion.column_map import ColumnMap, SignalMap, fill
from robotid.inspection.survey import StreamFacts

Key = tuple[str, str, str]  # file, stream, column


class Role(NamedTuple):
    """The signal that a column is, and its unit by the map."""

    signal: str
    unit: str | None


def roles_of(columns: ColumnMap, streams: Sequence[StreamFacts]) -> dict[Key, Role]:
    """The roles of all columns that a map uses."""
    found: dict[Key, Role] = {}
    for stream in streams:
        file, name = stream.place.log.path, stream.place.stream.name
        names = [column.name for column in stream.columns]

        def note(column: str, role: Role, at: tuple[str, str] = (str(file), name)) -> None:
            found[(*at, column)] = role

        used = False
        for signal, mapped in columns.signals().items():
            if _is_here(mapped, stream):
                chosen = _columns(mapped, names)
                used = used or bool(chosen)
                for column in chosen:
                    note(column, Role(signal, mapped.unit))
        for prefix, (mapped, ends) in columns.parts().items():
            if _is_here(mapped, stream):
                for column, end in zip(mapped.column_names(ends), ends, strict=False):
                    note(column, Role(f"{prefix}.{end}", mapped.unit))
        if used and columns.time.column in names:
            note(columns.time.column, Role("time", columns.time.unit))
    return found


def _is_here(mapped: SignalMap, stream: StreamFacts) -> bool:
    place = stream.place
    return mapped.file in (None, place.log.path.name) and mapped.stream in (
        None,
        place.stream.name,
    )


def _columns(mapped: SignalMap, names: Sequence[str]) -> list[str]:
    """The names that are in a list or fit a pattern."""
    if isinstance(mapped.columns, tuple):
        return [name for name in names if name in mapped.columns]
    if "{joint}" in mapped.columns:
        head, _, tail = mapped.columns.partition("{joint}")
        long = len(head) + len(tail)
        return [n for n in names if n.startswith(head) and n.endswith(tail) and len(n) > long]
    wanted = {fill(mapped.columns, number, "") for number in range(len(names))}
    return [name for name in names if name in wanted]
