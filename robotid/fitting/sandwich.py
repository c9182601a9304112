"""How uncertain an estimate is whose samples were weighted by their own errors.

Weights that errors choose make errors look smaller than they are: least squares with these weights
would give intervals that are too narrow where errors are normal, and too wide where a few are
large. The estimate is where the sum of clipped errors times columns is zero; its covariance is that
of this sum (the filling), seen through how fast the sum changes with the parameters (the bread).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate, whitened

Array = NDArray[np.float64]


def with_sandwich(
    estimate: Estimate,
    evidence: Evidence,
    samples: Iterable[tuple[Sequence[Array], Array]],
    columns: Sequence[NDArray[np.intp]],
    limit: Array,
) -> Estimate:
    """The estimate with a covariance, and noise of rows, that know where weights come from.

    Args:
        estimate: of weighted samples, at rest.
        evidence: factors of these samples with their weights.
        samples: batches: columns of each row, shape (samples, own parameters), and errors, shape
            (samples, rows).
        columns: which parameters those of each row are.
        limit: size of errors beyond which they are clipped, shape (rows,).
    """
    base, scale = estimate.base, estimate.weights[0]
    inverse = np.asarray(
        solve_triangular(estimate.system.restricted(base.independent).R, np.eye(base.rank))
    )
    placed = np.zeros((evidence.parameters, base.rank))
    placed[list(base.independent)] = inverse
    rows = range(len(columns))
    filling = np.zeros((len(columns), base.rank, base.rank))
    squares, inside, weights, count = (np.zeros(len(columns)) for _ in range(4))
    for W, errors in samples:
        clipped = np.clip(errors, -limit, limit)
        for row in rows:
            pull = (W[row] @ placed[columns[row]]) * (scale[row] ** 2 * clipped[:, row, None])
            filling[row] += pull.T @ pull
        size = np.abs(errors)
        squares += (clipped**2).sum(axis=0)
        inside += (size <= limit).sum(axis=0)
        weights += np.minimum(1.0, limit / np.maximum(size, np.finfo(float).tiny)).sum(axis=0)
        count += len(errors)
    # Errors that do not depend on the motion: a row's sum changes like its weighted columns do,
    # slower by the share of errors that are not clipped.
    grams = [A.T @ A for A in whitened(evidence, base, inverse, estimate.weights)]
    bread = np.tensordot(inside / weights, np.array(grams), 1)
    taken = np.array([float(np.trace(gram)) for gram in grams]) / evidence.independent
    free = np.maximum(count - taken, 1.0)
    noise = np.sqrt(squares / free) * count / inside
    credited = np.maximum(noise, evidence.least_noise)
    grown = count / free * np.square(credited / np.maximum(noise, np.finfo(float).tiny))
    middle = np.tensordot(grown, filling, 1) / evidence.independent
    half = np.linalg.solve(bread, inverse.T).T
    return replace(estimate, covariance=half @ middle @ half.T, noise=credited, bread=bread)
