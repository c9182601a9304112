"""The information of a motion about base parameters, and its gradient.

    A = weight * sum over samples and rows of (S y / noise) (S y / noise)^T

with y a row of the base regressor, friction and drive terms included, and S the parameters' scales.
The row of a joint has few columns, those of the links behind it and its own terms; only they are
worked on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.excitation.own_columns import Own, OwnColumns
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.excitation.target import Target

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class _Row(NamedTuple):
    """The row of a joint.

    Args:
        links: columns of the links' regressor.
        own: columns among those of the terms.
        mesh: where both stand among the base parameters, as indices of a part of the matrix.
        factor: what they are multiplied with.
        values: the row at all samples, shape (samples, columns).
    """

    links: Index
    own: Index
    mesh: tuple[Index, ...]
    factor: Array
    values: Array


class MotionInformation:
    """Information of motions of a fixed number of samples."""

    def __init__(
        self,
        target: Target,
        noise: Array,
        weight: float,
        samples: int,
        regressor: RegressorAdjoint,
    ) -> None:
        """Prepare for motions.

        Args:
            target: the base parameters.
            noise: standard deviation of the torque, shape (n,).
            weight: how many independent samples each sample stands for.
            samples: how many samples a motion has.
            regressor: of the robot.
        """
        layout = target.layout
        self._regressor, self._count = regressor, target.size
        self._phi = layout.robot.phi.ravel()
        self._own = OwnColumns(layout.own, layout.robot.n)
        self._rows: list[_Row] = []
        for row, acting in enumerate(layout.columns):
            at = np.flatnonzero(np.isin(target.columns, acting))
            columns = target.columns[at]
            order = np.argsort(columns, kind="stable")  # links come first
            at, columns = at[order], columns[order]
            links = columns[columns < layout.links]
            factor = np.sqrt(weight) * target.scale[at] / noise[row]
            values = np.empty((samples, at.size))
            own = columns[links.size :] - layout.links
            self._rows.append(_Row(links, own, np.ix_(at, at), factor, values))
        self._G = np.zeros((samples, layout.robot.n, layout.links))

    def of(self, motion: Array) -> Array:
        """The information matrix, shape (b, b), of a motion of shape (3, samples, n)."""
        return self.of_regressor(motion, self._regressor.regressor(*motion))

    def of_regressor(self, motion: Array, Y: Array) -> Array:
        """The same where the regressor is known, shape (samples, n, 10 bodies)."""
        load = Y @ self._phi if self._own.loaded.size else motion[1]
        self._terms: Own = self._own.at(motion[1], motion[2], load)
        A = np.zeros((self._count, self._count))
        for joint, row in enumerate(self._rows):
            links = row.links.size
            row.values[:, :links] = Y[:, joint].take(row.links, axis=1)
            own = self._terms.values.take(row.own, axis=1)
            row.values[:, links:] = own * self._own.signs[joint, row.own]
            np.multiply(row.values, row.factor, out=row.values)
            A[row.mesh] += row.values.T @ row.values
        return A

    def gradient(self, slope: Array) -> Array:
        """Of a function of the last information: from its gradient (b, b) to (3, samples, n)."""
        terms, signs = self._terms, self._own.signs
        G = self._G  # zero where no row has a column
        if self._own.loaded.size:
            G[:] = 0.0
        own = np.zeros_like(terms.values)  # slopes in the values of terms
        for joint, row in enumerate(self._rows):
            links = row.links.size
            values = row.values @ (2.0 * slope[row.mesh])
            values *= row.factor
            G[:, joint, row.links] = values[:, :links]
            own[:, row.own] += values[:, links:] * signs[joint, row.own]
        for column in self._own.loaded:
            joint = int(np.flatnonzero(signs[:, column])[0])
            G[:, joint] += (own[:, column] * terms.by_load[:, column])[:, None] * self._phi
        by_q, by_qd, by_qdd = self._regressor.gradient(G)
        by_qd = by_qd + (own * terms.by_speed) @ signs.T
        by_qdd = by_qdd + (own * terms.by_acceleration) @ signs.T
        return np.stack([by_q, by_qd, by_qdd])
