"""Usual sizes of what a forward model sees, from its training data."""

import torch
from torch import Tensor

from robotid.models.actuators.actuator import Scales
from robotid.models.forward_models import SignalScales

SIGN_WIDTH = 0.02  # of the usual speed: below it the sign of the velocity fades


def joint_scales(command: Tensor, q: Tensor, qd: Tensor) -> Scales:
    """Of samples of shape (T, n); a joint without a command has the largest of the others."""
    size = command.abs().amax(0)
    speed = _spread(qd)
    torque = torch.where(size > 0, size, size.max().clamp(min=1e-3))
    return Scales(_spread(q), speed, torque, SIGN_WIDTH * speed)


def signal_scales(command: Tensor, q: Tensor, qd: Tensor, qdd: Tensor) -> SignalScales:
    """The same for a network that sees all of them."""
    given = torch.cat([command, q, qd], -1)
    return SignalScales(given.mean(0), _spread(given), _spread(qdd))


def _spread(values: Tensor) -> Tensor:
    """Standard deviation; 1 for what does not vary."""
    found = values.std(0, correction=0)
    return torch.where(found > 0, found, torch.ones_like(found))
