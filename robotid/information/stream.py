"""One pass over the samples of a recording, in constant memory: factors block by block."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.information.factor import Factor, merge
from robotid.information.factorise import Factoriser, Found
from robotid.information.held import HeldSigns
from robotid.information.projected import ProjectedFactoriser

Array = NDArray[np.float64]

MOST_BLOCKS = 64
BLOCK_S = 10.0
# Of short recordings too: blocks show trends, and which of them is unusual; a part can be held out.
_USUAL_BLOCKS = 16
_LEAST_SAMPLES = 200
SEGMENT = 16384  # samples worked on by one thread
AHEAD = 4  # segments held at a time


def block_edges(samples: int, rate_hz: float, borders: Sequence[int] = ()) -> list[int]:
    """Where blocks begin and end: of about ten seconds each, longer ones where that is over 64.

    Short recordings have sixteen, unless these would be of fewer than 200 samples.

    Args:
        samples: of the recording.
        rate_hz: of the recording.
        borders: samples, ascending, at which a block has to begin: what is on both sides of them
            may be in different splits.
    """
    wanted = round(samples / (BLOCK_S * rate_hz))
    wanted = max(wanted, min(_USUAL_BLOCKS, samples // _LEAST_SAMPLES))
    count = max(1, min(MOST_BLOCKS - len(borders), wanted, samples))
    edges = [0]
    for begin, end in pairwise([0, *borders, samples]):
        size = end - begin
        own = max(1, count * size // samples)
        edges += [begin + size * block // own for block in range(1, own + 1)]
    return edges


def factor_blocks(
    factoriser: "Factoriser | ProjectedFactoriser", batches: Iterable[Array], edges: Sequence[int]
) -> Iterator[list[Factor]]:
    """The factors of each block, one per row; how the samples come in batches does not matter.

    Args:
        factoriser: of the robot.
        batches: signals in the order of `signals_of`, each of shape (signals, some samples).
        edges: first sample of each block, and the number of samples.
    """
    pieces: list[list[Factor]] = []
    for factors, block_ends in _factored(factoriser, batches, edges):
        pieces.append(factors)
        if block_ends:
            yield [merge(of_row) for of_row in zip(*pieces, strict=True)]
            pieces = []


def _factored(
    factoriser: "Factoriser | ProjectedFactoriser", batches: Iterable[Array], edges: Sequence[int]
) -> Iterator[tuple[list[Factor], bool]]:
    """Factors of each segment in their order, and whether a block ends there.

    Segments are worked on side by side. What one of them says about weak columns helps those that
    start after it is done; which these are does not depend on the number of threads.
    """
    waiting: deque[tuple[Future[Found], bool]] = deque()
    hints: Mapping[int, Array] = {}
    memory = HeldSigns(factoriser.layout)
    for number, (segment, block_ends) in enumerate(_segments(batches, edges)):
        if len(waiting) == (1 if number == 1 else AHEAD):
            found, ends = waiting.popleft()
            factors, hints = found.result()
            yield factors, ends
        waiting.append((factoriser.submit(segment, hints, memory.signs), block_ends))
        memory.advance(segment)
    for found, ends in waiting:
        yield found.result().factors, ends


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
                if not at:
                    held = np.empty((batch.shape[0], target - reached + take))
                held[:, at : at + take] = piece
                at += take
                piece = held[:, :at]
            if reached == target:
                yield piece, target in ends
                at, target = 0, next(pending, target)
    if reached != edges[-1]:
        said = f"the recording ends after {reached} of {edges[-1]} samples"
        raise BadDataError("fewer-samples", said)
