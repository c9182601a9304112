"""Models as a controller calls them: many motions at once, one instant after the other."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.information.layout import Layout
from robotid.models.rigid_body import RigidBodyModel

Array = NDArray[np.float64]
Model = RigidBodyModel  # what can be stepped; others join here and in `stepper`


class Stepper(Protocol):
    """Torques of parallel motions, which follow in time from call to call.

    It keeps what it remembers of each motion, such as the sign that friction was left with.
    """

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques of the next instant, shape (batch, n), as positions, velocities, accelerations.

        [rad, m; per s; per s²] give [N m, N].
        """


def stepper(model: Model, batch: int) -> Stepper:
    """The model for so many parallel motions, none of which has moved before.

    Args:
        model: of a robot with a fixed base.
        batch: how many motions there are.
    """
    return RigidBodyStepper(model, batch)


class RigidBodyStepper:
    """Links by compiled inverse dynamics, and the terms of all joints at once."""

    def __init__(self, model: RigidBodyModel, batch: int) -> None:
        layout = model.layout
        self._links = CompiledRnea(layout.robot, model.links)
        self._load = CompiledRnea(layout.robot) if layout.loaded else None
        self._terms = _Terms(layout, model.own, batch)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques, shape (batch, n)."""
        load = None if self._load is None else self._load(q, qd, qdd)
        torque: Array = self._links(q, qd, qdd) + self._terms.torque(qd, qdd, load)
        return torque


class _Terms:
    """All columns of `Layout.own` as arrays: a few operations, however many there are.

    Args:
        layout: with the columns; C of them.
        parameters: of the columns, shape (C,).
        batch: how many motions there are.
    """

    def __init__(self, layout: Layout, parameters: Array, batch: int) -> None:
        own, n = layout.own, layout.robot.n
        forms = [column.form for column in own]
        self._speeds = np.zeros((n, len(own)))  # of the motors from those of the joints
        for place, column in enumerate(own):
            for joint, sign in column.motor.members:
                self._speeds[joint, place] = sign
        # A motor pushes its joints with the signs that it moves with.
        self._pushed = np.ascontiguousarray((self._speeds * parameters).T)
        accelerates = np.array([form.source == "acceleration" for form in forms], dtype=float)
        gain = np.array([1.0 / (column.saturation or 1.0) for column in own])
        self._of_speed = self._speeds * (gain * (1 - accelerates))
        self._of_acceleration = self._speeds * (gain * accelerates)
        self._low = np.array([form.low for form in forms])
        self._high = np.array([form.high for form in forms])
        self._fading = np.array([p for p, f in enumerate(forms) if f.kind == "fading"], dtype=int)
        self._loaded = np.array([p for p, f in enumerate(forms) if f.kind == "loaded"], dtype=int)
        self._held = np.array([p for p, f in enumerate(forms) if f.kind == "held"], dtype=int)
        width = np.array([column.width or 0.0 for column in own])
        self._fading_width, self._held_width = width[self._fading], width[self._held]
        self._carries = [own[place].motor.members[0][0] for place in self._loaded]
        self._signs = np.zeros((batch, self._held.size))

    def torque(self, qd: Array, qdd: Array, load: Array | None) -> Array:
        """Torques, shape (batch, n); load is what the links of the robot file need, likewise."""
        x = qd @ self._of_speed + qdd @ self._of_acceleration
        values = np.minimum(np.maximum(x, self._low), self._high)
        if self._fading.size:
            speed = qd @ self._speeds[:, self._fading]
            values[:, self._fading] *= np.exp(-((speed / self._fading_width) ** 2))
        if load is not None:
            values[:, self._loaded] *= np.abs(load[:, self._carries])
        if self._held.size:
            speed = qd @ self._speeds[:, self._held]
            moving = np.abs(speed) >= self._held_width
            self._signs = np.where(moving, np.sign(speed), self._signs)
            values[:, self._held] = self._signs
        pushed: Array = values @ self._pushed
        return pushed
