"""What makes an information matrix good: figures of its eigenvalues, and their gradients.

With eigenvalues v of the information (parameters in units of their scale) a design improves

    trace-inv   log mean 1/v                        mean variance of the parameters
    logdet      - mean log v                        volume of their ellipsoid
    mineig      log max 1/v                         variance of the worst combination
    cond        (log max v + log max 1/v) / 2       condition number of the weighted regressor

Largest values are not differentiable where two of them meet, and there the best designs lie. They
are replaced by means of a power p, which an optimiser raises as it goes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh

from robotid.contracts.excitation import Criteria
from robotid.excitation.options import CriterionName

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_VAGUE = 1e-6  # of parameters nobody asks for: that they lie within a thousand times their scale

GOALS = {
    "trace-inv": "logarithm of the mean variance",
    "logdet": "mean logarithm of the variances along the axes of the ellipsoid",
    "mineig": "logarithm of the variance of the worst combination",
    "cond": "logarithm of the condition number of the weighted regressor",
}


class Goal(NamedTuple):
    """A figure to be made small, and its gradient with respect to the information, (p, p)."""

    value: float
    gradient: Array


def goal(name: CriterionName, A: Array, power: float = np.inf) -> Goal:
    """The figure of an information matrix in scaled parameters.

    Args:
        name: of the criterion.
        A: shape (p, p), positive definite.
        power: p of the means that stand for largest values; infinite for these themselves.
    """
    if name in ("logdet", "trace-inv"):
        factor = cho_factor(A, lower=True)
        inverse = cho_solve(factor, np.eye(len(A)))
        if name == "logdet":
            return Goal(-2 * float(np.log(np.diag(factor[0])).mean()), -inverse / len(A))
        trace = float(np.trace(inverse))
        return Goal(float(np.log(trace / len(A))), inverse @ inverse / -trace)
    values, vectors = eigh(A)
    if values[0] <= 0:
        raise np.linalg.LinAlgError("the information is not positive definite")
    logs = np.log(values)
    worst, weights = _mean(-logs, power)
    result, slope = worst, -weights  # the slope is with respect to the logarithms
    if name == "cond":
        best, weights = _mean(logs, power)
        result, slope = 0.5 * (worst + best), 0.5 * (slope + weights)
    return Goal(result, (vectors * (slope / values)) @ vectors.T)


def _mean(logs: Array, power: float) -> tuple[float, Array]:
    """Logarithm of the power mean of numbers given by their logarithms, and its gradient."""
    top = logs.max()
    if np.isinf(power):
        weights = (logs == top).astype(np.float64)
        return float(top), weights / weights.sum()
    terms = np.exp(power * (logs - top))
    return float(top + np.log(terms.mean()) / power), terms / terms.sum()


def figures(A: Array) -> Criteria:
    """All four, as numbers that people quote."""
    values = np.linalg.eigvalsh(A)
    return Criteria(
        logdet=float(np.log(values).mean()),
        cond=float(np.sqrt(values[-1] / values[0])),
        mineig=float(values[0]),
        trace_inv=float((1.0 / values).mean()),
    )


class Reduced(NamedTuple):
    """The information about some parameters when the others are not known either.

    Args:
        A: the Schur complement, shape (wanted, wanted).
        turn: T with A = T A_all T^T, shape (wanted, p); None where all are wanted.
    """

    A: Array
    turn: Array | None

    def gradient(self, own: Array) -> Array:
        """With respect to the whole information, from that with respect to A."""
        return own if self.turn is None else self.turn.T @ own @ self.turn


def about(A: Array, wanted: Index) -> Reduced:
    """What A says of the wanted parameters.

    A motion that is best for these may tell nothing of others, so something is known of them.
    """
    if wanted.size == len(A):
        return Reduced(A, None)
    others = np.setdiff1d(np.arange(len(A)), wanted)
    A = A.copy()
    A[others, others] += _VAGUE
    turn = np.zeros((wanted.size, len(A)))
    turn[np.arange(wanted.size), wanted] = 1.0
    factor = cho_factor(A[np.ix_(others, others)])
    turn[:, others] = -cho_solve(factor, A[np.ix_(others, wanted)]).T
    return Reduced(turn @ A @ turn.T, turn)
