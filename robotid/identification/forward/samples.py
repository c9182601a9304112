"""Samples that a forward model is trained on, and those that tell when to stop."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.splits import Split
from robotid.errors import BadDataError
from robotid.identification.request import Request
from robotid.identification.sample_reader import split_samples
from robotid.memory import must_fit
from robotid.training.problem import Samples

Array = NDArray[np.float64]
_TRAINED = 0.9  # of the training data, where nothing else says when to stop
_COPIES = 4  # of the samples that a training holds


class TrainingData(NamedTuple):
    """Samples to fit, and samples that say when to stop."""

    train: Samples
    validation: Samples


def training_data(request: Request) -> TrainingData:
    """Of all training recordings; the end of these where there are none for validation."""
    layout = request.ready.data.layout
    count = request.ready.data.samples.get("train", 0)
    if count < 2:
        raise BadDataError("no-training-data", "there are no training data to learn from")
    size = 8 * _COPIES * 4 * layout.robot.nv * count
    hint = "filter with decimation, or train on fewer recordings"
    must_fit(size, f"{count} training samples", hint)
    train = _read(request, "train")
    if request.ready.data.samples.get("val", 0):
        return TrainingData(train, _read(request, "val"))
    end = max(1, min(len(train.q) - 1, round(_TRAINED * len(train.q))))
    return TrainingData(train.at(slice(0, end)), train.at(slice(end, None)))


def read(request: Request, split: Split) -> Iterator[Array]:
    """Batches of q, qd, qdd and tau, shape (4 n, samples); forward fits have no gains of drives."""
    data = request.ready.data
    return split_samples(request.folder, data.blocks, data.layout, request.torque, None, split)


def _read(request: Request, split: Split) -> Samples:
    q, qd, qdd, tau = np.split(np.concatenate(list(read(request, split)), axis=1).T, 4, axis=1)
    return Samples(*(torch.from_numpy(np.ascontiguousarray(x)) for x in (tau, q, qd, qdd)))
