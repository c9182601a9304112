"""Samples that a torque model is trained on and judged by, in stretches without gaps."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.recording import GAP_STEPS
from robotid.contracts.splits import Split
from robotid.errors import BadDataError
from robotid.identification.request import Request
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.information.samples import SampleReader, samples_of
from robotid.memory import must_fit
from robotid.models.learned.bodies import joint_columns
from robotid.models.learned.inverse import Motion
from robotid.signals.splits import gap_of
from robotid.training.motions import Stretch

Array = NDArray[np.float64]
_TRAINED = 0.9  # of each training stretch, where no recordings are for validation
_COPIES = 3  # of the samples that a training holds


class TorqueData(NamedTuple):
    """Stretches by split, and those that training uses.

    Args:
        train: to learn from.
        validation: that tell when to stop.
        validated_by: `val` for recordings of their own, `end` for the ends of training stretches,
            `train` where what is trained on does,
            `nothing` where nothing tells when to stop.
        by_split: all of them, as errors count them.
    """

    train: list[Stretch]
    validation: list[Stretch]
    validated_by: Literal["val", "end", "train", "nothing"]
    by_split: dict[Split, list[Stretch]]


def torque_data(request: Request, layout: Layout, length: int) -> TorqueData:
    """All samples of a request.

    Args:
        request: what is to be identified.
        layout: robot and terms of the model.
        length: of sequences; training stretches have to hold one at least.
    """
    data = request.ready.data
    if not data.samples.get("train", 0):
        raise BadDataError("no-training-data", "there are no training data to learn from")
    width = layout.robot.nq + 3 * layout.robot.nv + len(layout.own)
    count = sum(data.samples.values())
    hint = "filter with decimation, or train on fewer recordings"
    must_fit(8 * _COPIES * width * count, f"{count} samples", hint)
    by_split: dict[Split, list[Stretch]] = {}
    for split in data.samples:
        by_split[split] = _stretches(request, layout, data.of(split))
    train, validation = by_split["train"], by_split.get("val", [])
    if request.options.online:  # which passes all training data once
        return TorqueData(train, validation, "nothing", by_split)
    on_itself = request.options.stop_by == "training"
    by_end = not validation and not on_itself
    if by_end:
        train, validation = _ends(request, train)
    longest = max((len(own.tau) for own in train), default=0)
    if longest < length:
        said = (
            f"no training stretch holds a sequence of {length} samples, the longest has {longest}"
        )
        hint = "use a shorter --sequence, a model without memory, or record longer"
        raise BadDataError("sequences-too-long", said, hint=hint)
    if on_itself:
        return TorqueData(train, train, "train", by_split)
    return TorqueData(train, validation, "end" if by_end else "val", by_split)


def _stretches(request: Request, layout: Layout, blocks: Sequence[DataBlock]) -> list[Stretch]:
    """Of the samples that blocks are of; blocks that follow each other are one stretch."""
    found = []
    for name in dict.fromkeys(block.recording for block in blocks):
        own = [(block.start_s, block.end_s) for block in blocks if block.recording == name]
        found += _of_recording(request, layout, name, own)
    return found


def _of_recording(
    request: Request, layout: Layout, name: str, times: Sequence[tuple[float, float]]
) -> list[Stretch]:
    given = request.ready.gains
    gains = np.array([gain.value for gain in given]) if given else None
    path = request.folder / f"{name}.parquet"
    reader = SampleReader(path, layout.robot, request.torque, gains=gains)
    starts, ends = np.rint(1e9 * np.array(times)).T
    stamps, segments, pieces = [], [], []
    for batch, signals in reader.batches(also=["segment"]):
        before = np.searchsorted(starts, batch["t"], side="right") - 1
        kept = (before >= 0) & (batch["t"] <= ends[before])
        stamps.append(batch["t"][kept] / 1e9)
        segments.append(batch["segment"][kept])
        pieces.append(signals[:, kept])
    t, whole = np.concatenate(stamps), np.concatenate(pieces, axis=1)
    step = 1.0 / request.index.recordings[name].rate_hz
    apart = (np.diff(t) > GAP_STEPS * step) | (np.diff(np.concatenate(segments)) != 0)
    cuts = (np.flatnonzero(apart) + 1).tolist()
    found = []
    for begin, end in pairwise([0, *cuts, len(t)]):
        q, qd, qdd, tau = samples_of(layout.robot, whole[:, begin:end])
        values = (q, qd, qdd, joint_columns(layout, q, qd, qdd))
        motion = Motion(*(torch.from_numpy(np.ascontiguousarray(x)) for x in values))
        torque = torch.from_numpy(np.ascontiguousarray(tau))
        found.append(Stretch(name, torch.from_numpy(t[begin:end]), motion, torque))
    return found


def _ends(request: Request, train: Sequence[Stretch]) -> tuple[list[Stretch], list[Stretch]]:
    """The ends of training stretches, behind the memory of the filter, tell when to stop."""
    first, last = [], []
    for own in train:
        facts = request.index.recordings[own.recording]
        gap = math.ceil(gap_of(facts) * facts.rate_hz)
        cut = int(_TRAINED * len(own.tau))
        if cut > gap:
            first.append(_part(own, slice(0, cut - gap)))
            last.append(_part(own, slice(cut, None)))
    if not last:
        said = "training stretches are too short to hold their ends out for validation"
        hint = "record more, or name recordings for validation when ingesting: --val"
        raise BadDataError("too-short-to-validate", said, hint=hint)
    return first, last


def _part(own: Stretch, rows: slice) -> Stretch:
    return Stretch(own.recording, own.t[rows], own.motion.at(rows), own.tau[rows])
