"""Drives as networks of position and velocity: they can learn what no formula says."""

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from robotid.contracts.forward import EnergyClass
from robotid.models.actuators.actuator import Actuator, Scales
from robotid.models.actuators.friction import smooth_sign

HIDDEN = (32, 32)
_LAST = 0.1  # how small the last layer begins: a drive is nearly nothing at first


def network(inputs: int, hidden: Sequence[int], outputs: int, generator: torch.Generator,
            dtype: torch.dtype) -> nn.Sequential:  # fmt: skip
    """Tanh layers, weights by the number of inputs, from one stream of random numbers."""
    sizes, layers = [inputs, *hidden, outputs], list[nn.Module]()
    for number, (before, after) in enumerate(pairwise(sizes)):
        layer = nn.Linear(before, after, dtype=dtype)
        last = number == len(sizes) - 2
        with torch.no_grad():
            weights = torch.randn(after, before, generator=generator, dtype=dtype)
            layer.weight.copy_(weights * (_LAST if last else 1.0) / before**0.5)
            layer.bias.zero_()
        layers += [layer] if last else [layer, nn.Tanh()]
    return nn.Sequential(*layers)


class NetworkActuator(Actuator):
    """A network of what a joint does, in usual sizes."""

    energy: ClassVar[EnergyClass] = "unbounded"
    inputs: ClassVar[int] = 2  # signals: q and qd, or the torque as well

    def __init__(
        self, scales: Scales, generator: torch.Generator, hidden: Sequence[int] = HIDDEN
    ) -> None:
        super().__init__(scales)
        n, dtype = len(scales.qd), scales.qd.dtype
        self.net = network(self.inputs * n, hidden, n, generator, dtype)

    def _given(self, *signals: Tensor) -> Tensor:
        """Of the signals in usual sizes, (..., n) [N m or N]."""
        result: Tensor = self.net(torch.cat(signals, -1)) * self.scales.tau
        return result


class NetworkFriction(NetworkActuator):
    """sign(q̇) |f(q, q̇)|: any friction, never a push."""

    energy = "bounded"

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:
        """Torque that is lost."""
        size = self._given(q / self.scales.q, qd / self.scales.qd).abs()
        return smooth_sign(qd, self.scales.width) * size


class NetworkResidual(NetworkActuator):
    """f(q, q̇): whatever a rigid body leaves, also what no friction could be."""

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:
        """Torque that is taken away, or added."""
        return self._given(q / self.scales.q, qd / self.scales.qd)


class NetworkDrive(NetworkActuator):
    """f(τ, q, q̇): the whole way through the drive, in the direction that it was trained for."""

    inputs = 3

    def forward(self, command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """Torque that reaches the links."""
        return self._given(command / self.scales.tau, q / self.scales.q, qd / self.scales.qd)

    def inverse(self, torque: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """The command, if it was trained on commands."""
        return self.forward(torque, q, qd)
