"""Tasks on a cluster of dask workers.

Which worker does which task is dask's business, and so is doing a task again whose worker is lost.
What belongs to the store is done here: what a worker cannot see is brought to it, what it has made
comes back, and tasks that gather are done where the store is. A failure that is a worker's own,
such as a full disk, is tried elsewhere before it counts.
"""

import json
import queue
import time
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from distributed.scheduler import KilledWorker

from robotid.errors import RobotidError, TemporaryError, from_exception
from robotid.runner.cluster.connection import Connection, refused
from robotid.runner.cluster.host import TOPIC
from robotid.runner.cluster.job import Job, Lacking, anywhere, as_given
from robotid.runner.cluster.peers import PeerLostError
from robotid.runner.cluster.supply import Supply
from robotid.runner.executor import (
    Event,
    Failed,
    Finished,
    InputDamaged,
    Progress,
    Started,
    Waiting,
    event_of,
)
from robotid.runner.local import Deadline, LocalExecutor
from robotid.runner.process import Answer
from robotid.runner.task import Task
from robotid.store.files import DamagedError
from robotid.store.store import EntryDamagedError, Store

_TICK_S = 1.0
_LOCAL_TICK_S = 0.02
_ANSWER_S = 60.0
_TRIES = 3
_MOST_SENT = 20  # times: a worker that lacks files for longer than that does not keep them
# Errors that say something of the worker a task was done by, and nothing of the task.
_OF_WORKERS = (
    "disk-full",
    "file-too-large",
    "io-error",
    "not-allowed",
    "out-of-memory",
    "out-of-resources",
    "result-lost",
    "worker-killed",
)


@dataclass(eq=False, slots=True)
class _Flight:
    """A task under way.

    Args:
        task: it.
        future: dask's; None while there is no scheduler to ask.
        tries: how often a worker failed at it.
        sent: how often it was handed to the scheduler.
        avoided: workers that must not be asked again.
        within: the workers it may go to, if those are not all.
        started: the run has been told that it began.
    """

    task: Task
    future: Any = None
    tries: int = 0
    sent: int = 0
    avoided: set[str] = field(default_factory=set)
    within: set[str] = field(default_factory=set)
    started: bool = False


