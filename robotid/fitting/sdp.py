"""Physically consistent least squares: a convex problem, whose value no consistent fit goes below.

    min |R phi - z|²   with the pseudo-inertia of every link positive definite, friction and rotor
                       inertia not negative, and optionally bounds of centres of mass and a prior

The solver sees R and not R^T R, which squares the condition number: parameters then come out wrong
by tens of percent though it says "solved".
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robotid.errors import UsageError, nearest
from robotid.fitting import cones
from robotid.fitting.consistent import Consistent, Outcome, judged
from robotid.fitting.prior import Divergence, Gaussian
from robotid.fitting.scaling import TIE_BREAK, ScaledProblem, scaled_problem
from robotid.information.layout import Layout
from robotid.information.system import System
from robotid.robot.physical import violations

Array = NDArray[np.float64]

MARGIN = 1e-6  # least eigenvalue of pseudo-inertias, for links in units of their own size
_TOLERANCE = 1e-10
_REFINED = 1e-9  # relative error of its linear equations; its default of 1e-13 is a tenth slower
_ITERATIONS = 300
# Of the solver's linear equations. Its default, the last, is more than the tie-break and may move
# the minimum by 2e-7 of the loss; with less it sometimes gets stuck. What converges first counts.
REGULARISATIONS = (1e-11, 1e-10, 1e-8)


class Box(NamedTuple):
    """Where a centre of mass can be, in the frame of its link [m], shapes (3,)."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class Line(NamedTuple):
    """A sum of scaled parameters that is not negative, and what it means when it is zero."""

    entries: dict[int, float]
    text: str

    def slack(self, x: Array) -> float:
        """The sum."""
        return float(sum(value * x[column] for column, value in self.entries.items()))


def consistent_fit(
    system: System,
    layout: Layout,
    *,
    prior: Gaussian | Divergence | None = None,
    centres: Mapping[str, Box] | None = None,
    margin: float = MARGIN,
    tie_break: float = TIE_BREAK,
) -> Consistent:
    """The physically consistent parameters of least loss.

    Args:
        system: in all parameters, weighted by one over the noise of rows, as `Estimate.system` is.
        layout: the robot and the terms of its joints.
        prior: added to the loss, in the units of the system.
        centres: boxes by name of link.
        margin: pseudo-inertias are at least this times the identity, in units of the link's size.
        tie_break: weight of the robot file where nothing else determines a parameter.
    """
    problem = scaled_problem(system, layout, prior=prior, tie_break=tie_break)
    lines = [*_friction(layout), *_centres(layout, centres or {}, problem.size)]
    logarithms = _divergence(prior, problem, layout) if isinstance(prior, Divergence) else None
    count, links = problem.size.size, layout.robot.bodies
    parts = [
        cones.norm_rows(problem.R, problem.z, problem.rest, norm_at=count),
        cones.linear_rows([line.entries for line in lines]),
    ]
    if logarithms is None:  # least norm
        parts.append(cones.link_rows(links, margin))
        q = np.append(np.zeros(count), 1.0)
        square = 0.0
    else:  # least square of the norm, with other terms beside it
        parts.append(cones.log_det_rows(links, first=count + 1))
        below = np.tile([0.0] * 10 + [-logarithms.strength] * 4, links)
        q = np.concatenate([logarithms.slope, [0.0], below])
        square = 2.0
    objective = sparse.csc_matrix(([square], ([count], [count])), (q.size, q.size)), q
    for regularisation in REGULARISATIONS:
        solution = cones.solver(objective, parts, solver_settings(regularisation)).solve()
        x = np.array(solution.x)[:count]
        for line in lines:
            if len(line.entries) == 1:  # the solver leaves it a hair on either side of zero
                column = next(iter(line.entries))
                x[column] = max(0.0, x[column])
        gap = _gap(problem, logarithms, x, float(solution.obj_val_dual))
        outcome = Outcome(str(solution.status), int(solution.iterations), gap)
        slacks = [(line.slack(x), line.text) for line in lines]
        result = judged(system, layout, problem, x, outcome, slacks, margin)
        if result.converged:
            break
    return result


class _Divergence(NamedTuple):
    """strength * (sum of tr(P0^-1 P) - log det P): slope (p,) of the first part in x."""

    strength: float
    slope: Array
    links: int


def _divergence(prior: Divergence, problem: ScaledProblem, layout: Layout) -> _Divergence:
    links = layout.robot.bodies
    given = np.asarray(prior.phi, dtype=np.float64).reshape(links, 10)
    for link, phi in zip(layout.robot.links, given, strict=True):
        broken = violations(phi) or ([] if phi.any() else ["it has no mass"])
        if broken:
            said = f"the prior of link {link} is no rigid body: {broken[0]}"
            raise UsageError("bad-prior", said, hint="use a Gaussian prior, or mend the robot file")
    strength = prior.strength / problem.unit**2
    P0 = cones.pseudo_inertias(given / problem.size[: 10 * links].reshape(links, 10))
    slope = np.zeros(problem.size.size)
    traces = np.einsum("lij,kij->lk", np.linalg.inv(P0), cones.pseudo_inertia_map())
    slope[: 10 * links] = strength * traces.ravel()
    return _Divergence(strength, slope, links)


def _friction(layout: Layout) -> list[Line]:
    return [
        Line({column: 1.0}, f"{layout.names[column]} is zero")
        for column in np.flatnonzero(layout.positive).tolist()
    ]


def check_centres(layout: Layout, centres: Mapping[str, Box]) -> None:
    """Refuse boxes of links that the robot does not have, and those that hold nothing."""
    for link, box in centres.items():
        if link not in layout.robot.links:
            said = f"robot {layout.robot.name} has no moving link {link!r}"
            raise UsageError("unknown-link", said, hint=nearest(link, layout.robot.links))
        if not all(low <= high for low, high in zip(*box, strict=True)):
            raise UsageError("empty-box", f"no centre of mass of {link} is in {box}")


def _centres(layout: Layout, centres: Mapping[str, Box], size: Array) -> list[Line]:
    """Bounds m lower <= h <= m upper, divided by the size of h."""
    check_centres(layout, centres)
    lines = []
    for link, box in centres.items():
        mass = 10 * layout.robot.links.index(link)
        for axis, bounds in enumerate(zip(*box, strict=True)):
            h = mass + 1 + axis
            for sign, bound in zip((1.0, -1.0), bounds, strict=True):
                if np.isfinite(bound):
                    text = f"centre of mass of {link} is at {'xyz'[axis]} = {bound:g} m"
                    entries = {h: sign, mass: -sign * bound * size[mass] / size[h]}
                    lines.append(Line(entries, text))
    return lines


def _gap(problem: ScaledProblem, divergence: _Divergence | None, x: Array, bound: float) -> float:
    """Value at x less the bound, as a share of the loss, whose unit is the residual of the data."""
    norm = float(np.hypot(np.linalg.norm(problem.R @ x - problem.z), problem.rest))
    if divergence is None:
        return abs(norm - bound) * 2.0 * norm / (1.0 + norm**2)
    links = divergence.links
    signs, values = np.linalg.slogdet(cones.pseudo_inertias(x[: 10 * links].reshape(links, 10)))
    if not (signs > 0).all():
        return np.inf
    value = norm**2 + float(divergence.slope @ x) - divergence.strength * float(values.sum())
    return abs(value - bound) / (1.0 + norm**2)


def solver_settings(regularisation: float) -> Any:
    """Settings of clarabel."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TOLERANCE
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = _REFINED
    settings.static_regularization_constant = regularisation
    settings.max_iter = _ITERATIONS
    settings.max_threads = 1
    return settings
