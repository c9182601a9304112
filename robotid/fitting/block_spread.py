"""Uncertainty from what blocks disagree about: nothing is assumed of how errors are correlated."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from robotid.errors import BadDataError, UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate

Array = NDArray[np.float64]

LEAST_BLOCKS = 8  # with fewer the spread itself is hardly known
# A block without which some combination is this little determined cannot be left out.
_LEAST_LEFT = 1e-6


def with_block_spread(evidence: Evidence, estimate: Estimate) -> Estimate:
    """The estimate with the covariance of a jackknife: solved again without each block in turn.

    Errors of several rows and times may be correlated in any way within a block, and models may be
    wrong in a way that varies from block to block. All of it widens the intervals.

    Args:
        evidence: the data of the estimate, in at least `LEAST_BLOCKS` blocks.
        estimate: of `linear` without a prior, or `robust`.
    """
    count = len(evidence.blocks)
    if count < LEAST_BLOCKS:
        said = f"{count} blocks do not show how uncertain parameters are"
        hint = f"{LEAST_BLOCKS} are needed: record for longer, or use the filter's bandwidth"
        raise BadDataError("too-few-blocks", said, hint=hint)
    if estimate.prior is not None:
        raise UsageError("prior-given", "blocks say nothing of how uncertain a prior is")
    steps = _steps_without(evidence, estimate)
    centred = steps - steps.mean(axis=0)
    covariance = (count - 1) / count * centred.T @ centred
    return replace(estimate, covariance=covariance, freedom=float(count - 1))


def _steps_without(evidence: Evidence, estimate: Estimate) -> Array:
    """Change of beta when a block is left out, shape (blocks, rank).

    With W_b and e_b of the block, beta goes by -(R^T R - W_b^T W_b)^-1 W_b^T e_b; in coordinates
    in which R is 1 the matrix is 1 - A^T A.
    """
    base, bread = estimate.base, estimate.bread
    R = estimate.system.restricted(base.independent).R
    inverse = np.asarray(solve_triangular(R, np.eye(base.rank)))
    steps = []
    for number, (block, weights) in enumerate(zip(evidence.blocks, estimate.weights, strict=True)):
        rows = []
        for factor, weight in zip(block, weights.tolist(), strict=True):
            padded = np.zeros((len(factor.R), evidence.parameters + 1))
            padded[:, np.append(factor.columns, evidence.parameters)] = weight * factor.rows
            rows.append(padded)
        stacked = np.vstack(rows)
        W = base.reduced(stacked[:, :-1])
        A, error = W @ inverse, stacked[:, -1] - W @ estimate.beta
        left, directions = np.linalg.eigh(np.eye(base.rank) - A.T @ A)
        if left[0] < _LEAST_LEFT:
            said = f"block {number} alone determines a combination of the parameters"
            hint = "record more motion of its kind, or use the filter's bandwidth"
            raise BadDataError("block-alone", said, hint=hint)
        step = directions @ ((directions.T @ (A.T @ error)) / left)
        steps.append(-inverse @ (step if bread is None else np.linalg.solve(bread, step)))
    return np.array(steps)
