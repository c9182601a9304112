"""Errors block by block, and what changes over a recording or a session, such as by warming up.

A fit over all of a warm-up is too high at one end and too low at the other. Along the column of a
term (viscous friction, offset) the residuals of a block then show by how much that term alone would
have to change there; a factor holds all that is needed for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
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


class _Rest(NamedTuple):
    """Residuals of one row of a block.

    Args:
        samples: how many.
        rmse: root mean square [N m].
        steps: of each of the row's own parameters, which would fit the residuals best by itself.
        sizes: root mean squares of their columns.
    """

    samples: int
    rmse: float
    steps: dict[str, float]
    sizes: dict[str, float]


class Residuals:
    """Residuals of blocks, row by row, from one pass over their factors."""

    def __init__(self, blocks: Sequence[DataBlock], phi: ArrayLike, names: Sequence[str]) -> None:
        """Look at every block once.

        Args:
            blocks: of any splits, recordings in the order in which they were made.
            phi: all parameters, shape (p,).
            names: of the parameters; those of a joint are `<joint>.<term>`.
        """
        values = np.asarray(phi, dtype=np.float64)
        own: dict[str, dict[str, int]] = {}
        self.blocks: list[tuple[DataBlock, dict[str, _Rest]]] = []
        for block in blocks:
            found = {}
            for factor in block.factors:
                if factor.row not in own:
                    own[factor.row] = _own(factor, names)
                found[factor.row] = _rest(factor, values, own[factor.row])
            self.blocks.append((block, found))


def _rest(factor: Factor, phi: Array, own: Mapping[str, int]) -> _Rest:
    """What rho stands for is orthogonal to all columns, so R_b and z are enough."""
    R = factor.R[:-1, :-1]
    error = factor.z - R @ (factor.expansion @ phi[factor.columns])
    loss = float(error @ error) + factor.rho**2
    columns = R @ factor.expansion[:, list(own.values())]
    power = np.sum(columns**2, axis=0)
    steps = np.divide(columns.T @ error, power, out=np.zeros(power.size), where=power > 0)
    sizes = np.sqrt(power / factor.count)
    return _Rest(
        factor.count,
        float(np.sqrt(loss / factor.count)),
        dict(zip(own, steps.tolist(), strict=True)),
        dict(zip(own, sizes.tolist(), strict=True)),
    )


def block_errors(residuals: Residuals) -> list[BlockErrors]:
    """Root mean square and mean of the residuals of each block.

    The mean is known where a row has an `<row>.offset`, as its column is 1 for every sample.
    """
    return [
        BlockErrors(
            recording=block.recording,
            split=block.split,
            start_s=block.start_s,
            end_s=block.end_s,
            rmse={row: rest.rmse for row, rest in found.items()},
            mean={row: rest.steps.get(f"{row}.offset") for row, rest in found.items()},
        )
        for block, found in residuals.blocks
    ]


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


_OfBlock = tuple[DataBlock, dict[str, _Rest]]


def drifts(residuals: Residuals, units: Mapping[str, str]) -> list[Notice]:
    """What changes steadily over a recording, or from recording to recording.

    For each joint the errors, and the residuals along each of its own terms, are tested. At least
    six blocks (or recordings) are needed; a motion that grows faster along a recording looks like
    growing errors as well.

    Args:
        residuals: of blocks of any splits.
        units: of torque, by row.

    Returns:
        At most one finding for each joint and recording (or the session): the largest change.
    """
    recordings: dict[str, list[_OfBlock]] = {}
    for block, found in residuals.blocks:
        recordings.setdefault(block.recording, []).append((block, found))
    series = [
        *(one for name, own in recordings.items() for one in _within(name, own)),
        *_session([[found for _, found in own] for own in recordings.values()]),
    ]
    worst: dict[tuple[str | None, str], tuple[float, Notice]] = {}
    for one in series:
        seen = trend(one.times, one.values)
        share = abs(seen.change) * one.size / one.error if one.error > 0 else 0.0
        if seen.chance * len(series) > _CHANCE or share < _LEAST_CHANGE:
            continue
        key = (one.recording, one.row)
        if key not in worst or share > worst[key][0]:
            worst[key] = (share, _notice(one, seen.change, units[one.row]))
    return [notice for _, notice in worst.values()]


def _within(recording: str, blocks: Sequence[_OfBlock]) -> Iterator[_Series]:
    """What may drift within one recording."""
    if len(blocks) < LEAST:
        return
    ordered = sorted(blocks, key=lambda one: one[0].start_s)
    times = np.array([(block.start_s + block.end_s) / 2 for block, _ in ordered])
    start = ordered[0][0].start_s
    for row in ordered[0][1]:
        rests = [found[row] for _, found in ordered]
        errors, error = _errors(rests)
        yield _Series(recording, row, _ERROR, start, times, errors, 1.0, error)
        for name in rests[0].steps:
            steps, size = _steps(rests, name)
            yield _Series(recording, row, name, start, times, steps, size, error)


def _session(recordings: Sequence[Sequence[dict[str, _Rest]]]) -> Iterator[_Series]:
    """What may drift from recording to recording; blocks of one are no independent witnesses."""
    if len(recordings) < LEAST:
        return
    times = np.arange(len(recordings), dtype=np.float64)
    for row in recordings[0][0]:
        parts = [[found[row] for found in blocks] for blocks in recordings]
        errors = np.array([_errors(rests)[1] for rests in parts])
        weights = np.array([float(sum(rest.samples for rest in rests)) for rests in parts])
        error = float(np.sqrt(np.average(errors**2, weights=weights)))
        yield _Series(None, row, _ERROR, None, times, errors, 1.0, error)
        for name in parts[0][0].steps:
            steps = [_steps(rests, name) for rests in parts]
            values = np.array([float(np.mean(step)) for step, _ in steps])
            size = float(np.median([size for _, size in steps]))
            yield _Series(None, row, name, None, times, values, size, error)


def _own(factor: Factor, names: Sequence[str]) -> dict[str, int]:
    """Which of the row's columns are of its own joint; a link may be called as a joint is."""
    found = {}
    for place, column in enumerate(factor.columns.tolist()):
        owner, _, term = names[column].rpartition(".")
        if owner == factor.row and term not in LINK_PARAMETERS:
            found[names[column]] = place
    return found


def _errors(rests: Sequence[_Rest]) -> tuple[Array, float]:
    """Root mean squares of blocks, and that of all of them together."""
    errors = np.array([rest.rmse for rest in rests])
    counts = np.array([float(rest.samples) for rest in rests])
    return errors, float(np.sqrt(np.average(errors**2, weights=counts)))


def _steps(rests: Sequence[_Rest], name: str) -> tuple[Array, float]:
    """Steps of a parameter block by block, and the usual size of its column."""
    steps = np.array([rest.steps[name] for rest in rests])
    return steps, median(rest.sizes[name] for rest in rests)


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
