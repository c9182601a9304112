"""How a run looks while it goes on: a bar per task on a terminal, a line per stage elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from robotid.cli.console import Console
from robotid.cli.text import visible
from robotid.runner.result import Observer, Reached, StageResult
from robotid.runner.task import Task

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_BAR = 16  # characters
_EVERY_S = 60.0  # that a line says how far the whole is


@contextmanager
def display_for(console: Console, stages: int = 0, *, verbose: bool = False) -> Iterator[Observer]:
    """The display that fits where standard error goes; `stages` are those of the whole run."""
    if console.quiet or not console.on_terminal:
        yield Lines(console, stages, verbose=verbose)
        return
    from rich.console import Console as RichConsole
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    # What is being done may be long; bar and times stay visible beside it.
    cut = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    columns = (
        TextColumn("{task.description}", markup=False, table_column=cut),
        BarColumn(bar_width=_BAR),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    shown = RichConsole(stderr=True)
    with Progress(*columns, console=shown, transient=True, expand=True) as bars:
        yield Bars(console, bars, stages, verbose=verbose)


class Lines:
    """One line per stage when it is settled; with `verbose`, one per task as well.

    Of a long run a line a minute says how far the whole is.
    """

    def __init__(self, console: Console, stages: int = 0, *, verbose: bool = False) -> None:
        self._console, self._stages, self._verbose = console, stages, verbose
        self._told = time.monotonic()

    def started(self, task: Task) -> None:
        """A task has begun."""
        if self._verbose:
            self._line(f"{task.label}: started, key {task.key[:12]}")

    def progressed(self, task: Task, fraction: float, doing: str) -> None:
        """Nothing is shown of the way."""

    def ended(self, task: Task) -> None:
        """A task has ended, well or not."""
        if self._verbose:
            self._line(f"{task.label}: ended")

    def waits(self, why: str) -> None:
        """Nothing goes on, and why."""
        self._line(f"waiting: {why}")

    def settled(self, result: StageResult) -> None:
        """A stage has its result, or will have none; variations that were there go without."""
        if self._verbose or not (result.node.is_varied and result.status == "cached"):
            self._line(line_of(result))

    def reached(self, whole: Reached) -> None:
        """Say so once in a while."""
        if time.monotonic() - self._told >= _EVERY_S:
            self._told = time.monotonic()
            self._line(self._so_far(whole))

    def _so_far(self, whole: Reached) -> str:
        return f"{whole.stages} of {self._stages} stages, {whole.tasks} of {whole.known} tasks"

    def _line(self, text: str) -> None:
        self._console.tell(text)


class Bars(Lines):
    """A bar for each running task, and one for the whole; the lines go above them."""

    def __init__(
        self, console: Console, bars: "Progress", stages: int = 0, *, verbose: bool = False
    ) -> None:
        super().__init__(console, stages, verbose=verbose)
        self._bars = bars
        self._shown: dict[str, TaskID] = {}
        self._whole = bars.add_task("", total=1.0) if stages > 1 else None

    def started(self, task: Task) -> None:
        """Show a bar; it pulses until the task says how far it is."""
        super().started(task)
        self._shown[task.label] = self._bars.add_task(visible(task.label), total=None)

    def progressed(self, task: Task, fraction: float, doing: str) -> None:
        """Move the bar."""
        said = visible(f"{task.label}: {doing}")
        self._bars.update(self._shown[task.label], total=1.0, completed=fraction, description=said)

    def ended(self, task: Task) -> None:
        """Take the bar away."""
        super().ended(task)
        self._bars.remove_task(self._shown.pop(task.label))

    def reached(self, whole: Reached) -> None:
        """Move the bar of the whole."""
        if self._whole is not None:
            said = self._so_far(whole)
            self._bars.update(self._whole, completed=whole.share, description=said)

    def _line(self, text: str) -> None:
        self._bars.console.print(visible(text), markup=False, highlight=False)


def line_of(result: StageResult) -> str:
    """One line on how a stage ended."""
    name, status = result.node.name, result.status
    if status == "cached":
        return f"{name}: cached"
    if status == "computed":
        of = f" ({result.computed} of {len(result.keys)} tasks)" if len(result.keys) > 1 else ""
        return f"{name}: computed in {result.seconds:.1f} s{of}"
    return f"{name}: {status}"
