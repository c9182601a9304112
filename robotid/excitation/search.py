"""Searches from several random starts, in as many processes as there are cores.

A start depends on its seed alone and the best of all is taken, so the result does not depend on how
many processes there are, unless a time is set that is up before all starts are done.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.excitation.interior_point import minimise
from robotid.excitation.problem import Problem
from robotid.excitation.starts import random_start

Array = NDArray[np.float64]

PROCESSES = "ROBOTID_PROCESSES"  # variable of the environment that says how many to use
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Attempt(NamedTuple):
    """What a start led to; `value` is the criterion itself."""

    number: int
    x: Array
    value: float
    iterations: int
    evaluations: int


class Request(NamedTuple):
    """What each process is told.

    Args:
        make: makes the problem; has to be sent to other processes.
        seed: of the starts.
        iterations: most steps of a search.
        until: time of `time.monotonic` when to stop; None for never.
        warm: free numbers to start from first, instead of random ones.
    """

    make: Callable[[], Problem]
    seed: Sequence[int]
    iterations: int
    until: float | None
    warm: Array | None = None


def processes() -> int:
    """How many processes to use: as asked for, else one per core this process may use."""
    asked = os.environ.get(PROCESSES, "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


def search(request: Request, starts: int, label: str) -> list[Attempt]:
    """All attempts that were made in time, by number; the first is always made.

    Args:
        request: what to do.
        starts: how many.
        label: what progress is called.
    """
    found: list[Attempt] = []
    for attempt in _attempts(request, starts):
        found.append(attempt)
        best = min(found, key=lambda a: a.value).value
        progress.report(len(found), starts, f"{label}: best {best:.4f}")
    return sorted(found)


def _attempts(request: Request, starts: int) -> Iterator[Attempt]:
    count = min(processes(), starts)
    if count == 1:
        problem = request.make()
        for number in range(starts):
            if number == 0 or not _late(request.until):
                yield _attempt(problem, request, number)
        return
    context = multiprocessing.get_context("spawn")
    with (
        _one_thread_each(),
        ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin, initargs=(request,)
        ) as pool,
    ):
        waiting: list[Future[Attempt | None]] = [pool.submit(_work, n) for n in range(starts)]
        try:
            for future in as_completed(waiting):
                attempt = future.result()
                if attempt is not None:
                    yield attempt
        finally:
            pool.shutdown(cancel_futures=True)


def _late(until: float | None) -> bool:
    return until is not None and time.monotonic() > until


def _attempt(problem: Problem, request: Request, number: int) -> Attempt:
    random = np.random.default_rng([*request.seed, number])
    start = request.warm if number == 0 and request.warm is not None else None
    found = minimise(
        problem.functions(),
        random_start(problem, random) if start is None else start,
        iterations=request.iterations,
        stop=lambda: _late(request.until),
    )
    value = problem.value(found.x)
    return Attempt(number, found.x, value, found.iterations, found.evaluations)


# What follows runs in the other processes.

_problem: Problem | None = None
_request: Request | None = None


def _begin(request: Request) -> None:
    global _problem, _request
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _problem, _request = request.make(), request


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(number: int) -> Attempt | None:
    if _problem is None or _request is None:
        raise RuntimeError("a process that was not prepared")
    if number > 0 and _late(_request.until):
        return None
    return _attempt(_problem, _request, number)


class _one_thread_each:  # noqa: N801 - used as a block
    """Processes that are started within use one thread each."""

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in _THREADS}
        os.environ.update(dict.fromkeys(_THREADS, "1"))

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
