"""A few threads that share rows of arrays; kernels release the interpreter while they run."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numba


class Threads:
    """Threads for the length of a block; who does which row changes no bit of a result."""

    def __init__(self, count: int | None = None) -> None:
        # `NUMBA_NUM_THREADS` sets what numba would use.
        self.count = count or int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def share(self, work: Callable[[int, int], Any], rows: int) -> None:
        """Call `work(begin, end)` for parts of the rows that together are all of them."""
        count = max(1, min(self.count, rows))
        edges = [rows * part // count for part in range(count + 1)]
        others = [
            self._pool.submit(work, begin, end) for begin, end in itertools.pairwise(edges[1:])
        ]
        work(0, edges[1])  # this thread would only wait
        for other in others:
            other.result()
