"""Measured and predicted torques of a bounded number of samples, however long recordings are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.factors import MIDDLE, Middle
from robotid.contracts.forces import Forces
from robotid.contracts.recording import GAP_STEPS, read_stretches
from robotid.contracts.residuals import Excerpt, Window
from robotid.contracts.splits import Interval, Split
from robotid.information.samples import SampleReader, coordinates, samples_of
from robotid.robot.tree import RobotTree
from robotid.types import Columns

Array = NDArray[np.float64]
# q (T, nq), qd and qdd (T, nv) to tau (T, nv).
Torque = Callable[[Array, Array, Array], Array]

MOST = 40_000  # samples in all
_WINDOW = 4_000  # samples of a window, where there is room for several
_SHORTEST = 32  # samples; what is shorter between two gaps says nothing


def excerpt(
    folder: Path,
    index: DatasetIndex,
    robot: RobotTree,
    predict: Torque,
    *,
    torque: str = "tau",
    gains: Array | None = None,
    forces: Forces | None = None,
    most: int = MOST,
    middles: Mapping[str, Callable[[], Middle]] | None = None,
) -> Excerpt:
    """Windows spread over every recording of a filtered dataset; the same ones every time.

    They hold temperatures where recordings have them.

    Args:
        folder: of the dataset.
        index: its index.
        robot: whose samples are read.
        predict: torques of a motion.
        torque: the measured signal that stands for torque.
        gains: torque per unit of that signal, shape (n,); None for 1.
        forces: which generalised forces count; all without.
        most: samples in all.
        middles: of recordings whose samples in the middle are known, these; where they are all that
            is wanted the recording is not opened.
    """
    counts = {name: facts.samples for name, facts in index.recordings.items()}
    pieces: list[_Piece] = []
    for name, stretches in spread(counts, most).items():
        path = folder / f"{name}.parquet"
        step_s = 1.0 / index.recordings[name].rate_hz
        known = _middle(middles.get(name) if middles else None, stretches)
        there = None if known is None else tuple(known)
        reader = SampleReader(path, robot, torque, gains=gains, forces=forces, names=there)
        found = (
            _read(path, ["t", *reader.columns, *reader.temperatures], stretches)
            if known is None
            else _within(known, counts[name], stretches)
        )
        for t, rows in found:
            signals = reader.signals(rows)
            labels = _splits(t, index.splits[name], index.intervals.get(name))
            for label, part in _pieces(t, labels, step_s):
                here = {column: values[part] for column, values in rows.items()}
                samples = tuple(samples_of(robot, signals[:, part]))
                pieces.append(_Piece(name, label, t[part], reader, here, samples))
    windows = tuple(
        piece.window(robot, given)
        for piece, given in zip(pieces, _predicted(pieces, predict), strict=True)
    )
    names = robot.rows[:6] if forces is not None and forces.kind == "base" else robot.rows
    return Excerpt(names, windows)


class _Piece(NamedTuple):
    """Samples of a recording without a gap, to be predicted: q, qd, qdd and tau."""

    recording: str
    split: Split
    t: Array
    reader: SampleReader
    rows: Columns
    samples: tuple[Array, ...]

    def window(self, robot: RobotTree, given: Array) -> Window:
        """What is kept of it, beside predicted torques, shape (T, nv)."""
        q, qd, qdd, tau = self.samples
        reader = self.reader
        measured, predicted = reader.shown(self.rows, q, tau, given)
        q, qd, qdd = (x[:, : len(reader.rows)] for x in (coordinates(robot, q), qd, qdd))
        warm = _warmth(self.rows, reader.rows) if reader.temperatures else None
        return Window(self.recording, self.split, self.t, q, qd, qdd, measured, predicted, warm)


def _predicted(pieces: Sequence[_Piece], predict: Torque) -> list[Array]:
    """Torques of all pieces in one call: hundreds of short ones cost more than their samples."""
    if not pieces:
        return []
    motions = zip(*(piece.samples[:3] for piece in pieces), strict=True)
    whole = predict(*(np.ascontiguousarray(np.concatenate(parts)) for parts in motions))
    ends = np.cumsum([piece.t.size for piece in pieces])[:-1]
    return np.split(np.asarray(whole, dtype=np.float64), ends)


def _read(
    path: Path, columns: Sequence[str], stretches: Sequence[tuple[int, int]]
) -> Iterator[tuple[Array, Columns]]:
    """Times [s] and columns of stretches of a recording."""
    for rows in read_stretches(path, columns, stretches):
        yield np.asarray(rows["t"] / 1e9, dtype=np.float64), rows


def _middle(
    known: Callable[[], Middle] | None, stretches: Sequence[tuple[int, int]]
) -> Middle | None:
    """What is known of the middle of a recording, if all stretches lie there."""
    if known is None or len(stretches) != 1 or stretches[0][1] - stretches[0][0] > MIDDLE:
        return None
    return known()


def _within(
    middle: Middle, samples: int, stretches: Sequence[tuple[int, int]]
) -> Iterator[tuple[Array, Columns]]:
    """Times [s] and columns of stretches in the middle of a recording of so many samples."""
    first = (samples - middle["t"].size) // 2
    for begin, end in stretches:
        inside = slice(begin - first, end - first)
        # Copies, or a few samples of each recording would keep all of its middle.
        kept = {name: values[inside].copy() for name, values in middle.items()}
        rows: Columns = {**kept}
        yield kept["t"], rows


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
    apart = np.diff(t) > GAP_STEPS * step_s
    changes = [a != b for a, b in pairwise(labels)]
    cuts = np.flatnonzero(apart | np.array(changes, dtype=bool)) + 1
    edges = [0, *cuts.tolist(), t.size]
    for begin, end in pairwise(edges):
        label = labels[begin]
        if label is not None and end - begin >= _SHORTEST:
            yield label, slice(begin, end)


def _warmth(rows: Columns, names: Sequence[str]) -> Array:
    """Temperatures, shape (samples, rows); NaN for what does not have one."""
    none = np.full(len(rows["t"]), np.nan)
    values = [rows.get(f"temperature.{name}", none) for name in names]
    return np.column_stack(values).astype(np.float64)
