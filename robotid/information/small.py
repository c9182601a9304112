"""Small triangular matrices, in numba: many of them are needed, and no bit may depend on a BLAS."""

from math import inf, sqrt
from pathlib import Path

from robotid.information.compiled import CompiledSource, Run, Table, View

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


_SOURCE.keep()
