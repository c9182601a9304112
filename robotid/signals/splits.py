"""Holding data out: by recording where there are several, else by a stretch of time with a gap."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robotid.types import Columns

HELD_OUT = 0.2  # share of a single recording that is held out


def by_split(
    recordings: Mapping[str, Columns], splits: Mapping[str, str], gap_s: float
) -> tuple[dict[str, list[Columns]], bool]:
    """Recordings by split; without a test recording, the end of the last training one is taken.

    Args:
        recordings: columns with `t` [ns], by name.
        splits: the split of each recording: `train`, `val` or `test`.
        gap_s: what is left out before the stretch that is held out; at least the filter's memory,
            so that nothing of the test leaks into the training.

    Returns:
        The columns of `train`, `test` and, if there are any, `val`; and whether a recording had
        to be cut.
    """
    chosen: dict[str, list[Columns]] = {"train": [], "test": []}
    for name, columns in recordings.items():
        chosen.setdefault(splits[name], []).append(columns)
    if chosen["test"] or not chosen["train"]:
        return chosen, False
    *others, last = chosen["train"]
    t = last["t"] / 1e9
    border = t[0] + (t[-1] - t[0]) * (1 - HELD_OUT)
    chosen["train"] = [*others, _rows(last, t <= border - gap_s)]
    chosen["test"] = [_rows(last, t >= border)]
    return chosen, True


def _rows(columns: Columns, mask: NDArray[np.bool_]) -> Columns:
    return {name: values[mask] for name, values in columns.items()}
