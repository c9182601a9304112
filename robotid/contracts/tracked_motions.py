"""`trajectories.parquet` of `track`: one motion of every model, gain and length."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from robotid.contracts.tracking import TRACKING, Tracking

TRAJECTORIES = "trajectories.parquet"

Array = NDArray[np.float64]


class TrackedMotion(NamedTuple):
    """A motion, at some of its samples; not a number once it was stopped.

    Args:
        model: that drove the robot.
        gain: name of the gain.
        duration_s: length of the motion as it was asked for.
        t: [s], shape (samples,).
        desired: what the joints, or the hand, should do, shape (samples, axes) [rad, m].
        actual: what they did, likewise.
        tau: torques [N m, N], shape (samples, n).
    """

    model: str
    gain: str
    duration_s: float
    t: Array
    desired: Array
    actual: Array
    tau: Array


def axes_of(found: Tracking) -> list[str]:
    """What moves: the joints, or the coordinates of the hand."""
    return ["x", "y", "z"] if found.task == "reaching" else found.joints


def write_tracking(folder: Path, found: Tracking, motions: Sequence[TrackedMotion]) -> None:
    """Write `tracking.json` and `trajectories.parquet`."""
    (folder / TRACKING).write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    table = pa.concat_tables([_table(one, axes_of(found), found.joints) for one in motions])
    pq.write_table(table, folder / TRAJECTORIES, compression="lz4", write_page_checksum=True)


def _table(one: TrackedMotion, axes: Sequence[str], joints: Sequence[str]) -> pa.Table:
    rows = len(one.t)
    columns: dict[str, pa.Array] = {
        "model": pa.array([one.model] * rows).dictionary_encode(),
        "gain": pa.array([one.gain] * rows).dictionary_encode(),
        "duration_s": pa.array(np.full(rows, one.duration_s)),
        "t": pa.array(one.t),
    }
    for signal, names, values in (
        ("q_des", axes, one.desired),
        ("q", axes, one.actual),
        ("tau", joints, one.tau),
    ):
        for place, name in enumerate(names):
            columns[f"{signal}.{name}"] = pa.array(np.ascontiguousarray(values[:, place]))
    return pa.table(columns)
