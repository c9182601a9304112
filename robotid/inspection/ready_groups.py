"""The columns of a log that needs no map, as groups."""

from collections.abc import Sequence

from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.column_groups import Group
from robotid.inspection.column_words import NameFacts
from robotid.inspection.survey import StreamFacts


def ready_groups(streams: Sequence[StreamFacts], ready: ColumnMap) -> dict[str, Group]:
    """Groups of the signals that a map with `{joint}` names."""
    found: dict[str, Group] = {}
    for signal, mapped in ready.signals().items():
        assert isinstance(mapped.columns, str)
        head, _, tail = mapped.columns.partition("{joint}")
        stream = next(s for s in streams if mapped.stream in (None, s.place.stream.name))
        columns = [
            column
            for column in stream.columns
            if column.name.startswith(head) and column.name.endswith(tail)
        ]
        labels = tuple(c.name[len(head) : len(c.name) - len(tail)] for c in columns)
        facts = NameFacts(signal, False, frozenset(), None, ())
        found[signal] = Group(stream, mapped.columns, labels, tuple(columns), facts, None)
    return found
