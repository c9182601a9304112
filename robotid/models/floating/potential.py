"""What gravity does to a floating robot: by mass and first moment, or by a network of its own.

P = −gᵀ (m r + R h) needs no further network (Schulze et al., eq. 31, with g as it acts). Samples
are along the last axis.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.models.floating.symmetric import cross, times, turning


class Pose(NamedTuple):
    """Of the base: position, shape (3, B); base to world, shape (3, 3, B)."""

    position: Tensor
    rotation: Tensor

    def in_base(self, vector: Tensor) -> Tensor:
        """A vector of the world in base coordinates, (3,) or (3, B) to (3, B)."""
        wide = vector if vector.dim() > 1 else vector[:, None]
        return (self.rotation * wide[:, None]).sum(0)


def pose_of(q: Tensor) -> Pose:
    """Of configurations (x, y, z, qx, qy, qz, qw, …), shape (7 + n, B)."""
    x, y, z, w = torch.nn.functional.normalize(q[3:7], dim=0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return Pose(q[:3], torch.stack([torch.stack(row) for row in rows]))


def weight(mass: Tensor, h: Tensor, down: Tensor) -> Tensor:
    """The wrench that carries a mass, shape (6, B): (−m g, −h × g) in base coordinates.

    Args:
        mass: shape (B,) [kg].
        h: first moment, shape (3, B) [kg m].
        down: gravity in base coordinates, shape (3, B) [m/s²].
    """
    return torch.cat([-mass * down, -cross(h, down)])


def of_pose(pose: Pose, by_position: Tensor, by_rotation: Tensor) -> Tensor:
    """The wrench of a potential on the base, shape (6, B), from its gradient.

    Args:
        pose: of the base.
        by_position: with respect to the position, shape (3, B).
        by_rotation: with respect to the nine entries of the rotation, shape (3, 3, B).
    """
    turned = times(pose.rotation.transpose(0, 1), by_rotation)
    return torch.cat([pose.in_base(by_position), turning(turned)])


def moments(linear: Tensor, angular: Tensor) -> tuple[Tensor, Tensor]:
    """Mass, shape (B,), and first moment, (3, B), as a factor of H has them.

    A third of the trace of what moves the base along, and what is skew in how that turns it.

    Args:
        linear: columns of translation, shape (rows, 3, B).
        angular: columns of rotation, likewise.
    """
    coupling = (angular[:, :, None] * linear[:, None]).sum(0)
    return (linear**2).sum((0, 1)) / 3, 0.5 * turning(coupling)


def of_moments(
    linear: Tensor, angular: Tensor, by_mass: Tensor, by_h: Tensor
) -> tuple[Tensor, Tensor]:
    """With respect to both columns, of a gradient with respect to mass and first moment."""
    along = 2 / 3 * by_mass * linear - 0.5 * _crossed(by_h, angular)
    return along, 0.5 * _crossed(by_h, linear)


def _crossed(x: Tensor, rows: Tensor) -> Tensor:
    """Cross products of x, (3, B), and each row, (rows, 3, B)."""
    found: Tensor = torch.linalg.cross(x[None].expand_as(rows), rows, dim=1)
    return found
