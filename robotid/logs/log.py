"""The interface of every log reader: streams of named columns, read in batches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, from_os_error, nearest
from robotid.logs.findings import Findings

Numbers = NDArray[np.float64] | NDArray[np.int64]


class Kind(StrEnum):
    """What the cells of a column are."""

    FLOAT = "float"
    INT = "int"
    BOOL = "bool"
    TEXT = "text"


class Column(NamedTuple):
    """A column: its name, what its cells are, and the unit the file states, if it does."""

    name: str
    kind: Kind
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Stream:
    """Columns of equal length.

    Args:
        name: the topic, the path of a group, or the name of the only stream.
        message_type: of a topic, such as `sensor_msgs/msg/JointState`; empty elsewhere.
        columns: all columns, in the order of the file.
        rows: how many rows there are, None while that is not known.
    """

    name: str
    message_type: str
    columns: tuple[Column, ...]
    rows: int | None

    def column(self, name: str) -> Column | None:
        """The column of a name."""
        return next((column for column in self.columns if column.name == name), None)


class Batch(NamedTuple):
    """Some consecutive rows.

    Args:
        columns: the wanted columns, each float64 or int64 of shape (rows,).
        positions: where each row is, counted in `counted`.
        counted: what positions count: `line`, `byte`, `message` or `row`.
        segment: rises where the file itself starts anew, as at a repeated header.
    """

    columns: dict[str, Numbers]
    positions: Sequence[int] | NDArray[np.int64]
    counted: str
    segment: int = 0

    @property
    def rows(self) -> int:
        """How many rows the batch has."""
        return len(self.positions)

    def where(self, row: int) -> str:
        """The place of a row in the file, in words."""
        return f"{self.counted} {int(self.positions[row])}"

    def line(self, row: int) -> int | None:
        """The line of a row; None where the file has no lines."""
        return int(self.positions[row]) if self.counted == "line" else None


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a user says of a file that the file itself does not.

    Args:
        names: names of the columns of text without a header, or instead of its header.
        header: False numbers the columns of text without a header `c1`, `c2`, …; None expects one.
        comments: what lines to leave out begin with.
        na_values: cells that stand for a missing value; they become NaN.
        split_at_header: a repeated header starts a new segment instead of being refused.
    """

    names: tuple[str, ...] = ()
    header: bool | None = None
    comments: tuple[str, ...] = ("#", "%", "//")
    na_values: tuple[str, ...] = ()
    split_at_header: bool = False


NO_OPTIONS = ReadOptions()


@dataclass
class Log(ABC):
    """An open log. `findings` grow while it is read."""

    path: Path
    format: str
    findings: Findings
    streams: tuple[Stream, ...] = ()
    constants: Mapping[str, float | str] = field(default_factory=dict)

    def stream(self, name: str) -> Stream:
        """The stream of a name; an unknown one is refused with what there is (B99)."""
        for stream in self.streams:
            if stream.name == name:
                return stream
        present = "; ".join(
            f"{s.name} ({s.message_type or 'columns'}, {'?' if s.rows is None else s.rows} rows)"
            for s in self.streams[:20]
        )
        raise BadDataError(
            "no-such-stream",
            f"no stream {name!r}; there are: {present or 'none'}",
            file=str(self.path),
            hint=nearest(name, [stream.name for stream in self.streams]),
        )

    def batches(self, stream: str, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns of a stream, some rows at a time, in the order of the file."""
        found = self.stream(stream)
        wanted: list[Column] = []
        for name in columns:
            column = found.column(name)
            if column is None:
                raise BadDataError(
                    "no-such-column",
                    f"stream {stream!r} has no column {name!r}",
                    file=str(self.path),
                    hint=nearest(name, [column.name for column in found.columns]),
                )
            if column.kind is Kind.TEXT:
                said = f"column {name!r} of {stream!r} holds text, not numbers"
                raise BadDataError("text-column", said, file=str(self.path))
            wanted.append(column)
        return self._reading(self._batches(found, wanted))

    def _reading(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches; a disk that fails under way is named (B18)."""
        try:
            yield from batches
        except OSError as error:
            error.filename = error.filename or str(self.path)
            raise from_os_error(error, "reading a log") from error

    @abstractmethod
    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        """As `batches`, of columns that exist and are not text."""

    def close(self) -> None:
        """Let go of the file."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
