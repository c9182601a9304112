"""Searches from several starts, in as many processes as there are cores.

A start depends on its seed alone and the best of all is taken, so the result does not depend on how
many processes there are, unless a time is set that is up before all starts are done.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Self

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.excitation import JointSeries
from robotid.cores import CORES, available
from robotid.errors import TemporaryError
from robotid.excitation.attempts import Attempt, Job, Searcher
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Recipe

Array = NDArray[np.float64]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", CORES)
_WORTH_S = 6.0  # of work left for which other processes are started


class Searches:
    """The searches of a campaign; other processes, if any, end with the block."""

    def __init__(self, recipe: Recipe, options: ExcitationOptions) -> None:
        """Prepare for the trajectories of a campaign."""
        self._recipe, self._options = recipe, options
        self._searcher = Searcher(recipe, options)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def attempts(
        self, known: Array, trajectory: int, warm: tuple[JointSeries, ...] | None = None
    ) -> list[Attempt]:
        """All starts that were made in time, by number; the first is always made.

        Args:
            known: information there is already, scaled, shape (b, b).
            trajectory: which one of the campaign.
            warm: series of the joints that the first start begins with.
        """
        options, found = self._options, list[Attempt]()
        until = time.monotonic() + options.seconds if options.seconds else None
        jobs = [
            Job(
                known=known,
                name=f"t{trajectory + 1:0{len(str(options.trajectories))}d}",
                seed=options.seed,
                trajectory=trajectory,
                start=start,
                iterations=options.iterations,
                warm=None if start else warm,
                until=until,
            )
            for start in range(options.restarts)
        ]
        for attempt in self._made(jobs):
            found.append(attempt)
            best = min(attempt.value for attempt in found)
            said = f"best {best:.4f}" if np.isfinite(best) else "none is safe yet"
            progress.report(
                trajectory + len(found) / len(jobs),
                options.trajectories,
                f"trajectory {trajectory + 1}, start {len(found)} of {len(jobs)}, {said}",
            )
        return sorted(found, key=lambda attempt: attempt.number)

    def _made(self, jobs: list[Job]) -> Iterator[Attempt]:
        if self._pool is None:
            began = time.monotonic()
            yield self._searcher.attempt(jobs[0])
            each = time.monotonic() - began
            options = self._options
            left = (options.trajectories - jobs[0].trajectory) * options.restarts - 1
            if available() == 1 or left * each < _WORTH_S:
                for job in jobs[1:]:
                    if not job.late:
                        yield self._searcher.attempt(job)
                return
            jobs = jobs[1:]
        try:
            if self._pool is None:
                self._pool = self._started(min(available(), left))
            for future in as_completed([self._pool.submit(_work, job) for job in jobs]):
                attempt = future.result()
                if attempt is not None:
                    yield attempt
        except BrokenProcessPool:
            raise TemporaryError(
                "worker-killed",
                "a process that searched was killed from outside",
                hint=f"if memory ran out: {CORES}=1, or a machine with more",
            ) from None

    def _started(self, count: int) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            count,
            mp_context=context,
            initializer=_begin,
            initargs=(self._recipe, self._options),
        )
        with _one_thread_each():  # processes are started by what is given to them first
            for future in [pool.submit(_ready) for _ in range(count)]:
                future.result()
        return pool


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that are started within use one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# What follows runs in the other processes.

_searcher: Searcher | None = None


def _begin(recipe: Recipe, options: ExcitationOptions) -> None:
    global _searcher  # noqa: PLW0603 - once per process
    _searcher = Searcher(recipe, options)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ready() -> None:
    """Nothing to do: the process is there."""


def _work(job: Job) -> Attempt | None:
    if _searcher is None:
        raise RuntimeError("a process that was not prepared")
    if job.start > 0 and job.late:
        return None
    return _searcher.attempt(job)
