"""Errors block by block, and what changes over a recording or a session, such as by warming up.

A fit over all of a warm-up is too high at one end and too low at the other. Along the column of a
term (viscous friction, offset) the residuals of a block then show by how much that term alone would
have to change there; a factor holds all that is needed for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.contracts.fit import BlockErrors
from robotid.errors import Notice
from robotid.evaluation.monotone import trend
from robotid.information.blocks import DataBlock
from robotid.information.factor import Factor
from robotid.information.layout import LINK_PARAMETERS

Array = NDArray[np.float64]

LEAST = 6  # blocks or recordings; fewer come in order by chance too easily
_CHANCE = 0.01  # of one false alarm in all tests of a fit
_LEAST_CHANGE = 0.25  # of the error: what is smaller does no harm
_ERROR = "error"  # the trend of the errors themselves, not along a term


def block_errors(
    blocks: Sequence[DataBlock], phi: ArrayLike, names: Sequence[str]
) -> list[BlockErrors]:
    """Root mean square and mean of the residuals of each block.

    Args:
        blocks: of any splits.
        phi: all parameters, shape (p,).
        names: of the parameters; the mean is known where a row has an `<row>.offset`, as its
            column is 1 for every sample.
    """
    phi = np.asarray(phi, dtype=np.float64)
    place = {name: column for column, name in enumerate(names)}
    return [
        BlockErrors(
            recording=block.recording,
            split=block.split,
            start_s=block.start_s,
            end_s=block.end_s,
            rmse={factor.row: factor.rmse(phi) for factor in block.factors},
            mean={
                factor.row: _mean(factor, phi, place.get(f"{factor.row}.offset"))
                for factor in block.factors
            },
        )
        for block in blocks
    ]


def _mean(factor: Factor, phi: Array, offset: int | None) -> float | None:
    if offset is None:
        return None
    return _along(factor, phi, offset).step


class _Along(NamedTuple):
    """Residuals of a block along a column.

    Args:
        step: of its parameter that would fit them best.
        size: root mean square of the column.
    """

    step: float
    size: float


def _along(factor: Factor, phi: Array, column: int) -> _Along:
    """What rho stands for is orthogonal to all columns, so R_b and z are enough."""
    place = int(np.flatnonzero(factor.columns == column)[0])
    own = factor.R[:-1, :-1] @ factor.expansion[:, place]
    power = float(own @ own)
    error = factor.z - factor.R[:-1, :-1] @ (factor.expansion @ phi[factor.columns])
    step = float(own @ error) / power if power > 0 else 0.0
    return _Along(step, float(np.sqrt(power / factor.count)))


class _Series(NamedTuple):
    """Something that may drift, in the order of time.

    Args:
        recording: None for a session.
        row: of torque.
        what: `_ERROR`, or the name of a parameter.
        start_s: when it begins; None for a session.
        times: ascending, shape (n,).
        values: shape (n,); of a parameter, its steps.
        size: of the column, so that size times a step is a torque [N m]; 1 for errors.
        error: root mean square of the residuals [N m].
    """

    recording: str | None
    row: str
    what: str
    start_s: float | None
    times: Array
    values: Array
    size: float
    error: float


def drifts(
    blocks: Sequence[DataBlock], phi: ArrayLike, names: Sequence[str], units: Mapping[str, str]
) -> list[Notice]:
    """What changes steadily over a recording, or from recording to recording.

    For each joint the errors, and the residuals along each of its own terms, are tested. At least
    six blocks (or recordings) are needed; a motion that grows faster along a recording looks like
    growing errors as well.

    Args:
        blocks: of any splits, recordings in the order in which they were made.
        phi: all parameters, shape (p,).
        names: of the parameters; those of a joint are `<joint>.<term>`.
        units: of torque, by row.

    Returns:
        At most one finding for each joint and recording (or the session): the largest change.
    """
    phi = np.asarray(phi, dtype=np.float64)
    recordings: dict[str, list[DataBlock]] = {}
    for block in blocks:
        recordings.setdefault(block.recording, []).append(block)
    series = [
        *(one for name, own in recordings.items() for one in _within(name, own, phi, names)),
        *_session(recordings, phi, names),
    ]
    worst: dict[tuple[str | None, str], tuple[float, Notice]] = {}
    for one in series:
        found = trend(one.times, one.values)
        share = abs(found.change) * one.size / one.error if one.error > 0 else 0.0
        if found.chance * len(series) > _CHANCE or share < _LEAST_CHANGE:
            continue
        key = (one.recording, one.row)
        if key not in worst or share > worst[key][0]:
            worst[key] = (share, _notice(one, found.change, units[one.row]))
    return [notice for _, notice in worst.values()]


def _within(
    recording: str, blocks: Sequence[DataBlock], phi: Array, names: Sequence[str]
) -> Iterator[_Series]:
    """What may drift within one recording."""
    if len(blocks) < LEAST:
        return
    ordered = sorted(blocks, key=lambda block: block.start_s)
    times = np.array([(block.start_s + block.end_s) / 2 for block in ordered])
    start = ordered[0].start_s
    for row, factors in _rows(ordered).items():
        errors, weights = _errors(factors, phi)
        error = float(np.sqrt(np.average(errors**2, weights=weights)))
        yield _Series(recording, row, _ERROR, start, times, errors, 1.0, error)
        for name, column in _own(factors[0], names).items():
            steps, size = _steps(factors, phi, column)
            yield _Series(recording, row, name, start, times, steps, size, error)


def _session(
    recordings: Mapping[str, Sequence[DataBlock]], phi: Array, names: Sequence[str]
) -> Iterator[_Series]:
    """What may drift from recording to recording; blocks of one are no independent witnesses."""
    if len(recordings) < LEAST:
        return
    times = np.arange(len(recordings), dtype=np.float64)
    parts = [_rows(blocks) for blocks in recordings.values()]
    for row in parts[0]:
        of_parts = [part[row] for part in parts]
        found = [_errors(factors, phi) for factors in of_parts]
        errors = np.array([np.sqrt(np.average(e**2, weights=w)) for e, w in found])
        weights = np.array([w.sum() for _, w in found])
        error = float(np.sqrt(np.average(errors**2, weights=weights)))
        yield _Series(None, row, _ERROR, None, times, errors, 1.0, error)
        for name, column in _own(of_parts[0][0], names).items():
            steps = [_steps(factors, phi, column) for factors in of_parts]
            values = np.array([float(np.mean(step)) for step, _ in steps])
            size = float(np.median([size for _, size in steps]))
            yield _Series(None, row, name, None, times, values, size, error)


def _rows(blocks: Sequence[DataBlock]) -> dict[str, list[Factor]]:
    rows: dict[str, list[Factor]] = {}
    for block in blocks:
        for factor in block.factors:
            rows.setdefault(factor.row, []).append(factor)
    return rows


def _own(factor: Factor, names: Sequence[str]) -> dict[str, int]:
    """The row's columns that are of its own joint; a link may be called as a joint is."""
    found = {}
    for column in factor.columns.tolist():
        owner, _, term = names[column].rpartition(".")
        if owner == factor.row and term not in LINK_PARAMETERS:
            found[names[column]] = column
    return found


def _errors(factors: Sequence[Factor], phi: Array) -> tuple[Array, Array]:
    counts = np.array([float(factor.count) for factor in factors])
    return np.array([factor.rmse(phi) for factor in factors]), counts


def _steps(factors: Sequence[Factor], phi: Array, column: int) -> tuple[Array, float]:
    found = [_along(factor, phi, column) for factor in factors]
    return np.array([along.step for along in found]), float(np.median([a.size for a in found]))


def _notice(series: _Series, change: float, unit: str) -> Notice:
    where = "the session" if series.recording is None else f"recording {series.recording}"
    torque = abs(change) * series.size
    share = f"{torque:.3g} {unit}, {100 * torque / series.error:.0f} % of the error"
    if series.what == _ERROR:
        said = f"the error {'grows' if change > 0 else 'falls'} over {where} by {share}"
    else:
        said = f"{series.what} {'grows' if change > 0 else 'falls'} over {where} by {share}"
        said += f" (a step of {change:+.3g})"
    return Notice(
        code="residual-drift",
        message=said,
        file=series.recording,
        joint=series.row,
        time=series.start_s,
        hint="warm the robot up before recording, or fit recordings of one temperature",
    )
