"""Factors of many recordings that stay on disk until they are asked for.

A fit over hundreds of recordings goes through their factors a few times, one recording after the
other. Only those of the last one are held, so memory does not grow with their number.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.factors import (
    FactorFacts,
    Middle,
    RowTensors,
    read_factors,
    read_middle,
    read_rows,
)
from robotid.information.factor import Factor, unpacked
from robotid.information.layout import Index

Array = NDArray[np.float64]


class Held:
    """The tensors of the recording that was read last, ready for use."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._rows: list[RowTensors] = []
        self._whole: list[Array] = []
        self._R: list[Array] = []
        self._columns: list[Index] = []

    def factors(self, path: Path, facts: FactorFacts, block: int | None) -> tuple[Factor, ...]:
        """Of a block of a recording, one per row; None is all blocks together."""
        about, blocks = facts.about, facts.blocks
        if self._path != path:
            self._rows, self._whole = read_rows(path, len(about.rows))
            self._path, self._R = path, []
            self._columns = [np.array(row.columns, dtype=np.int64) for row in about.rows]
        if block is not None and not self._R:
            self._R = [unpacked(row.factor) for row in self._rows]
        count = sum(one.samples for one in blocks) if block is None else blocks[block].samples
        made = []
        for number, (row, tensors) in enumerate(zip(about.rows, self._rows, strict=True)):
            torque = tensors.torque
            if block is None:
                R = unpacked(self._whole[number])
                extent = torque[:, 0].sum(), torque[:, 1].min(), torque[:, 2].max()
            else:
                R, extent = self._R[number][block], tuple(torque[block])
            columns = self._columns[number]
            total, low, high = map(float, extent)
            made.append(Factor(row.name, columns, tensors.expansion, R, count, total, low, high))
        return tuple(made)


class FactorsOnFile:
    """The factors of one recording.

    `facts` is what is known of them, `extremes` the least and greatest values of its samples by
    block, shape (blocks, 4 nv, 2).
    """

    def __init__(self, path: Path, held: Held) -> None:
        """Read and check a file, of which little is kept; `held` is common to all recordings."""
        self._path, self._held = path, held
        self.facts, found = read_factors(path)
        self.extremes = found.extremes

    @property
    def blocks(self) -> "list[BlockOnFile]":
        """Its blocks in the order of time."""
        return [BlockOnFile(self, number) for number in range(len(self.facts.blocks))]

    @property
    def whole(self) -> "BlockOnFile":
        """All of it as one block."""
        return BlockOnFile(self, None)

    def factors(self, block: int | None) -> tuple[Factor, ...]:
        """The factors of a block, or of the whole."""
        return self._held.factors(self._path, self.facts, block)

    def middle(self) -> Middle:
        """Some of its samples."""
        return read_middle(self._path)


class _Later(Sequence[Factor]):
    """Factors of a block, one per row, that are made when they are asked for."""

    samples: int
    rows: tuple[str, ...]

    def made(self) -> tuple[Factor, ...]:
        """The factors."""
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> Factor: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Factor, ...]: ...

    def __getitem__(self, at: int | slice) -> Factor | tuple[Factor, ...]:
        return self.made()[at]

    def __iter__(self) -> Iterator[Factor]:
        return iter(self.made())

    def __len__(self) -> int:
        return len(self.rows)


class BlockOnFile(_Later):
    """A block of a recording on disk, or all of it."""

    def __init__(self, source: FactorsOnFile, number: int | None) -> None:
        self._source, self._number = source, number
        blocks = source.facts.blocks
        self.samples = sum(one.samples for one in (blocks if number is None else [blocks[number]]))
        self.rows = tuple(row.name for row in source.facts.about.rows)

    def made(self) -> tuple[Factor, ...]:
        """Read from disk, unless the recording is the one that was read last."""
        return self._source.factors(self._number)


class ChangedBlock(_Later):
    """A block with each of its factors changed."""

    def __init__(self, block: Sequence[Factor], change: Callable[[Factor], Factor]) -> None:
        self._block, self._change = block, change
        self.samples, self.rows = samples_in(block), rows_of(block)

    def made(self) -> tuple[Factor, ...]:
        """Changed every time."""
        return tuple(self._change(factor) for factor in self._block)


def samples_in(block: Sequence[Factor]) -> int:
    """How many samples the factors of a block stand for; nothing is read for that."""
    return block.samples if isinstance(block, _Later) else block[0].count


def rows_of(block: Sequence[Factor]) -> tuple[str, ...]:
    """Names of the rows of a block; nothing is read for that."""
    return block.rows if isinstance(block, _Later) else tuple(factor.row for factor in block)
