"""All columns of friction and drive terms at once, and how they change with the motion.

Functions are those of `dynamics.friction.column_values`, for all columns in a few operations.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.friction import held_sign
from robotid.dynamics.joint_columns import JointColumn

Array = NDArray[np.float64]


class Own(NamedTuple):
    """Values of the columns, and their derivatives by speed, acceleration and size of the load.

    Each of shape (samples, columns), for motors, not joints.
    """

    values: Array
    by_speed: Array
    by_acceleration: Array
    by_load: Array


class OwnColumns:
    """The columns of a layout's terms."""

    def __init__(self, own: Sequence[JointColumn], joints: int) -> None:
        """Lay out the columns.

        Args:
            own: the columns.
            joints: how many the robot has.
        """
        self.signs = np.zeros((joints, len(own)))  # of each joint in the motor of a column
        for position, column in enumerate(own):
            for joint, sign in column.motor.members:
                self.signs[joint, position] = sign
        self._loads = np.array([column.motor.members[0][0] for column in own], dtype=np.int64)
        kinds = np.array([column.form.kind for column in own])
        self._accelerated = np.array([c.form.source == "acceleration" for c in own], dtype=bool)
        self._scale = np.array([1.0 / (c.saturation or 1.0) for c in own])
        self._low = np.array([column.form.low for column in own])
        self._high = np.array([column.form.high for column in own])
        self._fading = np.flatnonzero(kinds == "fading")
        self._rate = np.array([1.0 / (own[int(c)].width or 1.0) for c in self._fading])
        self.loaded = np.flatnonzero(kinds == "loaded")
        self._held = np.flatnonzero(kinds == "held")
        self._widths = [own[int(c)].width or 0.0 for c in self._held]

    def at(self, qd: Array, qdd: Array, load: Array) -> Own:
        """Values and derivatives.

        Args:
            qd: velocities of the joints, shape (samples, n).
            qdd: their accelerations.
            load: torques that the links need, shape (samples, n); used by terms that grow with it.
        """
        speed = qd @ self.signs
        x = np.where(self._accelerated, qdd @ self.signs, speed) * self._scale
        values = np.clip(x, self._low, self._high)
        slope = np.where((x > self._low) & (x < self._high), self._scale, 0.0)
        by_load = np.zeros_like(values)
        if self._fading.size:
            some, scaled = self._fading, speed[:, self._fading] * self._rate
            fade = np.exp(-(scaled**2))
            slope[:, some] = fade * (slope[:, some] - 2 * self._rate * scaled * values[:, some])
            values[:, some] *= fade
        if self.loaded.size:
            some, torque = self.loaded, load[:, self._loads[self.loaded]]
            by_load[:, some] = values[:, some] * np.sign(torque)
            values[:, some] *= np.abs(torque)
            slope[:, some] *= np.abs(torque)
        for column, width in zip(self._held, self._widths, strict=True):
            values[:, column] = held_sign(speed[:, column], width)
            slope[:, column] = 0.0
        none = np.zeros_like(slope)
        return Own(
            values,
            np.where(self._accelerated, none, slope),
            np.where(self._accelerated, slope, none),
            by_load,
        )
