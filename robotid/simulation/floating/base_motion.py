"""How a floating base moves, from its position and angles as functions of time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.signals.planned import Moving
from robotid.spatial.quaternions import product, rotation_of, turned_back

Array = NDArray[np.float64]


class BaseMotion(NamedTuple):
    """A base, sample by sample.

    Args:
        pose: position in the world [m] and quaternion (x, y, z, w), base to world, shape (T, 7).
        twist: velocity and turn rate in base coordinates, shape (T, 6) [m/s, rad/s].
        rates: derivatives of these components, shape (T, 6) [m/s², rad/s²].
    """

    pose: Array
    twist: Array
    rates: Array

    def at(self, rows: slice) -> "BaseMotion":
        """Some samples."""
        return BaseMotion(*(part[rows] for part in self))


def base_motion(moving: Moving) -> BaseMotion:
    """The motion of a base from x, y, z, roll, pitch, yaw and their derivatives, shape (T, 6) each.

    R = Rz(yaw) Ry(pitch) Rx(roll); with v = Rᵀ ṗ its rate is Rᵀ p̈ - ω × v.
    """
    place, rate, change = moving
    pose = np.column_stack([place[:, :3], quaternion_rpy(place[:, 3:])])
    omega, alpha = _turning(place[:, 3:], rate[:, 3:], change[:, 3:])
    rotation = rotation_of(pose[:, 3:])
    v = turned_back(rotation, rate[:, :3])
    vd = turned_back(rotation, change[:, :3]) - np.cross(omega, v)
    return BaseMotion(pose, np.column_stack([v, omega]), np.column_stack([vd, alpha]))


def quaternion_rpy(angles: Array) -> Array:
    """Quaternions of roll, pitch, yaw [rad], shape (T, 3) to (T, 4)."""
    half = angles / 2
    zero = np.zeros(len(angles))
    roll = np.column_stack([np.sin(half[:, 0]), zero, zero, np.cos(half[:, 0])])
    pitch = np.column_stack([zero, np.sin(half[:, 1]), zero, np.cos(half[:, 1])])
    yaw = np.column_stack([zero, zero, np.sin(half[:, 2]), np.cos(half[:, 2])])
    return product(yaw, product(pitch, roll))


def _turning(angles: Array, rate: Array, change: Array) -> tuple[Array, Array]:
    """Turn rate and its derivative in base coordinates, shape (T, 3) each."""
    (roll, pitch, _), (r, p, y), (rr, pp, yy) = angles.T, rate.T, change.T
    sr, cr, sp, cp = np.sin(roll), np.cos(roll), np.sin(pitch), np.cos(pitch)
    omega = np.column_stack([r - y * sp, p * cr + y * sr * cp, -p * sr + y * cr * cp])
    alpha = np.column_stack(
        [
            rr - yy * sp - y * p * cp,
            pp * cr - p * r * sr + yy * sr * cp + y * (r * cr * cp - p * sr * sp),
            -pp * sr - p * r * cr + yy * cr * cp - y * (r * sr * cp + p * cr * sp),
        ]
    )
    return omega, alpha
