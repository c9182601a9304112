"""Samples of a split, batch by batch, for models that need more than factors."""

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.recording import iterate_recording
from robotid.contracts.splits import Split
from robotid.information.layout import Layout

Array = NDArray[np.float64]


def split_samples(
    folder: Path,
    index: DatasetIndex,
    layout: Layout,
    torque: str,
    gains: Array | None,
    recordings: Collection[str],
    split: Split,
) -> Iterator[Array]:
    """Batches of q, qd, qdd and tau, each of shape (nq + 3 nv, samples), in order of time.

    Args:
        folder: of the filtered dataset.
        index: of that.
        layout: robot and terms.
        torque: the signal that stands for torque.
        gains: torque per unit of that signal, shape (n,); None for 1.
        recordings: of which samples are wanted; others are passed over.
        split: which samples.
    """
    joints = layout.robot.joint_names
    columns = [f"{signal}.{name}" for signal in ("q", "qd", "qdd", torque) for name in joints]
    for name, whole in index.splits.items():
        cut = index.intervals.get(name)
        if name not in recordings or (cut is None and whole != split):
            continue
        for batch in iterate_recording(folder / f"{name}.parquet", ["t", *columns]):
            signals: Array = np.stack([np.asarray(batch[c], dtype=np.float64) for c in columns])
            if gains is not None:
                signals[-len(joints) :] *= gains[:, None]
            if cut is not None:
                seconds = batch["t"] / 1e9
                inside = np.zeros(seconds.size, dtype=bool)
                for part in cut:
                    if part.split == split:
                        inside |= (part.start_s <= seconds) & (seconds <= part.end_s)
                signals = signals[:, inside]
            if signals.shape[1]:
                yield signals
