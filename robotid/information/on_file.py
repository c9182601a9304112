"""Factors of many recordings that stay on disk until they are asked for.

A fit over hundreds of recordings goes through their blocks one recording after the other. Only
those of the last one are held: memory grows by the factors of whole recordings alone, some
kilobytes each.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.factors import (
    Middle,
    read_blocks,
    read_factors,
    read_middle,
    read_summary,
)
from robotid.information.factor import Factor, unpacked
from robotid.information.layout import Index

Array = NDArray[np.float64]


class Stack(NamedTuple):
    """The factors of one row in B blocks with the same columns; see `Factor`.

    Args:
        row: name of the row.
        columns: positions of its columns among all parameters, shape (p,).
        expansion: E, shape (r, p).
        R: shape (B, r + 1, r + 1).
        counts: samples of each block, shape (B,).
    """

    row: str
    columns: Index
    expansion: Array
    R: Array
    counts: Array


class Held:
    """The blocks of the recording that was read last, ready for use."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._R: list[Array] = []
        self._expansions: list[Array] = []

    def blocks(self, path: Path, rows: int) -> list[Array]:
        """R of all blocks of a recording by row, each of shape (blocks, r + 1, r + 1)."""
        if self._path != path:
            self._R = [unpacked(factor) for factor in read_blocks(path, rows)]
            self._path = path
        return self._R

    def shared(self, expansions: list[Array]) -> list[Array]:
        """Those of an earlier recording if they are the same, as those of one robot are."""
        same = map(np.array_equal, expansions, self._expansions)
        if len(expansions) != len(self._expansions) or not all(same):
            self._expansions = expansions
        return self._expansions


class FactorsOnFile:
    """The factors of one recording: what is small in memory, those of blocks on disk.

    `facts` is what is known of them, `extremes` the least and greatest values of its samples by
    block, shape (blocks, 4 nv, 2).
    """

    def __init__(self, path: Path, held: Held, *, proven: bool = False) -> None:
        """Read a file, and check all of it unless it is `proven`; `held` is common to all."""
        self._path, self._held = path, held
        if not proven:
            read_factors(path)
        self.facts, found = read_summary(path)
        self.extremes = found.extremes
        self._whole, self._torque = found.whole, found.torque
        self._expansions = held.shared(found.expansion)
        self._columns = [np.array(row.columns, dtype=np.int64) for row in self.facts.about.rows]

    @property
    def blocks(self) -> "list[BlockOnFile]":
        """Its blocks in the order of time."""
        return [BlockOnFile(self, number) for number in range(len(self.facts.blocks))]

    @property
    def whole(self) -> "BlockOnFile":
        """All of it as one block."""
        return BlockOnFile(self, None)

    def factors(self, block: int | None) -> tuple[Factor, ...]:
        """The factors of a block, one per row; None is all blocks together."""
        about, blocks = self.facts.about, self.facts.blocks
        count = sum(one.samples for one in blocks) if block is None else blocks[block].samples
        R = map(unpacked, self._whole) if block is None else (own[block] for own in self._blocks())
        made = []
        for row, own, columns, expansion, torque in zip(
            about.rows, R, self._columns, self._expansions, self._torque, strict=True
        ):
            inside = torque if block is None else torque[block : block + 1]
            extent = inside[:, 0].sum(), inside[:, 1].min(), inside[:, 2].max()
            made.append(Factor(row.name, columns, expansion, own, count, *map(float, extent)))
        return tuple(made)

    def stacks(self, blocks: Sequence[int]) -> list[Stack]:
        """The factors of some blocks, those of a row together."""
        chosen = list(blocks)
        counts = np.array([float(self.facts.blocks[block].samples) for block in chosen])
        return [
            Stack(row.name, columns, expansion, R[chosen], counts)
            for row, columns, expansion, R in zip(
                self.facts.about.rows, self._columns, self._expansions, self._blocks(), strict=True
            )
        ]

    def _blocks(self) -> list[Array]:
        return self._held.blocks(self._path, len(self.facts.about.rows))

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
        self.source, self.number = source, number
        blocks = source.facts.blocks
        self.samples = sum(one.samples for one in (blocks if number is None else [blocks[number]]))
        self.rows = tuple(row.name for row in source.facts.about.rows)

    def made(self) -> tuple[Factor, ...]:
        """Read from disk, unless the recording is the one that was read last."""
        return self.source.factors(self.number)


class ChangedBlock(_Later):
    """A block with each of its factors changed."""

    def __init__(self, block: Sequence[Factor], change: Callable[[Factor], Factor]) -> None:
        self._block, self._change = block, change
        self.samples, self.rows = samples_in(block), rows_of(block)

    def made(self) -> tuple[Factor, ...]:
        """Changed every time."""
        return tuple(self._change(factor) for factor in self._block)


def stacks(blocks: Sequence[Sequence[Factor]]) -> list[Stack]:
    """Blocks with the same columns, those of a row together."""
    first = blocks[0]
    if isinstance(first, BlockOnFile):
        numbers = [
            block.number
            for block in blocks
            if isinstance(block, BlockOnFile) and block.source is first.source
        ]
        own = [number for number in numbers if number is not None]
        if len(own) == len(blocks):
            return first.source.stacks(own)
    found = []
    for factors in zip(*blocks, strict=True):
        row, columns, expansion = factors[0].row, factors[0].columns, factors[0].expansion
        R = np.stack([factor.R for factor in factors])
        counts = np.array([float(factor.count) for factor in factors])
        found.append(Stack(row, columns, expansion, R, counts))
    return found


def samples_in(block: Sequence[Factor]) -> int:
    """How many samples the factors of a block stand for; nothing is read for that."""
    return block.samples if isinstance(block, _Later) else block[0].count


def rows_of(block: Sequence[Factor]) -> tuple[str, ...]:
    """Names of the rows of a block; nothing is read for that."""
    return block.rows if isinstance(block, _Later) else tuple(factor.row for factor in block)
