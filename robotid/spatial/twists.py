"""6×6 maps of twists v̄ = (v, ω) and wrenches f̄ = (force, moment), linear part first."""

import torch
from torch import Tensor

from robotid.spatial.so3 import skew


def adjoint(rotation: Tensor, position: Tensor) -> Tensor:
    """Ad of a pose: takes twists in its own coordinates to those it is given in.

    Ad = [[R, [p] R], [0, R]]; wrenches go the other way with its transpose.

    Args:
        rotation: shape (..., 3, 3).
        position: shape (..., 3) [m].
    """
    return _upper(rotation, skew(position) @ rotation)


def adjoint_inverse(rotation: Tensor, position: Tensor) -> Tensor:
    """Ad of the inverse pose: [[Rᵀ, −Rᵀ [p]], [0, Rᵀ]]."""
    back = rotation.mT
    return _upper(back, -back @ skew(position))


def ad(twist: Tensor) -> Tensor:
    """The Lie bracket: ad_v̄ = [[[ω], [v]], [0, [ω]]], shape (..., 6) to (..., 6, 6)."""
    return _upper(skew(twist[..., 3:]), skew(twist[..., :3]))


def _upper(diagonal: Tensor, corner: Tensor) -> Tensor:
    top = torch.cat([diagonal, corner], -1)
    bottom = torch.cat([torch.zeros_like(diagonal), diagonal], -1)
    return torch.cat([top, bottom], -2)
