"""Upper-triangular factors from Gram matrices, and from other factors.

A Gram matrix G = A^T A of columns normed to one gives R as exactly as a QR decomposition of A does
while the condition number of the columns is below about 1e3. Beyond, a triangular R0 close to the
right one is needed: the columns of A R0^-1 are nearly orthonormal, so the Gram matrix of those is
exact enough, and R is its factor times R0.
"""

import numpy as np
from numpy.typing import NDArray

from robotid.information import small

Array = NDArray[np.float64]

# Largest condition number of normed columns for which a Gram matrix is as good as QR: rounding of
# 1e-16 grows by its square.
WORST_CONDITION = 1e3
# Directions in which normed columns vanish are given this length in R0. A Gram matrix has them
# wrong by 1e-8 of it, which is below 1e-14 of the columns: a backward error such as QR has.
FLOOR = 3e-7


def well_conditioned(R: Array) -> bool:
    """Whether the columns of R, normed, are independent enough to be found from a Gram matrix.

    Columns of zeros do not count: they are found exactly.
    """
    norms = np.sqrt(np.einsum("ij,ij->j", R, R))
    if not norms.all():
        alive = norms > 0
        R, norms = R[np.ix_(alive, alive)], norms[alive]
    bound = np.empty(1)
    small.inverse_norm(R, norms, np.empty(R.shape), bound)
    return bool(bound[0] <= WORST_CONDITION)


def rough_factor(gram: Array) -> Array:
    """A regular R0 with R0^T R0 close to the Gram matrix of dependent or nearly so columns.

    Here and below only the upper triangle of a Gram matrix counts.
    """
    norms = np.sqrt(np.diag(gram))
    norms = np.where(norms > 0, norms, 1.0)
    normed, shift = gram / np.outer(norms, norms), FLOOR**2
    while True:
        np.fill_diagonal(normed, 1.0 + shift)
        R = _cholesky(normed, np.ones(len(norms)))
        if R is not None:
            return R * norms
        shift *= 10.0


def factor_of_gram(gram: Array, rough: Array | None = None, *, last: bool = False) -> Array | None:
    """R of A from the Gram matrix of A, or of A R0^-1; None when that is not exact enough.

    Args:
        gram: A^T A, or R0^-T A^T A R0^-1.
        rough: R0, upper-triangular and regular.
        last: take what can be had.
    """
    norms = np.sqrt(np.diag(gram))
    if not norms.all():
        alive = np.flatnonzero(norms)
        inner = np.ix_(alive, alive)
        rest = rough if rough is None else rough[alive]
        found = _factor_of_regular(gram[inner], norms[alive], rest, last=last)
        if found is None:
            return None
        R = np.zeros_like(gram)
        R[inner] = found
    else:
        inside = _factor_of_regular(gram, norms, rough, last=last)
        if inside is None:
            return None
        R = inside
    return R if rough is None else R @ rough


def _factor_of_regular(
    gram: Array, norms: Array, rough: Array | None, *, last: bool
) -> Array | None:
    """R with R^T R = gram, where no column vanishes; None when that is not exact enough."""
    R = _cholesky(gram, norms)
    if R is not None and well_conditioned(R):
        R *= norms
        return R
    if rough is None:
        return None
    # Some directions vanish: right if they have next to no length in R0.
    values, vectors = np.linalg.eigh(gram, UPLO="U")
    R = triangle(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)
    weak = vectors[:, values < values[-1] / WORST_CONDITION**2]
    lengths = np.linalg.norm(R @ rough, axis=0)
    right = last or bool((np.abs(weak.T @ rough) <= 10 * FLOOR * lengths).all())
    return R if right else None


def _cholesky(gram: Array, norms: Array) -> Array | None:
    """Upper R with R^T R = gram of columns divided by their norms; None where there is none."""
    R, done = np.empty(gram.shape), np.empty(1)
    small.cholesky(gram, norms, R, done)
    return R if done[0] else None


def triangle(stacked: Array) -> Array:
    """The square upper-triangular R of a QR decomposition, with a diagonal that is not negative."""
    rows, columns = stacked.shape
    R = np.zeros((columns, columns))
    R[: min(rows, columns)] = np.linalg.qr(stacked, mode="r")
    signs = np.where(np.diag(R) < 0, -1.0, 1.0)
    result: Array = signs[:, None] * R
    return result
