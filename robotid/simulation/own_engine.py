"""Accelerations by robotid's own articulated-body algorithm, for machines without MuJoCo.

The same algorithm as `robotid.dynamics.aba`, compiled for one state after the other: a simulation
needs a million of them, each from the one before, where torch takes milliseconds for a call.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.robot.geometry import inertia_matrix, skew
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class OwnEngine:
    """Forward dynamics of one robot."""

    def __init__(self, robot: RobotTree, rotor_inertia: Array) -> None:
        axes = np.array([joint.axis for joint in robot.joints])
        slides = np.array([joint.kind == "prismatic" for joint in robot.joints])[:, None]
        self._parents = np.array(robot.parents, dtype=np.int64)
        self._placements = np.array(robot.placements)
        self._S = np.hstack([axes * slides, axes * ~slides])
        self._M = np.stack([_spatial_inertia(phi) for phi in robot.phi])
        self._rotor = np.array(rotor_inertia)
        self._gravity = np.array(robot.gravity)

    def acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each recording; arguments and result have shape (recordings, n)."""
        result = np.empty_like(q)
        tree = self._parents, self._placements, self._S, self._M, self._rotor, self._gravity
        for recording in range(len(q)):
            _aba(*tree, q[recording], qd[recording], tau[recording], result[recording])
        return result


def _spatial_inertia(phi: Array) -> Array:
    """[[m 1, −[h]], [[h], I]] about the link origin, shape (6, 6)."""
    h = skew(phi[1:4])
    return np.block([[phi[0] * np.eye(3), -h], [h, inertia_matrix(phi)]])


@njit()
def _aba(
    parents: Indices,
    placements: Array,
    S: Array,
    M: Array,
    rotor: Array,
    gravity: Array,
    q: Array,
    qd: Array,
    tau: Array,
    qdd: Array,
) -> None:
    """Fill qdd of one state, shape (n,); twists and wrenches are linear part first.

    v_i = X_i v_λ + s_i q̇_i,  η_i = ad_{v_i} s_i q̇_i,  b_i = −ad_{v_i}ᵀ M_i v_i, then inward
    Ψ_i = 1/(s_iᵀ M̂_i s_i + J_i),  Π_i = M̂_i − M̂_i s_i Ψ_i s_iᵀ M̂_i,
    β_i = M̂_i (η_i + s_i Ψ_i (τ_i − s_iᵀ(M̂_i η_i + b_i))), and outward
    q̈_i = Ψ_i (τ_i − s_iᵀ(M̂_i (X_i a_λ + η_i) + b_i)).
    """
    n = q.size
    X, M_hat = np.zeros((n, 6, 6)), M.copy()
    v, eta, b, a = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6))
    MS, momentum, bent, psi = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(n)
    world = np.zeros(6)
    for i in range(n):
        _to_body(placements[i], S[i], q[i], X[i])
        if parents[i] >= 0:
            _add_times(v[i], X[i], v[parents[i]])
        _add_scaled(v[i], S[i], qd[i])
        _add_ad(eta[i], v[i], S[i], qd[i])
        _add_times(momentum[i], M[i], v[i])
        _add_ad_dual(b[i], v[i], momentum[i])
    for i in range(n - 1, -1, -1):
        _add_times(MS[i], M_hat[i], S[i])
        psi[i] = 1.0 / (_dot(S[i], MS[i]) + rotor[i])
        if parents[i] >= 0:
            drive = psi[i] * (tau[i] - _dot(MS[i], eta[i]) - _dot(S[i], b[i]))
            _add_scaled(bent[i], b[i], 1.0)
            _add_times(bent[i], M_hat[i], eta[i])
            _add_scaled(bent[i], MS[i], drive)
            _add_moved(X[i], M_hat[i], MS[i], psi[i], bent[i], M_hat[parents[i]], b[parents[i]])
    for k in range(3):
        world[k] = -gravity[k]
    for i in range(n):
        _add_times(a[i], X[i], world if parents[i] < 0 else a[parents[i]])
        _add_scaled(a[i], eta[i], 1.0)
        qdd[i] = psi[i] * (tau[i] - _dot(MS[i], a[i]) - _dot(S[i], b[i]))
        _add_scaled(a[i], S[i], qdd[i])


# Loops over single numbers, because each expression of arrays costs a second of compilation.


@njit()
def _to_body(placement: Array, s: Array, q: float, X: Array) -> None:
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
def _dot(a: Array, b: Array) -> float:
    total = 0.0
    for k in range(6):
        total += a[k] * b[k]
    return total


@njit()
def _add_scaled(out: Array, vector: Array, scale: float) -> None:
    for k in range(6):
        out[k] += vector[k] * scale


@njit()
def _add_times(out: Array, matrix: Array, vector: Array) -> None:
    for row in range(6):
        for column in range(6):
            out[row] += matrix[row, column] * vector[column]


@njit()
def _add_ad(out: Array, v: Array, m: Array, scale: float) -> None:
    """Add ad_v m times scale: (ω × m_v + v × m_ω, ω × m_ω) for twists v and m."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k] += scale * (v[3 + i] * m[j] - v[3 + j] * m[i] + v[i] * m[3 + j] - v[j] * m[3 + i])
        out[3 + k] += scale * (v[3 + i] * m[3 + j] - v[3 + j] * m[3 + i])


@njit()
def _add_ad_dual(out: Array, v: Array, f: Array) -> None:
    """Add −ad_vᵀ f: (ω × f_f, v × f_f + ω × f_n) for a twist v and a wrench f."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k] += v[3 + i] * f[j] - v[3 + j] * f[i]
        out[3 + k] += v[i] * f[j] - v[j] * f[i] + v[3 + i] * f[3 + j] - v[3 + j] * f[3 + i]


@njit()
def _add_moved(
    X: Array, M: Array, MS: Array, psi: float, wrench: Array, M_parent: Array, b_parent: Array
) -> None:
    """Add Xᵀ Π X and Xᵀ wrench to what the parent has, Π = M − M s Ψ sᵀ M."""
    Pi_X = np.zeros((6, 6))
    for row in range(6):
        for column in range(6):
            for inner in range(6):
                along = M[row, inner] - MS[row] * psi * MS[inner]
                Pi_X[row, column] += along * X[inner, column]
    for row in range(6):
        for inner in range(6):
            b_parent[row] += X[inner, row] * wrench[inner]
            for column in range(6):
                M_parent[row, column] += X[inner, row] * Pi_X[inner, column]
