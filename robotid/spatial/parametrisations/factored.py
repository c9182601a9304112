"""Parametrisations by a triangular factor of the pseudo-inertia P = [[Σ, h], [hᵀ, m]]."""

import torch
from torch import Tensor

from robotid.spatial.parametrisations.body import (
    BIAS,
    THINNEST,
    Body,
    central,
    identity,
    principal,
    require,
    square,
    trace,
    triangular_factor,
)

# Of (e^d1, e^d2, e^d3, s12, s23, s13, t1, t2, t3, 1, 0) in an upper-triangular matrix.
_UPPER = [0, 3, 5, 6, 10, 1, 4, 7, 10, 10, 2, 8, 10, 10, 10, 9]
# Of (a, b, c, d, e, f, g, h, i, j, 0) in a lower-triangular matrix, and where they stand.
_LOWER = [0, 10, 10, 10, 4, 1, 10, 10, 5, 6, 2, 10, 7, 8, 9, 3]
_ENTRIES = [0, 5, 10, 15, 4, 8, 9, 12, 13, 14]


def _body(pseudo: Tensor) -> Body:
    sigma = pseudo[..., :3, :3]
    inertia = trace(sigma) * identity(sigma) - sigma
    return Body(pseudo[..., 3, 3], pseudo[..., :3, 3], inertia)


def log(theta: Tensor) -> Body:
    """P = U Uᵀ with an upper-triangular U; m = e^2α, and t is the centre of mass.

    U = e^α [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]].
    """
    alpha, zero = theta[..., :1], torch.zeros_like(theta[..., :1])
    entries = torch.cat([theta[..., 1:4].exp(), theta[..., 4:], zero + 1, zero], -1)
    upper = alpha[..., None].exp() * square(entries[..., _UPPER], 4)
    return _body(upper @ upper.mT)


def log_inverse(phi: Tensor) -> Tensor:
    """For P ⪰ 0; on the boundary d would be −∞, so radii of gyration below 1 µm become 1 µm."""
    require(phi[..., 0] > 0, "mass {} kg is not positive", phi[..., 0])
    link = central(phi)
    mass = link.mass[..., None]
    second, axes = principal(link.second_moments(), link.rounding, "the pseudo-inertia")
    root = axes * torch.maximum(second / mass, torch.full_like(mass, THINNEST)).sqrt()[..., None, :]
    # U Uᵀ of the first three rows and columns: a lower factor of the reversed matrix, reversed.
    upper = triangular_factor(root.flip(-2)).flip((-2, -1))
    diagonal = upper.diagonal(dim1=-2, dim2=-1).log()
    shear = torch.stack([upper[..., 0, 1], upper[..., 1, 2], upper[..., 0, 2]], -1)
    return torch.cat([0.5 * mass.log(), diagonal, shear, link.first_moment / mass], -1).to(phi)


def diffbary(theta: Tensor) -> Body:
    """P = A Aᵀ + r 1 with A = [[a, 0, 0, 0], [e, b, 0, 0], [f, g, c, 0], [h, i, j, d]]."""
    entries = torch.cat([theta, torch.zeros_like(theta[..., :1])], -1)
    lower = square(entries[..., _LOWER], 4)
    eye = torch.eye(4, dtype=theta.dtype, device=theta.device)
    return _body(lower @ lower.mT + BIAS * eye)


def diffbary_inverse(phi: Tensor) -> Tensor:
    """For P ⪰ 0; where P − r 1 is not, second moments about the centre change by about r."""
    require(phi[..., 0] > BIAS, f"mass {{}} kg is not above {BIAS:g} kg", phi[..., 0])
    link = central(phi)
    second = link.second_moments()
    principal(second, link.rounding, "the pseudo-inertia")
    # What is left of Σ about the centre when r 1 is taken from P; it loses r (1 + |c|²) at most.
    rest = (link.mass - BIAS)[..., None]
    outer = link.first_moment[..., :, None] * link.first_moment[..., None, :]
    less = BIAS * (identity(outer) + outer / (link.mass * rest[..., 0])[..., None, None])
    values, axes = torch.linalg.eigh(second - less)
    block = axes * values.clamp_min(0.0).sqrt()[..., None, :]
    top = torch.cat([block, (link.first_moment / rest.sqrt())[..., None]], -1)
    bottom = torch.cat([torch.zeros_like(block[..., :1, :]), rest.sqrt()[..., None]], -1)
    lower = triangular_factor(torch.cat([top, bottom], -2))
    return lower.flatten(-2)[..., _ENTRIES].to(phi)
