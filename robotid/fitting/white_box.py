"""The white-box models: each a function from a problem to parameters, and a line in the table."""

from collections.abc import Callable
from dataclasses import replace

from robotid.contracts.fit import Status
from robotid.fitting.block_spread import with_block_spread
from robotid.fitting.differentiable import diffbary, diffnea
from robotid.fitting.evidence import Evidence
from robotid.fitting.keys import given_by
from robotid.fitting.linear import Estimate, ols, ridge, wls
from robotid.fitting.option_texts import boxed
from robotid.fitting.prior import Divergence, robot_file_prior
from robotid.fitting.restream import irls_samples
from robotid.fitting.robust import irls
from robotid.fitting.sdp import Box, check_centres, consistent_fit
from robotid.fitting.solved import Problem, Solved
from robotid.information.sizes import nominal

_SOLVED = Status(converged=True, message="solved")


def solve(problem: Problem) -> Solved:
    """Fit the model that the options name."""
    solved = MODELS[problem.options.model](problem)
    if problem.options.intervals == "blocks":
        spread = with_block_spread(solved.evidence, solved.estimate)
        return replace(solved, estimate=spread)
    return solved


def _linear(
    problem: Problem,
    estimate: Estimate,
    status: Status = _SOLVED,
    evidence: Evidence | None = None,
) -> Solved:
    """Parameters that the data leave open are those of the robot file."""
    phi = estimate.around(nominal(problem.layout))
    return Solved(phi, estimate, evidence or problem.train, status)


def _ols(problem: Problem) -> Solved:
    return _linear(problem, ols(problem.train, problem.base))


def _wls(problem: Problem) -> Solved:
    return _linear(problem, wls(problem.train, problem.base))


def _ridge(problem: Problem) -> Solved:
    prior = robot_file_prior(problem.layout, problem.options.prior_std)
    found = _linear(problem, ridge(problem.train, problem.base, prior))
    free = wls(problem.train, problem.base)
    return replace(found, free=free, without_prior=free.around(found.phi))


def _irls(problem: Problem) -> Solved:
    if problem.options.robust == "blocks":
        found = irls(problem.train, problem.base)
        return _linear(problem, found.estimate, _settled(found.converged, found.rounds))
    robust = irls_samples(
        problem.layout,
        problem.base,
        lambda: problem.read("train"),
        wls(problem.train, problem.base),
        independent=problem.train.independent,
    )
    status = _settled(robust.converged, robust.rounds)
    return _linear(problem, robust.estimate, status, robust.evidence)


def _settled(converged: bool, rounds: int) -> Status:
    if converged:
        return Status(converged=True, message="weights settled", iterations=rounds)
    said = f"weights still change after {rounds} rounds"
    remedy = "look at the residuals: much of the data contradicts the rest"
    return Status(converged=False, message=said, remedy=remedy, iterations=rounds)


def _sdp(problem: Problem) -> Solved:
    options, prior = problem.options, None
    estimate = free = wls(problem.train, problem.base)
    if options.prior == "gaussian":  # its equations are part of the system
        given = robot_file_prior(problem.layout, options.prior_std)
        estimate = ridge(problem.train, problem.base, given)
    elif options.prior == "divergence":
        strength = options.prior_strength / problem.train.independent
        prior = Divergence(problem.layout.robot.phi, strength)
    centres = {}
    for text in options.centre:
        link, lower, upper = boxed(text)
        centres[link] = Box(lower, upper)
    with given_by("centre"):
        check_centres(problem.layout, centres)
    with given_by("prior"):
        found = consistent_fit(estimate.system, problem.layout, prior=prior, centres=centres)
    status = Status(
        converged=found.converged,
        message="solved" if found.converged else found.message,
        remedy=found.remedy,
        iterations=found.iterations,
    )
    without_prior = None
    if options.prior != "none":
        without_prior = consistent_fit(free.system, problem.layout, centres=centres).phi
    return Solved(
        phi=found.phi,
        estimate=estimate,
        evidence=problem.train,
        status=status,
        promises=True,
        active=found.active,
        free=free if options.prior == "gaussian" else None,
        without_prior=without_prior,
    )


MODELS: dict[str, Callable[[Problem], Solved]] = {
    "ols": _ols,
    "nea": _ols,
    "wls": _wls,
    "irls": _irls,
    "ridge": _ridge,
    "sdp": _sdp,
    "diffnea": diffnea,
    "diffbary": diffbary,
}
