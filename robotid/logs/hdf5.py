"""HDF5, also as MATLAB v7.3 writes it: datasets by dotted path, read in slices.

Only what is in the file itself is followed: no soft or external links, no external storage.
"""

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.arrays import Array, ArraysLog, array_of
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions

_DEEPEST = 16
_MOST_DATASETS = 10_000
_LARGEST_CHUNK = 1 << 28
_DAMAGE = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, OverflowError)


def open_hdf5(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open an HDF5 file."""
    del options
    try:
        file = h5py.File(path, "r", locking=False)
    except _DAMAGE as error:
        said = f"not a readable HDF5 file: {error}"[:300]
        raise BadDataError("damaged-file", said, file=str(path)) from error
    arrays: list[Array] = []
    datasets: dict[str, Any] = {}
    constants: dict[str, float | str] = {}
    try:
        for name, dataset in _datasets(file, "", 0, findings):
            array = _signal(name, dataset, path)
            if array is not None:
                arrays.append(array)
                datasets[name] = dataset
            elif dataset.shape is not None and prod(dataset.shape) == 1:
                value = np.asarray(dataset[()]).flat[0]
                if isinstance(value, bytes):
                    value = value.decode("utf-8", "backslashreplace")
                if isinstance(value, str | np.number | np.bool_):
                    constants[name] = value if isinstance(value, str) else value.item()
            else:
                findings.add("not-a-signal", "datasets that are no signals", where=name)
            if len(arrays) > _MOST_DATASETS:
                said = f"more than {_MOST_DATASETS} datasets"
                raise BadDataError("too-wide", said, file=str(path))
        return Hdf5Log(path, findings, arrays, constants, datasets, file)
    except _DAMAGE as error:
        file.close()
        said = f"the HDF5 file is damaged: {type(error).__name__}: {error}"[:300]
        raise BadDataError("damaged-file", said, file=str(path)) from error
    except BadDataError:
        file.close()
        raise


def _datasets(group: Any, prefix: str, depth: int, findings: Findings) -> Iterator[tuple[str, Any]]:
    """The datasets of a group and the groups in it, through hard links only."""
    if depth > _DEEPEST:
        return
    for key in group:
        if not prefix and key == "#refs#":  # where MATLAB keeps what cells refer to
            continue
        name = f"{prefix}.{key}" if prefix else str(key)
        if not isinstance(group.get(key, getlink=True), h5py.HardLink):
            findings.add("link-not-followed", "links are not followed", where=name)
            continue
        item = group[key]
        if isinstance(item, h5py.Group):
            yield from _datasets(item, name, depth + 1, findings)
        elif isinstance(item, h5py.Dataset):
            yield name, item


def _signal(name: str, dataset: Any, path: Path) -> Array | None:
    if dataset.external or dataset.is_virtual:
        said = f"{name} is stored in another file, which is not followed"
        raise BadDataError("outside-file", said, file=str(path))
    if dataset.shape is None or dataset.dtype.hasobject:
        return None
    kind = dataset.attrs.get("MATLAB_class", b"")
    if (isinstance(kind, bytes) and kind == b"char") or "MATLAB_empty" in dataset.attrs:
        return None
    if dataset.chunks and prod(dataset.chunks) * dataset.dtype.itemsize > _LARGEST_CHUNK:
        said = f"{name} has chunks of more than {_LARGEST_CHUNK >> 20} MB"
        raise BadDataError("too-large", said, file=str(path))
    unit = dataset.attrs.get("unit", dataset.attrs.get("units"))
    if isinstance(unit, bytes):
        unit = unit.decode("utf-8", "backslashreplace")
    return array_of(name, dataset.shape, dataset.dtype, unit if isinstance(unit, str) else None)


class Hdf5Log(ArraysLog):
    """Datasets of an HDF5 file."""

    def __init__(
        self,
        path: Path,
        findings: Findings,
        arrays: list[Array],
        constants: dict[str, float | str],
        datasets: dict[str, Any],
        file: Any,
    ) -> None:
        super().__init__(path, "hdf5", findings, arrays, constants)
        self._datasets, self._file = datasets, file

    def rows(self, array: Array, start: int, end: int) -> NDArray[Any]:
        """Samples `start` to `end` of an array, with the axis of samples first."""
        place = (slice(None),) * array.axis + (slice(start, end),)
        try:
            values = np.asarray(self._datasets[array.name][place])
        except _DAMAGE as error:
            said = f"{array.name}, rows {start + 1} to {end}: {error}"[:300]
            raise BadDataError("damaged-array", said, file=str(self.path)) from error
        return np.moveaxis(values, array.axis, 0)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
