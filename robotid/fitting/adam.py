"""Mini-batch Adam on samples, as the papers train: slower than a factor, for any inertia."""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.fitting.entries import Entries
from robotid.fitting.sample_loss import SampleLoss, Samples, SampleTensors
from robotid.information.layout import Layout
from robotid.models.learning import Order, Seen, all_within, batches

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Training:
    """How to train.

    Args:
        batch: samples per step.
        learning_rate: of Adam.
        epochs: passes over the samples, at most.
        patience: stop after so many epochs without a better validation error.
        seed: of the order of the samples.
        order: of the samples in an epoch.
        target: stop after the first epoch with `nmse_var` of all rows at or below it.
    """

    batch: int = 256
    learning_rate: float = 1e-2
    epochs: int = 200
    patience: int = 10
    seed: int = 0
    order: Order = "shuffled"
    target: float | None = None


class Epoch(NamedTuple):
    """A point of a training curve: mean squared weighted errors, processor seconds so far."""

    epoch: int
    seconds: float
    train: float
    validation: float


@dataclass(frozen=True, eq=False)
class AdamFit:
    """What training has found: the parameters of the epoch with the least validation error.

    Args:
        theta: entries of all links and joints.
        phi: parameters of each body, shape (bodies, 10), or (bodies, 13) with nine of the inertia.
        joint_terms: parameters of the joints' terms, as in the layout.
        loss: mean squared weighted error on the validation samples.
        iterations: epochs done.
        seconds: wall-clock time.
        converged: whether the validation error had stopped falling, below where it began.
        message: how it ended, and what to do if that is not well.
        history: errors after each epoch; during one, that of training is a running mean.
        reached: whether it came to its target; None without one.
        online: errors while it learned in the order of time; empty of other trainings.
    """

    theta: Array
    phi: Array
    joint_terms: Array
    loss: float
    iterations: int
    seconds: float
    converged: bool
    message: str
    history: tuple[Epoch, ...] = ()
    reached: bool | None = None
    online: tuple[Seen, ...] = ()


def fit_adam(
    layout: Layout,
    entries: Entries,
    start: Array,
    train: Samples,
    validation: Samples,
    *,
    weights: Array | None = None,
    training: Training | None = None,
    optimal: bool = False,
    by_training: bool = False,
) -> AdamFit:
    """Train from a start (see `starts`).

    What is kept errs least on the validation samples; where a target is reached, what reached it.

    Args:
        layout: robot and terms.
        entries: what theta holds.
        start: theta to begin with.
        train: samples to fit.
        validation: samples that say when to stop.
        weights: of the errors of each row, shape (nv,); 1 otherwise.
        training: how.
        optimal: whether the start is known to fit the training data about as well as anything can.
            Only then it is no failure to find nothing better.
        by_training: whether a target is about the training samples, not about those of validation.
    """
    training = training or Training()
    began, began_cpu = time.perf_counter(), time.process_time()
    ours = SampleLoss(layout, entries, weights)
    seen, held = SampleTensors.of(layout, train), SampleTensors.of(layout, validation)
    aimed = seen if by_training else held
    theta = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([theta], lr=training.learning_rate)
    generator = torch.Generator().manual_seed(training.seed)

    def enough() -> bool:
        limit = training.target
        return limit is not None and all_within(ours.by_row(theta, aimed), limit)

    best, least, best_epoch = theta.detach().clone(), ours.evaluated(theta, held), 0
    history, reached = [Epoch(0, 0.0, ours.evaluated(theta, seen), least)], enough()
    for epoch in range(1, training.epochs + 1):
        if reached:
            break
        total = 0.0
        for chosen in batches(len(train.q), training.batch, training.order, generator):
            optimizer.zero_grad()
            loss = ours.mean(theta, seen.at(chosen))
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        found = ours.evaluated(theta, held)
        spent = time.process_time() - began_cpu
        history.append(Epoch(epoch, spent, total / len(train.q), found))
        reached = math.isfinite(found) and enough()
        if found < least or reached:
            best, least, best_epoch = theta.detach().clone(), found, epoch
        if not math.isfinite(found) or epoch - best_epoch >= training.patience:
            break
    last = history[-1]
    settled = math.isfinite(last.validation) and last.epoch - best_epoch >= training.patience
    said = _ended(history, best_epoch, training, optimal)
    if reached:
        said = f"reached nmse_var {training.target:g} on every joint in epoch {last.epoch}"
    links, own = entries.parameters(best)
    return AdamFit(
        theta=best.numpy(),
        phi=links.numpy(),
        joint_terms=own.numpy(),
        loss=least,
        iterations=last.epoch,
        seconds=time.perf_counter() - began,
        converged=reached or (settled and (optimal or last.validation < history[0].validation)),
        message=said,
        history=tuple(history),
        reached=None if training.target is None else reached,
    )


def _ended(history: list[Epoch], best_epoch: int, training: Training, optimal: bool) -> str:
    first, last = history[0], history[-1]
    if not math.isfinite(last.validation):
        return f"diverged in epoch {last.epoch}; use a lower learning rate"
    settled = last.epoch - best_epoch >= training.patience
    if best_epoch == 0 and settled and optimal:
        said = f"converged: no epoch of {last.epoch} was better than the start"
        return f"{said}, which hardly anything can be"
    if best_epoch == 0:
        return f"no epoch of {last.epoch} was better than the start; use a lower learning rate"
    if settled and not optimal and last.validation >= first.validation:
        said = f"after epoch {best_epoch} the validation error rose above that of the start"
        return f"{said}; use a lower learning rate"
    if settled:
        return f"converged: the least validation error was that of epoch {best_epoch}"
    return (
        f"the validation error still fell in epoch {best_epoch} of {last.epoch}; "
        "allow more epochs or use a higher learning rate"
    )
