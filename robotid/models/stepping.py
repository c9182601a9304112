"""Models as a controller calls them: many motions at once, one instant after the other."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.models.joint_steps import JointTermsStepper
from robotid.models.learned.stepping import LearnedStepper
from robotid.models.learned.torques import LearnedTorques
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]
Model = RigidBodyModel | LearnedTorques  # what can be stepped


class Stepper(Protocol):
    """Torques of parallel motions, which follow in time from call to call.

    It keeps what it remembers of each motion, such as the sign that friction was left with.
    """

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques of the next instant, shape (batch, n), as positions, velocities, accelerations.

        [rad, m; per s; per s²] give [N m, N].
        """

    def rest(self, q: Array, samples: int) -> None:
        """See a posture at rest, shape (batch, n), for so many samples of its own rate."""


def stepper(model: Model, batch: int, every: int = 1) -> Stepper:
    """The model for so many parallel motions, none of which has moved before.

    Args:
        model: of a robot with a fixed base.
        batch: how many motions there are.
        every: of how many calls one is a sample for a network with a memory.
    """
    if isinstance(model, LearnedTorques):
        return LearnedStepper(model, batch, every)
    return RigidBodyStepper(model, batch)


class RigidBodyStepper:
    """Links by compiled inverse dynamics, and the terms of all joints at once."""

    def __init__(self, model: RigidBodyModel, batch: int) -> None:
        layout = model.layout
        self._links = CompiledRnea(layout.robot, model.links)
        self._load = CompiledRnea(layout.robot) if layout.loaded else None
        self._terms = JointTermsStepper(layout, model.own, batch)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques, shape (batch, n)."""
        load = None if self._load is None else self._load(q, qd, qdd)
        torque: Array = self._links(q, qd, qdd) + self._terms.torque(qd, qdd, load)
        return torque

    def rest(self, q: Array, samples: int) -> None:
        """Nothing: friction that has not moved holds no sign."""
