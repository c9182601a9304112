"""The same semidefinite problem written down in cvxpy, for tests and benchmarks."""

import warnings

import cvxpy as cp
import numpy as np

from robotid.fitting.cones import pseudo_inertia_map
from robotid.fitting.prior import Divergence
from robotid.fitting.scaling import scaled_problem
from robotid.fitting.sdp import MARGIN


def cvxpy_problem(system, layout, *, prior=None, centres=None, form="norm", margin=MARGIN):
    """The problem and its variable (scaled parameters).

    Args:
        form: `norm` minimises the norm of the residual, `squares` its square.
    """
    problem = scaled_problem(system, layout, prior=prior)
    x = cp.Variable(problem.size.size)
    residual = problem.R @ x - problem.z
    constraints = []
    divergence = 0.0
    maps = pseudo_inertia_map()
    for link in range(layout.robot.bodies):
        own = slice(10 * link, 10 * link + 10)
        P = cp.reshape(maps.reshape(10, 16).T @ x[own], (4, 4), order="C")
        constraints.append(0.5 * (P + P.T) - margin * np.eye(4) >> 0)
        if isinstance(prior, Divergence):
            P0 = np.tensordot(prior.phi[link] / problem.size[own], maps, axes=(0, 0))
            divergence += cp.trace(np.linalg.inv(P0) @ P) - cp.log_det(0.5 * (P + P.T))
    for link, box in (centres or {}).items():
        first = 10 * layout.robot.links.index(link)
        mass, h = problem.size[first], problem.size[first + 1 : first + 4]
        moment = cp.multiply(h, x[first + 1 : first + 4])
        constraints += [moment >= mass * np.array(box.lower) * x[first]]
        constraints += [moment <= mass * np.array(box.upper) * x[first]]
    signed = np.flatnonzero(layout.positive)
    if signed.size:
        constraints.append(x[signed] >= 0)
    if isinstance(prior, Divergence):
        weight = prior.strength / problem.unit**2
        objective = cp.sum_squares(residual) + weight * divergence
    else:
        objective = cp.norm(residual) if form == "norm" else cp.sum_squares(residual)
    return cp.Problem(cp.Minimize(objective), constraints), x, problem


def tight_solution(system, layout, **given):
    """Parameters that cvxpy finds, shape (p,): the best of two forms and several tolerances."""
    found = []
    for form in ("norm", "squares"):
        made, x, problem = cvxpy_problem(system, layout, form=form, **given)
        for tolerance in (1e-12, 1e-10, 1e-8):
            tight = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tolerance)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # it says so when it misses the tolerance
                    made.solve(solver=cp.CLARABEL, **tight)
            except cp.SolverError:
                continue
            if made.status in ("optimal", "optimal_inaccurate"):
                value = made.value if form == "squares" else made.value**2
                found.append((value, x.value * problem.size))
                break
    return min(found, key=lambda pair: pair[0])[1]
