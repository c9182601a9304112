"""Links as ellipsoids of uniform density with the same mass, centre and inertia."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.geometry import centre_and_inertia

Array = NDArray[np.float64]

# Second moments may be this share of the largest below zero: thin rods and plates, rounded.
_ROUNDING = 1e-9


class Ellipsoid(NamedTuple):
    """The points c + x with xᵀ S⁻¹ x ≤ 1.

    Args:
        centre: c, shape (3,) [m].
        shape: S, shape (3, 3) [m²]: squares of the semi-axes along its eigenvectors.
    """

    centre: Array
    shape: Array

    @property
    def reach(self) -> float:
        """The longest semi-axis [m]."""
        return float(np.sqrt(max(0.0, np.linalg.eigvalsh(self.shape)[-1])))

    def moved(self, placement: Array) -> "Ellipsoid":
        """The same one, given in a frame whose pose is `placement`, shape (4, 4)."""
        rotation = placement[:3, :3]
        centre = rotation @ self.centre + placement[:3, 3]
        return Ellipsoid(centre, rotation @ self.shape @ rotation.T)

    def seen(self, projection: Array) -> "Ellipse":
        """Its outline in a parallel projection, shape (2, 3): exactly an ellipse."""
        return Ellipse(projection @ self.centre, projection @ self.shape @ projection.T)


class Ellipse(NamedTuple):
    """An outline in the plane: centre, shape (2,), and S as for the ellipsoid, shape (2, 2)."""

    centre: Array
    shape: Array

    @property
    def half(self) -> Array:
        """Half of its width and height, shape (2,)."""
        return np.sqrt(np.maximum(0.0, np.diagonal(self.shape)))

    @property
    def axes(self) -> tuple[float, float, float]:
        """Longer and shorter semi-axis, and the angle [deg] from the first axis to the longer."""
        (short, long), vectors = np.linalg.eigh(self.shape)
        angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
        return float(np.sqrt(max(0.0, long))), float(np.sqrt(max(0.0, short))), float(angle)


def ellipsoid_of(phi: Array) -> Ellipsoid | None:
    """The ellipsoid of link parameters, shape (10,), in the frame of the link.

    A uniform ellipsoid has second moments m a²/5, and those of a body about its centre are
    Σ = ½ tr(I) 1 − I, so that S = 5 Σ / m. None for a link without mass or with negative second
    moments: no body has them.
    """
    if not phi[0] > 0:
        return None
    centre, inertia = centre_and_inertia(phi)
    shape = 5 / phi[0] * (0.5 * np.trace(inertia) * np.eye(3) - inertia)
    values, vectors = np.linalg.eigh(shape)
    if not np.isfinite(values).all() or values[0] < -_ROUNDING * max(values[-1], 0.0):
        return None
    return Ellipsoid(centre, (vectors * np.maximum(values, 0.0)) @ vectors.T)
