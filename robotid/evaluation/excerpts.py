"""Measured and predicted torques of a bounded number of samples, however long recordings are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.factors import MIDDLE, Middle
from robotid.contracts.recording import inspect_recording, read_stretches
from robotid.contracts.residuals import Excerpt, Window
from robotid.contracts.splits import Interval, Split
from robotid.types import Columns

Array = NDArray[np.float64]
Torque = Callable[[Array, Array, Array], Array]  # (q, qd, qdd), each (T, joints), to tau

MOST = 40_000  # samples in all
_WINDOW = 4_000  # samples of a window, where there is room for several
_SHORTEST = 32  # samples; what is shorter between two gaps says nothing
_MOTION = ("q", "qd", "qdd")
_GAP = 1.5  # steps


def excerpt(
    folder: Path,
    index: DatasetIndex,
    joints: Sequence[str],
    predict: Torque,
    *,
    torque: str = "tau",
    most: int = MOST,
    middles: Mapping[str, Callable[[], Middle]] | None = None,
) -> Excerpt:
    """Windows spread over every recording of a filtered dataset; the same ones every time.

    They hold temperatures where recordings have them.

    Args:
        folder: of the dataset.
        index: its index.
        joints: whose columns are read, in the order in which `predict` takes them.
        predict: torques of a motion.
        torque: the measured signal that stands for torque.
        most: samples in all.
        middles: of recordings whose samples in the middle are known, these; where they are all that
            is wanted the recording is not opened.
    """
    counts = {name: facts.samples for name, facts in index.recordings.items()}
    signals = (*_MOTION, torque)
    columns = [f"{signal}.{joint}" for signal in signals for joint in joints]
    windows = []
    for name, stretches in spread(counts, most).items():
        path = folder / f"{name}.parquet"
        step_s = 1.0 / index.recordings[name].rate_hz
        known = (middles or {}).get(name)
        found = _in_the_middle(known, counts[name], stretches, columns, joints)
        if found is None:
            present = set(inspect_recording(path)[0])
            warmth = [column for joint in joints if (column := f"temperature.{joint}") in present]
            found = _in_seconds(read_stretches(path, ["t", *columns, *warmth], stretches))
        for rows in found:
            t = np.asarray(rows["t"], dtype=np.float64)
            warmth = [column for column in rows if column.startswith("temperature.")]
            labels = _splits(t, index.splits[name], index.intervals.get(name))
            for split, part in _pieces(t, labels, step_s):
                q, qd, qdd, tau = (_stacked(rows, signal, joints, part) for signal in signals)
                predicted = np.asarray(predict(q, qd, qdd), dtype=np.float64)
                warm = _stacked(rows, "temperature", joints, part) if warmth else None
                windows.append(Window(name, split, t[part], q, qd, qdd, tau, predicted, warm))
    return Excerpt(tuple(joints), tuple(windows))


def _in_seconds(found: Iterator[Columns]) -> Iterator[Columns]:
    for rows in found:
        yield {**rows, "t": np.asarray(rows["t"] / 1e9, dtype=np.float64)}


def _in_the_middle(
    known: Callable[[], Middle] | None,
    samples: int,
    stretches: Sequence[tuple[int, int]],
    columns: Sequence[str],
    joints: Sequence[str],
) -> Iterator[Columns] | None:
    """Stretches out of the middle of a recording; None where they reach beyond what is known."""
    if known is None or len(stretches) != 1 or stretches[0][1] - stretches[0][0] > MIDDLE:
        return None
    middle, (begin, end) = known(), stretches[0]
    first = (samples - middle.t.size) // 2
    inside = slice(begin - first, end - first)
    rows: Columns = {"t": middle.t[inside]}
    rows |= dict(zip(columns, middle.signals[:, inside], strict=True))
    if len(middle.temperature):
        warmth = [f"temperature.{joint}" for joint in joints]
        rows |= dict(zip(warmth, middle.temperature[:, inside], strict=True))
    return iter([rows])


def spread(counts: Mapping[str, int], most: int) -> dict[str, list[tuple[int, int]]]:
    """First rows and ends of windows, at most so many rows in all.

    Recordings that have less than an equal share are taken whole, the others share what is left.

    Args:
        counts: samples by recording.
        most: rows in all, at least one per recording.
    """
    left, found = most, {}
    for place, name in enumerate(sorted(counts, key=lambda name: (counts[name], name))):
        share = min(counts[name], left // (len(counts) - place))
        found[name] = _evenly(counts[name], share)
        left -= share
    return {name: found[name] for name in counts}


def _evenly(samples: int, wanted: int) -> list[tuple[int, int]]:
    """Windows of about equal size in the middle of equal parts."""
    if wanted == 0:
        return []
    if wanted == samples:
        return [(0, samples)]
    windows = max(1, round(wanted / _WINDOW))
    size = wanted // windows
    starts = [(samples * (2 * i + 1) // windows - size) // 2 for i in range(windows)]
    return [(start, start + size) for start in starts]


def _splits(t: Array, split: Split, intervals: Sequence[Interval] | None) -> list[Split | None]:
    """The split of each sample; None between the parts of a recording that was cut."""
    if intervals is None:
        return [split] * t.size
    labels: list[Split | None] = [None] * t.size
    for part in intervals:
        for at in np.flatnonzero((t >= part.start_s) & (t <= part.end_s)).tolist():
            labels[at] = part.split
    return labels


def _pieces(
    t: Array, labels: Sequence[Split | None], step_s: float
) -> Iterator[tuple[Split, slice]]:
    """Stretches of samples of one split without a gap."""
    apart = np.diff(t) > _GAP * step_s
    changes = [a != b for a, b in pairwise(labels)]
    cuts = np.flatnonzero(apart | np.array(changes, dtype=bool)) + 1
    edges = [0, *cuts.tolist(), t.size]
    for begin, end in pairwise(edges):
        label = labels[begin]
        if label is not None and end - begin >= _SHORTEST:
            yield label, slice(begin, end)


def _stacked(rows: Columns, signal: str, joints: Sequence[str], part: slice) -> Array:
    """One signal of all joints, shape (samples, joints); NaN for a joint that does not have it."""
    none = np.full(len(rows["t"]), np.nan)
    values = [rows.get(f"{signal}.{joint}", none)[part] for joint in joints]
    return np.column_stack(values).astype(np.float64)
