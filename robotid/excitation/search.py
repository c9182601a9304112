"""Searches from several random starts, in as many processes as there are cores.

A start depends on its seed alone and the best of all is taken, so the result does not depend on how
many processes there are, unless a time is set that is up before all starts are done.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.excitation import JointSeries
from robotid.excitation.interior_point import minimise
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem, Recipe
from robotid.excitation.starts import random_start, warm_start

Array = NDArray[np.float64]

PROCESSES = "ROBOTID_PROCESSES"  # variable of the environment that says how many to use
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_WORTH_S = 6.0  # of work left for which other processes are started


class Attempt(NamedTuple):
    """What a start led to; `value` is the criterion itself."""

    number: int
    start: Array
    x: Array
    value: float
    iterations: int
    evaluations: int


class Job(NamedTuple):
    """One start.

    Args:
        known: information there is already, shape (b, b).
        seed: of the campaign.
        trajectory: number of the trajectory that is being designed.
        start: number of the start.
        iterations: most steps.
        warm: series of the joints to start from; None for random ones.
        until: time of `time.monotonic` when to stop; None for never.
    """

    known: Array
    seed: int
    trajectory: int
    start: int
    iterations: int
    warm: tuple[JointSeries, ...] | None
    until: float | None

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.until is not None and time.monotonic() > self.until

    def random(self) -> np.random.Generator:
        """Where the start comes from."""
        return np.random.default_rng([self.seed, self.trajectory, self.start])


class Searches:
    """The searches of a campaign; other processes, if any, end with the block."""

    def __init__(self, recipe: Recipe, options: ExcitationOptions) -> None:
        """Prepare for the trajectories of a campaign."""
        self._recipe, self._options = recipe, options
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
            progress.report(
                trajectory + len(found) / len(jobs),
                options.trajectories,
                f"trajectory {trajectory + 1}, start {len(found)} of {len(jobs)}, best {best:.4f}",
            )
        return sorted(found, key=lambda attempt: attempt.number)

    def _made(self, jobs: list[Job]) -> Iterator[Attempt]:
        if self._pool is None:
            began = time.monotonic()
            problem = Problem(self._recipe, jobs[0].known)
            yield _attempt(problem, jobs[0])
            each = time.monotonic() - began
            options = self._options
            left = (options.trajectories - jobs[0].trajectory) * options.restarts - 1
            if processes() == 1 or left * each < _WORTH_S:
                for job in jobs[1:]:
                    if not job.late:
                        yield _attempt(problem, job)
                return
            self._pool = self._started(min(processes(), left))
            jobs = jobs[1:]
        for future in as_completed([self._pool.submit(_work, job) for job in jobs]):
            attempt = future.result()
            if attempt is not None:
                yield attempt

    def _started(self, count: int) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin, initargs=(self._recipe,)
        )
        with _one_thread_each():  # processes are started by what is given to them first
            for future in [pool.submit(_ready) for _ in range(count)]:
                future.result()
        return pool


def processes() -> int:
    """How many processes to use: as asked for, else one per core this process may use."""
    asked = os.environ.get(PROCESSES, "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


def _attempt(problem: Problem, job: Job) -> Attempt:
    if job.warm is None:
        start = random_start(problem, job.random())
    else:
        start = warm_start(problem, job.warm)
    problem.recipe.target.check_told(problem.information(start))
    found = minimise(problem.functions(), start, iterations=job.iterations, stop=lambda: job.late)
    value = problem.value(found.x)
    return Attempt(job.start, start, found.x, value, found.iterations, found.evaluations)


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

_recipe: Recipe | None = None


def _begin(recipe: Recipe) -> None:
    global _recipe  # noqa: PLW0603 - once per process
    _recipe = recipe
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ready() -> None:
    """Nothing to do: the process is there."""


def _work(job: Job) -> Attempt | None:
    if _recipe is None:
        raise RuntimeError("a process that was not prepared")
    if job.start > 0 and job.late:
        return None
    return _attempt(Problem(_recipe, job.known), job)
