"""Links as pseudo-inertias: a metric for steps, ways out of dead ends, and margins.

P = [[Σ, h], [hᵀ, m]] is linear in phi, and a rigid body has P > 0. Lengths are measured in units of
0.1 m, so that P of a compact link has entries of one size.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.spatial.inertia import phi_of_pseudo_inertia, pseudo_inertia

Array = NDArray[np.float64]
LENGTH = 0.1  # [m]
_UNITS = np.array([LENGTH, LENGTH, LENGTH, 1.0])
_SOFTENING = 0.01  # [kg]; changes of eigenvalues below it count in kg, those above as shares
_REPAIR = 1e-13  # share of the trace of P below which an eigenvalue is raised
_LEAST_MASS = 1e-6  # [kg]; parametrisations with m = θ² + 1e-8 cannot express less


_FORWARD = pseudo_inertia(torch.eye(10, dtype=torch.float64)).numpy() / np.outer(
    _UNITS, _UNITS
)  # P = sum of phi_i times matrix i
_BACK = phi_of_pseudo_inertia(
    torch.eye(16, dtype=torch.float64).reshape(16, 4, 4)
    * torch.from_numpy(np.outer(_UNITS, _UNITS))
).numpy()  # the other way round, shape (16, 10)
# Of a function of phi to that of P; symmetric, as P is.
_SLOPE = 0.5 * (_BACK.reshape(4, 4, 10) + _BACK.reshape(4, 4, 10).transpose(1, 0, 2))


def scaled_pseudo_inertias(phi: Array) -> Array:
    """P of links (..., 10), in kg, shape (..., 4, 4)."""
    flat: Array = phi @ _FORWARD.reshape(10, 16)
    return flat.reshape(*phi.shape[:-1], 4, 4)


def phi_of_scaled(pseudo: Array) -> Array:
    """The links of such matrices, shape (..., 4, 4) to (..., 10)."""
    links: Array = pseudo.reshape(*pseudo.shape[:-2], 16) @ _BACK
    return links


def metric(phi: Array) -> Array:
    """How far apart neighbouring links are, as quadratic forms of d phi, shape (bodies, 10, 10).

    tr(Q dP Q dP) with Q = (|P| + softening)⁻¹: relative changes for heavy links, absolute ones for
    those near zero or near the boundary. |P| has the absolute values of P's eigenvalues.
    """
    values, vectors = np.linalg.eigh(scaled_pseudo_inertias(phi))
    inverse = 1.0 / (np.abs(values) + _SOFTENING)
    Q = (vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1)
    turned = Q[:, None] @ _FORWARD
    flat = turned.reshape(len(phi), 10, 16)
    return np.asarray(flat @ turned.transpose(0, 1, 3, 2).reshape(len(phi), 10, 16).mT)


class Way(NamedTuple):
    """A way down: parameters to go to and the loss they take away."""

    phi: Array
    gain: float


def steepest_consistent(R: Array, phi: Array, slope: Array, bodies: int) -> Way:
    """The best of the ways that add a rod v vᵀ to the pseudo-inertia of one link.

    Adding it keeps the link consistent, however long the way. v is the eigenvector of the least
    eigenvalue of the slope with respect to P; the loss along it is a parabola. If no link has such
    a way, and the slope times phi is zero, phi is the best of all consistent parameters.

    Args:
        R: of the system, shape (rows, p).
        phi: parameters, shape (p,).
        slope: of the loss with respect to them, shape (p,).
        bodies: how many there are.
    """
    values, vectors = np.linalg.eigh(_slope_of_pseudo(slope[: 10 * bodies].reshape(bodies, 10)))
    v = vectors[:, :, 0]
    rods = phi_of_scaled(v[:, :, None] * v[:, None, :])
    falls = np.minimum(values[:, 0], 0.0)
    moved = (R[:, : 10 * bodies].reshape(-1, bodies, 10) * rods).sum(-1)
    steepness = np.maximum((moved**2).sum(0), np.finfo(float).tiny)
    gains = falls**2 / (4.0 * steepness)
    best = int(np.argmax(gains))
    new = phi.copy()
    new[10 * best : 10 * best + 10] -= falls[best] / (2.0 * steepness[best]) * rods[best]
    return Way(new, float(gains[best]))


def _slope_of_pseudo(slope: Array) -> Array:
    """G with tr(G dP) = slope · d phi, shape (bodies, 10) to (bodies, 4, 4)."""
    flat: Array = slope @ _SLOPE.reshape(16, 10).T
    return flat.reshape(-1, 4, 4)


def moved_inside(phi: Array, margin: float) -> Array:
    """Links that no rounding makes inconsistent.

    Afterwards no radius of gyration about the centre of mass is below the root of the margin times
    0.1 m, and no mass below a milligram. Links beyond the boundary, by a solver's tolerance, come
    to it first.

    Args:
        phi: links, shape (bodies, 10).
        margin: squared share of 0.1 m.
    """
    pseudo = scaled_pseudo_inertias(phi)
    repaired = phi + phi_of_scaled(_lift(pseudo, _REPAIR * (_trace(pseudo) + _SOFTENING)))
    repaired[:, 0] = np.maximum(repaired[:, 0], _LEAST_MASS)
    pseudo = scaled_pseudo_inertias(repaired)
    mass, first = pseudo[:, 3, 3, None], pseudo[:, :3, 3]
    about_centre = pseudo[:, :3, :3] - first[:, :, None] * (first / mass)[:, None, :]
    lift = np.zeros_like(pseudo)
    lift[:, :3, :3] = _lift(about_centre, margin * mass)
    return np.asarray(repaired + phi_of_scaled(lift))


def _trace(matrices: Array) -> Array:
    return np.asarray(np.trace(matrices, axis1=1, axis2=2)[:, None])


def _lift(matrices: Array, least: Array) -> Array:
    """What to add to symmetric matrices so that no eigenvalue is below `least`, shape (..., 1)."""
    values, vectors = np.linalg.eigh(matrices)
    added = np.maximum(least - values, 0.0)
    return np.asarray((vectors * added[:, None, :]) @ vectors.transpose(0, 2, 1))
