"""Errors block by block, and what changes over a recording or a session, such as by warming up.

A fit over all of a warm-up is too high at one end and too low at the other. Along the column of a
term (viscous friction, offset) the residuals of a block then show by how much that term alone would
have to change there; a factor holds all that is needed for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.contracts.fit import BlockErrors
from robotid.errors import Notice
from robotid.evaluation.monotone import trends
from robotid.information.blocks import DataBlock
from robotid.information.layout import LINK_PARAMETERS
from robotid.information.on_file import Stack, stacks

Array = NDArray[np.float64]

LEAST = 6  # blocks or recordings; fewer come in order by chance too easily
_CHANCE = 0.01  # of one false alarm in all tests of a fit
_LEAST_CHANGE = 0.25  # of the error: what is smaller does no harm
_ERROR = "error"  # the trend of the errors themselves, not along a term


class _Rests(NamedTuple):
    """Residuals of one row in the B blocks of a recording.

    Args:
        samples: of all blocks.
        error: root mean square over all of them [N m].
        names: `_ERROR`, then the row's own parameters.
        values: root mean squares of blocks [N m], then the steps of each parameter that would fit
            their residuals best by itself, shape (B, names).
        sizes: torque per unit of each: 1, then the usual root mean square of a parameter's column,
            shape (names,).
    """

    samples: float
    error: float
    names: list[str]
    values: Array
    sizes: Array


class _Recording(NamedTuple):
    """Blocks of a recording, and their residuals by row."""

    name: str
    blocks: list[DataBlock]
    rows: dict[str, _Rests]


class Residuals:
    """Residuals of blocks, row by row, from one pass over their factors."""

    def __init__(self, blocks: Sequence[DataBlock], phi: ArrayLike, names: Sequence[str]) -> None:
        """Look at every block once.

        Args:
            blocks: of any splits, recordings in the order in which they were made, those of a
                recording one after another.
            phi: all parameters, shape (p,).
            names: of the parameters; those of a joint are `<joint>.<term>`.
        """
        values = np.asarray(phi, dtype=np.float64)
        about: dict[str, _Along] = {}
        self.recordings: list[_Recording] = []
        for name, stretch in groupby(blocks, key=lambda block: block.recording):
            together = list(stretch)
            rows = {}
            for stack in stacks([block.factors for block in together]):
                if stack.row not in about:  # recordings of one robot have the same columns
                    about[stack.row] = _along(stack, values, names)
                rows[stack.row] = _rests(stack, about[stack.row])
            self.recordings.append(_Recording(name, together, rows))


class _Along(NamedTuple):
    """Names of a row's own parameters, and E phi with the columns of E of each, (r, 1 + names)."""

    names: list[str]
    columns: Array


def _along(stack: Stack, phi: Array, names: Sequence[str]) -> _Along:
    own = _own(stack, names)
    torque = stack.expansion @ phi[stack.columns]
    return _Along(list(own), np.column_stack([torque, stack.expansion[:, list(own.values())]]))


def _rests(stack: Stack, along: _Along) -> _Rests:
    """Of one row, for all blocks of a recording.

    What rho stands for is orthogonal to all columns, so R_b and z are enough.
    """
    R, z, samples = stack.R[:, :-1, :-1], stack.R[:, :-1, -1], stack.counts
    seen = R @ along.columns
    error, columns = z - seen[..., 0], seen[..., 1:]
    losses = np.einsum("br,br->b", error, error) + stack.R[:, -1, -1] ** 2
    power = np.einsum("brk,brk->bk", columns, columns)
    shared = np.einsum("brk,br->bk", columns, error)
    steps = np.divide(shared, power, out=np.zeros_like(power), where=power > 0)
    return _Rests(
        samples=float(samples.sum()),
        error=float(np.sqrt(losses.sum() / samples.sum())),
        names=[_ERROR, *along.names],
        values=np.column_stack([np.sqrt(losses / samples), steps]),
        sizes=np.append(1.0, np.median(np.sqrt(power / samples[:, None]), axis=0)),
    )


def block_errors(residuals: Residuals) -> list[BlockErrors]:
    """Root mean square and mean of the residuals of each block.

    The mean is known where a row has an `<row>.offset`, as its column is 1 for every sample.
    """
    return [one for recording in residuals.recordings for one in _block_errors(recording)]


