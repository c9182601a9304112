"""Batches of any size cut into blocks of the same rows, and some stretches of them kept.

What is computed from blocks cannot depend on how a reader delivers its rows.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.types import Columns

Array = NDArray[np.float64]
Times = NDArray[np.int64]

BLOCK_ROWS = 8192
STRETCH_ROWS = 2048  # divides BLOCK_ROWS
KEPT_STRETCHES = 48


class Block(NamedTuple):
    """Consecutive rows.

    Args:
        row: number of the first row in the recording.
        t: time [ns], shape (rows,).
        segment: stretch between gaps each row belongs to, shape (rows,).
        values: the columns, shape (columns, rows); what is not finite is NaN.
    """

    row: int
    t: Times
    segment: Times
    values: Array


class Blocks:
    """Collects batches and hands out full blocks."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._rows = 0
        self._filled = 0
        self._new()

    def _new(self) -> None:
        self._t = np.empty(BLOCK_ROWS, np.int64)
        self._segment = np.empty(BLOCK_ROWS, np.int64)
        self._values = np.empty((len(self._names), BLOCK_ROWS))

    def push(self, columns: Columns) -> Iterator[Block]:
        """Add rows; gives the blocks they fill."""
        rows, start = len(columns["t"]), 0
        while start < rows:
            count = min(rows - start, BLOCK_ROWS - self._filled)
            into, part = slice(self._filled, self._filled + count), slice(start, start + count)
            self._t[into] = columns["t"][part]
            self._segment[into] = columns["segment"][part]
            for index, name in enumerate(self._names):
                self._values[index, into] = columns[name][part]
            self._filled += count
            start += count
            if self._filled == BLOCK_ROWS:
                yield self._take()

    def rest(self) -> Iterator[Block]:
        """The last block, which is not full."""
        if self._filled:
            yield self._take()

    def _take(self) -> Block:
        rows = self._filled
        values = self._values[:, :rows]
        values[np.isinf(values)] = np.nan
        block = Block(self._rows, self._t[:rows], self._segment[:rows], values)
        self._rows += rows
        self._filled = 0
        self._new()
        return block


class Kept:
    """Every k-th stretch of rows; k doubles when too many are kept, so memory is bounded."""

    def __init__(self) -> None:
        self._every = 1
        self._stretches: list[tuple[int, Block]] = []

    def add(self, block: Block) -> None:
        """Keep some of a block."""
        for start in range(0, len(block.t), STRETCH_ROWS):
            number = (block.row + start) // STRETCH_ROWS
            if number % self._every:
                continue
            part = slice(start, start + STRETCH_ROWS)
            own = Block(
                block.row + start,
                block.t[part].copy(),
                block.segment[part].copy(),
                block.values[:, part].copy(),
            )
            self._stretches.append((number, own))
            if len(self._stretches) > KEPT_STRETCHES:
                self._every *= 2
                self._stretches = [kept for kept in self._stretches if kept[0] % self._every == 0]

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self._every == 1

    def stretches(self) -> list[Block]:
        """What was kept, joined where consecutive and cut between segments."""
        joined: list[list[Block]] = []
        for _, block in self._stretches:
            cuts = [0, *(np.flatnonzero(np.diff(block.segment)) + 1), len(block.t)]
            for first, last in pairwise(cuts):
                piece = Block(
                    block.row + int(first),
                    block.t[first:last],
                    block.segment[first:last],
                    block.values[:, first:last],
                )
                before = joined[-1][-1] if joined else None
                if (
                    before is not None
                    and before.row + len(before.t) == piece.row
                    and before.segment[-1] == piece.segment[0]
                ):
                    joined[-1].append(piece)
                else:
                    joined.append([piece])
        return [
            Block(
                pieces[0].row,
                np.concatenate([piece.t for piece in pieces]),
                np.concatenate([piece.segment for piece in pieces]),
                np.concatenate([piece.values for piece in pieces], 1),
            )
            for pieces in joined
        ]
