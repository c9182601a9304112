"""A process that does tasks, one at a time, seen from the process that started it.

It is a fresh interpreter and never a fork: a process that has used polars or torch cannot be forked
safely. It can be killed at any moment; the store sees to it that nothing half-done is ever visible.
It ends by itself when the process that started it is gone.
"""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import robotid
from robotid.errors import RobotidError, TemporaryError, lacks_memory
from robotid.runner.task import Task
from robotid.store.store import Store
from robotid.store.workspaces import remove_workspaces

Answer = dict[str, Any]  # what a worker says: see `runner/worker.py`

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


class WorkerProcess:
    """A worker process, its pipe of answers, and what it writes to its standard streams.

    `task` is what it is doing; `pipe` is the file descriptor to wait at before `heard`.
    """

    def __init__(self, store: Store, threads: int) -> None:
        """Start it; `threads` are those of a library that gives the same result with any number."""
        self.task: Task | None = None
        self._unread, self._cleared = b"", False
        self._roots: set[Path] = set()
        self._said = store.scratch_file()
        self.pipe, writing = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, str(robotid.__file__), str(writing)],
                stdin=subprocess.PIPE,
                stdout=self._said,
                stderr=self._said,
                pass_fds=(writing,),
                env=environment(threads),
                text=True,
            )
        except BaseException:
            os.close(self.pipe)
            self._said.close()
            raise
        finally:
            os.close(writing)

    def give(self, task: Task, store: Store, cores: int) -> None:
        """Let it begin with a task, on so many cores; one that is gone is noticed by `heard`."""
        self.task = task
        self._roots.add(store.root)
        job = {"task": task.to_json(), "store": store.to_json(), "cores": cores}
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()

    def heard(self) -> list[Answer]:
        """What it has said of its task since; waits if that is nothing yet.

        A last answer sets `task` to None. One that is spoilt or gone has ended (`ended`).
        """
        data = os.read(self.pipe, 1 << 16)
        if not data:
            return self._died()
        *lines, self._unread = (self._unread + data).split(b"\n")
        answers = [json.loads(line) for line in lines]
        for answer in answers:
            if answer["event"] != "progress":
                self.task = None
            if answer["event"] == "failed" and answer["error"]["code"] in _SPOILT:
                self.end()
        return answers

    @property
    def ended(self) -> bool:
        """Whether nothing can be given to it any more."""
        return self.process.returncode is not None

    def end(self) -> None:
        """Kill it and remove what it was writing."""
        self.process.kill()
        self.process.wait()
        self._clear()

    def _died(self) -> list[Answer]:
        """It is gone: by a signal, for lack of memory, or by a crash in a library."""
        _, status, usage = os.wait4(self.process.pid, 0)
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        self._said.seek(0)
        said = self._said.read()[-_TAIL:].decode("utf-8", "replace")
        task, self.task = self.task, None
        self._clear()
        if task is None:
            return []
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        message = f"{task.label}: worker {how}, peak memory {usage.ru_maxrss // 1024} MB"
        if code in (-signal.SIGKILL, -signal.SIGABRT, -signal.SIGTERM) or lacks_memory(said):
            hint = "if memory ran out: fewer --jobs, or a machine with more"
            return [failed(TemporaryError("worker-killed", message, hint=hint), said)]
        return [failed(RobotidError("worker-crashed", message, hint="see --debug"), said)]

    def _clear(self) -> None:
        if self._cleared:  # a signal came in the middle of it
            return
        self._cleared = True
        os.close(self.pipe)
        self._said.close()
        if self.process.stdin is not None:
            with suppress(BrokenPipeError):
                self.process.stdin.close()
        for root in self._roots:
            remove_workspaces(root / "tmp", self.process.pid)


def failed(error: RobotidError, detail: str = "") -> Answer:
    """The answer that tells of an error."""
    return {
        "event": "failed",
        "error": error.notice.to_json(),
        "exit_code": int(error.exit_code),
        "traceback": detail,
        "notices": [],
    }


def environment(threads: int) -> dict[str, str]:
    """One thread per linear-algebra call, so that results do not depend on the number of cores.

    Without `OMP_WAIT_POLICY` idle threads would spin and take time from the other workers.
    """
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "POLARS_MAX_THREADS": str(threads),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }
