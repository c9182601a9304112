"""Parametrisations by mass, first moment (or centre) and the inertia about the centre of mass.

Each forward function takes theta (..., size) to mass and inertia about the centre, of which
`by_moment` and `by_centre` make a `Body`: entries 1 to 3 are the first moment h = m c, or c itself.
Each inverse takes phi (..., 10) to theta, works in float64 and gives back the dtype of phi.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from robotid.spatial.inertia import six_of, symmetric
from robotid.spatial.parametrisations.body import (
    BIAS,
    THINNEST,
    Body,
    Central,
    central,
    identity,
    principal,
    require,
    square,
    steiner,
    trace,
    triangular_factor,
)
from robotid.spatial.so3 import rotation_exp, rotation_rpy

_LOWER = [0, 6, 6, 3, 1, 6, 4, 5, 2]  # of (L11, L22, L33, L21, L31, L32, 0) of a matrix
_ENTRIES = [0, 4, 8, 3, 6, 7]  # the same six in a flattened matrix


class Link(NamedTuple):
    """Mass (...) [kg] and the inertia about the centre of mass (..., 3, 3) [kg m²]."""

    mass: Tensor
    inertia: Tensor


def by_moment(link: Callable[[Tensor], Link]) -> Callable[[Tensor], Body]:
    """Of entries (…, h, …); the inertia about the origin is not defined for m = 0."""

    def forward(theta: Tensor) -> Body:
        mass, inertia = link(theta)
        first_moment = theta[..., 1:4]
        return Body(mass, first_moment, inertia + steiner(mass, first_moment))

    return forward


def by_centre(link: Callable[[Tensor], Link]) -> Callable[[Tensor], Body]:
    """Of entries (…, c, …); defined for every mass."""

    def forward(theta: Tensor) -> Body:
        mass, inertia = link(theta)
        centre, one = theta[..., 1:4], torch.ones_like(mass)
        offset = mass[..., None, None] * steiner(one, centre)
        return Body(mass, mass[..., None] * centre, inertia + offset)

    return forward


def _square_of_lower(six: Tensor) -> Tensor:
    """L Lᵀ + b 1."""
    entries = torch.cat([six, torch.zeros_like(six[..., :1])], -1)[..., _LOWER]
    lower = square(entries, 3)
    return lower @ lower.mT + BIAS * identity(lower)


def _root(value: Tensor) -> Tensor:
    """θ with θ² + b = value; zero where the value is below b."""
    return (value - BIAS).clamp_min(0.0).sqrt()


def _with_positive_mass(phi: Tensor) -> Central:
    mass = phi[..., 0]
    require(mass > BIAS, f"mass {{}} kg is not above {BIAS:g} kg", mass)
    return central(phi)


def _join(like: Tensor, *columns: Tensor) -> Tensor:
    return torch.cat([c if c.dim() == like.dim() else c[..., None] for c in columns], -1).to(like)


# nostr: m, h, all nine entries of I_c


def nostr(theta: Tensor) -> Link:
    """Any mass, I_c = any 3×3 matrix."""
    return Link(theta[..., 0], square(theta[..., 4:], 3))


def nostr_inverse(phi: Tensor) -> Tensor:
    """The nine entries of the symmetric I_c."""
    require(phi[..., 0] != 0, "mass {} kg has no centre", phi[..., 0])
    link = central(phi)
    return _join(phi, link.mass, link.first_moment, link.inertia.flatten(-2))


# free: phi itself


def free(theta: Tensor) -> Body:
    """The identity."""
    return Body(theta[..., 0], theta[..., 1:4], symmetric(theta[..., 4:]))


def free_inverse(phi: Tensor) -> Tensor:
    """The identity."""
    return phi.clone()


# symm: √m, h, six entries of I_c


def symm(theta: Tensor) -> Link:
    """Mass m = θ² + b, I_c = any symmetric matrix."""
    return Link(theta[..., 0] ** 2 + BIAS, symmetric(theta[..., 4:]))


def symm_inverse(phi: Tensor) -> Tensor:
    """For any mass above b."""
    link = _with_positive_mass(phi)
    return _join(phi, _root(link.mass), link.first_moment, six_of(link.inertia))


# spd: √m, h, lower-triangular factor of I_c


def spd(theta: Tensor) -> Link:
    """Mass m = θ² + b, I_c = L Lᵀ + b 1."""
    return Link(theta[..., 0] ** 2 + BIAS, _square_of_lower(theta[..., 4:]))


def spd_inverse(phi: Tensor) -> Tensor:
    """For I_c ⪰ 0; principal moments below b become b."""
    link = _with_positive_mass(phi)
    moments, axes = principal(link.inertia, link.rounding, "the inertia about the centre")
    lower = triangular_factor(axes * _root(moments)[..., None, :])
    return _join(phi, _root(link.mass), link.first_moment, lower.flatten(-2)[..., _ENTRIES])


# cov: √m, h, lower-triangular factor of Σ_c


def cov(theta: Tensor) -> Link:
    """Mass m = θ² + b, Σ_c = L Lᵀ + b 1, I_c = tr(Σ_c) 1 − Σ_c."""
    sigma = _square_of_lower(theta[..., 4:])
    return Link(theta[..., 0] ** 2 + BIAS, trace(sigma) * identity(sigma) - sigma)


def cov_inverse(phi: Tensor) -> Tensor:
    """For Σ_c ⪰ 0; principal second moments below b become b."""
    link = _with_positive_mass(phi)
    moments, axes = _second_moments(link)
    lower = triangular_factor(axes * _root(moments)[..., None, :])
    return _join(phi, _root(link.mass), link.first_moment, lower.flatten(-2)[..., _ENTRIES])


# tri: √m, h, axis-angle, √J1, √J2, a


def tri(theta: Tensor) -> Link:
    """J1, J2 = θ² + b and J3 the side of a triangle opposite to α = π sigmoid(a); I_c = R J Rᵀ.

    J3² = J1² + J2² − 2 J1 J2 cos α, written as a sum of squares so that nothing cancels.
    """
    first, second = theta[..., 7] ** 2 + BIAS, theta[..., 8] ** 2 + BIAS
    half = 0.5 * math.pi * torch.sigmoid(theta[..., 9])
    sides = torch.stack([first - second, 2 * (first * second).sqrt() * half.sin()], -1)
    third = torch.linalg.vector_norm(sides, dim=-1)  # its gradient at zero is zero, not NaN
    rotation = rotation_exp(theta[..., 4:7])
    inertia = rotation * torch.stack([first, second, third], -1)[..., None, :] @ rotation.mT
    return Link(theta[..., 0] ** 2 + BIAS, inertia)


def tri_inverse(phi: Tensor) -> Tensor:
    """For Σ_c ⪰ 0; radii of gyration below 1 µm become 1 µm, J1 and J2 below b become b.

    With second moments L1 ≥ L2 ≥ L3, tan²(α/2) = L1 L2 / (L3 (L1 + L2 + L3)): 60° for a ball,
    180° for a disc without thickness.
    """
    link = _with_positive_mass(phi)
    ascending, axes = _second_moments(link)
    ascending = torch.maximum(ascending, THINNEST * link.mass[..., None])
    third, second, first = ascending.unbind(-1)
    half = torch.atan2((first * second).sqrt(), (third * ascending.sum(-1)).sqrt())
    rest = torch.atan2((third * ascending.sum(-1)).sqrt(), (first * second).sqrt())
    rotation = _least_turn(_right_handed(axes.flip(-1)))
    roots = torch.stack([_root(second + third), _root(first + third)], -1)
    logit = torch.log(half / rest)
    return _join(phi, _root(link.mass), link.first_moment, rotation, roots, logit)


# moments: √m, c, roll-pitch-yaw, √L1, √L2, √L3


def moments(theta: Tensor) -> Link:
    """Mass m = θ², L_i = θ_i², I_c = R diag(L2 + L3, L1 + L3, L1 + L2) Rᵀ."""
    mass, second = theta[..., 0] ** 2, theta[..., 7:] ** 2
    rotation = rotation_rpy(theta[..., 4:7])
    diagonal = second.sum(-1, keepdim=True) - second
    return Link(mass, rotation * diagonal[..., None, :] @ rotation.mT)


def moments_inverse(phi: Tensor) -> Tensor:
    """For Σ_c ⪰ 0, the boundary included: there a root is zero, and so is its gradient."""
    require(phi[..., 0] > 0, "mass {} kg is not positive", phi[..., 0])
    link = central(phi)
    second, axes = _second_moments(link)
    # Of the three cyclic orders of the axes, the one farthest from the poles of roll-pitch-yaw.
    turn = axes[..., 2, :].abs().argmin(-1, keepdim=True)
    order = (turn + torch.arange(3, device=phi.device)) % 3
    rotation = _right_handed(axes.gather(-1, order[..., None, :].expand_as(axes)))
    pitch = torch.atan2(-rotation[..., 2, 0], torch.hypot(rotation[..., 2, 1], rotation[..., 2, 2]))
    roll = torch.atan2(rotation[..., 2, 1], rotation[..., 2, 2])
    yaw = torch.atan2(rotation[..., 1, 0], rotation[..., 0, 0])
    centre = link.first_moment / link.mass[..., None]
    roots = second.gather(-1, order).sqrt()
    return _join(phi, link.mass.sqrt(), centre, torch.stack([roll, pitch, yaw], -1), roots)


def _second_moments(link: Central) -> tuple[Tensor, Tensor]:
    return principal(link.second_moments(), link.rounding, "the second moments about the centre")


def _right_handed(axes: Tensor) -> Tensor:
    """The same axes with the last one turned round where their determinant is negative."""
    sign = torch.linalg.det(axes).sign()[..., None, None]
    return torch.cat([axes[..., :2], axes[..., 2:] * sign], -1)


def _least_turn(rotation: Tensor) -> Tensor:
    """Axis-angle of the principal axes, two of them reversed where this turns less.

    Reversals permute the components of the quaternion, so the real one can be made the largest,
    at least ½: the angle is at most 120° and the logarithm is well conditioned.
    """
    reversals = torch.tensor(
        [[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=rotation.dtype
    ).to(rotation.device)
    diagonal = rotation.diagonal(dim1=-2, dim2=-1)
    best = reversals[(diagonal[..., None, :] * reversals).sum(-1).argmax(-1)]
    turned = rotation * best[..., None, :]
    real = 0.5 * (1 + trace(turned)[..., 0]).sqrt()
    odd = turned - turned.mT
    vector = torch.stack([odd[..., 2, 1], odd[..., 0, 2], odd[..., 1, 0]], -1) / (4 * real)
    sine = torch.linalg.vector_norm(vector, dim=-1, keepdim=True)
    scale = torch.where(sine > 0, 2 * torch.atan2(sine, real) / sine, 2.0)
    return scale * vector
