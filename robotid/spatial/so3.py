"""Rotations; every function takes any leading axes."""

import torch
from torch import Tensor


def skew(x: Tensor) -> Tensor:
    """The matrix [x] with [x] y = x × y, shape (..., 3) to (..., 3, 3)."""
    a, b, c = x.unbind(-1)
    zero = torch.zeros_like(a)
    return torch.stack([zero, -c, b, c, zero, -a, -b, a, zero], -1).reshape(*x.shape, 3)


def rotation_about(axis: Tensor, angle: Tensor) -> Tensor:
    """exp([axis] angle) by Rodrigues' formula.

    Args:
        axis: unit vectors, shape (..., 3).
        angle: shape (...) [rad].
    """
    k = skew(axis)
    sine, cosine = torch.sin(angle)[..., None, None], torch.cos(angle)[..., None, None]
    return torch.eye(3, dtype=angle.dtype, device=angle.device) + sine * k + (1 - cosine) * (k @ k)


def rotation_exp(vector: Tensor) -> Tensor:
    """exp([vector]), shape (..., 3) [rad] to (..., 3, 3); smooth at zero."""
    k = skew(vector)
    square = (vector * vector).sum(-1)[..., None, None]
    # sin(x)/x and (1 - cos x)/x² are series in x²; below 1e-6 two terms are exact to rounding,
    # and the guarded square keeps the gradient of the other branch finite.
    small = square < 1e-6
    safe = torch.where(small, torch.ones_like(square), square)
    angle = safe.sqrt()
    first = torch.where(small, 1 - square / 6, torch.sin(angle) / angle)
    second = torch.where(small, 0.5 - square / 24, (1 - torch.cos(angle)) / safe)
    eye = torch.eye(3, dtype=vector.dtype, device=vector.device)
    return eye + first * k + second * (k @ k)


def rotation_rpy(angles: Tensor) -> Tensor:
    """Rz(yaw) Ry(pitch) Rx(roll) of (roll, pitch, yaw), shape (..., 3) [rad]."""
    x, y, z = torch.eye(3, dtype=angles.dtype, device=angles.device)
    roll, pitch, yaw = angles.unbind(-1)
    return rotation_about(z, yaw) @ rotation_about(y, pitch) @ rotation_about(x, roll)


def rotation_from_quaternion(quaternion: Tensor) -> Tensor:
    """The rotation of (x, y, z, w), shape (..., 4); the length does not matter."""
    unit: Tensor = quaternion / torch.linalg.vector_norm(quaternion, dim=-1, keepdim=True)
    k, w = skew(unit[..., :3]), unit[..., 3, None, None]
    eye = torch.eye(3, dtype=unit.dtype, device=unit.device)
    return eye + 2 * w * k + 2 * (k @ k)
