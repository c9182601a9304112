"""What runs tasks: an interface, so that processes here and a cluster elsewhere look the same."""

from dataclasses import dataclass
from typing import Any, Protocol

from robotid.errors import Notice, RobotidError
from robotid.runner.task import Task


@dataclass(frozen=True, slots=True)
class Started:
    """A task has begun."""

    task: Task


@dataclass(frozen=True, slots=True)
class Progress:
    """A task is this far, between 0 and 1."""

    task: Task
    fraction: float
    doing: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A task's result is in the store."""

    task: Task
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class InputDamaged:
    """A task could not run because a stored input is gone or damaged."""

    task: Task
    stage: str
    key: str
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A task failed; `detail` is for those who ask for tracebacks."""

    task: Task
    error: RobotidError
    detail: str = ""
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing goes on, and why."""

    why: str


Event = Started | Progress | Finished | InputDamaged | Failed | Waiting


def event_of(task: Task, answer: dict[str, Any]) -> Event:
    """What a worker said of its task (see `runner/worker.py`), as an event."""
    if answer["event"] == "progress":
        return Progress(task, answer["fraction"], answer["doing"])
    notices = tuple(Notice.from_json(fields) for fields in answer["notices"])
    if answer["event"] == "done":
        return Finished(task, notices)
    if answer["event"] == "damaged":
        return InputDamaged(task, answer["stage"], answer["key"], notices)
    error = RobotidError.from_notice(Notice.from_json(answer["error"]), answer["exit_code"])
    return Failed(task, error, answer["traceback"], notices)


class Executor(Protocol):
    """Runs tasks that are independent of each other, some at a time."""

    def warm_up(self) -> None:
        """Get ready for a task that will probably come."""

    def submit(self, task: Task) -> None:
        """Accept a task; it starts when there is room."""

    def wait(self) -> list[Event]:
        """What has happened since the last call; waits until something has."""

    def close(self) -> None:
        """Stop everything at once and leave nothing half-written."""
