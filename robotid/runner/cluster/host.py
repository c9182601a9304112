"""A dask worker as the host of worker processes.

The task itself is done by a process like that of a local run: with the same environment, so that
results are the same bytes; apart, so that a crash in a library does not take the worker along; to
be killed at any time, so that a task nobody waits for any more ends at once.
"""

import json
import os
import selectors
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.utils import sync

from robotid.errors import RobotidError, from_exception
from robotid.runner.cluster.job import Job, Lacking, OtherVersionError, given
from robotid.runner.cluster.peers import PeerLostError, Peers, Service, request
from robotid.runner.inputs import stamps
from robotid.runner.process import Answer, WorkerProcess, failed
from robotid.runner.task import Piece, Task
from robotid.stages.catalog import stage_in
from robotid.store.files import DamagedError, FileFact
from robotid.store.location import opened_store
from robotid.store.store import Store
from robotid.store.transport import STAGE, find_file, keep_file, keep_files_of

TOPIC = "robotid"  # dask's events: how far tasks are
_TICK_S = 0.2  # to look whether a task is still wanted
_TELL_EVERY_S = 1.0
_IDLE_S = 30.0  # a process without work is kept for the next task
_MINE = "robotid"  # what a dask worker keeps for us
_installing = threading.Lock()


def perform(text: str) -> str:
    """Do a task on a dask worker: JSON in, JSON out, whatever happens."""
    worker = get_worker()
    with _installing:
        host = worker.extensions.setdefault(_MINE, None) or Host(worker)
        worker.extensions[_MINE] = host
    return json.dumps(host.attempt(text))


class UnwantedError(Exception):
    """Nobody waits for a task any more."""


class Host:
    """What a dask worker keeps from task to task: processes, a store of its own, connections."""

    def __init__(self, worker: Any) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._idle: dict[WorkerProcess, float] = {}  # since when
        self._own: Store | None = None
        self._open = ExitStack()
        self._peers = Peers(self._call)

    def attempt(self, text: str) -> Answer:
        """Do a task; whatever happens is an answer, with the worker's address."""
        answer: Answer
        doing, place = "a task", None
        try:
            job = Job.from_text(text)
            doing = job.task.label
            store, shared = self._store_for(job)
            place = str(store.root)
            answer = self._done(job, store, shared=shared)
        except OtherVersionError as other:
            answer = {"event": "refused", "differences": other.differences}
        except UnwantedError:
            answer = {"event": "unwanted"}
        except BaseException as error:
            answer = failed(from_exception(error, doing, place), traceback.format_exc())
        return {**answer, "worker": self._worker.address}

    def _done(self, job: Job, store: Store, *, shared: bool) -> Answer:
        task, files, unseen = _with_inputs(job, shared=shared)
        stage = stage_in(task.origin)
        first = {
            fact.sha256: fact
            for role, name, fact in files
            if not fnmatch(name, stage.inputs[role].on_demand or "/")
        }
        lacking = self._lacking(first, unseen, job, store)
        if lacking is None and (task.replace or not _has(store, task)):
            answer = self._run(job.session, task, store)
            if answer["event"] == "damaged" and answer["stage"] == STAGE:
                # One in quarantine, or one that is not needed by every task of its kind.
                every = {fact.sha256: fact for _, _, fact in files}
                lacking = self._lacking(every, (), job, store) or Lacking()
        else:  # this worker, or another in the same store, was lost after it had finished
            answer = {"event": "done", "notices": []}
        if lacking is not None:
            return {**lacking.to_answer(), "shared": shared}
        if answer["event"] == "done" and not shared:
            entry = store.find(task.stage, task.key)
            if entry is None:
                raise RobotidError("result-lost", f"{task.label}: the result is gone again")
            keep_files_of(store, entry)
            answer["manifest"] = entry.manifest.to_bytes().decode("ascii")
        return {**answer, "shared": shared}

    def _lacking(
        self, wanted: Mapping[str, FileFact], unseen: Sequence[str], job: Job, store: Store
    ) -> Lacking | None:
        """Take files from other workers; what has to be sent by the run, if anything."""
        missing, lost = self._pulled(wanted, job.holders, store)
        if not missing and not unseen:
            return None
        return Lacking(tuple(missing), tuple(unseen), tuple(lost))

    def _pulled(
        self,
        wanted: Mapping[str, FileFact],
        holders: Mapping[str, tuple[str, ...]],
        store: Store,
    ) -> tuple[list[str], set[str]]:
        """Take files from other workers: those nobody gave, and the workers that failed to."""
        missing, lost = [], set[str]()
        for sha256, fact in wanted.items():
            for address in holders.get(sha256, ()):
                if find_file(store, fact) is not None:
                    break
                if address in lost or address == self._worker.address:
                    continue
                try:
                    keep_file(store, fact, self._peers.read(address, fact))
                except (PeerLostError, DamagedError):
                    lost.add(address)
            if find_file(store, fact) is None:
                missing.append(sha256)
        return missing, lost

    def _run(self, session: str, task: Task, store: Store) -> Answer:
        """Let a process do a task, as long as somebody wants it."""
        key = self._worker.get_current_task()
        process = self._process(store)
        teller = _Teller(self._worker, session, task.key)
        last: Answer = {}
        with selectors.DefaultSelector() as selector:
            selector.register(process.pipe, selectors.EVENT_READ)
            process.give(task, store, cores=1)
            teller.tell({"event": "started"})
            while process.task is not None:
                for answer in process.heard() if selector.select(_TICK_S) else ():
                    if answer["event"] == "progress":
                        teller.progress(answer)
                    else:
                        last = answer
                if process.task is not None and not self._wanted(key):
                    process.end()
                    raise UnwantedError
        self._release(process)
        return last

    def _wanted(self, key: str) -> bool:
        """Whether somebody still waits for a task of dask's."""
        state = self._worker.state.tasks.get(key)
        return state is not None and state.state != "cancelled"

    def _process(self, store: Store) -> WorkerProcess:
        with self._lock:
            while self._idle:
                process, _ = self._idle.popitem()
                if process.process.poll() is None:
                    return process
                process.end()
        return WorkerProcess(store, threads=1)

    def _release(self, process: WorkerProcess) -> None:
        """Keep a process for the next task, but not for long: it holds memory."""
        if process.ended:
            return
        since = time.monotonic()
        with self._lock:
            self._idle[process] = since
        timer = threading.Timer(_IDLE_S, self._end_if_idle, (process, since))
        timer.daemon = True
        timer.start()

    def _end_if_idle(self, process: WorkerProcess, since: float) -> None:
        with self._lock:
            if self._idle.get(process) != since:
                return
            del self._idle[process]
        process.end()

    def _store_for(self, job: Job) -> tuple[Store, bool]:
        """The store of the run if it can be seen and written from here; else one of this worker."""
        common = Store.from_json(job.store)
        if _is_same(common, *job.probe):
            return common, True
        with self._lock:
            if self._own is None:
                self._own = self._open_own()
                self._worker.handlers.update(Service(self._own).handlers)
        return self._own, False

    def _open_own(self) -> Store:
        """Where ROBOTID_CACHE_DIR says, or in dask's own folder, which ends with the worker."""
        scratch = Path(self._worker.local_directory) / "robotid"
        if "ROBOTID_CACHE_DIR" in os.environ:
            return self._open.enter_context(opened_store(None, beside=scratch / "store"))
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Store(scratch)

    def _call(self, address: str, name: str, **what: Any) -> Any:
        return sync(self._worker.loop, request, self._worker.rpc, address, name, **what)


