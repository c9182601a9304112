"""One pass of Adam over samples in the order of time, as a robot that learns while it moves."""

import math
import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.fitting.adam import AdamFit, Training
from robotid.fitting.entries import Entries
from robotid.fitting.sample_loss import SampleLoss, Samples, SampleTensors
from robotid.information.layout import Layout
from robotid.models.learning import evenly, one_pass

Array = NDArray[np.float64]
_EXCERPT = 2000  # samples that errors on all data are computed from


def fit_online(
    layout: Layout,
    entries: Entries,
    start: Array,
    train: Samples,
    whole: Samples,
    *,
    weights: Array | None = None,
    training: Training,
) -> AdamFit:
    """Learn from each batch once; what is kept is what was learned last.

    Args:
        layout: robot and terms.
        entries: what theta holds.
        start: theta to begin with.
        train: samples in the order of time.
        whole: all data, of all splits, on which errors are recorded.
        weights: of the errors of each row, shape (nv,); 1 otherwise.
        training: batch and learning rate.
    """
    began = time.perf_counter()
    ours = SampleLoss(layout, entries, weights)
    seen, every = SampleTensors.of(layout, train), SampleTensors.of(layout, whole)
    excerpt = every.at(evenly(len(every.q), _EXCERPT))
    theta = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([theta], lr=training.learning_rate)
    before = theta.detach().clone()

    def step(chosen: Tensor) -> float:
        optimizer.zero_grad()
        loss = ours.mean(theta, seen.at(chosen))
        with torch.no_grad():
            if not math.isfinite(loss.item()):
                theta.copy_(before)
                return math.nan
            before.copy_(theta)
        loss.backward()
        optimizer.step()
        return loss.item()

    found = one_pass(len(train.q), training.batch, step, lambda: ours.by_row(theta, excerpt))
    links, own = entries.parameters(theta.detach())
    return AdamFit(
        theta=theta.detach().numpy(),
        phi=links.numpy(),
        joint_terms=own.numpy(),
        loss=ours.evaluated(theta, excerpt),
        iterations=1,
        seconds=time.perf_counter() - began,
        converged=found.converged,
        message=found.message,
        online=found.curve,
    )
