"""Samples of a split, batch by batch, for models that need more than factors."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.splits import Split
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.information.samples import SampleReader

Array = NDArray[np.float64]


def split_samples(
    folder: Path,
    blocks: Sequence[DataBlock],
    layout: Layout,
    torque: str,
    gains: Array | None,
    split: Split,
) -> Iterator[Array]:
    """Batches of q, qd, qdd and tau, each of shape (nq + 3 nv, samples), in order of time.

    They are the samples that the factors of the same blocks are made of: blocks at the edge of a
    split are in none, and every model is fitted to and judged by the same data.

    Args:
        folder: of the filtered dataset.
        blocks: of which samples are wanted; others are passed over.
        layout: robot and terms.
        torque: the signal that stands for torque.
        gains: torque per unit of that signal, shape (n,); None for 1.
        split: which samples.
    """
    for name in dict.fromkeys(block.recording for block in blocks if block.split == split):
        times = [
            (block.start_s, block.end_s)
            for block in blocks
            if block.recording == name and block.split == split
        ]
        starts, ends = np.rint(1e9 * np.array(times)).T
        path = folder / f"{name}.parquet"
        reader = SampleReader(path, layout.robot, torque, gains=gains, forces=layout.forces)
        for batch, signals in reader.batches():
            before = np.searchsorted(starts, batch["t"], side="right") - 1
            chosen = signals[:, (before >= 0) & (batch["t"] <= ends[before])]
            if chosen.shape[1]:
                yield chosen
