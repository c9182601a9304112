"""Poses and inertial parameters of single links, in numpy: what reading a robot file takes.

Link parameters phi = (m, hx, hy, hz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz): mass [kg], first moment
h = m c [kg m] and inertia about the link-frame origin [kg m²], all in link coordinates.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# Where Ixx, Ixy, Iyy, Ixz, Iyz, Izz stand in a symmetric matrix, in the order of phi.
ROWS = np.array([0, 0, 1, 0, 1, 2])
COLUMNS = np.array([0, 1, 1, 2, 2, 2])


def skew(x: ArrayLike) -> Array:
    """The matrix [x] with [x] y = x × y."""
    a, b, c = np.asarray(x, dtype=float)
    return np.array([[0.0, -c, b], [c, 0.0, -a], [-b, a, 0.0]])


def rotation_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), as in robot files; angles [rad]."""
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """The rotation by an angle [rad] about a unit axis (Rodrigues)."""
    k = skew(axis)
    result: Array = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
    return result


def pose(rotation: ArrayLike, position: ArrayLike) -> Array:
    """The 4×4 matrix of a rotation and a position [m]."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, position
    return result


def inverse(placement: Array) -> Array:
    """The inverse of a 4×4 pose."""
    rotation = placement[:3, :3].T
    return pose(rotation, -rotation @ placement[:3, 3])


def phi_from(mass: float, centre: ArrayLike, inertia_at_centre: ArrayLike) -> Array:
    """Link parameters, shape (10,), from mass, centre of mass and the 3×3 inertia about it."""
    c = np.asarray(centre, dtype=float)
    about_origin = np.asarray(inertia_at_centre, dtype=float) - mass * skew(c) @ skew(c)
    return np.concatenate([[mass], mass * c, about_origin[ROWS, COLUMNS]])


def inertia_matrix(phi: Array) -> Array:
    """The 3×3 inertia about the link origin."""
    result = np.empty((3, 3))
    result[ROWS, COLUMNS] = result[COLUMNS, ROWS] = phi[4:]
    return result


def centre_and_inertia(phi: Array) -> tuple[Array, Array]:
    """Centre of mass [m] and 3×3 inertia about it [kg m²]; a massless link has its centre at 0."""
    mass = phi[0]
    centre = phi[1:4] / mass if mass != 0 else np.zeros(3)
    return centre, inertia_matrix(phi) + mass * skew(centre) @ skew(centre)


def pseudo_inertia(phi: Array) -> Array:
    """The 4×4 pseudo-inertia [[Σ, h], [hᵀ, m]], Σ = ½ tr(I) 1 − I."""
    inertia = inertia_matrix(phi)
    result = np.empty((4, 4))
    result[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    result[:3, 3] = result[3, :3] = phi[1:4]
    result[3, 3] = phi[0]
    return result


def transport(phi: Array, placement: Array) -> Array:
    """Parameters of a link in the coordinates of another frame.

    Args:
        phi: parameters in the link's own frame, shape (10,).
        placement: pose of the link's frame in the other one, shape (4, 4).
    """
    moved = placement @ pseudo_inertia(phi) @ placement.T  # P is linear in phi: P' = T P Tᵀ
    sigma = moved[:3, :3]
    inertia = np.trace(sigma) * np.eye(3) - sigma
    return np.concatenate([[moved[3, 3]], moved[:3, 3], inertia[ROWS, COLUMNS]])
