"""One pass over the samples of a recording, in constant memory: factors block by block."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.information.factor import Factor, merge
from robotid.information.factorise import Factoriser

Array = NDArray[np.float64]

MOST_BLOCKS = 64
BLOCK_S = 10.0
SEGMENT = 16384  # samples held at a time


def block_edges(samples: int, rate_hz: float) -> list[int]:
    """Where blocks begin and end: of about ten seconds each, longer ones where that is over 64."""
    wanted = round(samples / (BLOCK_S * rate_hz))
    count = max(1, min(MOST_BLOCKS, wanted, samples))
    return [samples * block // count for block in range(count + 1)]


def factor_blocks(
    factoriser: Factoriser, batches: Iterable[Array], edges: Sequence[int]
) -> Iterator[list[Factor]]:
    """The factors of each block, one per row; how the samples come in batches does not matter.

    Args:
        factoriser: of the robot.
        batches: signals in the order of `signals_of`, each of shape (signals, some samples).
        edges: first sample of each block, and the number of samples.
    """
    hints: dict[int, Array] = {}
    pieces: list[list[Factor]] = []
    for segment, block_ends in _segments(batches, edges):
        pieces.append(factoriser(segment, hints))
        if block_ends:
            yield [merge(factors) for factors in zip(*pieces, strict=True)]
            pieces = []


def _segments(batches: Iterable[Array], edges: Sequence[int]) -> Iterator[tuple[Array, bool]]:
    """Samples cut at fixed places, and whether a block ends there."""
    cuts = sorted(
        {
            cut
            for begin, end in pairwise(edges)
            for cut in (*range(begin + SEGMENT, end, SEGMENT), end)
        }
    )
    ends, pending, at, reached = set(edges), iter(cuts), 0, 0
    target, held = next(pending, 0), np.empty((0, 0))
    for batch in batches:
        used, size = 0, batch.shape[1]
        while used < size:
            if reached == edges[-1]:
                raise BadDataError("more-samples", f"there are more than {edges[-1]} samples")
            take = min(size - used, target - reached)
            piece = batch[:, used : used + take]
            used, reached = used + take, reached + take
            if at or reached < target:  # the segment comes in several batches
                if not held.size:
                    held = np.empty((batch.shape[0], min(SEGMENT, edges[-1])))
                held[:, at : at + take] = piece
                at += take
                piece = held[:, :at]
            if reached == target:
                yield piece, target in ends
                at, target = 0, next(pending, target)
    if reached != edges[-1]:
        said = f"the recording ends after {reached} of {edges[-1]} samples"
        raise BadDataError("fewer-samples", said)
