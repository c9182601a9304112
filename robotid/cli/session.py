"""Running a graph for a command: store, processes, what is shown, what is printed."""

from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from robotid import cores
from robotid.cli.alignment import aligned
from robotid.cli.console import Console
from robotid.cli.display import display_for
from robotid.cli.settings import Settings
from robotid.errors import Effect, Notice, UsageError
from robotid.runner.cluster.address import check_address
from robotid.runner.executor import Executor
from robotid.runner.graph import Graph
from robotid.runner.local import LocalExecutor
from robotid.runner.record import record_run
from robotid.runner.result import RunResult, StageResult
from robotid.runner.run import Run
from robotid.store.location import opened_store
from robotid.store.store import Store

_MOST_ALIKE = 4  # findings of one kind that are shown
# What is said of a result, besides where it is; imported when it is needed.
_SHOWN = {
    "excitation": ("robotid.cli.design_text", "show_design"),
    "rollout": ("robotid.cli.rollout_text", "show_rollout"),
    "comparison": ("robotid.cli.rollout_text", "show_comparison"),
    "table": ("robotid.cli.table_text", "show_table"),
    "tracking": ("robotid.cli.track_text", "show_tracking"),
}
_SUMMARY = ("stage", "result", "time", "tasks", "warnings", "output")


class Cluster(NamedTuple):
    """A dask cluster: the address of its scheduler, or None for one on this machine."""

    scheduler: str | None


def console_for(settings: Settings) -> Console:
    """The console that the global options ask for."""
    return Console(json=settings.json, quiet=settings.quiet, debug=settings.debug)


def run_graph(
    graph: Graph,
    settings: Settings,
    *,
    out: dict[str, Path],
    force: bool = False,
    only: str | None = None,
    name: str | None = None,
    cluster: Cluster | None = None,
) -> tuple[RunResult, str | None]:
    """Run a graph and note the run; returns the result and the run's name."""
    jobs = cores.available() if settings.jobs is None else settings.jobs
    if jobs < 1:
        raise UsageError("bad-jobs", f"--jobs {jobs}: at least one process is needed")
    if settings.timeout is not None and not settings.timeout > 0:
        raise UsageError("bad-timeout", f"--timeout {settings.timeout:g}: no time at all")
    beside = next(iter(out.values()), None)
    with (
        opened_store(
            settings.cache_dir,
            no_cache=settings.no_cache,
            shared=settings.shared_cache,
            beside=beside,
        ) as store,
        display_for(console_for(settings), len(graph.nodes), verbose=settings.verbose) as display,
    ):
        executor: Executor = LocalExecutor(store, jobs, settings.timeout)
        if cluster is not None:
            executor = _on_cluster(cluster, store, jobs, settings)
        try:
            result = Run(
                graph,
                store,
                executor,
                display,
                out=out,
                force=force,
                recompute=settings.recompute,
                only=only,
            ).go()
        finally:
            executor.close()
        return result, record_run(store, result, name)


def _on_cluster(cluster: Cluster, store: Store, jobs: int, settings: Settings) -> Executor:
    if cluster.scheduler is not None and settings.jobs is not None:
        said = "--jobs: how many tasks run at a time is up to the workers of the scheduler"
        raise UsageError("bad-jobs", said, hint="leave it out")
    if cluster.scheduler is not None:
        check_address(cluster.scheduler)
    try:
        from robotid.runner.cluster.executor import DaskExecutor
    except ModuleNotFoundError as error:
        said = f"--executor dask needs a package that is not installed: {error.name}"
        raise UsageError("no-dask", said, hint="pip install 'robotid[dask]'") from error
    return DaskExecutor(store, cluster.scheduler, jobs, settings.timeout)


