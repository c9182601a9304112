"""MATLAB files of versions 5 to 7: arrays and structures in structures, by dotted path.

What the file unfolds to is measured before anything is loaded, for it is loaded as a whole.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, RobotidError
from robotid.logs.arrays import LARGEST_ARRAY, Array, ArraysLog, array_of, refuse_large
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions

_COMPRESSED = 15
_DEEPEST = 16
_MOST_ITEMS = 64  # of a struct or cell array that are looked into
_MOST_CONSTANTS = 1000


def open_mat5(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a MATLAB file that is not HDF5."""
    del options
    from scipy.io import loadmat

    size = _unfolded_size(path)
    if size > LARGEST_ARRAY:
        refuse_large(path, "the file", size)
    try:
        content = loadmat(path, struct_as_record=True, squeeze_me=False, chars_as_strings=True)
    except Exception as error:  # the parser raises whatever its damaged input leads to
        said = f"not a readable MATLAB file: {type(error).__name__}: {error}"[:300]
        raise BadDataError("damaged-file", said, file=str(path)) from error
    found: dict[str, NDArray[Any]] = {}
    for name, value in content.items():
        if not name.startswith("__"):
            found |= dict(_leaves(value, str(name), 0))
    arrays, kept = [], {}
    constants: dict[str, float | str] = {}
    for name, value in found.items():
        array = array_of(name, value.shape, value.dtype)
        if array is not None:
            arrays.append(array)
            kept[name] = np.moveaxis(value, array.axis, 0)
        elif value.size == 1 and value.dtype.kind in "fiubU" and len(constants) < _MOST_CONSTANTS:
            constants[name] = value.flat[0].item()
        elif value.size:
            findings.add("not-a-signal", "arrays that are no signals", where=name)
    return MatLog(path, findings, arrays, constants, kept)


class MatLog(ArraysLog):
    """Arrays that are in memory."""

    def __init__(
        self,
        path: Path,
        findings: Findings,
        arrays: list[Array],
        constants: dict[str, float | str],
        values: dict[str, NDArray[Any]],
    ) -> None:
        super().__init__(path, "mat5", findings, arrays, constants)
        self._values = values

    def rows(self, array: Array, start: int, end: int) -> NDArray[Any]:
        """Samples `start` to `end` of an array, with the axis of samples first."""
        return self._values[array.name][start:end]


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of numbers or text inside, by path; elements of arrays of structures by index."""
    from scipy.io.matlab import MatlabFunction, MatlabOpaque

    foreign = isinstance(value, MatlabFunction | MatlabOpaque)  # code and objects are no signals
    if not isinstance(value, np.ndarray) or foreign or depth > _DEEPEST:
        return
    if value.dtype.names is None and value.dtype.kind != "O":
        yield path, value
        return
    for number, item in enumerate(value.flat):
        if number >= _MOST_ITEMS:
            break
        here = path if value.size == 1 else f"{path}[{number}]"
        if value.dtype.names is None:
            yield from _leaves(item, here, depth + 1)
        else:
            for field in value.dtype.names:
                yield from _leaves(item[field], f"{here}.{field}", depth + 1)


def _unfolded_size(path: Path) -> int:
    """How many bytes the variables take, by running through the compressed ones."""
    total = 0
    with path.open("rb") as file:
        head = file.read(128)
        order = "<" if head[126:128] == b"IM" else ">"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            if length > path.stat().st_size - file.tell():
                said = f"the variable at byte {file.tell() - 8} is cut"
                raise BadDataError("cut-file", said, file=str(path), hint="save it again")
            try:
                total += _inflated(file, length) if kind == _COMPRESSED else length
            except (zlib.error, RobotidError) as error:
                said = f"the variable at byte {file.tell()} cannot be decompressed: {error}"
                raise BadDataError("damaged-file", said, file=str(path)) from error
            if kind != _COMPRESSED:
                file.seek(length, 1)
            if total > LARGEST_ARRAY:
                break
    return total


def _inflated(file: BinaryIO, length: int) -> int:
    """The size of a compressed variable; reading stops beyond what may be loaded."""
    unpack, size, left = zlib.decompressobj(), 0, length
    pending = b""
    while (left or pending) and size <= LARGEST_ARRAY:
        if not pending:
            pending = file.read(min(left, 1 << 20))
            left -= len(pending)
        size += len(unpack.decompress(pending, 1 << 24))
        pending = unpack.unconsumed_tail
    return size