class _Teller:
    """Tells whoever runs the task how far it is, at most once a second."""

    def __init__(self, worker: Any, session: str, key: str) -> None:
        self._worker, self._about, self._last = worker, {"session": session, "key": key}, 0.0

    def progress(self, answer: Answer) -> None:
        """Pass on how far a process is."""
        now = time.monotonic()
        if now - self._last >= _TELL_EVERY_S:
            self._last = now
            self.tell(answer)

    def tell(self, event: Mapping[str, Any]) -> None:
        """Tell an event."""
        self._worker.log_event(TOPIC, json.dumps({**event, **self._about}))


def _with_inputs(
    job: Job, *, shared: bool
) -> tuple[Task, list[tuple[str, str, FileFact]], list[str]]:
    """The task with inputs that can be read here.

    Returns:
        It, the files that have to come here for that with role and name, and the digests of inputs
        of which it is not known yet which files those are.
    """
    inputs: dict[str, list[Piece]] = {role: [] for role in job.task.inputs}
    files: list[tuple[str, str, FileFact]] = []
    unseen: list[str] = []
    for role, piece, known in job.pieces():
        if shared if piece.path is None else _sees(piece, known.stamps):
            inputs[role].append(piece)
            continue
        inputs[role].append(given(piece, known))
        if known.files is None:
            unseen.append(piece.digest)
        else:
            files += [(role, name, fact) for name, fact in known.files.items()]
    task = replace(job.task, inputs={role: tuple(pieces) for role, pieces in inputs.items()})
    return task, files, unseen


def _has(store: Store, task: Task) -> bool:
    """Whether a result was made before, and is whole; one that is not goes to quarantine."""
    entry = store.find(task.stage, task.key)
    return entry is not None and store.verify(entry)


def _is_same(store: Store, probe: str, content: str) -> bool:
    """Whether this is the folder that the run sees, and one that this process may work in."""
    try:
        if Path(probe).read_text() != content or not os.access(store.root, os.W_OK):
            return False
        if store.behind is not None and not store.behind.root.is_dir():
            return False
        return store.shared or store.root.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _sees(piece: Piece, expected: list[tuple[str, int, int]] | None) -> bool:
    """Whether a user's files are here what they are where the run is."""
    try:
        return stamps(piece) == expected
    except OSError:
        return False