def finish(
    settings: Settings,
    result: RunResult,
    answer: BaseModel,
    printed: Callable[[StageResult], list[str] | None] = lambda _: None,
) -> int:
    """Say what went wrong, print the answer, return the exit code.

    Args:
        settings: the global options.
        result: of the run.
        answer: what `--json` prints.
        printed: lines to print instead of the path of a stage's result; None for the path.
    """
    console = console_for(settings)
    for notice in result.notices:
        console.warn(notice)
    single = [s for s in result.stages if not s.node.is_varied]
    warn_of_all(console, [n for s in single for n in s.notices], verbose=settings.verbose)
    varied = [n for s in result.stages if s.node.is_varied for n in s.notices]
    warn_of_all(console, varied, verbose=settings.verbose, many=True)
    for stage in result.stages:
        if stage.error is not None:
            console.error(stage.error.notice, stage.detail)
    reports = [done for done in result.stages if done.node.stage.output == "report" and done.path]
    reported = {name for done in reports for name in done.node.needs()}
    for stage in result.stages:
        _say_verdict(console, stage, reported)
    if sum(not stage.node.made_for for stage in result.stages) > 1:
        for line in aligned(_SUMMARY, _summary(result.stages)):
            console.tell(line)
    if settings.json:
        console.emit_json(answer)
    else:
        needed = {name for stage in result.stages for name in stage.node.needs()}
        for stage in result.stages:
            between = stage.node.is_varied and stage.node.name in needed  # may be a thousand
            if stage.path is not None and not stage.node.made_for and not between:
                for line in printed(stage) or [str(stage.path)]:
                    console.emit(line)
    return int(result.exit_code)


def _say_verdict(console: Console, stage: StageResult, reported: set[str]) -> None:
    """What a fit is worth comes before where it is; a report says it for its fits.

    Of the variations of a sweep the stage that gathers them speaks.
    """
    if stage.path is None or console.quiet or stage.node.is_varied:
        return
    if stage.node.stage.output == "report":
        from robotid.cli.report_text import show_report

        said = bool(stage.node.needs())  # with the fits, which are of this run
        show_report(console, stage.path, remarks=not said)
    elif stage.node.stage.output in _SHOWN:
        module, function = _SHOWN[stage.node.stage.output]
        getattr(import_module(module), function)(console, stage.path)
    elif stage.node.stage.output == "fit" and stage.node.name not in reported:
        from robotid.contracts.any_fit import read_any_fit

        console.tell(f"{stage.node.name}: {read_any_fit(stage.path).verdict.sentence}")


def warn_of_all(
    console: Console, notices: list[Notice], *, verbose: bool, many: bool = False
) -> None:
    """Say findings, of each kind only some: what many logs or fits have in common is soon known.

    Losses and bad results are all said, unless they are of `many` variations of a sweep.
    """
    most = None if verbose else _MOST_ALIKE
    seen: Counter[str] = Counter()
    for notice in notices:
        seen[notice.code] += 1
        telling = notice.effect is not Effect.NONE and not many
        if most is None or seen[notice.code] <= most or telling:
            console.warn(notice)
    for code, count in seen.items():
        if most is not None and count > most:
            console.say(f"warning[{code}] {count} in all; --verbose and --json list them")


def _summary(stages: list[StageResult]) -> list[list[str]]:
    """A row for each stage; one for all variations of a stage."""
    together: dict[str, list[StageResult]] = {}
    for stage in stages:
        together.setdefault(stage.node.table, []).append(stage)
    return [_row(name, of_one) for name, of_one in together.items()]


def _row(name: str, stages: list[StageResult]) -> list[str]:
    statuses = Counter(stage.status for stage in stages)
    several = len(stages) > 1
    return [
        name,
        ", ".join(f"{count} {status}" if several else status for status, count in statuses.items()),
        f"{sum(stage.seconds for stage in stages):.1f} s",
        f"{sum(s.computed for s in stages)} of {sum(len(s.keys) for s in stages)}",
        str(sum(len(stage.notices) for stage in stages)),
        "-" if several else str(stages[0].path or "-"),
    ]
