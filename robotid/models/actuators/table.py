"""The table of actuator models."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from robotid.contracts.forward import EnergyClass
from robotid.errors import ConfigError, nearest
from robotid.models.actuators.actuator import Actuator, Scales
from robotid.models.actuators.friction import Coulomb, Friction, Stribeck, Viscous
from robotid.models.actuators.networks import (
    HIDDEN,
    NetworkActuator,
    NetworkDrive,
    NetworkFriction,
    NetworkResidual,
)


@dataclass(frozen=True)
class ActuatorModel:
    """One line of the table: the name after `--actuator`, one line about it, its class."""

    name: str
    summary: str
    kind: type[Actuator]

    @property
    def energy(self) -> EnergyClass:
        """What it does to the energy of a robot that nobody drives."""
        return self.kind.energy

    @property
    def is_network(self) -> bool:
        """Whether it has the many weights of a network."""
        return issubclass(self.kind, NetworkActuator)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters of each joint that have a meaning of their own."""
        return self.kind.names if issubclass(self.kind, Friction) else ()

    def made(self, scales: Scales, seed: int = 0, hidden: Sequence[int] = HIDDEN) -> Actuator:
        """An actuator with random parameters; `hidden` are the layers of a network."""
        generator = torch.Generator().manual_seed(seed)
        if issubclass(self.kind, NetworkActuator):
            return self.kind(scales, generator, hidden)
        return self.kind(scales, generator) if issubclass(self.kind, Friction) else Actuator(scales)


ACTUATORS: dict[str, ActuatorModel] = {
    entry.name: entry
    for entry in (
        ActuatorModel("none", "the command reaches the links", Actuator),
        ActuatorModel("viscous", "friction proportional to the velocity", Viscous),
        ActuatorModel("coulomb", "friction of one size against the motion", Coulomb),
        ActuatorModel("stribeck", "Coulomb, Stribeck and viscous friction", Stribeck),
        ActuatorModel("nn-friction", "friction as a network, against the motion", NetworkFriction),
        ActuatorModel("nn-residual", "a network of position and velocity", NetworkResidual),
        ActuatorModel("ff-nn", "a network of command, position and velocity", NetworkDrive),
    )
}  # fmt: skip


def actuator_model(name: str) -> ActuatorModel:
    """The actuator model of that name."""
    if name not in ACTUATORS:
        said = f"there is no actuator model {name!r}"
        raise ConfigError("unknown-actuator", said, hint=nearest(name, ACTUATORS))
    return ACTUATORS[name]
