"""Terms of joints one instant after the other, for many motions at once."""

import numpy as np
from numpy.typing import NDArray

from robotid.information.layout import Layout

Array = NDArray[np.float64]


class JointTermsStepper:
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
