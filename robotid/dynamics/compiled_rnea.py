"""Inverse dynamics of a robot that no longer changes, compiled for one state after the other.

The same torques as `robotid.dynamics.rnea`, without gradients: a controller needs them a thousand
times a second, each from the state before, where torch takes a millisecond for a call.
"""

from pathlib import Path

import numpy as np
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


class CompiledRnea:
    """Inverse dynamics of one robot.

    Args:
        robot: its tree; also its links, where they are not given. The base is fixed.
        phi: link parameters, shape (bodies, 10), or (bodies, 13) with all nine entries of inertias.
    """

    def __init__(self, robot: RobotTree, phi: Array | None = None) -> None:
        self._tree = *compiled_tree(robot, phi), np.array(robot.gravity, dtype=np.float64)

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques of each state; arguments and result have shape (states, n)."""
        result = np.empty(q.shape)
        _torques(*self._tree, q, qd, qdd, result)
        return result


@compiled()
def _torques(
    parents: Indices,
    placements: Cube,
    S: Table,
    M: Cube,
    gravity: Run,
    q: View,
    qd: View,
    qdd: View,
    tau: Table,
) -> None:
    """Fill tau of all states, shape (states, n); twists and wrenches are linear part first.

    Outward v_i = X_i v_λ + s_i q̇_i, a_i = X_i a_λ + s_i q̈_i + ad_{v_i} s_i q̇_i with a = −g of the
    base, f_i = M_i a_i − ad_{v_i}ᵀ M_i v_i; inward τ_i = s_iᵀ f_i and f_λ += X_iᵀ f_i.
    """
    n = q.shape[1]
    X, world, vectors = np.zeros((n, 6, 6)), np.zeros(6), np.zeros((4, n, 6))
    v, a, momentum, f = vectors
    for k in range(3):
        world[k] = -gravity[k]
    for state in range(q.shape[0]):
        vectors[:] = 0.0
        for i in range(n):
            to_body(placements[i], S[i], q[state, i], X[i])
            if parents[i] >= 0:
                add_times(v[i], X[i], v[parents[i]])
            add_scaled(v[i], S[i], qd[state, i])
            add_times(a[i], X[i], world if parents[i] < 0 else a[parents[i]])
            add_ad(a[i], v[i], S[i], qd[state, i])
            add_scaled(a[i], S[i], qdd[state, i])
            add_times(momentum[i], M[i], v[i])
            add_times(f[i], M[i], a[i])
            add_ad_dual(f[i], v[i], momentum[i])
        for i in range(n - 1, -1, -1):
            tau[state, i] = dot(S[i], f[i])
            if parents[i] >= 0:
                above = f[parents[i]]
                for row in range(6):
                    for k in range(6):
                        above[row] += X[i, k, row] * f[i, k]


_SOURCE.keep()
