"""A pool of worker processes on this machine.

Workers are fresh interpreters, started when there is work and never forked from this one: a
process that has used polars or torch cannot be forked safely. A worker can be killed at any
moment; the store sees to it that nothing half-done is ever visible.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

import robotid
from robotid.errors import Notice, RobotidError, TemporaryError, lacks_memory
from robotid.runner.executor import Event, Failed, Finished, InputDamaged, Progress, Started
from robotid.runner.task import Task
from robotid.store.store import Store
from robotid.store.workspaces import remove_workspaces

# The worker must run the very package this process runs, whatever else is installed.
_START = """
import importlib.util, pathlib, sys
source = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location(
    "robotid", source, submodule_search_locations=[str(source.parent)])
sys.modules["robotid"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
sys.path.append(str(source.parent.parent))
from robotid.runner.worker import main
main(int(sys.argv[2]))
"""
_TAIL = 4000
_SPOILT = ("bug", "out-of-memory")  # errors after which a process is not to be trusted any more
_LONGEST_WAIT_S = 60.0  # the system refuses to wait for ages


def available_cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(eq=False, slots=True)
class _Worker:
    process: "subprocess.Popen[str]"
    answers: int
    log: IO[bytes]
    task: Task | None = None
    unread: bytes = b""


class LocalExecutor:
    """Runs up to `jobs` tasks at a time, each in a worker process, for `timeout_s` at most."""

    def __init__(self, store: Store, jobs: int, timeout_s: float | None = None) -> None:
        self._store, self._jobs = store, jobs
        self._end = None if timeout_s is None else time.monotonic() + timeout_s
        self._pending: deque[Task] = deque()
        self._workers: list[_Worker] = []
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
            for ready, _ in self._selector.select(self._time_left()):
                events += self._read(ready.data)
        return events

    def close(self) -> None:
        """Kill all workers and remove what they were writing."""
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            worker.process.wait()
            self._forget(worker)

    def _time_left(self) -> float | None:
        """Seconds to wait until the clock is looked at again; None: as long as it takes."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            hint = "run again, it goes on from there; or give it more time"
            raise TemporaryError("timeout", "out of time; finished stages are kept", hint=hint)
        return min(left, _LONGEST_WAIT_S)

    def _start_pending(self) -> list[Event]:
        events: list[Event] = []
        while self._pending:
            worker = next((w for w in self._workers if w.task is None), None)
            if worker is None:
                if len(self._workers) >= self._jobs:
                    break
                worker = self._new_worker()
            worker.task = self._pending.popleft()
            job = {"task": worker.task.to_json(), "store": self._store.to_json()}
            events.append(Started(worker.task))
            try:
                assert worker.process.stdin is not None
                worker.process.stdin.write(json.dumps(job) + "\n")
                worker.process.stdin.flush()
            except BrokenPipeError:
                events += self._died(worker)
        return events

    def _new_worker(self) -> _Worker:
        reading, writing = os.pipe()
        log = self._store.scratch_file()
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(robotid.__file__), str(writing)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=(writing,),
                env=_worker_environment(self._jobs),
                text=True,
            )
        finally:
            os.close(writing)
        worker = _Worker(process, reading, log)
        self._workers.append(worker)
        self._selector.register(reading, selectors.EVENT_READ, worker)
        return worker

    def _read(self, worker: _Worker) -> list[Event]:
        data = os.read(worker.answers, 1 << 16)
        if not data:
            return self._died(worker)
        *lines, worker.unread = (worker.unread + data).split(b"\n")
        return [self._event(worker, json.loads(line)) for line in lines]

    def _event(self, worker: _Worker, answer: dict[str, Any]) -> Event:
        task = worker.task
        assert task is not None
        if answer["event"] == "progress":
            return Progress(task, answer["fraction"], answer["doing"])
        worker.task = None
        notices = tuple(Notice.from_json(fields) for fields in answer["notices"])
        if answer["event"] == "done":
            return Finished(task, notices)
        if answer["event"] == "damaged":
            return InputDamaged(task, answer["stage"], answer["key"], notices)
        error = RobotidError.from_notice(Notice.from_json(answer["error"]), answer["exit_code"])
        if error.notice.code in _SPOILT:
            worker.process.kill()
            worker.process.wait()
            self._forget(worker)
        return Failed(task, error, answer["traceback"], notices)

    def _died(self, worker: _Worker) -> list[Event]:
        """A worker is gone: by a signal, for lack of memory, or by a crash in a library."""
        _, status, usage = os.wait4(worker.process.pid, 0)
        code = worker.process.returncode = os.waitstatus_to_exitcode(status)
        worker.log.seek(0)
        said = worker.log.read()[-_TAIL:].decode("utf-8", "replace")
        task = worker.task
        self._forget(worker)
        if task is None:
            return []
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        message = f"{task.label}: worker {how}, peak memory {usage.ru_maxrss // 1024} MB"
        if code in (-signal.SIGKILL, -signal.SIGABRT, -signal.SIGTERM) or lacks_memory(said):
            hint = "if memory ran out: fewer --jobs, or a machine with more"
            return [Failed(task, TemporaryError("worker-killed", message, hint=hint), said)]
        return [Failed(task, RobotidError("worker-crashed", message, hint="see --debug"), said)]

    def _forget(self, worker: _Worker) -> None:
        self._selector.unregister(worker.answers)
        os.close(worker.answers)
        worker.log.close()
        if worker.process.stdin is not None:
            with suppress(BrokenPipeError):
                worker.process.stdin.close()
        self._workers.remove(worker)
        remove_workspaces(self._store.root / "tmp", worker.process.pid)


def _worker_environment(jobs: int) -> dict[str, str]:
    """One thread per linear-algebra call, so that results do not depend on the number of cores.

    Without `OMP_WAIT_POLICY` idle threads would spin and take time from the other workers.
    """
    threads = str(max(1, available_cores() // jobs))
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "POLARS_MAX_THREADS": threads,
        "NUMBA_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }
