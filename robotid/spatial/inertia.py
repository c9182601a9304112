"""Link parameters phi = (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz) and what they stand for.

h = m c is the first moment [kg m], I the inertia about the link-frame origin [kg m²]. Every
function takes any leading axes.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.spatial.so3 import skew

# Entry (row, column) of a symmetric matrix among (xx, xy, yy, xz, yz, zz).
_PLACES = [0, 1, 3, 1, 2, 4, 3, 4, 5]
_UPPER = [0, 1, 4, 2, 5, 8]


class Parts(NamedTuple):
    """Mass (...) [kg], centre of mass (..., 3) [m], inertia about it (..., 3, 3) [kg m²]."""

    mass: Tensor
    centre: Tensor
    inertia: Tensor


def symmetric(six: Tensor) -> Tensor:
    """The symmetric matrix of (xx, xy, yy, xz, yz, zz), shape (..., 6) to (..., 3, 3)."""
    return six[..., _PLACES].reshape(*six.shape[:-1], 3, 3)


def six_of(matrix: Tensor) -> Tensor:
    """(xx, xy, yy, xz, yz, zz) of a symmetric matrix, shape (..., 3, 3) to (..., 6)."""
    return matrix.flatten(-2)[..., _UPPER]


def inertia_matrix(phi: Tensor) -> Tensor:
    """Inertia about the link origin, shape (..., 3, 3)."""
    return symmetric(phi[..., 4:])


def parts_of(phi: Tensor) -> Parts:
    """Mass, centre of mass and inertia about it: I_c = I + m [c][c]."""
    mass = phi[..., 0]
    centre = phi[..., 1:4] / mass[..., None]
    k = skew(centre)
    return Parts(mass, centre, inertia_matrix(phi) + mass[..., None, None] * (k @ k))


def phi_of(parts: Parts) -> Tensor:
    """Link parameters, shape (..., 10): I = I_c − m [c][c]."""
    k = skew(parts.centre)
    about_origin = parts.inertia - parts.mass[..., None, None] * (k @ k)
    first = parts.mass[..., None] * parts.centre
    return torch.cat([parts.mass[..., None], first, six_of(about_origin)], -1)


def random_phi(mass: NDArray[np.float64], length: float, random: np.random.Generator) -> Tensor:
    """Link parameters of random rigid bodies, shape (bodies, 10), float64.

    Args:
        mass: of each, shape (bodies,) [kg].
        length: standard deviation of each coordinate of the centre, and of the positions of the
            four points that give the inertia [m].
        random: where they come from.
    """
    centre = length * random.normal(size=(len(mass), 3))
    points = length * random.normal(size=(len(mass), 3, 4))
    sigma = mass[:, None, None] * (points @ points.transpose(0, 2, 1)) / 4
    inertia = np.trace(sigma, axis1=1, axis2=2)[:, None, None] * np.eye(3) - sigma
    return phi_of(Parts(*(torch.from_numpy(x) for x in (mass, centre, inertia))))


def pseudo_inertia(phi: Tensor) -> Tensor:
    """P = [[Σ, h], [hᵀ, m]] with Σ = ½ tr(I) 1 − I, shape (..., 4, 4).

    The parameters are those of a rigid body if and only if P is positive definite. In another
    frame they have T P Tᵀ, where T is the pose of the link in that frame.
    """
    inertia = inertia_matrix(phi)
    half_trace = 0.5 * inertia.diagonal(dim1=-2, dim2=-1).sum(-1)
    eye = torch.eye(3, dtype=phi.dtype, device=phi.device)
    sigma = half_trace[..., None, None] * eye - inertia
    first = phi[..., 1:4, None]
    top = torch.cat([sigma, first], -1)
    bottom = torch.cat([first.mT, phi[..., :1, None]], -1)
    return torch.cat([top, bottom], -2)


def phi_of_pseudo_inertia(pseudo: Tensor) -> Tensor:
    """Link parameters of a pseudo-inertia: I = tr(Σ) 1 − Σ."""
    sigma = pseudo[..., :3, :3]
    eye = torch.eye(3, dtype=pseudo.dtype, device=pseudo.device)
    inertia = sigma.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None] * eye - sigma
    return torch.cat([pseudo[..., 3, 3, None], pseudo[..., :3, 3], six_of(inertia)], -1)
