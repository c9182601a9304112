"""What compiled dynamics are made of: transforms, twists and wrenches as loops over numbers.

Twists and wrenches have their linear part first. Each expression of arrays costs a second of
compilation, which loops over single numbers do not.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.robot.geometry import inertia_matrix, skew
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class CompiledTree(NamedTuple):
    """A robot with a fixed base, as compiled functions take it.

    Args:
        parents: of each body, shape (n,); -1 is the base.
        placements: poses of the bodies in their parents at q = 0, shape (n, 4, 4).
        S: unit twists of the joints, shape (n, 6).
        M: spatial inertias about the link origins, shape (n, 6, 6).
    """

    parents: NDArray[np.int64]
    placements: Array
    S: Array
    M: Array


def compiled_tree(
    robot: RobotTree, phi: Array | None = None, placements: Array | None = None
) -> CompiledTree:
    """The robot in arrays.

    Args:
        robot: its tree; also its links and placements, where they are not given. The base is fixed.
        phi: link parameters, shape (n, 10), or (n, 13) with all nine entries of inertias.
        placements: poses of the bodies in their parents at q = 0, shape (n, 4, 4).
    """
    axes = np.array([joint.axis for joint in robot.joints])
    slides = np.array([joint.kind == "prismatic" for joint in robot.joints])[:, None]
    return CompiledTree(
        np.array(robot.parents, dtype=np.int64),
        np.array(robot.placements if placements is None else placements, order="C"),
        np.hstack([axes * slides, axes * ~slides]),
        np.stack([_spatial_inertia(own) for own in (robot.phi if phi is None else phi)]),
    )


def _spatial_inertia(phi: Array) -> Array:
    """[[m 1, −[h]], [[h], I]] about the link origin, shape (6, 6)."""
    h = skew(phi[1:4])
    inertia = inertia_matrix(phi) if phi.size == 10 else phi[4:].reshape(3, 3)
    return np.block([[phi[0] * np.eye(3), -h], [h, inertia]])


@njit()
def to_body(placement: Array, s: Array, q: float, X: Array) -> None:
    """Fill X, which takes twists of the parent to a body's coordinates: Ad of the inverse pose."""
    x, y, z = s[3], s[4], s[5]
    turns = 1.0 if x != 0.0 or y != 0.0 or z != 0.0 else 0.0
    sin, versine = turns * math.sin(q), turns * (1.0 - math.cos(q))
    cos = 1.0 - versine
    turn = (
        (cos + versine * x * x, versine * x * y - sin * z, versine * x * z + sin * y),
        (versine * x * y + sin * z, cos + versine * y * y, versine * y * z - sin * x),
        (versine * x * z - sin * y, versine * y * z + sin * x, cos + versine * z * z),
    )
    px, py, pz = placement[0, 3], placement[1, 3], placement[2, 3]
    for k in range(3):
        px += placement[0, k] * s[k] * q
        py += placement[1, k] * s[k] * q
        pz += placement[2, k] * s[k] * q
    for row in range(3):
        for column in range(3):
            entry = 0.0  # of Rᵀ, R = placement · turn
            for k in range(3):
                entry += placement[column, k] * turn[k][row]
            X[row, column] = X[row + 3, column + 3] = entry
    for row in range(3):  # −Rᵀ [p]: each row of Rᵀ, crossed with p, negated
        X[row, 3] = X[row, 2] * py - X[row, 1] * pz
        X[row, 4] = X[row, 0] * pz - X[row, 2] * px
        X[row, 5] = X[row, 1] * px - X[row, 0] * py


@njit()
def dot(a: Array, b: Array) -> float:
    """The product of a twist and a wrench, or of any six numbers."""
    total = 0.0
    for k in range(6):
        total += a[k] * b[k]
    return total


@njit()
def add_scaled(out: Array, vector: Array, scale: float) -> None:
    """Add a vector times a number."""
    for k in range(6):
        out[k] += vector[k] * scale


@njit()
def add_times(out: Array, matrix: Array, vector: Array) -> None:
    """Add a 6×6 matrix times a vector."""
    for row in range(6):
        total = 0.0
        for column in range(6):
            total += matrix[row, column] * vector[column]
        out[row] += total


@njit()
def add_ad(out: Array, v: Array, m: Array, scale: float) -> None:
    """Add ad_v m times scale: (ω × m_v + v × m_ω, ω × m_ω) for twists v and m."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k] += scale * (v[3 + i] * m[j] - v[3 + j] * m[i] + v[i] * m[3 + j] - v[j] * m[3 + i])
        out[3 + k] += scale * (v[3 + i] * m[3 + j] - v[3 + j] * m[3 + i])


@njit()
def add_ad_dual(out: Array, v: Array, f: Array) -> None:
    """Add −ad_vᵀ f: (ω × f_f, v × f_f + ω × f_n) for a twist v and a wrench f."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k] += v[3 + i] * f[j] - v[3 + j] * f[i]
        out[3 + k] += v[i] * f[j] - v[j] * f[i] + v[3 + i] * f[3 + j] - v[3 + j] * f[3 + i]
