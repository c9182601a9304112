"""Friction of a few numbers per joint; squares keep each from ever adding energy."""

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from robotid.contracts.forward import EnergyClass
from robotid.models.actuators.actuator import Actuator, Scales

_START = 0.1  # standard deviation of the roots at a random start, and what stands for zero


def smooth_sign(qd: Tensor, width: Tensor) -> Tensor:
    """Sign of the velocity, which fades below a width."""
    return torch.tanh(qd / width)


class Friction(Actuator, ABC):
    """Friction whose parameters are squares of `roots`, shape (parameters, n)."""

    energy: ClassVar[EnergyClass] = "bounded"
    names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, scales: Scales, generator: torch.Generator) -> None:
        super().__init__(scales)
        shape = (len(self.names), len(scales.qd))
        start = torch.randn(shape, generator=generator, dtype=scales.qd.dtype)
        self.roots = nn.Parameter(_START * start)

    @abstractmethod
    def units(self) -> Tensor:
        """What each parameter counts in, shape (parameters, n)."""

    def values(self) -> Tensor:
        """Parameters in SI units, shape (parameters, n); none is negative."""
        return self.roots**2 * self.units()

    def begin_at(self, values: Tensor) -> None:
        """Take given values, shape (parameters, n); those of zero, which has no slope, a little."""
        little = _START**2 * self.units()
        with torch.no_grad():
            self.roots.copy_((torch.where(values > 0, values, little) / self.units()).sqrt())


class Viscous(Friction):
    """μ q̇."""

    names = ("viscous",)

    def units(self) -> Tensor:
        """Torque over velocity."""
        return (self.scales.tau / self.scales.qd)[None]

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG002 - the same everywhere
        """Torque that is lost."""
        return self.values()[0] * qd


class Coulomb(Friction):
    """σ sat(q̇ / width): linear below the width, constant above."""

    names = ("coulomb",)

    def units(self) -> Tensor:
        """Torque."""
        return self.scales.tau[None]

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG002 - the same everywhere
        """Torque that is lost."""
        return self.values()[0] * torch.clamp(qd / self.scales.width, -1.0, 1.0)


class Stribeck(Friction):
    """sign(q̇) (f_s + f_d exp(−ν q̇²)) + μ q̇, with a smooth sign."""

    names = ("coulomb", "stribeck", "sharpness", "viscous")

    def units(self) -> Tensor:
        """Two torques, one over velocity squared, torque over velocity."""
        tau, qd = self.scales.tau, self.scales.qd
        return torch.stack([tau, tau, 1000.0 / qd**2, tau / qd])

    def friction(self, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG002 - the same everywhere
        """Torque that is lost."""
        always, at_rest, sharpness, viscous = self.values()
        peak = always + at_rest * torch.exp(-sharpness * qd**2)
        result: Tensor = smooth_sign(qd, self.scales.width) * peak + viscous * qd
        return result
