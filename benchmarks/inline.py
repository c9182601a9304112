"""An executor without processes, for measurements that would drown in process starts."""

import traceback
from collections import deque

from robotid.errors import from_exception
from robotid.runner.execute import execute
from robotid.runner.executor import Event, Failed, Finished, InputDamaged, Started
from robotid.runner.graph import Graph
from robotid.runner.result import Reached, RunResult, StageResult
from robotid.runner.run import Run
from robotid.runner.task import Task
from robotid.store.store import EntryDamagedError, Store


class InlineExecutor:
    """Does tasks one after the other in this process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: deque[Task] = deque()
        self.executed: list[str] = []

    def warm_up(self) -> None: ...

    def submit(self, task: Task) -> None:
        self._pending.append(task)

    def wait(self) -> list[Event]:
        task = self._pending.popleft()
        self.executed.append(task.label)
        try:
            execute(task, self._store)
        except EntryDamagedError as damage:
            return [Started(task), InputDamaged(task, damage.stage, damage.key)]
        except BaseException as error:
            known = from_exception(error, task.label)
            return [Started(task), Failed(task, known, traceback.format_exc())]
        return [Started(task), Finished(task)]

    def close(self) -> None:
        self._pending.clear()


class Silence:
    """An observer that says nothing."""

    def started(self, task: Task) -> None: ...

    def progressed(self, task: Task, fraction: float, doing: str) -> None: ...

    def ended(self, task: Task) -> None: ...

    def waits(self, why: str) -> None: ...

    def reached(self, whole: Reached) -> None: ...

    def settled(self, result: StageResult) -> None: ...


def run_inline(graph: Graph, store: Store, **options) -> tuple[RunResult, list[str]]:
    """Run a graph in this process; the result and the labels of the tasks that ran."""
    executor = InlineExecutor(store)
    return Run(graph, store, executor, Silence(), **options).go(), executor.executed
