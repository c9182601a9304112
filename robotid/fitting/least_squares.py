"""Least squares with the facts one needs to believe it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

_RANK_TOLERANCE = 1e-8  # relative to the largest singular value of the scaled columns
_TOUCHED = 1e-8  # squared share of a parameter in the directions that are not determined


class Solution(NamedTuple):
    """Parameters, their standard deviations (infinite where not determined), rank, condition."""

    values: NDArray[np.float64]
    std: NDArray[np.float64]
    rank: int
    condition: float


def solve(W: NDArray[np.float64], tau: NDArray[np.float64], independent: float) -> Solution:
    """Minimise |W phi - tau| with columns scaled to unit length.

    The standard deviations are the roots of the diagonal of s^2 (W^T W)^-1 / independent, with
    s^2 = |W phi - tau|^2 / N * n / (n - rank) and n = independent * N.

    Args:
        W: regressor, shape (N, parameters).
        tau: torques, shape (N,) [N m].
        independent: share of samples that count as independent; filtered residuals are correlated,
            and a standard deviation that ignores it is too small.

    Returns:
        The minimum-norm solution, in the units of the columns; a direction that the data do not
        determine has infinite standard deviation in every parameter it touches.
    """
    scale = np.linalg.norm(W, axis=0)
    scale[scale == 0] = 1.0
    U, s, Vt = linalg.svd(W / scale, full_matrices=False)
    kept = s > _RANK_TOLERANCE * s[0]
    rank = int(kept.sum())
    values = (Vt[kept].T @ ((U[:, kept].T @ tau) / s[kept])) / scale
    freedom = max(1.0, independent * tau.size - rank)
    noise = float(np.sum((tau - W @ values) ** 2)) * independent / freedom
    variance = np.sum((Vt[kept] / s[kept, None]) ** 2, axis=0) * noise / independent
    undetermined = 1.0 - np.sum(Vt[kept] ** 2, axis=0) > _TOUCHED
    std = np.where(undetermined, np.inf, np.sqrt(variance)) / scale
    condition = float(s[0] / s[-1]) if rank == W.shape[1] else float("inf")
    return Solution(values, std, rank, condition)
