"""Small triangular matrices, in numba: many of them are needed, and no bit may depend on a BLAS."""

from math import inf, sqrt
from pathlib import Path

import numpy as np

from robotid.information.compiled import CompiledSource, IndexTable, Indices, Run, Table, View

_SOURCE = CompiledSource(Path(__file__))
compiled = _SOURCE.compiled


@compiled(fastmath={"contract"})
def inverse_norm(R: View, norms: Run, inverse: Table, out: Run) -> None:
    """Frobenius norm of the inverse of an upper-triangular R with columns divided by `norms`.

    Infinite where R is singular. The inverse is left in `inverse`.
    """
    n, total = R.shape[0], 0.0
    for i in range(n - 1, -1, -1):
        line = inverse[i]
        line[:] = 0.0
        if not abs(R[i, i]) > 0.0:
            out[0] = inf
            return
        line[i] = 1.0
        for k in range(i + 1, n):
            factor = R[i, k] / norms[k]
            below = inverse[k]
            for j in range(k, n):
                line[j] -= factor * below[j]
        reciprocal = norms[i] / R[i, i]
        for j in range(i, n):
            line[j] *= reciprocal
            total += line[j] * line[j]
    out[0] = sqrt(total)


@compiled(fastmath={"contract"})
def cholesky(gram: View, norms: Run, R: Table, out: Run) -> None:
    """Upper R with R^T R = gram divided by norms norms^T; only the upper triangle is read.

    `out` is set to 1, or to 0 where the matrix is not positive definite.
    """
    n = gram.shape[0]
    out[0] = 0.0
    for i in range(n):
        line = R[i]
        for j in range(i):
            line[j] = 0.0
        for j in range(i, n):
            line[j] = gram[i, j] / (norms[i] * norms[j])
        for k in range(i):
            above, factor = R[k], R[k, i]
            for j in range(i, n):
                line[j] -= factor * above[j]
        if not line[i] > 0.0:
            return
        reciprocal = 1.0 / sqrt(line[i])
        for j in range(i, n):
            line[j] *= reciprocal
    out[0] = 1.0


@compiled()
def factor_rows(flat: Run, rows: IndexTable, wanted: Indices, found: Run, bounds: Run) -> None:
    """Factors of the Gram matrices of some rows, laid out as in `program`, into `found`.

    `bounds` gets the norm of the inverse of each factor with columns normed; infinite where there
    is no factor, or where a column vanishes.
    """
    done = np.empty(1)
    for r in wanted:
        width, padded, at = rows[r, 2], rows[r, 3], rows[r, 4]
        gram = flat[at : at + padded * padded].reshape((padded, padded))[:width, :width]
        R = found[at : at + padded * padded].reshape((padded, padded))
        norms, inverse = np.empty(width), np.empty((width, padded))
        smallest = inf
        for i in range(width):
            norms[i] = sqrt(gram[i, i])
            smallest = min(smallest, norms[i])
        bounds[r] = inf
        if not smallest > 0.0:
            continue
        cholesky(gram, norms, R, done)
        if done[0] == 0.0:
            continue
        inverse_norm(R[:width, :width], np.ones(width), inverse, done)
        bounds[r] = done[0]
        for i in range(width):
            for j in range(i, width):
                R[i, j] *= norms[j]


_SOURCE.keep()
