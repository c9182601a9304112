"""MATLAB files of versions 5 to 7: arrays and structures in structures, by dotted path.

The sizes it states are checked before anything is loaded, for it is loaded as a whole.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.arrays import LARGEST_ARRAY, Array, ArraysLog, array_of, refuse_large
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions
from robotid.logs.mat5_structure import Structure

_COMPRESSED = 15
_DEEPEST = 16
_MOST_ITEMS = 64  # of a struct or cell array that are looked into
_MOST_CONSTANTS = 1000


def open_mat5(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a MATLAB file that is not HDF5."""
    del options
    from scipy.io import loadmat

    _check(path)
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


def _check(path: Path) -> None:
    """Refuse a file that is cut, too large once unfolded, or states sizes that cannot be."""
    total, at = 0, 128
    size = path.stat().st_size
    with path.open("rb") as file:
        order = "<" if file.read(128)[126:128] == b"IM" else ">"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            if length > size - file.tell():
                said = f"the variable at byte {at} is cut"
                raise BadDataError("cut-file", said, file=str(path), hint="save it again")
            content = file.read(length)
            try:
                content = _inflated(content) if kind == _COMPRESSED else tag + content
                total += len(content)
                if total > LARGEST_ARRAY:
                    refuse_large(path, "the file", total)
                Structure(content, order).check()
            except (zlib.error, ValueError, struct.error) as error:
                said = f"the variable at byte {at} is damaged: {error}"
                raise BadDataError("damaged-file", said, file=str(path)) from error
            at = file.tell()


def _inflated(content: bytes) -> bytes:
    """A compressed variable, or somewhat more of it than may be loaded."""
    unpack = zlib.decompressobj()
    found = unpack.decompress(content, LARGEST_ARRAY + 1)
    if not unpack.eof and len(found) <= LARGEST_ARRAY:
        raise ValueError("its compressed data end early")
    return found
