"""Holding data out: by recording where there are several, else by a stretch of time with a gap."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robotid.types import Columns

HELD_OUT = 0.2  # share of a single recording that is held out
GAP_S = 1.0  # left out between training and test, so that the filter's memory does not leak


def by_split(
    recordings: Mapping[str, Columns], splits: Mapping[str, str]
) -> tuple[dict[str, list[Columns]], bool]:
    """Recordings by split, and whether one recording had to be cut in time for want of a second.

    Args:
        recordings: columns with `t` [ns], by name.
        splits: the split of each recording.
    """
    chosen: dict[str, list[Columns]] = {"train": [], "test": []}
    for name, columns in recordings.items():
        chosen.setdefault(splits[name], []).append(columns)
    if chosen["test"] or not chosen["train"]:
        return chosen, False
    *others, last = chosen["train"]
    t = last["t"] / 1e9
    border = t[0] + (t[-1] - t[0]) * (1 - HELD_OUT)
    chosen["train"] = [*others, _rows(last, t <= border - GAP_S)]
    chosen["test"] = [_rows(last, t >= border)]
    return chosen, True


def _rows(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    return {name: values[mask] for name, values in columns.items()}
