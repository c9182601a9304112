"""A few threads that share rows of arrays; kernels release the interpreter while they run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from robotid.cores import available


class Threads:
    """Threads for the length of a block; who does which row changes no bit of a result."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or available()
        self._pool = ThreadPoolExecutor(max(1, self.count - 1))  # who shares works as well

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def share(self, work: Callable[[int], Any], rows: int) -> None:
        """Call `work(row)` for each row; whoever is free takes the next one."""
        left = iter(range(rows))

        def take() -> None:
            for row in left:
                work(row)

        others = [self._pool.submit(take) for _ in range(min(self.count, rows) - 1)]
        take()
        for other in others:
            other.result()
