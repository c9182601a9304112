"""Forward models: accelerations that commands cause, from links or from a network."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from robotid.contracts.forward import EnergyClass
from robotid.dynamics.aba import aba
from robotid.dynamics.compiled_aba import CompiledAba
from robotid.dynamics.crba import crba
from robotid.dynamics.energy import Energy, energy
from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.networks import network
from robotid.models.placements import LearnedPlacements
from robotid.robot.tree import RobotTree
from robotid.spatial.parametrisations.table import Parametrisation


class ForwardModel(nn.Module, ABC):
    """What predicts the accelerations that commands cause."""

    @property
    @abstractmethod
    def energy_class(self) -> EnergyClass:
        """What the model does to the energy of a robot that nobody drives."""

    @abstractmethod
    def forward(self, command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """Accelerations, (..., n) each [rad/s² or m/s²]."""

    def fixed(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """The same function where nothing is learned any more, as fast as it can be."""
        return self

    @abstractmethod
    def energy(self, q: Tensor, qd: Tensor) -> Energy | None:
        """Kinetic and potential energy [J]; None where the model has none."""

    @abstractmethod
    def inertia(self, q: Tensor) -> Tensor | None:
        """The mass matrix, shape (..., n, n); None where the model has none."""


class RigidForward(ForwardModel):
    """Links and an actuator in front of them.

    Args:
        robot: tree and, where they are not learned, placements; the base is fixed.
        parametrisation: of the links.
        theta: entries of each link to begin with, shape (bodies, entries).
        actuator: what the command passes through.
        placements: to be learned as well; None where the robot file's are right.
    """

    def __init__(
        self,
        robot: RobotTree,
        parametrisation: Parametrisation,
        theta: Tensor,
        actuator: Actuator,
        placements: LearnedPlacements | None = None,
    ) -> None:
        super().__init__()
        self.robot, self.parametrisation = robot, parametrisation
        self.theta = nn.Parameter(theta.clone())
        self.actuator, self.placements = actuator, placements

    @property
    def energy_class(self) -> EnergyClass:
        """That of the actuator: a rigid body keeps its energy."""
        return self.actuator.energy

    def links(self) -> Tensor:
        """Link parameters, shape (bodies, 10)."""
        return self.parametrisation.phi(self.theta)

    def forward(self, command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """Accelerations of articulated bodies."""
        torque = self.actuator(command, q, qd)
        return aba(self.robot, q, qd, torque, self.links(), placements=self._placements())

    def fixed(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """Compiled for the links as they are, without gradients; (B, n) each."""
        with torch.no_grad():
            links, places = self.links().numpy(), self._placements()
        compiled = CompiledAba(
            self.robot, links, placements=None if places is None else places.numpy()
        )

        def caused(command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
            with torch.no_grad():
                torque = self.actuator(command, q, qd)
            return torch.from_numpy(compiled(q.numpy(), qd.numpy(), torque.numpy()))

        return caused

    def energy(self, q: Tensor, qd: Tensor) -> Energy:
        """Of the links."""
        return energy(self.robot, q, qd, self.links(), placements=self._placements())

    def inertia(self, q: Tensor) -> Tensor:
        """Of the links."""
        return crba(self.robot, q, self.links(), placements=self._placements())

    def _placements(self) -> Tensor | None:
        return None if self.placements is None else self.placements()


class SignalScales(NamedTuple):
    """Mean and standard deviation of what a network sees and gives, (3 n,) and (n,)."""

    mean: Tensor
    spread: Tensor
    of_result: Tensor


class NetworkForward(ForwardModel):
    """A network of command, position and velocity that knows no mechanics."""

    def __init__(
        self, scales: SignalScales, generator: torch.Generator, hidden: Sequence[int]
    ) -> None:
        """A network with random weights."""
        super().__init__()
        for name, values in scales._asdict().items():
            self.register_buffer(name, values.detach().clone())
        inputs, n = len(scales.mean), len(scales.of_result)
        self.net = network(inputs, hidden, n, generator, scales.mean.dtype)

    @property
    def energy_class(self) -> EnergyClass:
        """Nothing keeps a network from adding energy."""
        return "unbounded"

    def forward(self, command: Tensor, q: Tensor, qd: Tensor) -> Tensor:
        """What the network says."""
        given = torch.cat([command, q, qd], -1)
        seen = (given - self.get_buffer("mean")) / self.get_buffer("spread")
        result: Tensor = self.net(seen) * self.get_buffer("of_result")
        return result

    def energy(self, q: Tensor, qd: Tensor) -> None:  # noqa: ARG002 - as of others
        """A network of accelerations has no energy."""
        return

    def inertia(self, q: Tensor) -> None:  # noqa: ARG002 - as of others
        """Nor has it inertia."""
        return
