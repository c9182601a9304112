"""A model, its samples, and what counts as an error."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import functional_call

from robotid.models.forward_models import ForwardModel

_BATCH = 4096  # samples at a time: memory stays bounded however many there are


class Samples(NamedTuple):
    """Commands, positions, velocities and the accelerations they led to, (T, n) each."""

    command: Tensor
    q: Tensor
    qd: Tensor
    qdd: Tensor

    def at(self, chosen: Tensor | slice) -> "Samples":
        """Some of them."""
        return Samples(*(values[chosen] for values in self))

    def evenly(self, most: int) -> "Samples":
        """At most so many, evenly spread over all of them."""
        if len(self.q) <= most:
            return self
        return self.at(torch.linspace(0, len(self.q) - 1, most).round().long())

    def batches(self, size: int = _BATCH) -> Iterator["Samples"]:
        """All of them, in order, at most so many at a time."""
        for begin in range(0, len(self.q), size):
            yield self.at(slice(begin, begin + size))


class Problem:
    """Squared errors of the accelerations, in units of how much each varies."""

    def __init__(self, model: ForwardModel, train: Samples, validation: Samples) -> None:
        """A problem; what varies not at all in the training counts as it is."""
        self.model, self.train, self.validation = model, train, validation
        spread = train.qdd.std(0, correction=0)
        self.weights = 1.0 / torch.where(spread > 0, spread, torch.ones_like(spread))

    def errors(self, samples: Samples, parameters: dict[str, Tensor] | None = None) -> Tensor:
        """Weighted errors, shape (T, n)."""
        given = (samples.command, samples.q, samples.qd)
        found = self.model(*given) if parameters is None else functional_call(
            self.model, parameters, given)  # fmt: skip
        result: Tensor = (found - samples.qdd) * self.weights
        return result

    @property
    def units(self) -> int:
        """Samples to train on."""
        return len(self.train.q)

    def backward(self, chosen: Tensor) -> float:
        """Gradients of the mean squared error of some samples into the parameters; that error."""
        loss = (self.errors(self.train.at(chosen)) ** 2).mean()
        loss.backward()
        return loss.item()

    def losses(self) -> tuple[float, float]:
        """Of training and validation samples."""
        return self.loss(self.train), self.validation_loss()

    def validation_loss(self) -> float:
        """Of the samples that are held out."""
        return self.loss(self.validation)

    def formulas_loss(self) -> float | None:
        """Forward models have no network on top."""
        return None

    def where(self, chosen: Tensor) -> str:
        """The first of some samples without a finite error."""
        with torch.no_grad():
            bad = ~torch.isfinite(self.errors(self.train.at(chosen))).all(-1)
        return f"training sample {int(chosen[int(bad.int().argmax())])}"

    def loss(self, samples: Samples, parameters: dict[str, Tensor] | None = None) -> float:
        """Mean squared weighted error, of the model or with other parameters."""
        with torch.no_grad():
            total = sum(
                float((self.errors(part, parameters) ** 2).sum()) for part in samples.batches()
            )
        return total / samples.qdd.numel()
