"""Values of the columns that joints add to the regressor; for numpy arrays and torch tensors alike.

A held sign remembers the samples before it, so samples come in the order of time there.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.joint_columns import JointColumn, Motor

Array = NDArray[np.float64]
Values = Any  # numpy array or torch tensor


def motor_motion(motor: Motor, values: Values) -> Values:
    """Speed or acceleration of a motor from those of the driven joints, (..., n) to (...)."""
    (first, _), *others = motor.members  # the sign of the first is plus
    result = values[..., first]
    for joint, sign in others:
        result = result + sign * values[..., joint]
    return result


def column_values(
    column: JointColumn, qd: Values, qdd: Values, load: Values = None, before: float = 0.0
) -> Values:
    """The function of a column, shape (...,).

    Times its parameter, and the sign that a joint has in its motor, it is a torque of that joint.

    Args:
        column: of the layout.
        qd: velocities of the driven joints, shape (..., n).
        qdd: their accelerations, shape (..., n).
        load: torques that the links need according to the robot file, shape (..., n).
        before: held sign before the first sample.
    """
    form, speed = column.form, motor_motion(column.motor, qd)
    if form.kind == "held":
        return _held(speed, column.width or 0.0, before)
    x = speed if form.source == "speed" else motor_motion(column.motor, qdd)
    if column.saturation is not None:
        x = x / column.saturation
    value = x if math.isinf(form.low) and math.isinf(form.high) else x.clip(form.low, form.high)
    if form.kind == "fading":
        return value * math.e ** -((speed / (column.width or 1.0)) ** 2)
    if form.kind == "loaded":
        return value * abs(load[..., column.motor.members[0][0]])
    return value


def joint_regressor(
    own: Sequence[JointColumn], qd: Values, qdd: Values, load: Values = None
) -> Array:
    """The columns in the row of each joint, shape (T, n, own); zero where they do not act."""
    result = np.zeros((*qd.shape, len(own)))
    for position, column in enumerate(own):
        values = column_values(column, qd, qdd, load)
        for joint, sign in column.motor.members:
            result[:, joint, position] = sign * values
    return result


def held_sign(speed: Array, width: float, before: float = 0.0) -> Array:
    """The sign of the last speed that was not within the width, along the last axis."""
    moving = np.abs(speed) >= width
    last = np.maximum.accumulate(np.where(moving, np.arange(speed.shape[-1]), -1), axis=-1)
    signs = np.take_along_axis(np.sign(speed), np.maximum(last, 0), axis=-1)
    return np.where(last >= 0, signs, before)


def _held(speed: Values, width: float, before: float) -> Values:
    if isinstance(speed, np.ndarray):
        return held_sign(speed, width, before)
    found = held_sign(speed.detach().numpy(), width, before)
    return speed.new_tensor(found)
