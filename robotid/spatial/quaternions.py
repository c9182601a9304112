"""Unit quaternions (x, y, z, w) of many samples, in numpy: the orientation of a floating base.

A quaternion stands for the rotation R from base to world coordinates. Those that are given need not
be of length 1; q and -q mean the same.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotation_of(quaternion: Array) -> Array:
    """R, shape (T, 4) to (T, 3, 3)."""
    x, y, z, w = (quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), 2, 0))


def turned(rotation: Array, vector: Array) -> Array:
    """R v: base to world coordinates, (T, 3, 3) and (T, 3)."""
    return np.asarray(np.einsum("tij,tj->ti", rotation, vector))


def turned_back(rotation: Array, vector: Array) -> Array:
    """Rᵀ v: world to base coordinates, (T, 3, 3) and (T, 3)."""
    return np.asarray(np.einsum("tji,tj->ti", rotation, vector))


def product(first: Array, second: Array) -> Array:
    """The rotation `second`, then `first`, shape (T, 4) each."""
    a, b = first[:, :3], second[:, :3]
    vector = first[:, 3:] * b + second[:, 3:] * a + np.cross(a, b)
    scalar = first[:, 3] * second[:, 3] - np.sum(a * b, axis=1)
    return np.column_stack([vector, scalar])


def inverse(quaternion: Array) -> Array:
    """The rotation back, shape (T, 4)."""
    return np.column_stack([-quaternion[:, :3], quaternion[:, 3]])


def turn_rate(quaternion: Array, rate: Array) -> Array:
    """ω in base coordinates [rad/s], shape (T, 3): twice the vector of q⁻¹ q̇.

    Args:
        quaternion: of length 1, shape (T, 4).
        rate: its derivative [1/s], shape (T, 4).
    """
    return 2.0 * product(inverse(quaternion), rate)[:, :3]


def on_one_side(quaternion: Array, before: Array) -> tuple[Array, int]:
    """The same rotations without jumps from one sign to the other, and how many there were.

    Args:
        quaternion: shape (T, 4); rows that are not finite are left as they are.
        before: the last one before them, shape (4,).
    """
    there = np.flatnonzero(np.isfinite(quaternion).all(axis=1))
    if not there.size:
        return quaternion, 0
    chain = np.vstack([before, quaternion[there]])
    jumps = np.sum(chain[1:] * chain[:-1], axis=1) < 0
    result = quaternion.copy()
    result[there] *= np.cumprod(np.where(jumps, -1.0, 1.0))[:, None]
    return result, int(np.count_nonzero(jumps))


def of_rotation(rotation: Array) -> Array:
    """The quaternion of one rotation (3, 3), shape (4,)."""
    # The largest of four squares decides which formula is well conditioned (Shepperd).
    trace = np.trace(rotation)
    which = int(np.argmax([*np.diag(rotation), trace]))
    result = np.empty(4)
    if which == 3:
        result[3] = 1 + trace
        result[:3] = [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                      rotation[1, 0] - rotation[0, 1]]  # fmt: skip
    else:
        i, j, k = which, (which + 1) % 3, (which + 2) % 3
        result[i] = 1 + 2 * rotation[i, i] - trace
        result[j], result[k] = rotation[j, i] + rotation[i, j], rotation[k, i] + rotation[i, k]
        result[3] = rotation[k, j] - rotation[j, k]
    return result / np.linalg.norm(result)


def roll_pitch_yaw(quaternion: Array) -> Array:
    """Angles of Rz(yaw) Ry(pitch) Rx(roll) [rad], shape (T, 4) to (T, 3); yaw without jumps."""
    rotation = rotation_of(quaternion)
    roll = np.arctan2(rotation[:, 2, 1], rotation[:, 2, 2])
    pitch = np.arcsin(np.clip(-rotation[:, 2, 0], -1.0, 1.0))
    yaw = np.unwrap(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]))
    return np.column_stack([roll, pitch, yaw])
