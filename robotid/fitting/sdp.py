"""Physically consistent least squares: a convex problem, whose value no consistent fit goes below.

    min |R phi - z|²   with the pseudo-inertia of every link positive definite, friction and rotor
                       inertia not negative, and optionally bounds of centres of mass and a prior

The solver sees R and not R^T R, which squares the condition number: parameters then come out wrong
by tens of percent though it says "solved".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robotid.errors import UsageError, nearest
from robotid.fitting import cones
from robotid.fitting.prior import Divergence, Gaussian
from robotid.fitting.scaling import TIE_BREAK, scaled_problem
from robotid.information.layout import Layout
from robotid.information.system import System
from robotid.robot.physical import violations

Array = NDArray[np.float64]

NOT_NEGATIVE = ("viscous", "coulomb", "rotor")
MARGIN = 1e-6  # least eigenvalue of pseudo-inertias, for links in units of their own size
_TOLERANCE = 1e-11
_ITERATIONS = 300
_LARGEST_GAP = 1e-7  # of the loss; beyond, the answer is not called a solution

# status of the solver -> what to do about it
_CONTRADICTION = "bounds contradict each other: widen those of the centres of mass"
_UNBOUNDED = "the loss has no minimum: give a plausible robot file, or a prior"
_WEAK_DATA = "record a motion that excites more, or give a prior"
_REMEDIES = {
    "PrimalInfeasible": _CONTRADICTION,
    "AlmostPrimalInfeasible": _CONTRADICTION,
    "DualInfeasible": _UNBOUNDED,
    "AlmostDualInfeasible": _UNBOUNDED,
    "MaxIterations": _WEAK_DATA,
    "MaxTime": _WEAK_DATA,
    "InsufficientProgress": _WEAK_DATA,
    "NumericalError": "give a prior; masses of the robot file may be of the wrong size",
}


class Box(NamedTuple):
    """Where a centre of mass can be, in the frame of its link [m], shapes (3,)."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Consistent:
    """Parameters of rigid bodies, and how the solver ended.

    Args:
        phi: all parameters, shape (p,).
        loss: sum of squared (weighted) errors at phi, without any prior.
        converged: whether phi is consistent and of least loss, both checked after the solve.
        message: how the solver ended.
        remedy: what to do when it did not converge.
        gap: bound on how far the loss (with prior) is from its minimum, as a share of it.
        eigenvalues: least one of each pseudo-inertia, in units of the link's size, (bodies,).
        active: constraints that hold the parameters back, in words.
        iterations: of the solver.
    """

    phi: Array
    loss: float
    converged: bool
    message: str
    remedy: str | None
    gap: float
    eigenvalues: Array
    active: tuple[str, ...]
    iterations: int


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
    size, links = problem.size, layout.robot.bodies
    norm_at = size.size
    extra = 14 * links if isinstance(prior, Divergence) else 0
    variables = size.size + 1 + extra
    lines, said = _linear(layout, centres or {}, size)
    parts = [cones.norm_rows(problem.R, problem.z, problem.rest, norm_at)]
    parts.append(cones.linear_rows(lines))
    q, strength = np.zeros(variables), 0.0
    if isinstance(prior, Divergence):
        parts.append(cones.log_det_rows(links, norm_at + 1))
        strength = prior.strength / problem.unit**2
        q[: 10 * links] = strength * _divergence_slope(prior, size, links)
        q[norm_at + 1 :] = np.tile([0.0] * 10 + [-strength] * 4, links)
    else:
        parts.append(cones.link_rows(links, margin))
        q[norm_at] = 1.0
    square = (
        2.0 if isinstance(prior, Divergence) else 0.0
    )  # of the norm, with other terms beside it
    quadratic = sparse.csc_matrix(([square], ([norm_at], [norm_at])), (variables, variables))
    solution = cones.solver((quadratic, q), parts, _settings()).solve()
    x = np.array(solution.x)[: size.size]
    for column in (next(iter(line)) for line in lines if len(line) == 1):
        x[column] = max(0.0, x[column])  # the solver leaves it a hair on either side of zero
    P = cones.pseudo_inertias(x[: 10 * links].reshape(links, 10))
    norm = float(np.hypot(np.linalg.norm(problem.R @ x - problem.z), problem.rest))
    value = norm
    if isinstance(prior, Divergence):
        value = norm**2 + float(q[: size.size] @ x) - strength * _log_det(P)
    gap = abs(value - float(solution.obj_val_dual))
    if not isinstance(prior, Divergence):
        gap *= 2.0 * norm
    slacks = [sum(value * x[column] for column, value in line.items()) for line in lines]
    active = [text for slack, text in zip(slacks, said, strict=True) if slack <= 10 * margin]
    least = min(slacks, default=0.0)
    gap /= 1.0 + norm**2
    return _checked(system, layout, solution, x * size, P, least, gap, active, margin)


