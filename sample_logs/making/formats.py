"""A recording in formats that know arrays; the same bytes whenever and wherever it is written."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np
import polars as pl
import scipy.io

from making.signals import Recording

_NO_DATE = (1980, 1, 1, 0, 0, 0)
_MAT_HEADER = b"MATLAB 5.0 MAT-file, written for robotid".ljust(116)


def mat(variables: Mapping[str, Any]) -> bytes:
    """A MATLAB file of version 5; its header, which would hold the date, is put in its place."""
    file = io.BytesIO()
    scipy.io.savemat(file, dict(variables))
    return _MAT_HEADER + file.getvalue()[116:]


def npz(arrays: Mapping[str, Any]) -> bytes:
    """Arrays as `numpy.savez` writes them, with a fixed date."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=True)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _NO_DATE), member.getvalue())
    return file.getvalue()


def hdf5(datasets: Mapping[str, tuple[Any, str]]) -> bytes:
    """Datasets by path, each with its unit; HDF5 is told to keep no times."""
    file = io.BytesIO()
    with h5py.File(file, "w", track_order=True) as root:
        for path, (values, unit) in datasets.items():
            dataset = root.create_dataset(path, data=values, track_times=False)
            dataset.attrs["unit"] = unit
    return file.getvalue()


def parquet(recording: Recording) -> bytes:
    """A column per signal and joint. Uncompressed, as compressors change with their versions."""
    file = io.BytesIO()
    table = recording.table
    columns = {name: table[:, i] for i, name in enumerate(recording.names)}
    pl.DataFrame(columns).write_parquet(file, compression="uncompressed", statistics=False)
    return file.getvalue()


def json_records(recording: Recording) -> bytes:
    """A list of records: a time, and a list per signal."""
    rows = [
        {"t": float(t), "q": q.tolist(), "qd": qd.tolist(), "tau": tau.tolist()}
        for t, q, qd, tau in zip(*recording[1:], strict=True)
    ]
    return ("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n").encode()
