"""NumPy arrays: one in a `.npy` file, several in a `.npz` archive. Python objects are refused.

Arrays with samples along the first axis of memory are streamed; others are read as a whole.
"""

import zipfile
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.arrays import LARGEST_ARRAY, Array, ArraysLog, array_of, refuse_large
from robotid.logs.byte_source import FREE_BYTES, LARGEST_RATIO
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions

_MOST_MEMBERS = 10_000
_LONGEST_HEADER = 10_000
_DAMAGE = (ValueError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class _Header(NamedTuple):
    """What stands before the numbers of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool


def open_npy(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a file that holds one array."""
    del options
    size = path.stat().st_size
    return _open(path, "npy", findings, {path.stem: (lambda: path.open("rb"), size)}, None)


def open_npz(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open an archive of arrays; what it unfolds to is checked beforehand."""
    del options
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise BadDataError("damaged-file", f"no archive: {error}", file=str(path)) from error
    members: dict[str, tuple[Callable[[], IO[bytes]], int]] = {}
    for info in archive.infolist()[:_MOST_MEMBERS]:
        if not info.filename.endswith(".npy"):
            findings.add("not-an-array", "members that are no arrays", where=repr(info.filename))
            continue
        if info.file_size > FREE_BYTES + LARGEST_RATIO * info.compress_size:
            said = f"{info.compress_size} bytes of {info.filename!r} become {info.file_size}"
            raise BadDataError("decompression-bomb", said, file=str(path))
        name = info.filename.removesuffix(".npy").replace("/", ".")
        members[name] = (lambda info=info: archive.open(info), info.file_size)  # type: ignore[misc]
    return _open(path, "npz", findings, members, archive)


def _open(
    path: Path,
    called: str,
    findings: Findings,
    members: dict[str, tuple[Callable[[], IO[bytes]], int]],
    archive: zipfile.ZipFile | None,
) -> Log:
    arrays, headers = [], {}
    constants: dict[str, float | str] = {}
    for name, (opened, size) in members.items():
        try:
            with opened() as file:
                header = _header(file)
                expected = prod(header.shape) * header.dtype.itemsize
                if file.tell() + expected > size:
                    said = f"{name} should take {expected} bytes and has {size - file.tell()}"
                    raise BadDataError("cut-array", said, file=str(path))
                array = array_of(name, header.shape, header.dtype)
                if array is None:
                    if header.dtype.kind in "fiubU" and prod(header.shape) == 1 and expected < 4096:
                        value = np.frombuffer(file.read(expected), header.dtype)[0]
                        constants[name] = value.item()
                    else:
                        findings.add("not-a-signal", "arrays that are no signals", where=name)
                    continue
        except BadDataError:
            raise
        except _DAMAGE as error:
            said = f"array {name!r} cannot be read: {error}"
            raise BadDataError("damaged-array", said, file=str(path)) from error
        arrays.append(array)
        headers[name] = header
    openers = {name: opened for name, (opened, _) in members.items()}
    return NumpyLog(path, called, findings, arrays, constants, headers, openers, archive)


def _header(file: IO[bytes]) -> _Header:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"version {version} of the array format")
    try:
        shape, fortran, dtype = read(file, max_header_size=_LONGEST_HEADER)
    except Exception as error:  # a literal that is none: whatever the tokenizer says of it
        raise ValueError(f"its header is damaged ({type(error).__name__})") from error
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    if any(n < 0 for n in shape) or prod(shape) > 1 << 60:
        raise ValueError(f"a shape of {shape}")
    return _Header(shape, dtype, fortran)


class NumpyLog(ArraysLog):
    """Arrays of NumPy, streamed where their memory layout allows it."""

    def __init__(
        self,
        path: Path,
        called: str,
        findings: Findings,
        arrays: list[Array],
        constants: dict[str, float | str],
        headers: dict[str, _Header],
        openers: dict[str, Callable[[], IO[bytes]]],
        archive: zipfile.ZipFile | None,
    ) -> None:
        super().__init__(path, called, findings, arrays, constants)
        self._headers, self._openers, self._archive = headers, openers, archive
        self._streams: dict[str, tuple[IO[bytes], int]] = {}
        self._whole: dict[str, NDArray[Any]] = {}

    def rows(self, array: Array, start: int, end: int) -> NDArray[Any]:
        """Samples `start` to `end` of an array, with the axis of samples first."""
        header = self._headers[array.name]
        try:
            if (header.fortran and len(header.shape) > 1) or array.axis:
                return self._as_whole(array, header)[start:end]
            return self._streamed(array, header, start, end)
        except _DAMAGE as error:
            said = f"array {array.name!r} is damaged: {error}"
            raise BadDataError("damaged-array", said, file=str(self.path)) from error

    def _streamed(self, array: Array, header: _Header, start: int, end: int) -> NDArray[Any]:
        file, at = self._streams.get(array.name, (None, -1))
        if file is None or at != start:
            if file is not None:
                file.close()
            file = self._openers[array.name]()
            _header(file)
            if start:
                file.seek(start * self._row_size(header), 1)
        size = (end - start) * self._row_size(header)
        raw = file.read(size)
        self._streams[array.name] = (file, end)
        if len(raw) < size:
            raise EOFError("it ends early")
        return np.frombuffer(raw, header.dtype).reshape(end - start, *header.shape[1:])

    def _row_size(self, header: _Header) -> int:
        return prod(header.shape[1:]) * header.dtype.itemsize

    def _as_whole(self, array: Array, header: _Header) -> NDArray[Any]:
        if array.name not in self._whole:
            size = prod(header.shape) * header.dtype.itemsize
            if size > LARGEST_ARRAY:
                refuse_large(self.path, array.name, size)
            with self._openers[array.name]() as file:
                _header(file)
                raw = file.read(size)
            if len(raw) < size:
                raise EOFError("it ends early")
            flat = np.frombuffer(raw, header.dtype)
            whole = flat.reshape(header.shape, order="F" if header.fortran else "C")
            self._whole = {array.name: np.moveaxis(whole, array.axis, 0)} | self._whole
        return self._whole[array.name]

    def close(self) -> None:
        """Let go of the files."""
        for file, _ in self._streams.values():
            file.close()
        self._streams.clear()
        self._whole.clear()
        if self._archive is not None:
            self._archive.close()
