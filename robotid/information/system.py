"""One least-squares problem in all parameters, put together from the factors of rows and blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from robotid.errors import BadDataError, UsageError
from robotid.information.factor import Factor
from robotid.information.layout import Index
from robotid.information.triangular import triangle

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class System:
    """Sum over rows of w² |tau - W phi|² = |R phi - z|² + rho², for every phi.

    Args:
        columns: which parameters phi holds, as positions among all, shape (p,).
        R: upper-triangular, shape (p, p).
        z: shape (p,).
        rho: norm of the (weighted) residual no phi can take away.
        count: how many equations stand behind it: samples times rows.
    """

    columns: Index
    R: Array
    z: Array
    rho: float
    count: int

    def loss(self, phi: ArrayLike) -> float:
        """Sum of squared weighted errors for parameters of shape (p,)."""
        error = self.R @ np.asarray(phi, dtype=np.float64) - self.z
        return float(error @ error) + self.rho**2

    def restricted(
        self, columns: Sequence[int] | Index, others: ArrayLike | None = None
    ) -> "System":
        """The problem in some of the parameters, such as base parameters.

        Args:
            columns: which to keep, as positions in this system's `columns`.
            others: values to hold the parameters at that are not kept, shape (p,); zero otherwise.
        """
        kept = np.asarray(columns, dtype=np.int64)
        z = self.z
        if others is not None:
            held = np.array(others, dtype=np.float64)
            held[kept] = 0.0
            z = z - self.R @ held
        found = triangle(np.column_stack([self.R[:, kept], z]))
        rho = float(np.hypot(found[-1, -1], self.rho))
        return System(self.columns[kept], found[:-1, :-1], found[:-1, -1], rho, self.count)

    @property
    def singular_values(self) -> Array:
        """Of the columns normed to one; the ratio of the first to the last is their condition."""
        norms = np.linalg.norm(self.R, axis=0)
        normed = self.R / np.where(norms > 0, norms, 1.0)
        return np.asarray(np.linalg.svd(normed, compute_uv=False), dtype=np.float64)

    def solution(self) -> Array:
        """The phi of least loss; the columns have to be independent."""
        return np.asarray(solve_triangular(self._regular(), self.z))

    def covariance(self, variance: float | None = None) -> Array:
        """Variance times (R^T R)^-1; if none is given, that of the (weighted) residual."""
        free = self.count - self.columns.size
        if variance is None and free <= 0:
            said = f"{self.count} equations do not determine {self.columns.size} parameters"
            raise BadDataError("too-few-samples", said)
        inverse = solve_triangular(self._regular(), np.eye(self.columns.size))
        scale = self.rho**2 / free if variance is None else variance
        result: Array = scale * inverse @ inverse.T
        return result

    def _regular(self) -> Array:
        if (np.abs(np.diag(self.R)) <= 1e-14 * np.linalg.norm(self.R, axis=0)).any():
            said = "some parameters are not determined on their own"
            raise UsageError(
                "dependent-columns", said, hint="restrict the system to base parameters"
            )
        return self.R


def assemble(
    factors: Sequence[Factor], parameters: int, weights: Mapping[str, float] | None = None
) -> System:
    """The problem of several rows and blocks.

    Args:
        factors: of any rows and blocks.
        parameters: how many parameters there are.
        weights: of the errors of each row, such as one over their standard deviation; 1 otherwise.
    """
    stacked = []
    for factor in factors:
        rows = np.zeros((factor.R.shape[0], parameters + 1))
        rows[:, np.append(factor.columns, parameters)] = factor.rows
        stacked.append(rows * (1.0 if weights is None else weights[factor.row]))
    R = triangle(np.vstack(stacked))
    count = sum(factor.count for factor in factors)
    everything = np.arange(parameters, dtype=np.int64)
    return System(everything, R[:-1, :-1], R[:-1, -1], abs(float(R[-1, -1])), count)
