"""Mini-batch Adam on samples, as the papers train: slower than a factor, but it takes any inertia.

The torques are those of inverse dynamics, so the inertias need not even be symmetric (`nostr`).
"""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.dynamics.friction import joint_regressor
from robotid.dynamics.rnea import rnea
from robotid.fitting.entries import Entries
from robotid.information.layout import Layout
from robotid.information.regressor import check_shapes

Array = NDArray[np.float64]


class Samples(NamedTuple):
    """q (T, nq), qd, qdd and tau (T, nv)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True)
class Training:
    """How to train.

    Args:
        batch: samples per step.
        learning_rate: of Adam.
        epochs: passes over the samples, at most.
        patience: stop after so many epochs without a better validation error.
        seed: of the order of the samples.
    """

    batch: int = 256
    learning_rate: float = 1e-2
    epochs: int = 200
    patience: int = 10
    seed: int = 0


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
    """

    theta: Array
    phi: Array
    joint_terms: Array
    loss: float
    iterations: int
    seconds: float
    converged: bool
    message: str
    history: tuple[Epoch, ...]


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
) -> AdamFit:
    """Train from a start (see `starts`).

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
    """
    training = training or Training()
    began, began_cpu = time.perf_counter(), time.process_time()
    row_weights = np.ones(layout.robot.nv) if weights is None else weights
    ours = _Problem(layout, entries, torch.tensor(row_weights, dtype=torch.float64))
    seen, held = _tensors(layout, train), _tensors(layout, validation)
    theta = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([theta], lr=training.learning_rate)
    generator = torch.Generator().manual_seed(training.seed)
    best, least, best_epoch = theta.detach().clone(), ours.evaluated(theta, held), 0
    history = [Epoch(0, 0.0, ours.evaluated(theta, seen), least)]
    for epoch in range(1, training.epochs + 1):
        total = 0.0
        for chosen in torch.randperm(len(train.q), generator=generator).split(training.batch):
            optimizer.zero_grad()
            loss = ours.loss(theta, [x[chosen] for x in seen])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        found = ours.evaluated(theta, held)
        spent = time.process_time() - began_cpu
        history.append(Epoch(epoch, spent, total / len(train.q), found))
        if found < least:
            best, least, best_epoch = theta.detach().clone(), found, epoch
        if not math.isfinite(found) or epoch - best_epoch >= training.patience:
            break
    last = history[-1]
    settled = math.isfinite(last.validation) and last.epoch - best_epoch >= training.patience
    links, own = entries.parameters(best)
    return AdamFit(
        theta=best.numpy(),
        phi=links.numpy(),
        joint_terms=own.numpy(),
        loss=least,
        iterations=last.epoch,
        seconds=time.perf_counter() - began,
        converged=settled and (optimal or last.validation < history[0].validation),
        message=_ended(history, best_epoch, training, optimal),
        history=tuple(history),
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


def _tensors(layout: Layout, samples: Samples) -> list[Tensor]:
    """The samples, and the columns of joints, shape (T, n, own): made before any shuffling."""
    robot = layout.robot
    check_shapes(robot, samples._asdict())
    tensors = [torch.tensor(x, dtype=torch.float64) for x in samples]
    driven = slice(robot.nv - robot.n, None)
    q, qd, qdd, _ = tensors
    load = rnea(robot, q, qd, qdd, torch.tensor(robot.phi)).numpy()[:, driven]
    own = joint_regressor(layout.own, qd.numpy()[:, driven], qdd.numpy()[:, driven], load)
    return [*tensors, torch.from_numpy(own)]


class _Problem:
    def __init__(self, layout: Layout, entries: Entries, weights: Tensor) -> None:
        self._robot, self._entries, self._weights = layout.robot, entries, weights

    def loss(self, theta: Tensor, samples: list[Tensor]) -> Tensor:
        """Mean over samples and rows of the squared weighted error."""
        q, qd, qdd, tau, columns = samples
        robot = self._robot
        links, own = self._entries.parameters(theta)
        error = rnea(robot, q, qd, qdd, links) - tau
        base = error[:, : robot.nv - robot.n]
        error = torch.cat([base, error[:, robot.nv - robot.n :] + columns @ own], -1)
        return ((error * self._weights) ** 2).mean()

    def evaluated(self, theta: Tensor, samples: list[Tensor]) -> float:
        """The loss as a number."""
        with torch.no_grad():
            return float(self.loss(theta, samples))
