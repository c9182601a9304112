"""Worker processes that wait for the next test: most of the time of a command is their start.

A worker serves task after task in any run; here it does so across runs, too, as long as neither the
working directory nor the environment that it would be started with has changed.
"""

import atexit
import selectors
from pathlib import Path
from typing import NamedTuple

from robotid import cores
from robotid.runner import local
from robotid.runner.process import WorkerProcess, environment

_OWN = ("PYTEST_CURRENT_TEST", "ROBOTID_CACHE_DIR")  # of each test; tasks say where the store is
_MOST = 2
_new_worker, _close = local.LocalExecutor._new_worker, local.LocalExecutor.close


class _Waiting(NamedTuple):
    surroundings: tuple | None
    worker: WorkerProcess


_started: dict[int, _Waiting] = {}  # by process
_waiting: list[_Waiting] = []


def use(monkeypatch):
    """Let workers wait instead of ending, for the rest of a test."""
    monkeypatch.setattr(local.LocalExecutor, "_new_worker", _taken)
    monkeypatch.setattr(local.LocalExecutor, "close", _let_wait)


def _surroundings(jobs):
    given = environment(max(1, cores.available() // jobs))
    kept = sorted((name, value) for name, value in given.items() if name not in _OWN)
    try:
        return Path.cwd(), tuple(kept)
    except FileNotFoundError:  # a test about that
        return None


def _taken(executor):
    """A worker that waits and is what a new one would be; else a new one."""
    here = _surroundings(executor._jobs)
    for known in _waiting:
        if known.surroundings == here and known.worker.process.poll() is None:
            _waiting.remove(known)
            worker = known.worker
            executor._workers.append(worker)
            executor._selector.register(worker.pipe, selectors.EVENT_READ, worker)
            return worker
    worker = _new_worker(executor)
    _started[worker.process.pid] = _Waiting(here, worker)
    return worker


def _let_wait(executor):
    """Idle workers wait; those that are at work are killed as always."""
    for worker in [worker for worker in executor._workers if worker.task is None]:
        if worker.process.poll() is None:
            executor._selector.unregister(worker.pipe)
            executor._workers.remove(worker)
            _waiting.append(_started[worker.process.pid])
    _close(executor)
    while len(_waiting) > _MOST:
        _waiting.pop(0).worker.end()


@atexit.register
def _end_all():
    while _waiting:
        _waiting.pop().worker.end()
