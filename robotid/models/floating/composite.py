"""The inertia of a whole robot about its base, such that some rigid body could have it.

    H_B = [[m̂ 1, [h]ᵀ], [[h], I]],   I = tr(Σ) 1 − Σ + β 1,   Σ = Lᵀ L

Rows of joints of the factor, K towards translation and W towards rotation of the base, take part of
it. What they leave has to be positive definite:

    D = tr(Σ) 1 − Σ − Wᵀ W,          β = ε_D + s_D softplus(−λ_min D / s_D)
    E = C D̂⁻¹ Cᵀ + Kᵀ K,             m̂ = s_m softplus((m − λ_max E) / s_m) + ε_m + λ_max E
    with C = [h]ᵀ − Kᵀ W and D̂ = D + β 1

(Schulze et al., eqs. 15 to 28, where s_D = 1 kg m² and s_m = 1 kg. A base that turns as easily as
that of a small quadruped, 0.05 kg m², would then need β = 3 kg m², more than all of I, which no Σ
makes up for. Here s is 0.3 of the inertia that the base seems to have, and ε a tenth of s: with
less of it the bend of the softplus is so sharp that training runs away.)

β and m̂ depend on joints through eigenvalues, λ = vᵀ A v, whose gradients are written out here: they
are needed for the rate of the momentum as well as for the gradient of the energy. Samples are along
the last axis.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from robotid.models.floating.symmetric import (
    Eigen,
    applied,
    cross,
    eigen,
    inverse,
    outer,
    skew,
    times,
    trace,
    unit,
)

SOFT = 0.3  # of the usual inertia: s
_LEAST = 0.1  # of s: ε


class Parts(NamedTuple):
    """What networks give, or the rate of it, or a gradient.

    Args:
        K: rows of joints towards translation, shape (n, 3, B).
        W: rows of joints towards rotation, shape (n, 3, B).
        h: first moment, shape (3, B).
        root: L of Σ = Lᵀ L, lower-triangular, shape (3, 3, B).
    """

    K: Tensor
    W: Tensor
    h: Tensor
    root: Tensor


class Composite(NamedTuple):
    """The inertia about the base, and what its derivatives need.

    Args:
        parts: it is made of.
        mass: m̂, shape (B,).
        rotational: I, shape (3, 3, B).
        eigen_d: eigenvalues of D, and vectors.
        eigen_e: eigenvalues of E, and vectors.
        leaning: what β gains where λ_min falls, shape (B,).
        free: what m̂ gains where λ_max rises, shape (B,).
        arm: D̂⁻¹ Cᵀ e, shape (3, B).
        rest: K e − W D̂⁻¹ Cᵀ e, shape (n, B).
    """

    parts: Parts
    mass: Tensor
    rotational: Tensor
    eigen_d: Eigen
    eigen_e: Eigen
    leaning: Tensor
    free: Tensor
    arm: Tensor
    rest: Tensor


def composite(mass: Tensor, parts: Parts, soft_mass: Tensor, soft_inertia: Tensor) -> Composite:
    """The inertia about the base.

    Args:
        mass: m, a scalar [kg].
        parts: what networks give.
        soft_mass: s_m [kg].
        soft_inertia: s_D [kg m²].
    """
    K, W, h, root = parts
    sigma = times(root.transpose(0, 1), root)
    whole = trace(sigma) * unit(sigma) - sigma
    D = whole - times(W.transpose(0, 1), W)
    of_D = eigen(D)
    leaning = -of_D.values[0] / soft_inertia
    beta = soft_inertia * (_LEAST + functional.softplus(leaning))
    C = skew(h).transpose(0, 1) - times(K.transpose(0, 1), W)
    turned = times(inverse(D + beta * unit(D)), C.transpose(0, 1))  # D̂⁻¹ Cᵀ
    of_E = eigen(times(C, turned) + times(K.transpose(0, 1), K))
    top = of_E.values[2]
    room = (mass - top) / soft_mass
    arm = applied(turned, of_E.largest)
    return Composite(
        parts=parts,
        mass=soft_mass * (functional.softplus(room) + _LEAST) + top,
        rotational=whole + beta * unit(whole),
        eigen_d=of_D,
        eigen_e=of_E,
        leaning=torch.sigmoid(leaning),
        free=torch.sigmoid(-room),
        arm=arm,
        rest=applied(K, of_E.largest) - applied(W, arm),
    )


def force(own: Composite, rate: Parts, twist: Tensor, twist_rate: Tensor) -> Tensor:
    """H_x ν̇ + Ḣ_x ν of the base, shape (6, B): what is left of H_B without the rows of joints.

    Args:
        own: the inertia.
        rate: of its parts.
        twist: of the base, (v, ω), shape (6, B).
        twist_rate: of its components, shape (6, B).
    """
    K, W, h, root = own.parts
    (v, w), (vd, wd) = (x.split(3) for x in (twist, twist_rate))
    seen = applied(K, v) + applied(W, w)  # by joints
    seen_rate = applied(K, vd) + applied(W, wd) + applied(rate.K, v) + applied(rate.W, w)
    sigma_rate = times(rate.root.transpose(0, 1), root)
    sigma_rate = sigma_rate + sigma_rate.transpose(0, 1)
    least = own.eigen_d.least
    lost = applied(W, least) * applied(rate.W, least)
    beta_rate = own.leaning * (
        (least * applied(sigma_rate, least)).sum(0) - trace(sigma_rate) + 2 * lost.sum(0)
    )
    grown = (trace(sigma_rate) + beta_rate) * w - applied(sigma_rate, w)
    linear = own.mass * vd + mass_rate(own, rate) * v + cross(wd, h) + cross(w, rate.h)
    linear = linear - _back(K, seen_rate) - _back(rate.K, seen)
    angular = applied(own.rotational, wd) + grown + cross(h, vd) + cross(rate.h, v)
    angular = angular - _back(W, seen_rate) - _back(rate.W, seen)
    return torch.cat([linear, angular])


def mass_rate(own: Composite, rate: Parts) -> Tensor:
    """The rate of m̂, shape (B,)."""
    slope = _of_mass(own, torch.ones_like(own.mass))
    parts = [(a * b).flatten(0, -2).sum(0) for a, b in zip(slope, rate, strict=True)]
    return torch.stack(parts).sum(0)


def gradient(own: Composite, twist: Tensor, raised: Tensor, down: Tensor) -> Parts:
    """Of P − T with respect to the parts, where T is ½ νᵀ H_x ν of the base.

    Args:
        own: the inertia.
        twist: of the base, (v, ω), shape (6, B).
        raised: what the potential gains with mass, −gᵀ r, shape (B,) [J/kg].
        down: gravity in base coordinates, shape (3, B).
    """
    K, W, _, root = own.parts
    v, w = twist.split(3)
    of_mass = _of_mass(own, raised - 0.5 * (v * v).sum(0))
    seen = applied(K, v) + applied(W, w)
    least, speed = own.eigen_d.least, (w * w).sum(0)
    of_D = -0.5 * (outer(w, w) - own.leaning * speed * outer(least, least))
    pulled = own.leaning * speed * applied(W, least)
    return Parts(
        K=of_mass.K + outer(seen, v),
        W=of_mass.W + outer(seen, w) - outer(pulled, least),
        h=of_mass.h + cross(w, v) - down,
        root=of_mass.root + _of_root(root, of_D),
    )


def _of_mass(own: Composite, by: Tensor) -> Parts:
    """The gradient of m̂ times some factors, shape (B,)."""
    _, W, _, root = own.parts
    e, b, least = own.eigen_e.largest, own.arm, own.eigen_d.least
    twice = 2 * own.free * by
    long = (b * b).sum(0)
    pulled = twice * long * own.leaning * applied(W, least)
    of_D = -0.5 * twice * (outer(b, b) - own.leaning * long * outer(least, least))
    return Parts(
        K=outer(twice * own.rest, e),
        W=-outer(twice * own.rest, b) - outer(pulled, least),
        h=twice * cross(e, b),
        root=_of_root(root, of_D),
    )


def _of_root(root: Tensor, of_D: Tensor) -> Tensor:
    """With respect to L of what is given with respect to D; above the diagonal it means nothing."""
    return 2 * times(root, trace(of_D) * unit(of_D) - of_D)


def _back(rows: Tensor, x: Tensor) -> Tensor:
    """Rowsᵀ x, (n, 3, B) and (n, B) to (3, B)."""
    return (rows * x[:, None]).sum(0)
