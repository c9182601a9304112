"""`Actuator`: what becomes of a command on its way to the links, and back."""

from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from robotid.contracts.forward import EnergyClass


class Scales(NamedTuple):
    """Usual sizes per joint, shape (n,) each: parameters and networks count in them.

    Args:
        q: of the position [rad or m].
        qd: of the velocity [rad/s or m/s].
        tau: of the torque [N m or N].
        width: speed below which the sign of the velocity fades [rad/s or m/s].
    """

    q: Tensor
    qd: Tensor
    tau: Tensor
    width: Tensor


class Actuator(nn.Module):
    """A drive per joint: friction takes torque away from what is commanded.

    `energy` says what the uncontrolled robot does with its energy: `conserving` keeps it,
    `bounded` never adds to it, whatever the parameters are; of `unbounded` nothing is known.
    """

    energy: ClassVar[EnergyClass] = "conserving"

    def __init__(self, scales: Scales) -> None:
        """An actuator for joints of these scales."""
        super().__init__()
        for name, values in scales._asdict().items():
            self.register_buffer(name, values.detach().clone())

    @property
    def scales(self) -> Scales:
        """Usual sizes of its joints."""
        # Not by `get_buffer`, which takes as long as friction itself.
        return Scales(*(getattr(self, name) for name in Scales._fields))

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG002 - others need q
        """Torque that is lost, (..., n) each [N m or N]."""
        return torch.zeros_like(qd)

    def forward(self, command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """Torque that reaches the links, (..., n) each."""
        return command - self.friction(q, qd)

    def inverse(self, torque: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """The command for a torque that is to reach the links, (..., n) each."""
        return torque + self.friction(q, qd)
