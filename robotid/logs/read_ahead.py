"""Work on what comes next while what came before is still in use."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
_AHEAD = 3  # items; what they need must fit in memory


def worked_on(
    items: Iterator[Item], work: Callable[[Item], Result]
) -> Iterator[tuple[Item, Result]]:
    """Each item and what `work` makes of it, in order; threads work on the next items meanwhile.

    An error of `items` comes after all that came before it, as without threads.

    Args:
        items: taken one by one in the thread of the caller.
        work: has no side effects and releases the lock of the interpreter most of the time.
    """
    pending: deque[tuple[Item, Future[Result]]] = deque()
    failure: Exception | None = None
    pool = ThreadPoolExecutor(_AHEAD)
    try:
        while failure is None:
            try:
                item = next(items)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            pending.append((item, pool.submit(work, item)))
            if len(pending) > _AHEAD:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()
        if failure is not None:
            raise failure
    finally:
        pool.shutdown(cancel_futures=True)
