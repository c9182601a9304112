"""`Consistent`: parameters of rigid bodies, believed only as far as they were checked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robotid.fitting.cones import pseudo_inertias
from robotid.fitting.scaling import ScaledProblem
from robotid.information.layout import Layout
from robotid.information.sizes import sizes
from robotid.information.system import System

Array = NDArray[np.float64]

LARGEST_GAP = 1e-7  # of the loss; beyond, the answer is not called a solution
_EDGE = "link {} is at the edge of what a rigid body can be"
_AT_EDGE = 10.0  # times the margin: closer to a constraint is on it

_CONTRADICTION = "bounds contradict each other: widen those of the centres of mass"
_UNBOUNDED = "the loss has no minimum: give a plausible robot file, or a prior"
_WEAK_DATA = "record a motion that excites more, or give a prior"
_INEXACT = "give a prior; masses of the robot file may be of the wrong size"
# Near the optimum the solver may see no more progress: the gap says how near.
_ENDED = ("Solved", "AlmostSolved", "InsufficientProgress")
# status of the solver -> what to do about it
_REMEDIES = {
    "PrimalInfeasible": _CONTRADICTION,
    "AlmostPrimalInfeasible": _CONTRADICTION,
    "DualInfeasible": _UNBOUNDED,
    "AlmostDualInfeasible": _UNBOUNDED,
    "MaxIterations": _WEAK_DATA,
    "MaxTime": _WEAK_DATA,
    "NumericalError": _INEXACT,
}


@dataclass(frozen=True, eq=False)
class Consistent:
    """Parameters of rigid bodies, and how the solver ended.

    Args:
        phi: all parameters, shape (p,).
        loss: sum of squared (weighted) errors at phi, without any prior.
        converged: whether phi is consistent and of least loss, both checked after the solve.
        message: how the solver ended.
        remedy: what to do when it did not converge.
        gap: between the value at phi and the solver's bound from below, as a share of the loss.
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


def at_edge(layout: Layout, phi: Array, margin: float) -> tuple[str, ...]:
    """Links and terms of any consistent parameters that are on the edge of what can be, in words.

    Args:
        layout: robot and terms.
        phi: all parameters, shape (p,).
        margin: least eigenvalue of pseudo-inertias, in units of the link's size.
    """
    links = layout.robot.bodies
    x = phi / sizes(layout)
    P = pseudo_inertias(x[: 10 * links].reshape(links, 10))
    least = np.linalg.eigvalsh(P)[:, 0].tolist()
    terms = np.flatnonzero(layout.positive & (x <= _AT_EDGE * margin)).tolist()
    return (
        *(
            _EDGE.format(n)
            for n, e in zip(layout.robot.links, least, strict=True)
            if e <= _AT_EDGE * margin
        ),
        *(f"{layout.names[column]} is zero" for column in terms),
    )


@dataclass(frozen=True)
class Outcome:
    """What a solver says: how it ended, after how many iterations, and how far from the bound."""

    status: str
    iterations: int
    gap: float


def judged(
    system: System,
    layout: Layout,
    problem: ScaledProblem,
    x: Array,
    outcome: Outcome,
    slacks: Sequence[tuple[float, str]],
    margin: float,
) -> Consistent:
    """Parameters with what can be said of them; of the solver only the bound is taken on trust.

    Args:
        system: the data.
        layout: the robot.
        problem: in which parameters were found.
        x: scaled parameters, shape (p,).
        outcome: of the solver.
        slacks: of linear constraints, and what it means when there is none left.
        margin: of the pseudo-inertias.
    """
    phi, finite = x * problem.size, bool(np.isfinite(x).all())
    links = layout.robot.bodies
    eigenvalues = np.full(links, np.nan)
    if finite:
        P = pseudo_inertias(x[: 10 * links].reshape(links, 10))
        eigenvalues = np.asarray(np.linalg.eigvalsh(P)[:, 0], dtype=np.float64)
    edge = [
        _EDGE.format(link)
        for link, least in zip(layout.robot.links, eigenvalues.tolist(), strict=True)
        if least <= _AT_EDGE * margin
    ]
    active = [text for slack, text in slacks if slack <= _AT_EDGE * margin]
    message, remedy = outcome.status, None
    if message not in _ENDED:
        remedy = _REMEDIES.get(message, _INEXACT)
    elif not (eigenvalues > 0).all():
        message, remedy = "a link is no rigid body after all", _INEXACT
    elif not all(slack >= -margin for slack, _ in slacks):
        message, remedy = "a centre of mass is outside its box", _INEXACT
    elif not outcome.gap <= LARGEST_GAP:
        message = f"the loss may be too large by a share of {outcome.gap:.0e}"
        remedy = _WEAK_DATA
    return Consistent(
        phi=phi,
        loss=system.loss(phi) if finite else np.inf,
        converged=remedy is None,
        message=message,
        remedy=remedy,
        gap=outcome.gap,
        eigenvalues=eigenvalues,
        active=(*edge, *active),
        iterations=outcome.iterations,
    )
