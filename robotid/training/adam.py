"""Mini-batch Adam, as the papers train: checkpointed, and stopped when nothing gets better."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robotid import progress
from robotid.models.learning import Order, all_within, batches
from robotid.training.checkpoint import Checkpoint
from robotid.training.history import Step, Trained, best_of

Array = NDArray[np.float64]
_FEWEST = 12  # epochs from whose last quarter one can tell
_LITTLE = 0.05  # of the validation error: what may still be gained where the epochs have run out


@dataclass(frozen=True)
class AdamOptions:
    """How to train.

    Args:
        batch: samples or sequences per step.
        learning_rate: at the beginning.
        epochs: passes over the samples, at most.
        patience: stop after so many epochs without a better validation error.
        seed: of the order of the samples.
        schedule: of the rate: `cosine` falls to a hundredth along half a cosine, `step` by a
            factor once some epochs have passed.
        decay: that factor.
        decay_after: these epochs.
        order: of the samples in an epoch.
    """

    batch: int = 256
    learning_rate: float = 1e-2
    epochs: int = 300
    patience: int = 50
    seed: int = 0
    schedule: Literal["cosine", "step"] = "cosine"
    decay: float = 0.1
    decay_after: int = 30
    order: Order = "shuffled"

    def rate(self, epoch: int) -> float:
        """The learning rate of an epoch, counted from 1."""
        if self.schedule == "step":
            return self.learning_rate * (1.0 if epoch <= self.decay_after else self.decay)
        least, part = self.learning_rate / 100, (epoch - 1) / self.epochs
        return least + (self.learning_rate - least) * (1 + math.cos(math.pi * part)) / 2


class Target(NamedTuple):
    """What is good enough.

    Args:
        limit: `nmse_var` that every joint has to come down to.
        errors: those of the model as it is, shape (n,).
    """

    limit: float
    errors: Callable[[], Array]

    def reached(self) -> bool:
        """Whether it is good enough now."""
        return all_within(self.errors(), self.limit)


class Task(Protocol):
    """What is to be learned."""

    @property
    def model(self) -> nn.Module:
        """Whose parameters are trained."""

    @property
    def units(self) -> int:
        """Samples, or sequences, to choose from."""

    def backward(self, chosen: Tensor) -> float:
        """Gradients of the mean squared error of some units into the parameters; that error."""

    def losses(self) -> tuple[float, float]:
        """Mean squared errors of all units, and of what is held out for validation."""

    def validation_loss(self) -> float:
        """The second alone."""

    def formulas_loss(self) -> float | None:
        """The same without the network of a model that has one on top of formulas; else None."""

    def where(self, chosen: Tensor) -> str:
        """The first of some units without a finite error, in words."""


def train_adam(
    task: Task, options: AdamOptions, *, target: Target | None = None, kept_as: str | None = None
) -> Trained:
    """Train until the validation error stops falling; the model keeps its best parameters.

    Args:
        task: what is to be learned.
        options: how.
        target: what ends training before that; the model then keeps what reached it.
        kept_as: under which name it is kept now and then, and taken up again; None for not at all.
    """
    began = time.process_time()
    learned = [values for values in task.model.parameters() if values.requires_grad]
    optimizer = torch.optim.Adam(learned, lr=options.learning_rate)
    generator = torch.Generator().manual_seed(options.seed)
    checkpoint = Checkpoint(task.model, optimizer, generator, kept_as)
    state = checkpoint.restored()
    if state is None:
        first = Step(0, 0.0, *task.losses(), task.formulas_loss())
        history, best, spent = [first], checkpoint.parameters(), 0.0
    else:
        history, best, spent = state.history, state.best, state.history[-1].seconds
    lost, reached = None, target is not None and target.reached()
    for epoch in range(history[-1].step + 1, options.epochs + 1):
        if reached:
            break
        if history[-1].step - best_of(history).step >= options.patience:
            break  # a training that had ended was interrupted before its result was written
        for group in optimizer.param_groups:
            group["lr"] = options.rate(epoch)
        total, lost = 0.0, None
        chosen_units = batches(task.units, options.batch, options.order, generator)
        for number, chosen in enumerate(chosen_units, 1):
            optimizer.zero_grad()
            loss = task.backward(chosen)
            if not math.isfinite(loss):
                lost = f"in step {number} of epoch {epoch} the error of {task.where(chosen)} was "
                lost += "not a finite number"
                break
            optimizer.step()
            total += loss * len(chosen)
        found = math.nan if lost else task.validation_loss()
        least = best_of(history)
        seconds = spent + time.process_time() - began
        history.append(Step(epoch, seconds, total / task.units, found, task.formulas_loss()))
        reached = math.isfinite(found) and target is not None and target.reached()
        if best_of(history) is not least or reached:
            best = checkpoint.parameters()
        progress.report(epoch, options.epochs, _said(history[-1], best_of(history)))
        if not math.isfinite(found) or epoch - best_of(history).step >= options.patience:
            break
        checkpoint.save(history, best)
    task.model.load_state_dict(best)
    if target is None:
        return _trained(history, options, lost)
    if not reached:
        return _trained(history, options, lost)._replace(reached=False)
    last = history[-1]
    said = f"reached nmse_var {target.limit:g} on every joint in epoch {last.step}"
    return Trained(last.validation, last.step, True, said, tuple(history), reached=True)


def _said(step: Step, best: Step) -> str:
    return (
        f"epoch {step.step}, training {step.train:.2g}, validation {step.validation:.2g}, "
        f"best {best.validation:.2g} in {best.step}"
    )


def _trained(history: list[Step], options: AdamOptions, lost: str | None) -> Trained:
    best, last = best_of(history), history[-1]
    converged = False
    if lost is not None:
        said = f"{lost}; use a lower learning rate, or look at these data"
    elif not math.isfinite(last.validation):
        said = f"diverged in epoch {last.step}; use a lower learning rate"
    elif best.step == 0:
        said = f"no epoch of {last.step} was better than the start; use a lower learning rate"
    elif last.step < options.epochs:
        said, converged = (
            f"converged: the least validation error was that of epoch {best.step}",
            True,
        )
    elif options.schedule == "cosine":
        said, converged = f"all {last.step} epochs were done, the rate of learning had faded", True
    else:
        late = max(1, min(options.patience, last.step // 4))
        before = best_of(history[:-late])
        slow = best.validation > (1 - _LITTLE) * before.validation
        converged = slow and last.step >= _FEWEST
        said = f"all {last.step} epochs were done"
        if slow and not converged:
            said += ", too few to tell whether more would help; allow more epochs"
        elif not converged:
            said = f"the validation error still fell in epoch {best.step}; allow more epochs"
    return Trained(best.validation, last.step, converged, said, tuple(history))
