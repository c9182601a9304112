"""DiffNEA and DiffBary: where they start, and by which optimizer they are trained."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import CurvePoint, Status
from robotid.contracts.splits import Split
from robotid.errors import BadDataError
from robotid.fitting.adam import AdamFit, Training, fit_adam
from robotid.fitting.consistent import at_edge
from robotid.fitting.entries import Entries
from robotid.fitting.linear import Estimate, wls
from robotid.fitting.online import fit_online
from robotid.fitting.options import FitOptions
from robotid.fitting.parametrised import Limits, ParametrisedFit, fit_parametrised
from robotid.fitting.rigid_body_loss import RigidBodyLoss
from robotid.fitting.sample_loss import Samples
from robotid.fitting.sdp import MARGIN, consistent_fit
from robotid.fitting.solved import Problem, Solved
from robotid.fitting.starts import published_start, random_start, start_at
from robotid.information.layout import Layout
from robotid.information.sizes import nominal
from robotid.models.learning import error_units
from robotid.spatial.parametrisations.table import by_centre, parametrisation

Array = NDArray[np.float64]
_SPLITS: tuple[Split, ...] = ("train", "val", "test")
_NEGLIGIBLE = 0.01  # fall of chi-squared: a tenth of a standard deviation
_TRAINED = 0.9  # of the training data, where nothing else says when to stop
_NEARLY = 0.01  # of the squared error: as near as Adam comes to the least there is
# Among thirteen parameters of a link, those that ten of a symmetric inertia stand for.
_TEN = (0, 1, 2, 3, 4, 5, 8, 6, 9, 12)


def diffbary(problem: Problem) -> Solved:
    """The Cholesky factor of each pseudo-inertia."""
    return _parametrised(problem, "diffbary")


def diffnea(problem: Problem) -> Solved:
    """Links in the parametrisation that the options name."""
    return _parametrised(problem, problem.options.inertia)


def _parametrised(problem: Problem, name: str) -> Solved:
    estimate = wls(problem.train, problem.base)
    kind = parametrisation(name)
    if problem.options.links_by == "centre":
        kind = by_centre(kind)
    entries = Entries.of(problem.layout, kind)
    start = _start(problem, entries, estimate)
    if problem.options.online:
        return _by_passing(problem, entries, estimate, start)
    by = _by_adam if problem.options.optimizer == "adam" else _by_newton
    return by(problem, entries, estimate, start)


def _start(problem: Problem, entries: Entries, estimate: Estimate) -> Array:
    if problem.options.init == "random":
        return random_start(entries, problem.options.seed)
    if problem.options.init == "published":
        return published_start(entries, problem.options.seed)
    if problem.options.init == "prior":
        return start_at(entries, nominal(problem.layout))
    return start_at(entries, consistent_fit(estimate.system, problem.layout).phi)


def _by_newton(problem: Problem, entries: Entries, estimate: Estimate, start: Array) -> Solved:
    loss = RigidBodyLoss(estimate.system, entries)
    limits = Limits(
        iterations=problem.options.iterations, negligible=_NEGLIGIBLE / problem.train.independent
    )
    found = fit_parametrised(loss, start, limits)
    samples = estimate.system.count
    curve = (CurvePoint(step=m.iteration, train=m.loss / samples) for m in found.history)
    return _solved(problem, entries, estimate, found, curve)


def _by_adam(problem: Problem, entries: Entries, estimate: Estimate, start: Array) -> Solved:
    layout = problem.layout
    train = _samples(layout, problem.read("train"))
    validation = _samples(layout, problem.read("val"))
    none = len(validation.q) == 0
    if none:
        train, validation = _end_held_out(train, problem.gap)
    found = fit_adam(
        layout,
        entries,
        start,
        train,
        validation,
        weights=_weights(problem, estimate, train),
        training=_training(problem.options),
        optimal=_optimal(layout, entries, estimate, start),
        by_training=none,
    )
    curve = (
        CurvePoint(step=e.epoch, train=e.train, validation=e.validation) for e in found.history
    )
    return _solved(problem, entries, estimate, found, curve)


def _by_passing(problem: Problem, entries: Entries, estimate: Estimate, start: Array) -> Solved:
    """Online: all training data once, judged on all data there are."""
    by_split = [_samples(problem.layout, problem.read(split)) for split in _SPLITS]
    whole = Samples(*(np.concatenate(signals) for signals in zip(*by_split, strict=True)))
    found = fit_online(
        problem.layout,
        entries,
        start,
        by_split[0],
        whole,
        weights=_weights(problem, estimate, by_split[0]),
        training=_training(problem.options),
    )
    return _solved(problem, entries, estimate, found, ())


def _weights(problem: Problem, estimate: Estimate, train: Samples) -> Array:
    """Of the errors of each row, shape (nv,)."""
    units = problem.options.usual.loss_units
    if units == "noise":
        return 1.0 / estimate.noise
    return 1.0 / error_units(train.tau, units)


def _training(options: FitOptions) -> Training:
    usual = options.usual
    return Training(
        batch=usual.batch,
        learning_rate=usual.learning_rate,
        epochs=usual.epochs,
        patience=usual.patience,
        seed=options.seed,
        order=options.order,
        target=options.target,
    )


def _optimal(layout: Layout, entries: Entries, estimate: Estimate, start: Array) -> bool:
    """Whether no parameters fit the training data better than a start, but for a negligible part.

    The least there is is that of the SDP for bodies that can exist, else that of least squares.
    """
    system = estimate.system
    if entries.parametrisation.guarantees.full:
        least = consistent_fit(system, layout).loss
    else:
        least = system.loss(estimate.around(nominal(layout)))
    phi = entries.phi(start)
    own = entries.positive.size
    links = phi[: phi.size - own].reshape(entries.bodies, -1)
    if not entries.parametrisation.guarantees.symmetric:  # every start has symmetric inertias
        links = links[:, _TEN]
    ten = np.concatenate([links.ravel(), phi[phi.size - own :]])
    return system.loss(ten) <= (1 + _NEARLY) * least


def _end_held_out(train: Samples, gap: int) -> tuple[Samples, Samples]:
    """The end of the training data, behind a gap, says when to stop."""
    cut = int(_TRAINED * len(train.q))
    if cut <= gap:
        said = f"{len(train.q)} samples are too few to hold some out behind a gap of {gap}"
        hint = "record more, or name recordings for validation when ingesting: --val"
        raise BadDataError("too-short-to-validate", said, hint=hint)
    return Samples(*(x[: cut - gap] for x in train)), Samples(*(x[cut:] for x in train))


def _solved(
    problem: Problem,
    entries: Entries,
    estimate: Estimate,
    found: ParametrisedFit | AdamFit,
    curve: Iterable[CurvePoint],
) -> Solved:
    """What an optimizer found, as every model gives it."""
    phi = np.concatenate([found.phi.ravel(), found.joint_terms])
    consistent = entries.parametrisation.guarantees.full
    said, _, remedy = found.message.partition("; ")
    return Solved(
        phi=phi,
        estimate=estimate,
        evidence=problem.train,
        status=Status(
            converged=found.converged,
            message=said,
            remedy=remedy or None,
            iterations=found.iterations,
            reached=found.reached if isinstance(found, AdamFit) else None,
        ),
        promises=consistent,
        active=at_edge(problem.layout, phi, MARGIN) if consistent else (),
        curve=tuple(curve),
        online=found.online if isinstance(found, AdamFit) else (),
    )


def _samples(layout: Layout, batches: Iterable[Array]) -> Samples:
    nq, nv = layout.robot.nq, layout.robot.nv
    pieces: Sequence[Array] = [np.ascontiguousarray(batch.T) for batch in batches]
    signals = np.concatenate([*pieces, np.empty((0, nq + 3 * nv))])
    return Samples(*np.split(signals, [nq, nq + nv, nq + 2 * nv], axis=1))