def _block_errors(recording: _Recording) -> Iterator[BlockErrors]:
    rmse = {row: rests.values[:, 0].tolist() for row, rests in recording.rows.items()}
    mean: dict[str, list[float]] = {}
    for row, rests in recording.rows.items():
        if (offset := f"{row}.offset") in rests.names:
            mean[row] = rests.values[:, rests.names.index(offset)].tolist()
    for place, block in enumerate(recording.blocks):
        yield BlockErrors(
            recording=recording.name,
            split=block.split,
            start_s=block.start_s,
            end_s=block.end_s,
            rmse={row: values[place] for row, values in rmse.items()},
            mean={row: mean[row][place] if row in mean else None for row in rmse},
        )


class _Series(NamedTuple):
    """What may drift of one row, in the order of time.

    Args:
        recording: None for a session.
        row: of torque.
        start_s: when it begins; None for a session.
        times: ascending, shape (n,).
        names: `_ERROR`, then parameters.
        values: of each over time, shape (n, names).
        sizes: torque per unit of each, shape (names,).
        error: root mean square of the residuals [N m].
    """

    recording: str | None
    row: str
    start_s: float | None
    times: Array
    names: list[str]
    values: Array
    sizes: Array
    error: float


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
    series = [
        *(one for recording in residuals.recordings for one in _within(recording)),
        *_session(residuals.recordings),
    ]
    tests = sum(len(one.names) for one in series)
    found = []
    for one in series:
        change, chance = trends(one.times, one.values)
        torque = np.abs(change) * one.sizes
        sure = (chance * tests <= _CHANCE) & (torque >= _LEAST_CHANGE * one.error)
        if one.error > 0 and sure.any():
            worst = int(np.argmax(np.where(sure, torque, 0.0)))
            found.append(_notice(one, worst, float(change[worst]), units[one.row]))
    return found


def _within(recording: _Recording) -> Iterator[_Series]:
    """What may drift within one recording."""
    blocks = recording.blocks
    if len(blocks) < LEAST:
        return
    middles = np.array([(block.start_s + block.end_s) / 2 for block in blocks])
    order = np.argsort(middles)
    here, start = recording.name, min(block.start_s for block in blocks)
    for row, (_, error, names, values, sizes) in recording.rows.items():
        yield _Series(here, row, start, middles[order], names, values[order], sizes, error)


def _session(recordings: Sequence[_Recording]) -> Iterator[_Series]:
    """What may drift from recording to recording; blocks of one are no independent witnesses."""
    if len(recordings) < LEAST:
        return
    times = np.arange(len(recordings), dtype=np.float64)
    for row, first in recordings[0].rows.items():
        parts = [recording.rows[row] for recording in recordings]
        values = np.stack([rests.values.mean(0) for rests in parts])
        values[:, 0] = [rests.error for rests in parts]
        error = np.sqrt(np.average(values[:, 0] ** 2, weights=[rests.samples for rests in parts]))
        sizes = np.median([rests.sizes for rests in parts], axis=0)
        yield _Series(None, row, None, times, first.names, values, sizes, float(error))


def _own(stack: Stack, names: Sequence[str]) -> dict[str, int]:
    """Which of the row's columns are of its own joint; a link may be called as a joint is."""
    found = {}
    for place, column in enumerate(stack.columns.tolist()):
        owner, _, term = names[column].rpartition(".")
        if owner == stack.row and term not in LINK_PARAMETERS:
            found[names[column]] = place
    return found


def _notice(series: _Series, place: int, change: float, unit: str) -> Notice:
    what = series.names[place]
    where = "the session" if series.recording is None else f"recording {series.recording}"
    torque = abs(change) * float(series.sizes[place])
    share = f"{torque:.3g} {unit}, {100 * torque / series.error:.0f} % of the error"
    if what == _ERROR:
        said = f"the error {'grows' if change > 0 else 'falls'} over {where} by {share}"
    else:
        said = f"{what} {'grows' if change > 0 else 'falls'} over {where} by {share}"
        said += f" (a step of {change:+.3g})"
    return Notice(
        code="residual-drift",
        message=said,
        file=series.recording,
        joint=series.row,
        time=series.start_s,
        hint="warm the robot up before recording, or fit recordings of one temperature",
    )
