"""HDF5, also as MATLAB v7.3 writes it: datasets by dotted path, read in slices.

Only what is in the file itself is followed: no soft or external links, no external storage.
"""

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.arrays import Array, ArraysLog, array_of
from robotid.logs.byte_source import FREE_BYTES, LARGEST_RATIO
from robotid.logs.findings import Findings
from robotid.logs.hdf5_texts import attribute_text, dataset_text
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
        with path.open("rb") as raw:
            for name, dataset in _datasets(file, "", 0, findings):
                array = _signal(name, dataset, raw, findings)
                value = _constant(dataset, raw) if array is None else None
                if array is not None:
                    arrays.append(array)
                    datasets[name] = dataset
                elif value is not None:
                    constants[name] = value
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


def _constant(dataset: Any, raw: BinaryIO) -> float | str | None:
    """The only value of a dataset; None if it has more, or is no number and no text."""
    if dataset.shape is None or prod(dataset.shape) != 1:
        return None
    if h5py.check_string_dtype(dataset.dtype) is not None:
        return dataset_text(dataset, raw)
    if dataset.dtype.kind not in "fiub":
        return None
    value: float = np.asarray(dataset[()]).flat[0].item()
    return value


def _signal(name: str, dataset: Any, raw: BinaryIO, findings: Findings) -> Array | None:
    """The dataset as a signal; None when it is none."""
    if dataset.external or dataset.is_virtual:
        said = f"{name} is stored in another file, which is not followed"
        raise BadDataError("outside-file", said, file=raw.name)
    if dataset.shape is None or dataset.dtype.hasobject:
        return None
    is_text = attribute_text(dataset, "MATLAB_class", raw) == "char"
    if is_text or "MATLAB_empty" in dataset.attrs:
        return None
    if dataset.chunks and prod(dataset.chunks) * dataset.dtype.itemsize > _LARGEST_CHUNK:
        said = f"{name} has chunks of more than {_LARGEST_CHUNK >> 20} MB"
        raise BadDataError("too-large", said, file=raw.name)
    size = prod(dataset.shape) * dataset.dtype.itemsize
    stored = dataset.file.id.get_filesize()
    if size > FREE_BYTES + LARGEST_RATIO * stored:  # chunks that are not there count as zeros
        said = f"{name} takes {size} bytes, the file has {stored}"
        raise BadDataError("decompression-bomb", said, file=raw.name)
    stated = [word for word in ("unit", "units") if word in dataset.attrs]
    unit = next(filter(None, (attribute_text(dataset, word, raw) for word in stated)), None)
    if stated and unit is None:
        findings.add("unit-not-read", "units stored in an unusual way were not read", where=name)
    return array_of(name, dataset.shape, dataset.dtype, unit)


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
