"""Robust least squares sample by sample: another pass over the samples for each set of weights.

Factors cannot tell samples apart, so each round reads the recording again and makes factors of
weighted rows: by QR of dense rows, several times slower than the compiled pass.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import BaseParameters
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import Estimate, solve
from robotid.fitting.sandwich import with_sandwich
from robotid.information.basis import Basis, bases_of
from robotid.information.factor import Factor
from robotid.information.held import HeldSigns
from robotid.information.layout import Layout
from robotid.information.regressor import Motion, row_columns
from robotid.information.samples import samples_of
from robotid.information.triangular import triangle

Array = NDArray[np.float64]
Read = Callable[[], Iterable[Array]]

TOLERATED = 1.345  # Huber's: 95 % as good as least squares where errors are normal
_ROUNDS = 20
_SETTLED = 1e-3  # largest change of beta, in standard deviations
_NORMAL = 1.4826  # standard deviation over median of absolute values


class RobustSamples(NamedTuple):
    """An estimate from weighted samples.

    Args:
        estimate: of the last round.
        evidence: factors of the samples with its weights.
        down_weighted: share of samples with less than full weight, shape (rows,).
        converged: whether parameters settled.
        rounds: passes over the samples.
    """

    estimate: Estimate
    evidence: Evidence
    down_weighted: Array
    converged: bool
    rounds: int


def irls_samples(
    layout: Layout,
    base: BaseParameters,
    read: Read,
    start: Estimate,
    *,
    independent: float = 1.0,
    tolerated: float = TOLERATED,
) -> RobustSamples:
    """Solve with Huber's weights: errors count in proportion beyond the tolerated.

    The usual size of a row's errors is the median over batches of their median absolute value.

    Args:
        layout: the robot and the terms of its joints.
        base: its base parameters.
        read: begins a pass: batches of q, qd, qdd and tau, each of shape (nq + 3 nv, samples).
        start: an estimate to begin with.
        independent: share of samples that count as independent.
        tolerated: in standard deviations.
    """
    bases = bases_of(layout)
    found = start
    phi = found.around(np.zeros(layout.parameters))
    noise = _noise(layout, read(), phi)
    settled, rounds = False, 0
    while not settled and rounds < _ROUNDS:
        rounds += 1
        blocks, medians, lowered, count = [], [], np.zeros(len(layout.rows)), 0
        for motion, tau, held in _batches(layout, read()):
            W = row_columns(layout, motion, held)
            errors = _errors(layout, W, tau, phi)
            medians.append(np.median(np.abs(errors), axis=0))
            ratio = np.abs(errors) / (tolerated * noise)
            weights = np.sqrt(1.0 / np.maximum(1.0, ratio))
            lowered += (ratio > 1).sum(axis=0)
            count += len(tau)
            blocks.append(tuple(_factors(layout, bases, W, tau, weights)))
        evidence = Evidence(tuple(blocks), layout.parameters, independent)
        before, found = found, solve(evidence, base, np.ones_like(evidence.counts) / noise)
        phi = found.around(np.zeros(layout.parameters))
        noise = _usual(np.array(medians), noise)
        same = before.base.independent == found.base.independent
        settled = same and bool((np.abs(found.beta - before.beta) <= _SETTLED * found.std).all())
    samples = _columns_and_errors(layout, read(), phi)
    sure = with_sandwich(found, evidence, samples, layout.columns, tolerated * noise)
    return RobustSamples(sure, evidence, lowered / count, converged=settled, rounds=rounds)


def _columns_and_errors(
    layout: Layout, batches: Iterable[Array], phi: Array
) -> Iterable[tuple[Sequence[Array], Array]]:
    for motion, tau, held in _batches(layout, batches):
        W = row_columns(layout, motion, held)
        yield W, _errors(layout, W, tau, phi)


def _batches(
    layout: Layout, batches: Iterable[Array]
) -> Iterable[tuple[Motion, Array, Mapping[str, float]]]:
    """Motion, torque and the held signs before them."""
    memory, rows = HeldSigns(layout), len(layout.rows)
    for signals in batches:
        q, qd, qdd, tau = samples_of(layout.robot, signals)
        yield Motion(q, qd, qdd), np.ascontiguousarray(tau[:, :rows]), memory.signs
        memory.advance(signals)


def _errors(layout: Layout, W: Sequence[Array], tau: Array, phi: Array) -> Array:
    """Measured less predicted torque, shape (samples, rows)."""
    predicted = [w @ phi[columns] for w, columns in zip(W, layout.columns, strict=True)]
    return np.asarray(tau - np.column_stack(predicted))


def _noise(layout: Layout, batches: Iterable[Array], phi: Array) -> Array:
    found = _columns_and_errors(layout, batches, phi)
    medians = [np.median(np.abs(errors), axis=0) for _, errors in found]
    return _usual(np.array(medians), np.full(len(layout.rows), np.finfo(float).tiny))


def _usual(medians: Array, least: Array) -> Array:
    return np.asarray(np.maximum(_NORMAL * np.median(medians, axis=0), 1e-12 * least))


def _factors(
    layout: Layout, bases: Sequence[Basis], W: Sequence[Array], tau: Array, weights: Array
) -> list[Factor]:
    """Factors of weighted samples, one per row."""
    result = []
    for row, (basis, columns) in enumerate(zip(bases, layout.columns, strict=True)):
        own = np.column_stack([W[row][:, basis.independent], tau[:, row]])
        torque = tau[:, row]
        result.append(
            Factor(
                row=layout.rows[row],
                columns=columns,
                expansion=basis.expansion,
                R=triangle(own * weights[:, row, None]),
                count=len(tau),
                total=float(torque.sum()),
                lowest=float(torque.min()),
                highest=float(torque.max()),
            )
        )
    return result
