"""Forward dynamics of a robot that no longer changes, compiled for one state after the other.

The same algorithm as `robotid.dynamics.aba`, without gradients: simulations and rollouts need
millions of accelerations, each from the one before, where torch takes a millisecond for a call.
"""

from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.compiled import CompiledSource, Cube, Indices, Run, Table, View
from robotid.dynamics import compiled_spatial
from robotid.dynamics.compiled_spatial import (
    add_ad,
    add_ad_dual,
    add_scaled,
    add_times,
    compiled_tree,
    dot,
    to_body,
)
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_SOURCE = CompiledSource(Path(__file__), Path(str(compiled_spatial.__file__)))
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
        rotor = np.zeros(robot.n) if rotor_inertia is None else rotor_inertia
        self._tree = (
            *compiled_tree(robot, phi, placements),
            np.array(rotor, dtype=np.float64),
            np.array(robot.gravity, dtype=np.float64),
        )

    def __call__(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each state; arguments and result have shape (states, n)."""
        result = np.empty(q.shape)
        _accelerations(*self._tree, q, qd, tau, result)
        return result


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
            to_body(placements[i], S[i], q[state, i], X[i])
            if parents[i] >= 0:
                add_times(v[i], X[i], v[parents[i]])
            add_scaled(v[i], S[i], rate)
            add_ad(eta[i], v[i], S[i], rate)
            add_times(momentum[i], M[i], v[i])
            add_ad_dual(b[i], v[i], momentum[i])
        for i in range(n - 1, -1, -1):
            add_times(MS[i], M_hat[i], S[i])
            psi[i] = 1.0 / (dot(S[i], MS[i]) + rotor[i])
            if parents[i] >= 0:
                drive = psi[i] * (tau[state, i] - dot(MS[i], eta[i]) - dot(S[i], b[i]))
                add_scaled(bent[i], b[i], 1.0)
                add_times(bent[i], M_hat[i], eta[i])
                add_scaled(bent[i], MS[i], drive)
                above = parents[i]
                _add_moved(X[i], M_hat[i], MS[i], psi[i], bent[i], Pi, Pi_X, M_hat[above], b[above])
        for i in range(n):
            add_times(a[i], X[i], world if parents[i] < 0 else a[parents[i]])
            add_scaled(a[i], eta[i], 1.0)
            drive = tau[state, i] - dot(MS[i], a[i]) - dot(S[i], b[i])
            qdd[state, i] = psi[i] * drive
            add_scaled(a[i], S[i], qdd[state, i])


_SOURCE.keep()
