"""`residuals.parquet`: an excerpt of measured and predicted torques, one row per sample.

Columns are recording, split, window (a number; samples of one have no gap), t [s], and for every
joint q, qd, qdd (float32), tau and pred (float64), as `tau.<joint>`; temperature (float32) where
recordings have it.
"""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from robotid.contracts.fit import RESIDUALS
from robotid.contracts.splits import Split
from robotid.errors import BadDataError, raise_trouble

Array = NDArray[np.float64]

# name of a column -> field of a window, type in the file
_SIGNALS = {
    "q": ("q", np.float32),
    "qd": ("qd", np.float32),
    "qdd": ("qdd", np.float32),
    "tau": ("tau", np.float64),
    "pred": ("predicted", np.float64),
}
_TEMPERATURE = "temperature"


class Window(NamedTuple):
    """Samples without a gap; arrays are (T, joints).

    Args:
        recording: its name.
        split: that the samples are in.
        t: times [s], shape (T,).
        q: positions [rad or m].
        qd: velocities [rad/s or m/s].
        qdd: accelerations.
        tau: measured torques [N m].
        predicted: predicted torques [N m].
        temperature: of the joints [°C], NaN where one has none; None if none has any.
    """

    recording: str
    split: Split
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    predicted: Array
    temperature: Array | None = None


class Excerpt(NamedTuple):
    """Windows of some recordings; columns of their arrays are these joints."""

    joints: tuple[str, ...]
    windows: tuple[Window, ...]


def write_residuals(folder: Path, found: Excerpt) -> None:
    """Write `residuals.parquet`; the same excerpt gives the same bytes."""
    sizes = [window.t.size for window in found.windows]
    columns: dict[str, pa.Array] = {
        name: pa.array(
            [getattr(window, name) for window in found.windows for _ in range(window.t.size)],
            type=pa.string(),
        )
        for name in ("recording", "split")
    }
    columns["window"] = pa.array(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))
    columns["t"] = pa.array(np.concatenate([np.zeros(0), *(w.t for w in found.windows)]))
    signals = {
        name: ([getattr(window, field) for window in found.windows], kind)
        for name, (field, kind) in _SIGNALS.items()
    }
    if any(window.temperature is not None for window in found.windows):
        known = [
            np.full_like(w.tau, np.nan) if w.temperature is None else w.temperature
            for w in found.windows
        ]
        signals[_TEMPERATURE] = known, np.float32
    empty = np.zeros((0, len(found.joints)))
    for name, (parts, kind) in signals.items():
        values = np.concatenate([empty, *parts])
        for place, joint in enumerate(found.joints):
            columns[f"{name}.{joint}"] = pa.array(values[:, place].astype(kind))
    pq.write_table(
        pa.table(columns), folder / RESIDUALS, compression="lz4", write_page_checksum=True
    )


def read_residuals(folder: Path) -> Excerpt:
    """Read `residuals.parquet`; damage and foreign files are refused."""
    path = folder / RESIDUALS
    try:
        table = pq.read_table(path, page_checksum_verification=True, memory_map=False)
        joints = [name.partition(".")[2] for name in table.column_names if name.startswith("tau.")]
        numbers = table["window"].to_numpy()
        edges = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        times = table["t"].to_numpy()
        fields = {field: _stacked(table, name, joints) for name, (field, _) in _SIGNALS.items()}
        if any(name.startswith(f"{_TEMPERATURE}.") for name in table.column_names):
            fields["temperature"] = _stacked(table, _TEMPERATURE, joints)
        windows = [
            Window(
                recording=table["recording"][begin].as_py(),
                split=table["split"][begin].as_py(),
                t=times[begin:end],
                **{field: values[begin:end] for field, values in fields.items()},
            )
            for begin, end in pairwise(edges)
            if end > begin
        ]
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not residuals of robotid ({type(error).__name__})"
        hint = "fit again; without the file, reports leave out what it shows"
        raise BadDataError("not-residuals", said, file=str(path), hint=hint) from error
    return Excerpt(tuple(joints), tuple(windows))


def _stacked(table: pa.Table, name: str, joints: list[str]) -> Array:
    columns = [table[f"{name}.{joint}"].to_numpy().astype(np.float64) for joint in joints]
    return np.column_stack(columns)
