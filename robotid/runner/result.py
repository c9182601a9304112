"""How a run ended, and who is told while it goes on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from robotid.errors import ExitCode, Notice, RobotidError, exit_code_of
from robotid.runner.graph import Node
from robotid.runner.task import Task
from robotid.store.store import Entry

Outcome = Literal["cached", "computed", "failed", "skipped"]


@dataclass(slots=True)
class StageResult:
    """How one stage of a run ended.

    `path` is what the user is given; `keys` are the entries the result consists of, parts first.
    """

    node: Node
    status: Outcome | Literal["waiting"] = "waiting"
    entry: Entry | None = None
    path: Path | None = None
    error: RobotidError | None = None
    detail: str = ""
    notices: list[Notice] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    computed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended, stage by stage; `notices` are about the run itself."""

    stages: list[StageResult]
    notices: list[Notice]

    @property
    def error(self) -> RobotidError | None:
        """The first error in the order of the graph."""
        return next((stage.error for stage in self.stages if stage.error is not None), None)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the whole run."""
        if self.error is not None:
            return self.error.exit_code
        return exit_code_of(notice for stage in self.stages for notice in stage.notices)


class Observer(Protocol):
    """Whoever wants to see how a run goes."""

    def started(self, task: Task) -> None:
        """A task has begun."""

    def progressed(self, task: Task, fraction: float, doing: str) -> None:
        """A task is this far."""

    def ended(self, task: Task) -> None:
        """A task has ended, well or not."""

    def waits(self, why: str) -> None:
        """Nothing goes on, and why."""

    def settled(self, result: StageResult) -> None:
        """A stage has its result, or will have none."""

    def reached(self, whole: "Reached") -> None:
        """The whole graph is this far."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a graph is.

    Args:
        stages: that have a result, or will have none.
        tasks: that are done, among those found in the cache.
        known: tasks that are known of so far; those of a stage are, once its inputs are there.
        share: of the whole: stages, and of those that are planned the share of their tasks.
    """

    stages: int
    tasks: int
    known: int
    share: float
