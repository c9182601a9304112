"""`Factor`: what the samples of one row of torque say about the parameters, without the samples."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.information.layout import Index
from robotid.information.triangular import triangle

Array = NDArray[np.float64]

_AT_ONCE = 65  # factors merged in one decomposition: all blocks of a recording, and what was before


@dataclass(frozen=True, eq=False)
class Factor:
    """For every phi: |tau - W phi|² = |R_b E phi - z|² + rho², for the samples of one row.

    W = W_b E with independent columns W_b (see `basis`); `R` is the upper-triangular factor of the
    QR decomposition of [W_b | tau], so R = [[R_b, z], [0, rho]].

    Args:
        row: name of the joint, or of a row of a floating base.
        columns: positions of W's columns among all parameters, shape (p,).
        expansion: E, shape (r, p).
        R: shape (r + 1, r + 1).
        count: how many samples.
        total: sum of tau.
        lowest: least tau.
        highest: greatest tau.
    """

    row: str
    columns: Index
    expansion: Array
    R: Array
    count: int
    total: float
    lowest: float
    highest: float

    @property
    def z(self) -> Array:
        """Torque in the coordinates of R_b, shape (r,)."""
        return self.R[:-1, -1]

    @property
    def rho(self) -> float:
        """Norm of the residual of the best fit, if the data tell the columns of W_b apart."""
        return abs(float(self.R[-1, -1]))

    @property
    def rows(self) -> Array:
        """[R_b E | z; 0 | rho]: stands for the samples in any least-squares problem."""
        expanded = np.vstack([self.R[:-1, :-1] @ self.expansion, np.zeros(self.columns.size)])
        return np.column_stack([expanded, self.R[:, -1]])

    @property
    def triangle(self) -> Array:
        """The upper-triangular factor of [W | tau] with all p columns, shape (p + 1, p + 1)."""
        return triangle(self.rows)

    @property
    def power(self) -> float:
        """Sum of squares of tau."""
        return float(np.sum(self.R[:, -1] ** 2))

    @property
    def mean(self) -> float:
        """Mean of tau."""
        return self.total / self.count

    @property
    def variance(self) -> float:
        """Variance of tau (divided by the count)."""
        return max(0.0, self.power / self.count - self.mean**2)

    def loss(self, phi: ArrayLike) -> float:
        """|tau - W phi|² for a vector of all parameters."""
        own = self.expansion @ np.asarray(phi, dtype=np.float64)[self.columns]
        error = self.R[:-1, :-1] @ own - self.z
        return float(error @ error) + self.rho**2

    def rmse(self, phi: ArrayLike) -> float:
        """Root of the mean square of tau - W phi."""
        return float(np.sqrt(self.loss(phi) / self.count))

    def restricted(self, kept: Index) -> "Factor":
        """The factor without some columns, such as those of candidates that were not chosen.

        Args:
            kept: parameters that stay, ascending, as positions among all; they are numbered anew.
        """
        stays = np.isin(self.columns, kept)
        expansion = self.expansion[:, stays]
        needed = expansion.any(axis=1)  # independent columns that nothing is made of any more go
        rest = np.append(needed, True)
        return replace(
            self,
            columns=np.searchsorted(kept, self.columns[stays]).astype(np.int64),
            expansion=expansion[needed],
            R=self.R if needed.all() else triangle(self.R[:, rest]),
        )

    def same_columns(self, other: "Factor") -> bool:
        """Whether two factors are about the same row of the same robot."""
        same = self.row == other.row and np.array_equal(self.columns, other.columns)
        return same and (
            self.expansion is other.expansion or np.array_equal(self.expansion, other.expansion)
        )


def merged(blocks: Iterable[Sequence[Factor]]) -> list[Factor]:
    """One factor per row of all blocks together, a few blocks held at a time.

    Args:
        blocks: factors by row, which come in the same order in every block.
    """
    waiting: list[list[Factor]] = []
    for block in blocks:
        waiting = waiting or [[] for _ in block]
        for own, factor in zip(waiting, block, strict=True):
            own.append(factor)
            if len(own) == _AT_ONCE:
                own[:] = [merge(own)]
    return [merge(own) for own in waiting]


def packed(R: Array) -> Array:
    """The upper triangle of a matrix, by rows."""
    return R[_upper(len(R))]


def unpacked(triangles: Array) -> Array:
    """Upper triangular matrices from `packed` ones, shape (..., n (n + 1) / 2) to (..., n, n)."""
    size = (math.isqrt(8 * triangles.shape[-1] + 1) - 1) // 2
    R = np.zeros((*triangles.shape[:-1], size, size))
    R[..., *_upper(size)] = triangles
    return R


@lru_cache(maxsize=256)
def _upper(size: int) -> tuple[Index, Index]:
    """Rows and columns of an upper triangle."""
    rows, columns = np.triu_indices(size)
    return rows, columns


def merge(factors: Sequence[Factor]) -> Factor:
    """The factor of all samples of several, by QR of their stack; in any order and grouping."""
    first = factors[0]
    for factor in factors[1:]:
        if not first.same_columns(factor):
            said = f"factors of {first.row} and {factor.row} do not have the same columns"
            raise UsageError("factors-differ", said, hint="same robot, joint and terms are needed")
    if len(factors) == 1:
        return first
    return Factor(
        row=first.row,
        columns=first.columns,
        expansion=first.expansion,
        R=triangle(np.vstack([factor.R for factor in factors])),
        count=sum(factor.count for factor in factors),
        total=float(sum(factor.total for factor in factors)),
        lowest=min(factor.lowest for factor in factors),
        highest=max(factor.highest for factor in factors),
    )
