"""Networks of the motion: what no formula says, with a memory or without.

They see positions, velocities and accelerations in usual sizes and give torques in usual sizes.
They compute in single precision, which is twice as fast; what is added to them does not.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

Memory = tuple[Tensor, Tensor]  # of an LSTM: what it gives and what it holds, (B, units) each
Bend = Literal["prelu", "tanh"]

_LAST = 0.1  # how small the last layer begins: next to nothing is added at first
_SINGLE = torch.float32


class MotionScales(NamedTuple):
    """Usual sizes: mean and spread of q, qd and qdd, shape (3 n,) each; of torque, shape (n,)."""

    mean: Tensor
    spread: Tensor
    torque: Tensor


class Residual(nn.Module, ABC):
    """Torques of a motion."""

    remembers = False

    def __init__(self, scales: MotionScales) -> None:
        """A network for motions of these scales."""
        super().__init__()
        for name, values in scales._asdict().items():
            self.register_buffer(name, values.detach().clone())

    def forward(self, motion: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory | None]:
        """Torques (..., n) of motions (..., 3 n), and the memory afterwards.

        With a memory the last axis but one is time, and there is one axis before it.
        """
        scale, given = self.get_buffer("torque"), motion.to(self.get_buffer("mean").device)
        normal = (given - self.get_buffer("mean")) / self.get_buffer("spread")
        found, after = self.normal(normal.to(_SINGLE), memory)
        return (found.to(scale.dtype) * scale).to(motion.device), after

    @abstractmethod
    def normal(self, motion: Tensor, memory: Memory | None) -> tuple[Tensor, Memory | None]:
        """The same in usual sizes."""


class LayeredResidual(Residual):
    """Layers, without a memory.

    Args:
        scales: of the motion.
        hidden: sizes of the layers.
        bend: what bends each of them.
        seed: of the first weights.
    """

    def __init__(
        self, scales: MotionScales, hidden: Sequence[int], bend: Bend = "prelu", seed: int = 0
    ) -> None:
        super().__init__(scales)
        n = len(scales.torque)
        with _seeded(seed):
            layers = [nn.Linear(*sizes) for sizes in pairwise([len(scales.mean), *hidden])]
            self.layers = nn.ModuleList(layers)
            self.bend = _BENDS[bend]()
            self.last = _last(hidden[-1], n)

    def normal(self, motion: Tensor, memory: Memory | None) -> tuple[Tensor, Memory | None]:
        """Through all layers."""
        found = motion
        for layer in self.layers:
            found = self.bend(layer(found))
        return self.last(found), memory


class RecurrentResidual(Residual):
    """Layers, then a long short-term memory between two layer norms.

    Args:
        scales: of the motion.
        hidden: sizes of the layers before the memory.
        units: of the memory.
        bend: what bends each layer.
        seed: of the first weights.
    """

    remembers = True

    def __init__(
        self,
        scales: MotionScales,
        hidden: Sequence[int],
        units: int = 50,
        bend: Bend = "prelu",
        seed: int = 0,
    ) -> None:
        super().__init__(scales)
        n = len(scales.torque)
        with _seeded(seed):
            self.layers = nn.ModuleList(
                nn.Linear(*sizes) for sizes in pairwise([len(scales.mean), *hidden])
            )
            self.bend = _BENDS[bend]()
            self.before = nn.LayerNorm(hidden[-1])
            self.memory = nn.LSTM(hidden[-1], units)
            self.after = nn.LayerNorm(units)
            self.last = _last(units, n)

    def normal(self, motion: Tensor, memory: Memory | None) -> tuple[Tensor, Memory | None]:
        """Along time, shape (B, T, 3 n); without a memory from rest."""
        found = motion.transpose(0, 1).contiguous()  # time first, as the memory has it: no copies
        for layer in self.layers:
            found = self.bend(layer(found))
        state = None if memory is None else tuple(part[None] for part in memory)
        found, (given, held) = self.memory(self.before(found), state)
        return self.last(self.after(found)).transpose(0, 1), (given[0], held[0])


_BENDS: dict[Bend, type[nn.Module]] = {"prelu": nn.PReLU, "tanh": nn.Tanh}


def _last(inputs: int, outputs: int) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    with torch.no_grad():
        layer.weight.mul_(_LAST)
        layer.bias.zero_()
    return layer


class _seeded:  # noqa: N801 - used like a function
    """Random numbers of a seed within the block; those of others go on as before it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __enter__(self) -> None:
        self._before = torch.get_rng_state()
        torch.manual_seed(self._seed)

    def __exit__(self, *_: object) -> None:
        torch.set_rng_state(self._before)
