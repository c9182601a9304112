"""Robust least squares: blocks whose errors are larger than those of others count for less.

Works on factors alone. Outliers within a block are one with it here; `restream` weighs samples.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import BaseParameters
from robotid.errors import BadDataError, UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate, ols, solve

Array = NDArray[np.float64]

LEAST_BLOCKS = 3  # the median of fewer says nothing
TOLERATED = 2.0  # errors up to this many times the row's usual ones have full weight
_ROUNDS = 50
_SETTLED = 1e-4  # largest change of a weight


class Robust(NamedTuple):
    """An estimate, and how much each block counts.

    Args:
        estimate: with the final weights.
        shares: 1 for blocks with full weight, less for others, shape (blocks, rows).
        converged: whether the weights settled.
        rounds: how many solves that took.
    """

    estimate: Estimate
    shares: Array
    converged: bool
    rounds: int


def irls(evidence: Evidence, base: BaseParameters, tolerated: float = TOLERATED) -> Robust:
    """Solve, weigh blocks by their errors, and again until weights settle.

    A block whose root mean square error is u times the median of its row's has weight
    min(1, tolerated / u): beyond the tolerated it counts as data with noise of its own size do.

    Args:
        evidence: the data, in at least `LEAST_BLOCKS` blocks.
        base: base parameters of the robot.
        tolerated: how much larger errors of a block may be, at least 1.
    """
    if len(evidence.blocks) < LEAST_BLOCKS:
        said = f"{len(evidence.blocks)} blocks do not show which of them is unusual"
        hint = f"{LEAST_BLOCKS} are needed: record for longer, or use weights per row"
        raise BadDataError("too-few-blocks", said, hint=hint)
    if tolerated < 1:
        raise UsageError("bad-tolerance", f"{tolerated:g} times the usual errors is below usual")
    found = ols(evidence, base)
    shares = np.ones_like(evidence.counts)
    for rounds in range(1, _ROUNDS + 1):
        errors, usual = _errors(evidence, _representative(found))
        ratio = np.maximum(errors / usual, np.finfo(float).tiny)
        before, shares = shares, np.minimum(1.0, tolerated / ratio)
        noisier = np.where(shares < 1, errors, 0.0)
        found = solve(evidence, base, shares / usual, errors=noisier)
        if rounds > 1 and np.abs(shares - before).max() <= _SETTLED:
            return Robust(found, shares, converged=True, rounds=rounds)
    return Robust(found, shares, converged=False, rounds=_ROUNDS)


def unusual(evidence: Evidence, phi: Array) -> Array:
    """How many times as large as usual the errors of blocks are, shape (blocks, rows)."""
    errors, usual = _errors(evidence, phi)
    return np.asarray(errors / usual)


def _errors(evidence: Evidence, phi: Array) -> tuple[Array, Array]:
    """Root mean square errors, shape (blocks, rows), and the usual ones of each row."""
    errors = np.sqrt(evidence.losses(phi) / evidence.counts)
    return errors, np.maximum(np.median(errors, axis=0), evidence.least_noise)


def _representative(estimate: Estimate) -> Array:
    """Some parameters with the estimate's torques, shape (p,)."""
    return estimate.around(np.zeros(len(estimate.base.names)))
