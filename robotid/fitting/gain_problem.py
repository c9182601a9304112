"""Least squares in gains, parameters of the robot and unknowns of its loads, on factors.

Rows of joint j in a recording are a_j (C x + k) = s: columns C of all unknowns x but the gains
1/a, k from what is known of the load, s the signal. For given a the problem is linear in x.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import BaseParameters, reduce
from robotid.errors import BadDataError, UsageError
from robotid.fitting.evidence import Evidence
from robotid.information.layout import Layout
from robotid.information.triangular import triangle

Array = NDArray[np.float64]

_ITERATIONS = 100
_TOLERANCE = 1e-10  # relative change of a that ends the search
_HALVINGS = 30
_REACHED = 1e-11  # directions that normed columns reach by less are not determined
_SHARE = 1e-6  # of such a direction in an unknown: less is rounding


class Session(NamedTuple):
    """Recordings with one load, or none.

    Args:
        evidence: with signals in the place of torques.
        known: what the load adds to the parameters, as far as known, shape (p,).
        open: the rest is `open @ u` with unknown u, shape (p, unknowns).
    """

    evidence: Evidence
    known: Array
    open: Array


class Rows(NamedTuple):
    """What one session says of one joint; the last row has no columns, but noise of the signal."""

    joint: int
    C: Array
    k: Array
    s: Array
    samples: float
    share: float


class Solved(NamedTuple):
    """A minimum.

    Args:
        a: signal per torque, shape (n,).
        x: all other unknowns, shape (unknowns,).
        relative: standard deviations of a relative to it, shape (n,); infinite if not determined,
            zero if given.
        covariance: of x, shape (unknowns, unknowns).
        taken: trace of the hat matrix of each joint, shape (n,).
        condition: of the columns, normed to one.
        iterations: how many it took.
        converged: whether a stopped changing.
    """

    a: Array
    x: Array
    relative: Array
    covariance: Array
    taken: Array
    condition: float
    iterations: int
    converged: bool


class GainProblem:
    """The problem of several sessions.

    Args:
        layout: the robot and the terms of its joints.
        sessions: with different loads.
        given: signal per torque where it is known, NaN elsewhere, shape (n,).
    """

    def __init__(self, layout: Layout, sessions: Sequence[Session], given: Array) -> None:
        self.joints = layout.rows
        self.given = given
        self.free = np.flatnonzero(np.isnan(given))  # joints whose a is unknown
        for session in sessions:
            if session.evidence.rows != layout.rows or layout.robot.floating:
                said = f"signals of {', '.join(session.evidence.rows)}"
                hint = f"gains need those of {', '.join(layout.rows)} and a fixed base"
                raise UsageError("factors-differ", said, hint=hint)
        p = layout.parameters
        width = p + sum(session.open.shape[1] for session in sessions)
        self.rows: list[Rows] = []
        first = p
        for session in sessions:
            after = first + session.open.shape[1]
            for joint, factor in enumerate(session.evidence.merged()):
                W = np.zeros((len(factor.R), p))
                W[:, factor.columns] = factor.rows[:, :-1]
                C = np.zeros((len(W), width))
                C[:, :p], C[:, first:after] = W, W @ session.open
                share = session.evidence.independent
                self.rows.append(
                    Rows(joint, C, W @ session.known, factor.R[:, -1], factor.count, share)
                )
            first = after
        # Only independent columns take part; those of the robot come first.
        stack = np.vstack([rows.C for rows in self.rows])
        self.base: BaseParameters = reduce(stack[:, :p], layout.names, range(p))
        names = [str(column) for column in range(width)]
        kept = list(reduce(stack, names, [*self.base.independent, *range(p, width)]).independent)
        self.rows = [rows._replace(C=rows.C[:, kept]) for rows in self.rows]
        self.unknowns = len(kept)

    def first_noise(self) -> Array:
        """Standard deviation of the signal of each joint that no motion explains, shape (n,)."""
        squares, free = np.zeros(len(self.joints)), np.zeros(len(self.joints))
        for rows in self.rows:
            squares[rows.joint] += rows.s[-1] ** 2
            free[rows.joint] += rows.samples - (len(rows.s) - 1) / rows.share
        return self._noise(squares, free)

    def noise(self, solved: Solved) -> Array:
        """Standard deviation of the errors of each joint, shape (n,)."""
        squares, counts = np.zeros(len(self.joints)), np.zeros(len(self.joints))
        for rows in self.rows:
            error = solved.a[rows.joint] * (rows.C @ solved.x + rows.k) - rows.s
            squares[rows.joint] += rows.share * float(error @ error)
            counts[rows.joint] += rows.share * rows.samples
        return self._noise(squares, counts - solved.taken)

    def _noise(self, squares: Array, free: Array) -> Array:
        if (free <= 0).any():
            said = "too few independent samples to tell parameters from noise"
            joint = self.joints[int(np.argmin(free))]
            raise BadDataError("too-few-samples", said, joint=joint, hint="record for longer")
        sizes = np.zeros(len(self.joints))
        for rows in self.rows:
            size = float(np.sqrt(rows.s @ rows.s / rows.samples))
            sizes[rows.joint] = max(sizes[rows.joint], 1e-6 * size, np.finfo(float).tiny)
        return np.asarray(np.maximum(np.sqrt(squares / free), sizes))

    def start(self, noise: Array) -> Array:
        """Signal per torque from the linear problem in gains, shape (n,); 0 where nothing shows it.

        The last row of each block is left out: of the noise of the signal, which would bias the
        gains, only what happens to lie in the space of the columns stays.
        """
        n = len(self.joints)
        gains = 1.0 / self.given  # NaN where unknown
        known = np.nan_to_num(gains)
        weights = np.ones(n)
        for _ in range(3):
            blocks, right = [], []
            for rows in self.rows:
                signal = np.zeros((len(rows.s) - 1, n))
                signal[:, rows.joint] = -rows.s[:-1]
                weight = np.sqrt(rows.share) * weights[rows.joint]
                blocks.append(weight * np.column_stack([rows.C[:-1], signal[:, self.free]]))
                right.append(-weight * (rows.k[:-1] + signal @ known))
            x = _least_squares(np.vstack(blocks), np.concatenate(right))
            gains[self.free] = x[self.unknowns :]
            if not gains.any():  # no load is felt, or nothing was measured
                return gains
            weights = 1.0 / (noise * np.maximum(np.abs(gains), 1e-3 * np.abs(gains).max()))
        along, across = np.zeros(n), np.zeros(n)
        for rows in self.rows:
            torque = rows.C @ x[: self.unknowns] + rows.k
            along[rows.joint] += float(torque @ rows.s)
            across[rows.joint] += float(torque @ torque)
        found = along / np.where(across > 0, across, 1.0)
        return np.where(np.isnan(self.given), found, self.given)

    def solve(self, a: Array, noise: Array) -> Solved:
        """Gauss-Newton from a, shape (n,), with the noise of signals, shape (n,)."""
        weights = [np.sqrt(rows.share) / noise[rows.joint] for rows in self.rows]
        linear = [w * a[rows.joint] * rows.C for w, rows in zip(weights, self.rows, strict=True)]
        right = [
            w * (rows.s - a[rows.joint] * rows.k)
            for w, rows in zip(weights, self.rows, strict=True)
        ]
        x = _least_squares(np.vstack(linear), np.concatenate(right))
        loss = self._loss(a, x, weights)
        converged, iterations = False, 0
        while not converged and iterations < _ITERATIONS:
            J, error = self._linearised(a, x, weights)
            step = _least_squares(J, -error)
            dx, da = step[: self.unknowns], np.zeros_like(a)
            da[self.free] = step[self.unknowns :]
            length = 1.0
            for _ in range(_HALVINGS):
                after = self._loss(a + length * da, x + length * dx, weights)
                if after <= loss * (1 + 1e-12):
                    break
                length /= 2
            a, x, loss = a + length * da, x + length * dx, min(after, loss)
            iterations += 1
            converged = bool(np.all(np.abs(da) <= _TOLERANCE * np.abs(a)))
        return self._described(a, x, weights, iterations, converged)

    def _loss(self, a: Array, x: Array, weights: Sequence[float]) -> float:
        errors = [
            w * (a[rows.joint] * (rows.C @ x + rows.k) - rows.s)
            for w, rows in zip(weights, self.rows, strict=True)
        ]
        return float(sum(error @ error for error in errors))

    def _linearised(self, a: Array, x: Array, weights: Sequence[float]) -> tuple[Array, Array]:
        """Derivatives by x and unknown a, and errors."""
        blocks, errors = [], []
        for w, rows in zip(weights, self.rows, strict=True):
            torque = rows.C @ x + rows.k
            by_a = np.zeros((len(torque), a.size))
            by_a[:, rows.joint] = torque
            blocks.append(w * np.column_stack([a[rows.joint] * rows.C, by_a[:, self.free]]))
            errors.append(w * (a[rows.joint] * torque - rows.s))
        return np.vstack(blocks), np.concatenate(errors)

    def _described(
        self, a: Array, x: Array, weights: Sequence[float], iterations: int, converged: bool
    ) -> Solved:
        J, _ = self._linearised(a, x, weights)
        lengths = _lengths(J)
        _, values, right = np.linalg.svd(triangle(J / lengths))
        shown = values > _REACHED * values[0]
        spread = (right[shown].T / values[shown]) / lengths[:, None]
        orthonormal = J @ spread
        std = np.linalg.norm(spread, axis=1)
        hidden = np.linalg.norm(right[~shown], axis=0) > _SHARE
        relative = np.zeros(a.size)
        relative[self.free] = np.where(hidden, np.inf, std)[self.unknowns :]
        relative /= np.abs(a)
        at = np.cumsum([0, *(len(rows.s) for rows in self.rows)])
        taken = np.zeros(a.size)
        for rows, begin, end in zip(self.rows, at[:-1], at[1:], strict=True):
            taken[rows.joint] += float(np.sum(orthonormal[begin:end] ** 2))
        inner = spread[: self.unknowns]
        condition = float(values[0] / values[-1]) if values[-1] > 0 else np.inf
        return Solved(a, x, relative, inner @ inner.T, taken, condition, iterations, converged)


def _lengths(A: Array) -> Array:
    lengths = np.linalg.norm(A, axis=0)
    return np.where(lengths > 0, lengths, 1.0)


def _least_squares(A: Array, b: Array) -> Array:
    """The solution of least length in units of the columns' lengths."""
    lengths = _lengths(A)
    R = triangle(np.column_stack([A / lengths, b]))
    found = np.linalg.lstsq(R[:-1, :-1], R[:-1, -1], rcond=_REACHED)[0]
    return np.asarray(found / lengths)