def _linear(
    layout: Layout, centres: Mapping[str, Box], size: Array
) -> tuple[list[dict[int, float]], list[str]]:
    """Sums of scaled parameters that are not negative, and what each stands for."""
    lines: list[dict[int, float]] = []
    said = []
    names, links = layout.names, 10 * layout.robot.bodies
    for column in range(links, layout.parameters):
        if names[column].rpartition(".")[2] in NOT_NEGATIVE:
            lines.append({column: 1.0})
            said.append(f"{names[column]} is zero")
    for link, box in centres.items():
        if link not in layout.robot.links:
            said_of = f"robot {layout.robot.name} has no moving link {link!r}"
            raise UsageError("unknown-link", said_of, hint=nearest(link, layout.robot.links))
        if not all(low <= high for low, high in zip(*box, strict=True)):
            raise UsageError("empty-box", f"no centre of mass of {link} is in {box}")
        first = 10 * layout.robot.links.index(link)
        for axis, (low, high) in enumerate(zip(*box, strict=True)):
            h, scale = first + 1 + axis, size[first + 1 + axis]
            mass = size[first] / scale
            if np.isfinite(low):
                lines.append({h: 1.0, first: -low * mass})
                said.append(f"centre of mass of {link} is at {'xyz'[axis]} = {low:g} m")
            if np.isfinite(high):
                lines.append({h: -1.0, first: high * mass})
                said.append(f"centre of mass of {link} is at {'xyz'[axis]} = {high:g} m")
    return lines, said


def _divergence_slope(prior: Divergence, size: Array, links: int) -> Array:
    """Derivative of sum tr(P0^-1 P) in scaled link parameters, shape (10 links,)."""
    given = np.asarray(prior.phi, dtype=np.float64).reshape(links, 10)
    for link, phi in enumerate(given):
        broken = violations(phi) or ([] if phi.any() else ["it has no mass"])
        if broken:
            said = f"the prior of body {link} is no rigid body: {broken[0]}"
            raise UsageError("bad-prior", said, hint="use a Gaussian prior, or mend the robot file")
    P0 = cones.pseudo_inertias(given / size[: 10 * links].reshape(links, 10))
    slope = np.einsum("lij,kij->lk", np.linalg.inv(P0), cones.pseudo_inertia_map())
    return np.asarray(slope.ravel())


def _settings() -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _TOLERANCE
    settings.max_iter = _ITERATIONS
    settings.max_threads = 1
    return settings


def _log_det(P: Array) -> float:
    signs, values = np.linalg.slogdet(P)
    return float(values.sum()) if (signs > 0).all() else -np.inf


def _checked(
    system: System,
    layout: Layout,
    solution: Any,
    phi: Array,
    P: Array,
    least: float,
    gap: float,
    active: list[str],
    margin: float,
) -> Consistent:
    """Parameters with what can be said of them; nothing is taken on trust from the solver.

    Args:
        system: the data.
        layout: the robot.
        solution: of the solver.
        phi: all parameters, shape (p,).
        P: pseudo-inertias in units of the links' sizes, shape (bodies, 4, 4).
        least: slack of the linear constraints.
        gap: between the value at phi and the solver's lower bound, as a share of the loss.
        active: linear constraints that hold.
        margin: of the pseudo-inertias.
    """
    finite = bool(np.isfinite(phi).all())
    eigenvalues = np.full(len(P), np.nan)
    if finite:
        eigenvalues = np.asarray(np.linalg.eigvalsh(P)[:, 0], dtype=np.float64)
    edge = [
        f"link {link} is at the edge of what a rigid body can be"
        for link, own in zip(layout.robot.links, eigenvalues.tolist(), strict=True)
        if own <= 10 * margin
    ]
    message, remedy = str(solution.status), None
    if message not in ("Solved", "AlmostSolved"):
        remedy = _REMEDIES.get(message, "give a prior, and report the problem")
    elif not (eigenvalues > 0).all():
        message, remedy = "a link is no rigid body after all", _REMEDIES["NumericalError"]
    elif not least >= -margin:
        message, remedy = "a centre of mass is outside its box", _REMEDIES["NumericalError"]
    elif not gap <= _LARGEST_GAP:
        message, remedy = f"the loss may be too large by a share of {gap:.0e}", _WEAK_DATA
    return Consistent(
        phi=phi,
        loss=system.loss(phi) if finite else np.inf,
        converged=remedy is None,
        message=message,
        remedy=remedy,
        gap=gap,
        eigenvalues=eigenvalues,
        active=(*edge, *active),
        iterations=int(solution.iterations),
    )
