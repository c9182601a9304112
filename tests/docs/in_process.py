"""Stages in this process: torch and numba are loaded once, not by a worker for every command."""

from collections import deque

from robotid.errors import from_exception
from robotid.runner.execute import execute
from robotid.runner.executor import Event, Failed, Finished
from robotid.runner.task import Task
from robotid.store.store import Store


class InProcess:
    """An executor that does a task when it is waited for."""

    def __init__(self, store: Store, jobs: int, timeout_s: float | None = None) -> None:
        self._store, self._tasks = store, deque[Task]()

    def warm_up(self) -> None:
        pass

    def submit(self, task: Task) -> None:
        self._tasks.append(task)

    def wait(self) -> list[Event]:
        if not self._tasks:
            return []
        task = self._tasks.popleft()
        try:
            execute(task, self._store)
        except Exception as error:
            return [Failed(task, from_exception(error, task.label))]
        return [Finished(task)]

    def close(self) -> None:
        pass
