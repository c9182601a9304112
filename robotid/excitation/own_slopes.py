"""How the columns of friction and drive terms change with speed, acceleration and load."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.friction import motor_motion
from robotid.dynamics.joint_columns import JointColumn

Array = NDArray[np.float64]


class Slopes(NamedTuple):
    """Derivatives of a column's value; each of shape (...,), or None where it does not depend."""

    speed: Array | None = None
    acceleration: Array | None = None
    load: Array | None = None


def slopes(column: JointColumn, qd: Array, load: Array) -> Slopes:
    """Derivatives of `dynamics.friction.column_values`; a held sign has none.

    Args:
        column: of the layout.
        qd: velocities of the driven joints, shape (..., n).
        load: torques that the links need, shape (..., n).
    """
    form, speed = column.form, motor_motion(column.motor, qd)
    if form.kind == "held":
        return Slopes()
    scale = 1.0 if column.saturation is None else 1.0 / column.saturation
    if form.source != "speed":
        return Slopes(acceleration=np.full(speed.shape, scale))
    x = speed * scale
    inside = np.where((x > form.low) & (x < form.high), scale, 0.0)
    if math.isinf(form.low) and math.isinf(form.high):
        inside = np.full(speed.shape, scale)
    value = x.clip(form.low, form.high)
    if form.kind == "fading":
        rate = 1.0 / (column.width or 1.0)
        return Slopes(speed=(inside - 2 * rate**2 * speed * value) * np.exp(-((rate * speed) ** 2)))
    if form.kind == "loaded":
        own = load[..., column.motor.members[0][0]]
        return Slopes(speed=inside * np.abs(own), load=value * np.sign(own))
    return Slopes(speed=inside)
