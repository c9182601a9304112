"""Mini-batch Adam, as the papers train."""

import math
import time
from dataclasses import dataclass

import torch

from robotid.training.history import Step, Trained, best_of
from robotid.training.problem import Problem


@dataclass(frozen=True)
class AdamOptions:
    """How to train.

    Args:
        batch: samples per step.
        learning_rate: at the beginning; it falls to a hundredth along half a cosine.
        epochs: passes over the samples, at most.
        patience: stop after so many epochs without a better validation error.
        seed: of the order of the samples.
    """

    batch: int = 256
    learning_rate: float = 1e-2
    epochs: int = 300
    patience: int = 50
    seed: int = 0


def train_adam(problem: Problem, options: AdamOptions) -> Trained:
    """Train until the validation error stops falling; the model keeps its best parameters."""
    began = time.process_time()
    model, train = problem.model, problem.train
    optimizer = torch.optim.Adam(model.parameters(), lr=options.learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
        optimizer, options.epochs, options.learning_rate / 100
    )
    generator = torch.Generator().manual_seed(options.seed)
    history = [Step(0, 0.0, problem.loss(train), problem.loss(problem.validation))]
    best = _kept(problem)
    for epoch in range(1, options.epochs + 1):
        total = 0.0
        for chosen in torch.randperm(len(train.q), generator=generator).split(options.batch):
            optimizer.zero_grad()
            loss = (problem.errors(train.at(chosen)) ** 2).mean()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        schedule.step()
        found = problem.loss(problem.validation)
        least = best_of(history)
        history.append(Step(epoch, time.process_time() - began, total / len(train.q), found))
        if best_of(history) is not least:
            best = _kept(problem)
        if not math.isfinite(found) or epoch - best_of(history).step >= options.patience:
            break
    model.load_state_dict(best)
    return _trained(history, options)


def _kept(problem: Problem) -> dict[str, torch.Tensor]:
    return {name: values.detach().clone() for name, values in problem.model.state_dict().items()}


def _trained(history: list[Step], options: AdamOptions) -> Trained:
    best, last = best_of(history), history[-1]
    converged = False
    if not math.isfinite(last.validation):
        said = f"diverged in epoch {last.step}; use a lower learning rate"
    elif best.step == 0:
        said = f"no epoch of {last.step} was better than the start; use a lower learning rate"
    elif last.step < options.epochs:
        said, converged = (
            f"converged: the least validation error was that of epoch {best.step}",
            True,
        )
    else:
        said, converged = f"all {last.step} epochs were done, the rate of learning had faded", True
    return Trained(best.validation, last.step, converged, said, tuple(history))
