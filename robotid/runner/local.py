"""A pool of worker processes on this machine, started when there is work."""

import selectors
import time
from collections import deque

from robotid import cores
from robotid.errors import TemporaryError
from robotid.runner.executor import Event, Started, event_of
from robotid.runner.process import WorkerProcess
from robotid.runner.task import Task
from robotid.store.store import Store

_LONGEST_WAIT_S = 60.0  # the system refuses to wait for ages


class Deadline:
    """The moment at which a run is out of time; None is never."""

    def __init__(self, timeout_s: float | None) -> None:
        self._end = None if timeout_s is None else time.monotonic() + timeout_s

    def time_left(self) -> float | None:
        """Seconds to wait until the clock is looked at again; None: as long as it takes."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            hint = "run again, it goes on from there; or give it more time"
            raise TemporaryError("timeout", "out of time; finished stages are kept", hint=hint)
        return min(left, _LONGEST_WAIT_S)


class LocalExecutor:
    """Runs up to `jobs` tasks at a time, each in a worker process, for `timeout_s` at most."""

    def __init__(self, store: Store, jobs: int, timeout_s: float | None = None) -> None:
        self._store, self._jobs = store, jobs
        self._deadline = Deadline(timeout_s)
        self._pending: deque[Task] = deque()
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()

    def warm_up(self) -> None:
        """Start a first worker, so that it is there when the task is."""
        if not self._workers:
            self._new_worker()

    def submit(self, task: Task) -> None:
        """Accept a task; it starts when a worker is free."""
        self._pending.append(task)

    def wait(self) -> list[Event]:
        """What has happened; waits for at least one event while a task is under way."""
        events: list[Event] = self._start_pending()
        while not events and any(worker.task for worker in self._workers):
            for ready, _ in self._selector.select(self._deadline.time_left()):
                events += self._read(ready.data)
        return events

    def poll(self) -> list[Event]:
        """What has happened since the last call, without waiting for anything."""
        events: list[Event] = self._start_pending()
        for ready, _ in self._selector.select(0):
            events += self._read(ready.data)
        return events

    def close(self) -> None:
        """Kill all workers and remove what they were writing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            worker.end()
            self._forget(worker)

    def _start_pending(self) -> list[Event]:
        events: list[Event] = []
        while self._pending:
            worker = next((w for w in self._workers if w.task is None), None)
            if worker is None:
                if len(self._workers) >= self._jobs:
                    break
                worker = self._new_worker()
            task = self._pending.popleft()
            events.append(Started(task))
            worker.give(task, self._store, self._share())
        return events

    def _share(self) -> int:
        """Cores for one more task: all of them, unless others run beside it."""
        tasks = 1 + sum(worker.task is not None for worker in self._workers) + len(self._pending)
        return max(1, cores.available() // min(self._jobs, tasks))

    def _new_worker(self) -> WorkerProcess:
        worker = WorkerProcess(self._store, max(1, cores.available() // self._jobs))
        self._workers.append(worker)
        self._selector.register(worker.pipe, selectors.EVENT_READ, worker)
        return worker

    def _read(self, worker: WorkerProcess) -> list[Event]:
        task = worker.task
        events = [event_of(task, answer) for answer in worker.heard() if task is not None]
        if worker.ended:
            self._forget(worker)
        return events

    def _forget(self, worker: WorkerProcess) -> None:
        self._selector.unregister(worker.pipe)
        self._workers.remove(worker)
