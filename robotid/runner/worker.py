"""The process that does tasks: one JSON line in, JSON lines out, until the parent is gone.

Results go through a pipe of their own. Standard output and error belong to the libraries a stage
calls; the parent shows them when something breaks.
"""

import gc
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from robotid import cores, progress
from robotid.errors import from_exception
from robotid.runner.execute import execute
from robotid.runner.process import failed
from robotid.runner.task import Task
from robotid.store.store import EntryDamagedError, Store
from robotid.store.workspaces import remove_workspaces

_EVERY_S = 0.1
_OBJECTS = 100_000  # between searches for garbage: one goes through all that torch has made


def main(channel: int) -> None:
    """Serve tasks from standard input; answers go to the file descriptor `channel`."""
    gc.set_threshold(_OBJECTS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which decides
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    roots: set[Path] = set()
    threading.Thread(target=_listen, args=(lines, roots), daemon=True).start()
    with os.fdopen(channel, "w", encoding="ascii") as answers:

        def send(message: dict[str, Any]) -> None:
            answers.write(json.dumps(message) + "\n")
            answers.flush()

        while True:
            job = json.loads(lines.get())
            task, store = Task.from_json(job["task"]), Store.from_json(job["store"])
            roots.add(store.root)
            cores.allow(job["cores"])
            send(_attempt(task, store, _Teller(send)))


def _listen(lines: "queue.SimpleQueue[str]", roots: set[Path]) -> None:
    for line in sys.stdin:
        lines.put(line)
    # The parent is gone: what is being computed has no reader, and nobody cleans up behind it.
    for root in list(roots):
        remove_workspaces(root / "tmp", os.getpid())
    os._exit(0)


class _Teller:
    """Passes progress on, at most ten times a second."""

    def __init__(self, send: Any) -> None:
        self._send, self._last = send, 0.0

    def __call__(self, fraction: float, doing: str) -> None:
        now = time.monotonic()
        if now - self._last >= _EVERY_S:
            self._last = now
            self._send({"event": "progress", "fraction": fraction, "doing": doing})


def _attempt(task: Task, store: Store, teller: _Teller) -> dict[str, Any]:
    """Do a task; whatever happens is an answer."""
    answer: dict[str, Any]
    try:
        with progress.listen(teller):
            execute(task, store)
        answer = {"event": "done"}
    except EntryDamagedError as damage:
        answer = {"event": "damaged", "stage": damage.stage, "key": damage.key}
    except BaseException as error:
        known = from_exception(error, task.label, str(store.root))
        answer = failed(known, traceback.format_exc())
    return {**answer, "notices": [notice.to_json() for notice in store.notices]}
