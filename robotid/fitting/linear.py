"""Least squares on factors: ordinary, weighted by the noise of each row, and with a prior."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.special import stdtrit

from robotid.dynamics.base_parameters import BaseParameters
from robotid.errors import BadDataError, UsageError
from robotid.fitting.estimable import each_alone, estimable
from robotid.fitting.evidence import Evidence
from robotid.fitting.prior import Gaussian, with_prior
from robotid.information.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values of all that the data (and a prior, if any) determine, and how sure they are.

    Args:
        base: the sums of parameters that are determined.
        beta: their values, shape (rank,).
        covariance: of beta, shape (rank, rank).
        freedom: degrees of freedom behind the covariance.
        noise: standard deviation of the error of each row [N m], shape (rows,).
        weights: that the errors of each block and row had, shape (blocks, rows).
        system: the problem that was solved, in all parameters.
        prior: that took part in it.
        bread: where weights depend on errors, how fast their weighted sum changes with beta, as a
            share of that of fixed weights; in coordinates in which those of `system` are
            orthonormal, shape (rank, rank).
    """

    base: BaseParameters
    beta: Array
    covariance: Array
    freedom: float
    noise: Array
    weights: Array
    system: System
    prior: Gaussian | None = None
    bread: Array | None = None

    @cached_property
    def std(self) -> Array:
        """Standard deviations of beta, shape (rank,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def intervals(self, level: float = 0.95) -> Array:
        """Lower and upper bounds that hold beta with a probability each, shape (rank, 2)."""
        if not 0 < level < 1:
            raise UsageError("bad-level", f"{level:g} is no probability between 0 and 1")
        reach = float(stdtrit(self.freedom, 0.5 + level / 2)) * self.std
        return np.column_stack([self.beta - reach, self.beta + reach])

    def of(self, sums: BaseParameters) -> "Estimate":
        """The same in other sums, all of which this one determines."""
        known = sums.projection[:, self.base.independent]
        covariance = known @ self.covariance @ known.T
        return replace(self, base=sums, beta=known @ self.beta, covariance=covariance)

    def around(self, phi: ArrayLike) -> Array:
        """All parameters, shape (p,), with B phi = beta: grouped ones as given, others moved.

        Torques of the data do not depend on `phi`; which values it should hold is the caller's to
        say, as the data do not.
        """
        result = np.array(phi, dtype=np.float64)
        kept = list(self.base.independent)
        result[kept] += self.beta - self.base.beta(result)
        return result


def ols(evidence: Evidence, base: BaseParameters) -> Estimate:
    """Least sum of squared errors, all rows alike."""
    return solve(evidence, base, np.ones_like(evidence.counts))


def wls(evidence: Evidence, base: BaseParameters, rounds: int = 2) -> Estimate:
    """Errors weighted by one over the noise of their row, which the fit before says.

    Args:
        evidence: the data.
        base: base parameters of the robot.
        rounds: how many times weights are found anew.
    """
    found = ols(evidence, base)
    for _ in range(rounds):
        weights = np.broadcast_to(1.0 / found.noise, evidence.counts.shape)
        found = solve(evidence, base, weights)
    return found


def ridge(evidence: Evidence, base: BaseParameters, prior: Gaussian, rounds: int = 2) -> Estimate:
    """Most probable parameters given data and a prior; correlated samples count for fewer.

    Parameters that neither data nor prior determine stay grouped.

    Args:
        evidence: the data.
        base: base parameters of the robot.
        prior: of all parameters, shape (p,).
        rounds: how many times the noise of rows is found anew, as for `wls`.
    """
    if prior.mean.shape != (evidence.parameters,) or prior.std.shape != (evidence.parameters,):
        said = f"a prior of shapes {prior.mean.shape}, {prior.std.shape}"
        raise UsageError("wrong-shape", f"{said} for {evidence.parameters} parameters")
    if not (prior.std > 0).all():
        raise UsageError("bad-prior", "standard deviations of a prior have to be positive")
    found = wls(evidence, base, rounds=0)
    for _ in range(rounds):
        scale = np.sqrt(evidence.independent) / found.noise
        weights = np.broadcast_to(scale, evidence.counts.shape)
        found = solve(evidence, base, weights, prior=prior)
    return found


def solve(
    evidence: Evidence,
    base: BaseParameters,
    weights: Array,
    prior: Gaussian | None = None,
    errors: Array | None = None,
) -> Estimate:
    """Least sum of squared weighted errors, in the parameters that are determined.

    Args:
        evidence: the data.
        base: base parameters of the robot.
        weights: of the errors, shape (blocks, rows); only ratios matter without a prior, with one
            they are one over the standard deviation of an independent error.
        prior: one more equation per parameter.
        errors: least standard deviations of the errors of blocks, shape (blocks, rows), where some
            are noisier than others.
    """
    system = evidence.system(weights)
    if prior is None:
        determined = estimable(system, base)
    else:
        system = with_prior(system, prior)
        determined = estimable(system, each_alone(base))
    if determined.rank == 0:
        hint = "move the robot, and check that the torque is of its joints"
        raise BadDataError("nothing-excited", "the data determine no parameter", hint=hint)
    inner = system.restricted(determined.independent)
    beta = inner.solution()
    inverse = np.asarray(solve_triangular(inner.R, np.eye(determined.rank)))
    noise, freedom = _noise(evidence, determined, beta, inverse, weights)
    if prior is None:
        # Errors of rows differ in size, whether or not the weights know it.
        spread_of = noise if errors is None else np.maximum(noise, errors)
        inside = whitened(evidence, determined, inverse, weights**2 * spread_of)
        spread = sum(A.T @ A for A in inside) / evidence.independent
        covariance = np.asarray(inverse @ spread @ inverse.T)
    else:
        covariance = inverse @ inverse.T
    return Estimate(determined, beta, covariance, freedom, noise, weights, system, prior)


def whitened(
    evidence: Evidence, base: BaseParameters, inverse: Array, weights: Array
) -> list[Array]:
    """Weighted columns of each row in coordinates in which those of the whole are orthonormal."""
    result = []
    for factor in evidence.merged(weights):
        columns = np.zeros((len(factor.R), evidence.parameters))
        columns[:, factor.columns] = factor.rows[:, :-1]
        result.append(base.reduced(columns) @ inverse)
    return result


def _noise(
    evidence: Evidence, base: BaseParameters, beta: Array, inverse: Array, weights: Array
) -> tuple[Array, float]:
    """Standard deviation of the errors of each row, and the degrees of freedom of all.

    Parameters take up errors: E |e|² = (n - h / share) s², where h is the row's trace of the hat
    matrix; correlated errors lie the more in the space of the columns, the fewer are independent.
    Blocks that count for less in the fit count for less here.
    """
    phi = np.zeros(evidence.parameters)
    phi[list(base.independent)] = beta
    share = (weights / weights.max(axis=0)) ** 2
    losses = evidence.loss(phi, share)
    taken = [float(np.sum(A**2)) for A in whitened(evidence, base, inverse, weights)]
    free = (share * evidence.counts).sum(axis=0) - np.array(taken) / evidence.independent
    total = float(free.sum()) * evidence.independent
    for row, left in zip(evidence.rows, free.tolist(), strict=True):
        if left <= 0 or total <= 1:
            said = f"too few independent samples for {base.rank} parameters"
            hint = "record for longer, or give a prior"
            raise BadDataError("too-few-samples", said, joint=row, hint=hint)
    return np.maximum(np.sqrt(losses / free), evidence.least_noise), total
