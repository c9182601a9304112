"""What a parametrisation results in, and how given link parameters are taken apart."""

from typing import NamedTuple

import torch
from torch import Tensor

from robotid.errors import ConfigError
from robotid.spatial.inertia import inertia_matrix, six_of

BIAS = 1e-8  # keeps masses [kg] and moments [kg m²] that are squares above zero
THINNEST = 1e-12  # [m²]; squared radius of gyration below which `log` and `tri` thicken a link


class Body(NamedTuple):
    """Mass (...) [kg], first moment (..., 3) [kg m], inertia about the origin (..., 3, 3)."""

    mass: Tensor
    first_moment: Tensor
    inertia: Tensor

    def phi(self) -> Tensor:
        """Link parameters, shape (..., 10); the inertia has to be symmetric."""
        return torch.cat([self.mass[..., None], self.first_moment, six_of(self.inertia)], -1)

    def phi_of_nine(self) -> Tensor:
        """(m, h, nine entries of the inertia), shape (..., 13), as inverse dynamics takes them."""
        nine = self.inertia.flatten(-2)
        return torch.cat([self.mass[..., None], self.first_moment, nine], -1)


class Central(NamedTuple):
    """Link parameters about the centre of mass, in float64.

    Args:
        mass: shape (...) [kg].
        first_moment: h = m c, shape (..., 3) [kg m].
        inertia: I_c, shape (..., 3, 3) [kg m²].
        rounding: what the entries of I_c may be wrong by, shape (...) [kg m²].
    """

    mass: Tensor
    first_moment: Tensor
    inertia: Tensor
    rounding: Tensor

    def second_moments(self) -> Tensor:
        """Σ_c = ½ tr(I_c) 1 − I_c, shape (..., 3, 3) [kg m²]."""
        return 0.5 * trace(self.inertia) * identity(self.inertia) - self.inertia


def identity(like: Tensor) -> Tensor:
    """The 3×3 identity with the dtype and device of a tensor."""
    return torch.eye(3, dtype=like.dtype, device=like.device)


def square(entries: Tensor, side: int) -> Tensor:
    """The matrix of entries row by row, shape (..., side²) to (..., side, side)."""
    return entries.reshape(*entries.shape[:-1], side, side)


def trace(matrix: Tensor) -> Tensor:
    """The trace, shape (..., 1, 1)."""
    return matrix.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]


def steiner(mass: Tensor, first_moment: Tensor) -> Tensor:
    """−m [c][c] = (|h|² 1 − h hᵀ) / m, what moving to the origin adds to the inertia."""
    outer = first_moment[..., :, None] * first_moment[..., None, :]
    return (trace(outer) * identity(outer) - outer) / mass[..., None, None]


def central(phi: Tensor) -> Central:
    """Takes link parameters (..., 10) apart; the mass must not be zero."""
    wide = phi.to(torch.float64)
    mass, first_moment, about_origin = wide[..., 0], wide[..., 1:4], inertia_matrix(wide)
    inertia = about_origin - steiner(mass, first_moment)
    rounding = 64 * torch.finfo(phi.dtype).eps * about_origin.abs().amax((-2, -1))
    return Central(mass, first_moment, inertia, rounding)


def require(holds: Tensor, says: str, value: Tensor) -> None:
    """Refuses link parameters that a parametrisation cannot express, naming the first link.

    Args:
        holds: which links are as they should be, shape (...).
        says: what is violated, with `{}` for the value.
        value: of each link, shape (...).
    """
    if bool(holds.all()):
        return
    place = (~holds).nonzero()[0].tolist()
    where = f"link {', '.join(map(str, place))}: " if place else ""
    raise ConfigError(
        "inexpressible-inertia",
        where + says.format(f"{value[tuple(place)].item():.6g}"),
        hint="correct the robot file, start from random values, or use --inertia free",
    )


def principal(matrix: Tensor, rounding: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """Ascending eigenvalues, not below zero, and eigenvectors of a semidefinite 3×3 matrix."""
    values, vectors = torch.linalg.eigh(matrix)
    least = values[..., 0]
    require(least >= -rounding, f"the least eigenvalue of {name} is {{}} kg m²", least)
    return values.clamp_min(0.0), vectors


def triangular_factor(root: Tensor) -> Tensor:
    """The lower-triangular L with L Lᵀ = B Bᵀ and diagonal ≥ 0; B may be singular."""
    upper: Tensor = torch.linalg.qr(root.mT).R
    sign = torch.where(upper.diagonal(dim1=-2, dim2=-1) < 0, -1.0, 1.0)
    return upper.mT * sign[..., None, :]
