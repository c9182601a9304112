"""`robotid run`: a pipeline file from beginning to end."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings


class Executor(StrEnum):
    """What does the work of a run."""

    LOCAL = "local"
    DASK = "dask"


def run(
    settings: Settings,
    pipeline: Annotated[Path, typer.Argument(readable=False, help="A pipeline file (TOML).")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Copy each result to DIR/STAGE.", metavar="DIR"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace other results there.")] = False,
    only: Annotated[
        str | None, typer.Option(help="Compute this stage only; the others must be cached.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Stop after this stage.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key: stage.key=value.", metavar="KEY=VALUE"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run, and why.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="A name for the run; gc keeps what it used.")
    ] = None,
    executor: Annotated[
        Executor, typer.Option(help="What does the work: processes here, or a dask cluster.")
    ] = Executor.LOCAL,
    scheduler: Annotated[
        str | None,
        typer.Option(help="The cluster's scheduler; without it a cluster is started here."),
    ] = None,
) -> int:
    """Run a pipeline file: all of the above as one graph."""
    from robotid.cli.answer import answer_of_run
    from robotid.cli.session import Cluster, finish, run_graph
    from robotid.errors import UsageError
    from robotid.runner.pipeline import load_pipeline

    if name is not None and not re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", name):
        said = f"--name {name!r} is not a lower-case word of letters, digits, '-' and '_'"
        raise UsageError("bad-name", said)
    if scheduler is not None and executor is not Executor.DASK:
        raise UsageError("usage", "--scheduler is that of --executor dask")
    if only is not None and until is not None:
        raise UsageError("usage", "--only and --until exclude each other")
    graph = load_pipeline(pipeline, set_ or [])
    last = only or until
    if last is not None:
        graph = graph.until(last)
    if dry_run:
        from robotid.cli.dry_run import show_preview

        return show_preview(graph, settings)
    targets = {}
    if out is not None:
        chosen = [
            node for node in graph.nodes if node.deliver and (only is None or node.is_of(only))
        ]
        targets = {node.name: out / node.name for node in chosen}
    cluster = Cluster(scheduler) if executor is Executor.DASK else None
    result, noted = run_graph(
        graph, settings, out=targets, force=force, only=only, name=name, cluster=cluster
    )
    return finish(settings, result, answer_of_run(result, noted))


command = options.command(run)
