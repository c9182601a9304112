"""Drives that begin as if nothing were between command and links."""

import torch

from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.networks import NetworkDrive
from robotid.training.problem import Samples

_STEPS, _RATE, _SAMPLES = 400, 1e-2, 1000


def begin_as_nothing(actuator: Actuator, train: Samples) -> None:
    """Let a network that is the whole drive give the command; all others begin as next to nothing.

    A network that gives no torque at first would have links grow light to make up for it.
    """
    if not isinstance(actuator, NetworkDrive):
        return
    few = train.evenly(_SAMPLES)
    optimizer = torch.optim.Adam(actuator.parameters(), lr=_RATE)
    for _ in range(_STEPS):
        optimizer.zero_grad()
        error = (actuator(few.command, few.q, few.qd) - few.command) / actuator.scales.tau
        (error**2).mean().backward()
        optimizer.step()
