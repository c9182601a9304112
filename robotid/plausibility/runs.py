"""Stretches over which a column keeps exactly the same value.

They tell a stuck sensor, a channel at its limit, and a slow driver in a fast log.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.plausibility.blocks import Array, Block

LONGEST_COUNTED = 256
_NOTABLE = 5  # samples; shorter runs are only counted
_KEPT = 512


class Run(NamedTuple):
    """Equal samples.

    Args:
        length: number of samples.
        first, last: time [ns].
        value: what they all are.
        moved: how far the joint went meanwhile, as another column has it; NaN when none does.
        jump: to the next sample.
    """

    length: int
    first: int
    last: int
    value: float
    moved: float
    jump: float


class _Open(NamedTuple):
    """A run that has not ended: its first row, time, value, and where the joint was."""

    row: int
    first: int
    value: float
    seen: float


class Runs:
    """The runs of one column, met block by block.

    `counts[n]` is the number of runs of n samples, longer ones counted as the last. Of runs at the
    lowest and at the highest value all are counted, and the first are kept; of others those over
    which the joint moved most.
    """

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(LONGEST_COUNTED + 1, np.int64)
        self.at_bound: dict[bool, list[Run]] = {False: [], True: []}
        self.samples_at_bound = {False: 0, True: 0}
        self._bound = {False: np.inf, True: -np.inf}
        self._notable: list[Run] = []
        self._open: _Open | None = None
        self._rows = 0
        self._last, self._there = 0, np.nan

    def add(
        self,
        block: Block,
        column: Array,
        changes: NDArray[np.bool_],
        witness: Array,
        ends: tuple[float, float],
    ) -> None:
        """Go on through a block.

        Args:
            block: its times and row numbers.
            column: the values, shape (rows,).
            changes: whether each row differs from the one before it, shape (rows,).
            witness: where the joint is at each row by another column, shape (rows,).
            ends: lowest and highest value in the block.
        """
        if changes.all():
            self._close(block, column, witness, 0)
            self._all_differ(block, column, witness, ends)
        elif (starts := np.flatnonzero(changes)).size:
            self._close(block, column, witness, int(starts[0]))
            lengths = np.diff(starts)
            self.counts += np.bincount(
                np.minimum(lengths, LONGEST_COUNTED), minlength=LONGEST_COUNTED + 1
            )
            for index in np.flatnonzero(lengths >= _NOTABLE):
                self._note(_run(block, column, witness, starts[index : index + 2]))
            for upper in (False, True):
                extreme = ends[upper]
                self._move_bound(upper, extreme)
                if extreme == self._bound[upper]:
                    for index in np.flatnonzero(column[starts[:-1]] == extreme):
                        self._reach(upper, _run(block, column, witness, starts[index : index + 2]))
            at = int(starts[-1])
            self._open = _Open(
                block.row + at, int(block.t[at]), float(column[at]), float(witness[at])
            )
        self._rows = block.row + len(column)
        self._last, self._there = int(block.t[-1]), float(witness[-1])

    def _all_differ(
        self, block: Block, column: Array, witness: Array, ends: tuple[float, float]
    ) -> None:
        """A block without repeated values, as noise makes them; its last row stays open."""
        last = len(column) - 1
        self.counts[1] += last
        for upper, extreme in enumerate(ends):
            self._move_bound(bool(upper), extreme)
            if extreme == self._bound[bool(upper)]:
                for at in np.flatnonzero(column[:-1] == extreme):
                    run = _run(block, column, witness, np.array([at, at + 1]))
                    self._reach(bool(upper), run)
        self._open = _Open(
            block.row + last, int(block.t[last]), float(column[last]), float(witness[last])
        )

    def _close(self, block: Block, column: Array, witness: Array, end: int) -> None:
        """The run that began in an earlier block ends before row `end` of this one."""
        if self._open is None:
            return
        row, first, value, seen = self._open
        last, there = self._last, self._there
        if end > 0:
            last, there = int(block.t[end - 1]), float(witness[end - 1])
        length, jump = block.row + end - row, abs(float(column[end]) - value)
        self.counts[min(length, LONGEST_COUNTED)] += 1
        self._ended(Run(length, first, last, value, abs(there - seen), jump))

    def finish(self) -> None:
        """The recording ends."""
        if self._open is not None:
            row, first, value, seen = self._open
            length = self._rows - row
            self.counts[min(length, LONGEST_COUNTED)] += 1
            self._ended(Run(length, first, self._last, value, abs(self._there - seen), 0.0))
            self._open = None

    def _ended(self, run: Run) -> None:
        """A run that was open, maybe over several blocks."""
        if run.length >= _NOTABLE:
            self._note(run)
        for upper, bound in self._bound.items():
            if run.value == bound:
                self._reach(upper, run)

    def _move_bound(self, upper: bool, value: float) -> None:
        if value != self._bound[upper] and (value > self._bound[upper]) == upper:
            self._bound[upper] = value
            self.samples_at_bound[upper] = 0
            self.at_bound[upper] = []

    def _reach(self, upper: bool, run: Run) -> None:
        self.samples_at_bound[upper] += run.length
        if len(self.at_bound[upper]) < _KEPT:
            self.at_bound[upper].append(run)

    def _note(self, run: Run) -> None:
        self._notable.append(run)
        if len(self._notable) > 2 * _KEPT:
            self._notable = self.notable()

    def notable(self) -> list[Run]:
        """The runs over which the joint moved most, in order of time."""

        def weight(run: Run) -> float:
            return run.moved if np.isfinite(run.moved) else run.jump

        best = sorted(self._notable, key=lambda run: (-weight(run), run.first))
        return sorted(best[:_KEPT], key=lambda run: run.first)

    def typical(self, share: float) -> int:
        """The length that this share of the runs stays within."""
        below = np.cumsum(self.counts)
        return int(np.searchsorted(below, share * below[-1])) if below[-1] else 0


def _run(block: Block, column: Array, witness: Array, ends: NDArray[np.int64]) -> Run:
    """The run from the first of two rows to before the second."""
    at, end = int(ends[0]), int(ends[1])
    moved, jump = abs(witness[end - 1] - witness[at]), abs(column[end] - column[at])
    times = int(block.t[at]), int(block.t[end - 1])
    return Run(end - at, *times, float(column[at]), float(moved), float(jump))


def changes_of(block: Block, before: tuple[Array, int] | None) -> NDArray[np.bool_]:
    """Whether each value differs from the one before it in its segment, shape (columns, rows).

    `before` are the values and the segment of the row before the block; None at the start.
    """
    changes = np.ones(block.values.shape, dtype=bool)
    np.not_equal(block.values[:, 1:], block.values[:, :-1], out=changes[:, 1:])
    changes[:, 1:] |= block.segment[1:] != block.segment[:-1]
    if before is not None:
        values, segment = before
        changes[:, 0] = (block.values[:, 0] != values) | (block.segment[0] != segment)
    return changes
