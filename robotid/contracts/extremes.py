"""Least and greatest values of a recording's columns, mostly without reading its samples."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from robotid.contracts.recording import open_recording

Extremes = dict[str, tuple[float, float]]


def extremes(
    path: Path, columns: Sequence[str], stretches: Sequence[tuple[float, float]]
) -> Extremes:
    """Least and greatest value of some columns within some stretches of time; exact.

    Row groups that lie within one stretch answer by the statistics that were written with them.
    Only those at the edge of one, or without statistics, are read.

    Args:
        path: the recording.
        columns: their names.
        stretches: first and last time [s] of each; bounds are part of it.

    Returns:
        By column; none where no sample lies in a stretch.
    """
    found: dict[str, list[float]] = {name: [] for name in columns}
    with open_recording(path) as file:
        places = {file.schema.column(at).path: at for at in range(len(file.schema.names))}
        for number in range(file.num_row_groups):
            group = file.metadata.row_group(number)
            times = _stated(group, places["t"])
            if times is not None and not any(_meets(times, stretch) for stretch in stretches):
                continue
            stated = [_stated(group, places[name]) for name in columns]
            whole = times is not None and any(_holds(times, stretch) for stretch in stretches)
            if whole and None not in stated:
                for name, bounds in zip(columns, stated, strict=True):
                    found[name] += bounds or ()
                continue
            table = file.read_row_group(number, columns=["t", *columns])
            seconds = table["t"].to_numpy() / 1e9
            inside = np.zeros(seconds.size, dtype=bool)
            for first, last in stretches:
                inside |= (first <= seconds) & (seconds <= last)
            if inside.any():
                for name in columns:
                    values = table[name].to_numpy()[inside]
                    found[name] += (float(values.min()), float(values.max()))
    # Statistics tell the two zeros apart, samples do not.
    return {name: (min(x) + 0.0, max(x) + 0.0) for name, x in found.items() if x}


def _stated(group: pq.RowGroupMetaData, place: int) -> tuple[float, float] | None:
    statistics = group.column(place).statistics
    if statistics is None or not statistics.has_min_max:
        return None
    return float(statistics.min), float(statistics.max)


def _meets(times: tuple[float, float], stretch: tuple[float, float]) -> bool:
    """Whether a group with these times [ns] has samples of a stretch [s]."""
    return times[0] / 1e9 <= stretch[1] and stretch[0] <= times[1] / 1e9


def _holds(times: tuple[float, float], stretch: tuple[float, float]) -> bool:
    return stretch[0] <= times[0] / 1e9 and times[1] / 1e9 <= stretch[1]