class DaskExecutor:
    """Runs tasks on the workers of a scheduler; without an address, of a cluster of its own."""

    def __init__(
        self, store: Store, address: str | None, jobs: int, timeout_s: float | None = None
    ) -> None:
        self._store, self._address, self._jobs = store, address, jobs
        self._deadline = Deadline(timeout_s)
        self._supply = Supply(store)
        self._here, self._gathering = LocalExecutor(store, 1), set[str]()
        self._open = ExitStack()
        self._connection: Connection | None = None
        self._session, self._probe = uuid4().hex, ("", "")
        self._flights: dict[str, _Flight] = {}
        self._heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._early: list[Event] = []
        self._refused: dict[str, str] = {}  # workers with other versions
        self._looked, self._waits_for = time.monotonic(), ""
        self._unreachable: RobotidError | None = None  # why there is no connection
        self._closed, self._deaf = False, False

    def warm_up(self) -> None:
        """Connect, so that workers are there when the task is."""
        self._connected()

    def submit(self, task: Task) -> None:
        """Accept a task; it starts when a worker is free."""
        if task.step == "gather":
            self._gathering.add(task.key)
            self._here.submit(task)
        else:
            self._connected()  # before anything is under way
            self._flights[task.key] = _Flight(task)
            self._early += self._send(self._flights[task.key])

    def wait(self) -> list[Event]:
        """What has happened; waits for at least one event while a task is under way."""
        events, self._early = self._early, []
        while not events and (self._flights or self._gathering):
            left = self._deadline.time_left()
            tick = _LOCAL_TICK_S if self._gathering else _TICK_S
            events += self._from_here()
            events += self._from_cluster(tick if left is None else min(tick, left))
        return events

    def close(self) -> None:
        """Stop everything at once; workers end what nobody waits for any more."""
        self._closed = True
        try:
            self._here.close()
            if self._connection is not None:
                self._connection.close()
        finally:
            self._open.close()

    def _connected(self) -> Connection:
        if self._unreachable is not None:  # tried once: stages need not wait for it one by one
            raise self._unreachable
        if self._connection is None:
            space = self._open.enter_context(self._store.workspace())
            self._probe = _probe(space, self._session)
            left = self._deadline.time_left
            try:
                self._connection = Connection(self._address, self._jobs, self._store, space, left)
            except RobotidError as error:
                self._unreachable = error
                raise
            self._listen()
        return self._connection

    def _listen(self) -> None:
        """Hear how far tasks are; a scheduler that has begun anew has to be told once more."""
        self._deaf = False
        self._connected().client.subscribe_topic(
            TOPIC, lambda event: self._heard.put(("told", event[1]))
        )

    # ---- what has happened ----

    def _from_here(self) -> list[Event]:
        events = self._here.poll() if self._gathering else []
        for event in events:
            if isinstance(event, Finished | Failed | InputDamaged):
                self._gathering.discard(event.task.key)
        return events

    def _from_cluster(self, wait_s: float) -> list[Event]:
        events: list[Event] = []
        try:
            kind, said = self._heard.get(timeout=wait_s)
            events = self._told(json.loads(said)) if kind == "told" else self._ended(*said)
        except queue.Empty:
            pass
        if self._flights and time.monotonic() - self._looked >= _TICK_S:
            events += self._look()
        return events

    def _told(self, said: dict[str, Any]) -> list[Event]:
        """A worker says how far a task is; it may be one of another run."""
        flight = self._flights.get(said["key"])
        if flight is None or said["session"] != self._session:
            return []
        if said["event"] == "progress" and flight.started:
            return [Progress(flight.task, said["fraction"], said["doing"])]
        return self._begun(flight)

    def _begun(self, flight: _Flight) -> list[Event]:
        """That a task has begun is said once, however often it does."""
        began, flight.started = flight.started, True
        return [] if began else [Started(flight.task)]

    def _ended(self, future: Any, answer: Answer | BaseException) -> list[Event]:
        """Dask has an answer, or none."""
        found = (one for one in self._flights.values() if one.future is future)
        flight = next(found, None)
        if flight is None:
            return []
        if isinstance(answer, dict):
            return self._answered(flight, answer)
        if isinstance(answer, KilledWorker):
            return self._over(flight, Failed(flight.task, _killed(flight.task, answer)))
        if isinstance(answer, ImportError):  # a worker that has no robotid, or an old one
            return self._refuse(flight, self._connected().without_robotid(), answer)
        if future.cancelled() or isinstance(answer, OSError):
            flight.future = None  # the scheduler is gone, or has begun anew; see `_look`
            return []
        return self._over(flight, Failed(flight.task, from_exception(answer, flight.task.label)))

    def _answered(self, flight: _Flight, answer: Answer) -> list[Event]:
        task, address, event = flight.task, str(answer["worker"]), answer["event"]
        if event == "refused":
            return self._refuse(flight, {address: ", ".join(answer["differences"])})
        try:
            self._exchange(task, answer, address)
        except (PeerLostError, DamagedError) as error:
            self._supply.forget(address)
            lost = TemporaryError("result-lost", f"{task.label}: {error}", hint="run again")
            return self._faulty(flight, address, Failed(task, lost))
        except EntryDamagedError as damage:
            return self._over(flight, InputDamaged(task, damage.stage, damage.key))
        except RobotidError as error:
            return self._faulty(flight, address, Failed(task, error))
        except OSError as error:  # of the disk here: no other worker would help
            known = from_exception(error, task.label, str(self._store.root))
            return self._over(flight, Failed(task, known))
        if event in ("lacking", "unwanted"):  # unwanted by dask, which changes its mind at times
            return self._send(flight)
        happened = event_of(task, answer)
        if isinstance(happened, Failed):
            said, code = as_given(happened.error.notice, task), happened.error.exit_code
            failure = replace(happened, error=RobotidError.from_notice(said, code))
            return self._faulty(flight, address, failure)
        return self._over(flight, happened)

    def _exchange(self, task: Task, answer: Answer, address: str) -> None:
        """Bring what a worker lacks, or fetch what it has made."""
        peers = self._connected().peers
        if answer["event"] == "lacking":
            lacking = Lacking.from_answer(answer)
            self._supply.bring(task, lacking, address, peers, shared=answer["shared"])
        elif answer["event"] == "done" and not answer["shared"]:
            self._supply.fetch(task, answer["manifest"], address, peers)

    def _faulty(self, flight: _Flight, address: str, failure: Failed) -> list[Event]:
        """A task has failed; where that may be the worker's fault, another one tries."""
        notice = failure.error.notice
        if notice.code not in _OF_WORKERS:
            return self._over(flight, failure)
        flight.tries += 1
        flight.avoided.add(address)
        alive = self._connected().workers() or set()
        others = alive - flight.avoided - self._refused.keys()
        if others and flight.tries < _TRIES:
            return self._send(flight)
        said = replace(notice, message=f"{notice.message} (worker {address})")
        error = RobotidError.from_notice(said, failure.error.exit_code)
        return self._over(flight, replace(failure, error=error))

    def _refuse(
        self, flight: _Flight, others: dict[str, str], cause: BaseException | None = None
    ) -> list[Event]:
        """Workers with other versions get no work; where there are no others, the run ends."""
        if not others and cause is not None:
            return self._over(flight, Failed(flight.task, from_exception(cause, "a worker")))
        for address, difference in others.items():
            if address not in self._refused:
                said = f"worker {address} is not used: {difference}"
                self._store.warn("other-versions", said, self._store.root)
        self._refused |= others
        return self._send(flight)

    def _over(self, flight: _Flight, event: Event) -> list[Event]:
        del self._flights[flight.task.key]
        return [*self._begun(flight), event]

    def _look(self) -> list[Event]:
        """Whether scheduler and workers are there; what waited for those that are gone goes on."""
        self._looked = time.monotonic()
        connection = self._connected()
        if not connection.check():
            self._deaf = True
            return self._waits("the scheduler does not answer")
        if self._deaf:
            self._listen()
        alive = connection.workers()
        if alive is None:
            return self._waits("the scheduler does not answer")
        events = self._waits("" if alive else "no worker has joined the cluster")
        for flight in list(self._flights.values()):
            if flight.future is None or (flight.within and not flight.within & alive):
                events += self._send(flight)
        return events

    def _waits(self, why: str) -> list[Event]:
        """Why nothing goes on, said once."""
        before, self._waits_for = self._waits_for, why
        return [Waiting(why)] if why and why != before else []

    # ---- sending ----

    def _send(self, flight: _Flight) -> list[Event]:
        """Hand a task to the scheduler, if there is one; else `_look` does it later."""
        connection, task = self._connected(), flight.task
        flight.future = None
        if not connection.check():
            return []
        flight.sent += 1
        if flight.sent > _MOST_SENT:
            said = f"{task.label}: workers have lost it, or its inputs, {_MOST_SENT} times"
            error = TemporaryError("worker-lost", said, hint="look at the workers; run again")
            return self._over(flight, Failed(task, error))
        flight.within = self._allowed(flight)
        try:
            known = self._supply.known(task)
        except EntryDamagedError as damage:
            return self._over(flight, InputDamaged(task, damage.stage, damage.key))
        except OSError as error:
            return self._over(flight, Failed(task, from_exception(error, task.label)))
        job = Job(
            session=self._session,
            task=anywhere(task),
            store=self._store.to_json(),
            probe=self._probe,
            known=known,
            holders=self._supply.holders(known),
        )
        wished = sorted(flight.within or self._supply.near(known))
        flight.future = connection.ask(
            f"{task.stage}-{uuid4().hex}", job.to_text(), wished, only=bool(flight.within)
        )
        flight.future.add_done_callback(self._hear)
        return []

    def _hear(self, future: Any) -> None:
        """In a thread of dask's; once the run is over nobody waits for an answer."""
        if not self._closed:
            self._heard.put(("ended", (future, _outcome(future))))

    def _allowed(self, flight: _Flight) -> set[str]:
        """The workers that a task may go to; empty where it may go to any."""
        if not flight.avoided and not self._refused:
            return set()
        alive = self._connected().workers()
        if alive is None:
            return set()
        able = alive - self._refused.keys()
        if alive and not able:
            raise refused(self._refused)
        return able - flight.avoided or able


def _probe(space: Path, content: str) -> tuple[str, str]:
    """A file by which a worker knows that it sees the same store, and what it holds."""
    path = space / "probe"
    path.write_text(content)
    return str(path), content


def _outcome(future: Any) -> Answer | BaseException:
    """What a future of dask's holds: the worker's answer, or why there is none."""
    if future.cancelled():  # as all are when a run is closed; its result would never come
        return CancelledError()
    try:
        answer: Answer = json.loads(future.result(timeout=_ANSWER_S))
    except BaseException as error:
        return error
    return answer


def _killed(task: Task, cause: KilledWorker) -> TemporaryError:
    attempts = getattr(cause, "allowed_failures", 3) + 1
    return TemporaryError(
        "worker-killed",
        f"{task.label}: {attempts} workers were lost while they did it",
        hint="if memory ran out: workers with more of it, or fewer on a machine",
    )
