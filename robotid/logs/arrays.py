"""Files of named arrays (NPZ, MAT, HDF5) as streams: arrays of equal length belong together.

Samples run along the longest axis of an array. The others become columns `name[i]` or `name[i,j]`.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.log import Batch, Column, Kind, Log, Numbers, Stream

MOST_COLUMNS = 4000  # of one array
LARGEST_ARRAY = 2 << 30  # bytes of an array that has to be in memory as a whole
_CELLS = 1 << 20  # numbers in a batch
_KINDS = {"f": Kind.FLOAT, "i": Kind.INT, "u": Kind.INT, "b": Kind.BOOL}


@dataclass(frozen=True, slots=True)
class Array:
    """An array in a file: its path, shape, type, and the axis along which samples run."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    axis: int
    unit: str | None = None

    @property
    def length(self) -> int:
        """How many samples there are."""
        return self.shape[self.axis]


def array_of(
    name: str, shape: Sequence[int], dtype: np.dtype[Any], unit: str | None = None
) -> Array | None:
    """The array as a signal; None when it is none: text, complex, a single number, too wide."""
    shape = tuple(int(n) for n in shape)
    if dtype.kind not in _KINDS or not shape or prod(shape) < 2:
        return None
    axis = int(np.argmax(shape))
    if prod(shape) // shape[axis] > MOST_COLUMNS:
        return None
    return Array(name, shape, dtype, axis, unit)


class ArraysLog(Log):
    """A log made of arrays; a reader says how rows of one are read."""

    def __init__(
        self,
        path: Path,
        name: str,
        findings: Findings,
        arrays: Sequence[Array],
        constants: dict[str, float | str],
    ) -> None:
        super().__init__(path, name, findings, constants=constants)
        self._columns: dict[str, dict[str, tuple[Array, tuple[int, ...]]]] = {}
        groups: dict[int, list[Array]] = {}
        for array in arrays:
            groups.setdefault(array.length, []).append(array)
        streams = []
        for length, group in sorted(groups.items(), reverse=True):
            called = _group_name([array.name for array in group], self._columns)
            places = {c: (array, index) for array in group for c, index in _spread(array)}
            self._columns[called] = places
            columns = tuple(
                Column(column, _KINDS[array.dtype.kind], array.unit)
                for column, (array, _) in places.items()
            )
            streams.append(Stream(called, "", columns, length))
        if not streams:
            said = "the file holds no arrays of numbers"
            raise BadDataError("no-samples", said, file=str(path))
        self.streams = tuple(streams)

    @abstractmethod
    def rows(self, array: Array, start: int, end: int) -> NDArray[Any]:
        """Samples `start` to `end` of an array, with the axis of samples first."""

    def _batches(self, stream: Stream, columns: Sequence[Column]) -> Iterator[Batch]:
        places = {column.name: self._columns[stream.name][column.name] for column in columns}
        arrays = {array.name: array for array, _ in places.values()}
        width = sum(prod(array.shape) // array.length for array in arrays.values())
        step = max(1, _CELLS // max(1, width))
        length = stream.rows or 0
        for start in range(0, length, step):
            progress.report(start, length, "reading")
            end = min(start + step, length)
            blocks = {name: self.rows(array, start, end) for name, array in arrays.items()}
            read = {
                name: self._numbers(_column(blocks[array.name], index), name, start)
                for name, (array, index) in places.items()
            }
            yield Batch(read, range(start + 1, end + 1), "row")

    def _numbers(self, values: NDArray[Any], name: str, start: int) -> Numbers:
        if values.dtype.kind == "f":
            return np.ascontiguousarray(values, np.float64)
        if values.dtype.kind == "u" and values.dtype.itemsize == 8:
            large = np.flatnonzero(values > np.iinfo(np.int64).max)
            if large.size:
                said = f"{values[large[0]]} in {name}, row {start + 1 + large[0]}, is too large"
                raise BadDataError("integer-too-large", said, file=str(self.path))
        return np.ascontiguousarray(values, np.int64)


def _column(block: NDArray[Any], index: tuple[int, ...]) -> NDArray[Any]:
    """The samples of one place in the other axes."""
    place: tuple[Any, ...] = (slice(None), *index)
    found: NDArray[Any] = block[place]
    return found


def _spread(array: Array) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and places of the columns of an array."""
    others = [n for axis, n in enumerate(array.shape) if axis != array.axis]
    if prod(others) == 1:
        yield array.name, (0,) * len(others)
        return
    for index in np.ndindex(*others):
        shown = ",".join(str(i) for i, n in zip(index, others, strict=True) if n > 1)
        yield f"{array.name}[{shown}]", tuple(index)


def _group_name(names: Sequence[str], taken: dict[str, Any]) -> str:
    """What the paths of the arrays share, or `data`; a number where that is taken."""
    shared = []
    for parts in zip(*(name.split(".")[:-1] for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    called = ".".join(shared) or "data"
    number, base = 2, called
    while called in taken:
        called, number = f"{base} {number}", number + 1
    return called


def refuse_large(path: Path, name: str, size: int) -> NoReturn:
    """Refuse an array that would have to be in memory as a whole (B11)."""
    raise BadDataError(
        "too-large",
        f"{name} takes {size / 1e9:.1f} GB in memory, the most is {LARGEST_ARRAY / 1e9:.1f} GB",
        file=str(path),
        hint="save it with samples along the first axis, or as Parquet or CSV",
    )
