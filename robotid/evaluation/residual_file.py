"""`residuals.parquet`: an excerpt as a table, one row per sample.

Columns are recording, split, window (a number; samples of one have no gap), t [s], and for every
joint qd and qdd (float32), tau and pred (float64), as `tau.<joint>`.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from robotid.contracts.fit import RESIDUALS
from robotid.errors import BadDataError
from robotid.evaluation.excerpts import Excerpt, Window

# name of a column -> field of a window, type in the file
_SIGNALS = {
    "qd": ("qd", np.float32),
    "qdd": ("qdd", np.float32),
    "tau": ("tau", np.float64),
    "pred": ("predicted", np.float64),
}


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
    empty = np.zeros((0, len(found.joints)))
    columns["t"] = pa.array(np.concatenate([np.zeros(0), *(w.t for w in found.windows)]))
    for name, (field, kind) in _SIGNALS.items():
        values = np.concatenate([empty, *(getattr(window, field) for window in found.windows)])
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
        signals = {
            field: np.column_stack(
                [table[f"{name}.{joint}"].to_numpy().astype(np.float64) for joint in joints]
            )
            for name, (field, _) in _SIGNALS.items()
        }
        windows = [
            Window(
                recording=table["recording"][begin].as_py(),
                split=table["split"][begin].as_py(),
                t=times[begin:end],
                **{field: values[begin:end] for field, values in signals.items()},
            )
            for begin, end in pairwise(edges)
            if end > begin
        ]
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        said = f"not residuals of robotid ({type(error).__name__})"
        raise BadDataError("not-residuals", said, file=str(path)) from error
    return Excerpt(tuple(joints), tuple(windows))
