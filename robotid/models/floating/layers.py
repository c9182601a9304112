"""Layers from the positions of some joints to numbers, with derivatives along and back."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from robotid.models.lagrangian_layers import (
    Activation,
    Passed,
    along_layers,
    back_through_layers,
    bent,
)

_LAST = 0.1  # how small results begin, beside their biases


class Layers(nn.Module):
    """Layers that bend, and a last one that does not.

    Args:
        inputs: how many there are.
        outputs: how many there are.
        generator: of the first weights.
        hidden: sizes of the layers between.
        activation: of these.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        generator: torch.Generator,
        hidden: Sequence[int],
        activation: Activation,
    ) -> None:
        super().__init__()
        self.activation = activation
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for before, after in pairwise([inputs, *hidden, outputs]):
            drawn = torch.randn(after, before, generator=generator, dtype=torch.float64)
            self.weights.append(nn.Parameter(drawn / before**0.5))
            self.biases.append(nn.Parameter(torch.zeros(after, dtype=torch.float64)))
        with torch.no_grad():
            self.weights[-1].mul_(_LAST)

    def forward(self, h: Tensor) -> Tensor:
        """Results, (in, B) to (out, B); they have all derivatives."""
        *inner, (last, bias) = zip(self.weights, self.biases, strict=True)
        for weight, shift in inner:
            h = bent(torch.addmm(shift[:, None], weight, h), self.activation)
        return torch.addmm(bias[:, None], last, h)

    def passed(self, h: Tensor, d: Tensor) -> Passed:
        """Results and their derivative along a direction, of (in, B) each."""
        return along_layers(h, d, list(self.weights), list(self.biases), self.activation)

    def back(self, gradient: Tensor, passed: Passed) -> Tensor:
        """With respect to the inputs, (in, B), of a gradient with respect to results, (out, B)."""
        return back_through_layers(gradient, list(self.weights), passed.slopes)


class Circles:
    """What networks see of joints: cosine and sine of those that turn, others as they are.

    Args:
        turns: which joints turn.
    """

    def __init__(self, turns: Sequence[bool]) -> None:
        self._turns = [joint for joint, turn in enumerate(turns) if turn]
        self._slides = [joint for joint, turn in enumerate(turns) if not turn]

    @property
    def size(self) -> int:
        """How many inputs there are."""
        return 2 * len(self._turns) + len(self._slides)

    def of(self, q: Tensor) -> Tensor:
        """Inputs, (joints, B) to (size, B)."""
        turned = q[self._turns]
        return torch.cat([turned.cos(), turned.sin(), q[self._slides]])

    def along(self, q: Tensor, qd: Tensor) -> Tensor:
        """Their rate."""
        turned, rate = q[self._turns], qd[self._turns]
        return torch.cat([-turned.sin() * rate, turned.cos() * rate, qd[self._slides]])

    def back(self, q: Tensor, gradient: Tensor) -> Tensor:
        """With respect to positions, (joints, B), of a gradient with respect to inputs."""
        turned, count = q[self._turns], len(self._turns)
        of_cos, of_sin, of_slides = gradient.split([count, count, len(self._slides)])
        found = torch.empty_like(q)
        found[self._turns] = turned.cos() * of_sin - turned.sin() * of_cos
        found[self._slides] = of_slides
        return found
