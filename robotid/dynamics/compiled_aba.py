"""Forward dynamics of a robot that no longer changes, compiled for one state after the other.

The same algorithm as `robotid.dynamics.aba`, without gradients: simulations and rollouts need
millions of accelerations, each from the one before, where torch takes a millisecond for a call.
"""

import math
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.compiled import CompiledSource, Cube, Indices, Run, Table, View
from robotid.robot.geometry import inertia_matrix, skew
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_SOURCE = CompiledSource(Path(__file__))
compiled = _SOURCE.compiled


class CompiledAba:
    """Forward dynamics of one robot.

    Args:
        robot: its tree; also its links and placements, where they are not given. The base is fixed.
        phi: link parameters, shape (bodies, 10).
        placements: poses of the bodies in their parents at q = 0, shape (bodies, 4, 4).
        rotor_inertia: moves with each joint, shape (n,) [kg m²].
    """

    def __init__(
        self,
        robot: RobotTree,
        phi: Array | None = None,
        *,
        placements: Array | None = None,
        rotor_inertia: Array | None = None,
    ) -> None:
        axes = np.array([joint.axis for joint in robot.joints])
        slides = np.array([joint.kind == "prismatic" for joint in robot.joints])[:, None]
        links = robot.phi if phi is None else phi
        rotor = np.zeros(robot.n) if rotor_inertia is None else rotor_inertia
        self._tree = (
            np.array(robot.parents, dtype=np.int64),
            np.array(robot.placements if placements is None else placements, order="C"),
            np.hstack([axes * slides, axes * ~slides]),
            np.stack([_spatial_inertia(own) for own in links]),
            np.array(rotor, dtype=np.float64),
            np.array(robot.gravity, dtype=np.float64),
        )

    def __call__(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each state; arguments and result have shape (states, n)."""
        result = np.empty(q.shape)
        _accelerations(*self._tree, q, qd, tau, result)
        return result


def _spatial_inertia(phi: Array) -> Array:
    """[[m 1, −[h]], [[h], I]] about the link origin, shape (6, 6)."""
    h = skew(phi[1:4])
    return np.block([[phi[0] * np.eye(3), -h], [h, inertia_matrix(phi)]])


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
        total = 0.0
        for column in range(6):
            total += matrix[row, column] * vector[column]
        out[row] += total


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
    X: Array,
    M: Array,
    MS: Array,
    psi: float,
    wrench: Array,
    Pi: Array,
    Pi_X: Array,
    M_parent: Array,
    b_parent: Array,
) -> None:
    """Add Xᵀ Π X and Xᵀ wrench to what the parent has, Π = M − M s Ψ sᵀ M; fills Pi and Pi_X."""
    for row in range(6):
        scaled = psi * MS[row]
        for column in range(6):
            Pi[row, column] = M[row, column] - scaled * MS[column]
    for row in range(6):
        for column in range(6):
            total = 0.0
            for inner in range(6):
                total += Pi[row, inner] * X[inner, column]
            Pi_X[row, column] = total
    for row in range(6):
        along = 0.0
        for inner in range(6):
            along += X[inner, row] * wrench[inner]
        b_parent[row] += along
        for column in range(6):
            total = 0.0
            for inner in range(6):
                total += X[inner, row] * Pi_X[inner, column]
            M_parent[row, column] += total


@compiled(error_model="numpy")  # what nothing resists is infinitely fast, not an error
def _accelerations(
    parents: Indices,
    placements: Cube,
    S: Table,
    M: Cube,
    rotor: Run,
    gravity: Run,
    q: View,
    qd: View,
    tau: View,
    qdd: Table,
) -> None:
    """Fill qdd of all states, shape (states, n); twists and wrenches are linear part first.

    v_i = X_i v_λ + s_i q̇_i,  η_i = ad_{v_i} s_i q̇_i,  b_i = −ad_{v_i}ᵀ M_i v_i, then inward
    Ψ_i = 1/(s_iᵀ M̂_i s_i + J_i),  Π_i = M̂_i − M̂_i s_i Ψ_i s_iᵀ M̂_i,
    β_i = M̂_i (η_i + s_i Ψ_i (τ_i − s_iᵀ(M̂_i η_i + b_i))), and outward
    q̈_i = Ψ_i (τ_i − s_iᵀ(M̂_i (X_i a_λ + η_i) + b_i)).
    """
    n = q.shape[1]
    X, M_hat, world, psi = np.zeros((n, 6, 6)), M.copy(), np.zeros(6), np.zeros(n)
    vectors, Pi, Pi_X = np.zeros((7, n, 6)), np.zeros((6, 6)), np.zeros((6, 6))
    v, eta, b, a, MS, momentum, bent = vectors
    for k in range(3):
        world[k] = -gravity[k]
    for state in range(q.shape[0]):
        vectors[:] = 0.0
        M_hat[:] = M
        for i in range(n):
            rate = qd[state, i]
            _to_body(placements[i], S[i], q[state, i], X[i])
            if parents[i] >= 0:
                _add_times(v[i], X[i], v[parents[i]])
            _add_scaled(v[i], S[i], rate)
            _add_ad(eta[i], v[i], S[i], rate)
            _add_times(momentum[i], M[i], v[i])
            _add_ad_dual(b[i], v[i], momentum[i])
        for i in range(n - 1, -1, -1):
            _add_times(MS[i], M_hat[i], S[i])
            psi[i] = 1.0 / (_dot(S[i], MS[i]) + rotor[i])
            if parents[i] >= 0:
                drive = psi[i] * (tau[state, i] - _dot(MS[i], eta[i]) - _dot(S[i], b[i]))
                _add_scaled(bent[i], b[i], 1.0)
                _add_times(bent[i], M_hat[i], eta[i])
                _add_scaled(bent[i], MS[i], drive)
                above = parents[i]
                _add_moved(X[i], M_hat[i], MS[i], psi[i], bent[i], Pi, Pi_X, M_hat[above], b[above])
        for i in range(n):
            _add_times(a[i], X[i], world if parents[i] < 0 else a[parents[i]])
            _add_scaled(a[i], eta[i], 1.0)
            drive = tau[state, i] - _dot(MS[i], a[i]) - _dot(S[i], b[i])
            qdd[state, i] = psi[i] * drive
            _add_scaled(a[i], S[i], qdd[state, i])


_SOURCE.keep()
