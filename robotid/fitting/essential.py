"""Essential parameters: those without which the data are predicted measurably worse."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import chdtri

from robotid.errors import UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate

Array = NDArray[np.float64]


class Essential(NamedTuple):
    """A smaller model; parameters that are left out are zero in it.

    Args:
        kept: positions in beta of the estimate, ascending, shape (kept,).
        dropped: positions left out, in the order in which they were.
        beta: values of what is kept, solved again, shape (kept,).
        covariance: of those, shape (kept, kept).
        growth: of the loss over that of the estimate, in units in which each parameter that is zero
            adds about one.
        limit: the growth at which the next one was no longer left out.
    """

    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    beta: Array
    covariance: Array
    growth: float
    limit: float


def essential(evidence: Evidence, estimate: Estimate, level: float = 0.95) -> Essential:
    """Leave out the parameter of largest relative standard deviation, and so on.

    Ends before the loss has grown by more than chance explains: the quantile of a chi-squared
    distribution with one degree of freedom per parameter left out. Only some of the samples are
    independent, so the loss counts in their share.

    Args:
        evidence: the data of the estimate.
        estimate: of `linear.wls`, where the errors of all rows have weight one over their noise.
        level: probability that parameters that are zero are left out.
    """
    if estimate.prior is not None:
        raise UsageError("prior-given", "a prior is no ground to leave parameters out")
    if not 0 < level < 1:
        raise UsageError("bad-level", f"{level:g} is no probability between 0 and 1")
    whole = estimate.system.restricted(estimate.base.independent)
    # In units of noise: weights of `wls` are that already, others are brought to it on the whole.
    scale = evidence.independent / _variance(evidence, estimate)
    kept, dropped, growth = list(range(estimate.base.rank)), list[int](), 0.0
    while True:
        system = whole.restricted(kept)
        beta = system.solution()
        inverse = np.asarray(solve_triangular(system.R, np.eye(len(kept))))
        covariance = inverse @ inverse.T / scale
        limit = float(chdtri(len(dropped) + 1, 1 - level))
        weakest = int(np.argmin(np.abs(beta) / np.sqrt(np.diag(covariance))))
        grown = growth + float(beta[weakest] ** 2 / covariance[weakest, weakest])
        if grown > limit or len(kept) == 1:
            return Essential(tuple(kept), tuple(dropped), beta, covariance, growth, limit)
        growth = grown
        dropped.append(kept.pop(weakest))


def _variance(evidence: Evidence, estimate: Estimate) -> float:
    """Mean of the squared weighted errors: 1 where weights are one over the noise."""
    weights = np.square(estimate.weights * estimate.noise)
    return float(np.average(weights, weights=evidence.counts))
