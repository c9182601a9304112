"""Running a graph: ask the store, schedule the rest, keep what is finished, hand out the results.

A result is identified by the keys of what it was made from, so a run that was interrupted, or
whose stage failed, continues where it stopped: it simply finds more in the store.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from robotid.errors import (
    BadDataError,
    Effect,
    InputMissingError,
    Notice,
    RobotidError,
    StorageError,
    UnsafePathError,
    UsageError,
    from_exception,
)
from robotid.runner.executor import (
    Event,
    Executor,
    Failed,
    Finished,
    Progress,
    Started,
    Waiting,
)
from robotid.runner.graph import Graph, Node
from robotid.runner.places import localised
from robotid.runner.plan import InputResolver, Plan
from robotid.runner.result import Observer, Outcome, Reached, RunResult, StageResult
from robotid.runner.task import Task
from robotid.store.delivery import check_target, deliver
from robotid.store.digests import Digests
from robotid.store.store import Entry, EntryDamagedError, Store
from robotid.store.vouching import Vouching

_MAX_TRIES = 4
_LARGE = 32 << 20  # bytes that take about as long to hash as a worker takes to start


@dataclass(slots=True)
class _State:
    """What is known of a node while the run goes on."""

    result: StageResult
    plan: Plan | None = None
    tasks: dict[str, Task] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    failed: dict[str, Failed] = field(default_factory=dict)
    began: float | None = None

    @property
    def settled(self) -> bool:
        return self.result.status != "waiting"


def _left_out(state: _State) -> list[Notice]:
    """The failed parts that the others can do without, as losses; none if nothing would be left."""
    node = state.result.node
    parts = [name for name in state.tasks if name in state.failed and name != "/gather"]
    bad = [state.failed[name].error for name in parts]
    if not node.stage.tolerant or len(parts) == len(state.plan.tasks if state.plan else ()):
        return []
    return [
        replace(
            error.notice,
            message=f"left out: {error.notice.message}",
            effect=Effect.DATA_LOST,
        )
        for error in bad
        if isinstance(error, BadDataError)
    ]


class Run:
    """One run of a graph."""

    def __init__(
        self,
        graph: Graph,
        store: Store,
        executor: Executor,
        observer: Observer,
        *,
        out: dict[str, Path] | None = None,
        force: bool = False,
        recompute: bool = False,
        only: str | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            graph: what to run.
            store: where results are found and kept.
            executor: what does the work.
            observer: who is told.
            out: for the stages whose results are copied to the user, where to.
            force: replace other results there.
            recompute: take nothing from the store that this run did not put there.
            only: the one stage that may be computed; all others must be in the store, and
                `recompute` concerns this one alone.
        """
        self._graph, self._store, self._executor, self._observer = graph, store, executor, observer
        self._out, self._force, self._recompute, self._only = out or {}, force, recompute, only
        self._states = {node.name: _State(StageResult(node)) for node in graph.nodes}
        self._in_flight: dict[str, Task] = {}
        self._failed: dict[str, Failed] = {}
        self._computed: set[str] = set()
        self._damage: Counter[str] = Counter()
        self._submitted: Counter[str] = Counter()
        self._started: dict[str, float] = {}
        self._digests = Digests(None if recompute else store)
        self._resolver = InputResolver(graph, self._digests)
        self._vouching = Vouching(store)
        self._reached: Reached | None = None

    def go(self) -> RunResult:
        """Run to the end; a stage's failure is part of the result, not an exception."""
        for target in self._out.values():
            check_target(target)
        self._resolver.refuse_as_outputs(self._out.values())
        with self._store.at_work():
            while True:
                self._compute()
                if self._hand_out():
                    break
        self._digests.save()
        self._vouching.save()
        return RunResult([state.result for state in self._states.values()], self._store.notices)

    def _compute(self) -> None:
        while True:
            for state in self._states.values():
                if not state.settled:
                    self._advance(state)
            self._tell()
            if not self._in_flight:
                return
            for event in self._executor.wait():
                self._handle(event)

    def _tell(self) -> None:
        """Say how far the whole is, if that has changed."""
        states = list(self._states.values())
        done = known = 0
        share = 0.0
        for state in states:
            own = (
                0 if state.plan is None else len(state.plan.tasks) + (state.plan.mapped is not None)
            )
            found = len(state.entries) + len(state.failed)
            done, known = done + found, known + max(own, found)
            share += 1.0 if state.settled else found / own if own else 0.0
        reached = Reached(sum(s.settled for s in states), done, known, share / max(1, len(states)))
        if reached != self._reached:
            self._reached = reached
            self._observer.reached(reached)

    def _advance(self, state: _State) -> None:
        """Bring a node as far as the finished work of others allows."""
        needed = [self._states[name].result for name in state.result.node.needs()]
        if any(result.status in ("failed", "skipped") for result in needed):
            self._settle(state, "skipped")
        elif all(result.entry is not None for result in needed):
            results = {result.node.name: result.entry for result in needed if result.entry}
            try:
                self._work_on(state, results)
            except (RobotidError, OSError) as error:
                state.result.error = from_exception(error, state.result.node.name)
                self._settle(state, "failed")

    def _work_on(self, state: _State, results: Mapping[str, Entry]) -> None:
        if state.began is None:
            state.began = time.monotonic()
        node = state.result.node
        if state.plan is None:
            if self._resolver.bytes_to_hash(node) > _LARGE:
                self._executor.warm_up()  # a worker starts while this process hashes
            given = self._resolver.given(node, results)
            flags = {"replace": self._recomputes(node), "thorough": bool(self._damage)}
            state.plan = Plan(node, given, **flags)
        plan = state.plan
        for name, task in plan.tasks.items():
            if name not in state.entries and name not in state.failed:
                self._find_or_submit(state, name, task)
        if len(state.entries) + len(state.failed) < len(plan.tasks):
            return
        left_out = _left_out(state)
        if plan.mapped is not None and len(left_out) == len(state.failed):
            parts = {name: state.entries[name] for name in plan.tasks if name in state.entries}
            self._find_or_submit(state, "/gather", plan.gather(parts))
        if len(left_out) < len(state.failed) or "/gather" in state.failed:
            # In the order of the parts, not in that of their ends.
            first, *others = [state.failed[name] for name in state.tasks if name in state.failed]
            state.result.error, state.result.detail = first.error, first.detail
            state.result.notices = [other.error.notice for other in others]
            self._settle(state, "failed")
            return
        final = state.entries.get("" if plan.mapped is None else "/gather")
        if final is not None:
            state.result.entry = final
            state.result.keys = [entry.key for entry in state.entries.values()]
            state.result.computed = sum(key in self._computed for key in state.result.keys)
            found = [
                notice
                for name, entry in state.entries.items()
                for notice in localised(entry.manifest.notices, state.tasks[name])
            ]
            # What several parts found in a file they share is said once.
            state.result.notices = list(dict.fromkeys([*left_out, *found]))
            self._settle(state, "computed" if state.result.computed else "cached")

    def _find_or_submit(self, state: _State, name: str, task: Task) -> None:
        state.tasks[name] = task
        if task.key in self._in_flight:
            return
        if task.key in self._failed:
            state.failed[name] = self._failed[task.key]
            return
        if not self._recomputes(state.result.node) or task.key in self._computed:
            entry = self._store.find(task.stage, task.key)
            if entry is not None:
                state.entries[name] = entry
                return
        self._check_may_compute(state.result.node, task)
        self._submitted[task.key] += 1
        if self._submitted[task.key] > _MAX_TRIES:
            why = f"{task.label} was computed {_MAX_TRIES} times and is not in the cache"
            raise StorageError("cache-damaged", why, hint="check the disk of the cache")
        self._executor.submit(task)
        self._in_flight[task.key] = task

    def _recomputes(self, node: Node) -> bool:
        return self._recompute and (self._only is None or node.is_of(self._only))

    def _check_may_compute(self, node: Node, task: Task) -> None:
        if self._only is not None and not node.is_of(self._only):
            raise InputMissingError(
                "not-cached",
                f"--only {self._only}: {task.label} is not in the cache",
                hint="run without --only, or with --until",
            )
        if not self._store.lasting and not self._out:
            raise UsageError(
                "nowhere-to-keep",
                f"the result of {node.name} could not be kept: there is no cache to write to",
                hint="give --out DIR",
            )

    def _handle(self, event: Event) -> None:
        if isinstance(event, Started):
            self._started.setdefault(event.task.key, time.monotonic())
            self._observer.started(event.task)
        elif isinstance(event, Progress):
            self._observer.progressed(event.task, event.fraction, event.doing)
        elif isinstance(event, Waiting):
            self._observer.waits(event.why)
        else:
            del self._in_flight[event.task.key]
            self._observer.ended(event.task)
            for notice in event.notices:
                if notice not in self._store.notices:
                    self._store.notices.append(notice)
            if isinstance(event, Finished):
                self._computed.add(event.task.key)
            elif isinstance(event, Failed):
                self._failed[event.task.key] = event
            elif self._forget(event.stage, event.key):
                self._submitted[event.task.key] -= 1  # it was not the task's fault
            else:
                self._failed[event.task.key] = Failed(event.task, self._lost(event.key))

    def _lost(self, key: str) -> RobotidError:
        """Why a stored result cannot be had, however often it is made."""
        refused = (n for n in self._store.notices if n.code == "cache-unreadable")
        if any(Path(notice.file or "").name == key for notice in refused):
            why = "a stored input cannot be read again and again: permission denied"
            return UnsafePathError(
                "cache-unreadable", why, hint="check owner and mode of the cache"
            )
        why = "a stored input is damaged again and again"
        return StorageError("cache-damaged", why, hint="check the disk of the cache")

    def _forget(self, stage: str, key: str) -> bool:
        """Have a damaged entry computed again, and all that waits for it planned again.

        Returns False when that has been tried too often to help.
        """
        holders = [
            s for s in self._states.values() if any(e.key == key for e in s.entries.values())
        ]
        self._damage[key] += bool(holders)
        if self._damage[key] >= _MAX_TRIES:
            return False
        still_there = self._store.find(stage, key)
        if still_there is not None:  # it could not be moved away, or somebody made it again
            self._store.verify(still_there)
        self._computed.discard(key)
        for state in self._states.values():
            if state in holders:
                state.result = StageResult(state.result.node)
            if not state.settled:
                state.plan, state.entries = None, {}
        return True

    def _settle(self, state: _State, status: Outcome) -> None:
        state.result.status = status
        # What waits for a free worker does not take time yet.
        keys = (task.key for task in state.tasks.values())
        began = min(
            (self._started[key] for key in keys if key in self._started), default=state.began
        )
        state.result.seconds = 0.0 if began is None else time.monotonic() - began
        self._observer.settled(state.result)

    def _made_here(self, state: _State) -> bool:
        """Whether all of a result was computed, and so hashed, in this run."""
        return self._computed.issuperset(state.result.keys)

    def _is_sound(self, entry: Entry) -> bool:
        """Whether a result can be handed out; once damage was met, nothing is taken on trust."""
        return self._store.verify(entry) if self._damage else self._vouching.sound(entry)

    def _hand_out(self) -> bool:
        """Copy results to the user, or vouch for those that stay in the store.

        Returns False when an entry turned out to be damaged and has to be computed again.
        """
        for name, state in self._states.items():
            entry = state.result.entry
            if entry is None or state.result.path is not None:
                continue
            target = self._out.get(name)
            try:
                if target is not None:
                    deliver(self._store, entry, target, force=self._force)
                elif self._made_here(state):
                    self._vouching.note(entry)
                elif not self._is_sound(entry):
                    raise EntryDamagedError(entry.manifest.stage, entry.key)
            except EntryDamagedError as damage:
                if self._forget(damage.stage, damage.key):
                    return False
                state.result.error = self._lost(damage.key)
                state.result.status = "failed"
            except (RobotidError, OSError) as error:
                doing = f"writing the result of {name}"
                state.result.error = from_exception(error, doing, str(target or self._store.root))
                state.result.status = "failed"
            else:
                state.result.path = target or (entry.path if self._store.keeps(entry) else None)
        return True
