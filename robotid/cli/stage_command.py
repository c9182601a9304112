"""The command of a stage: flags and a file into a configuration, one run, one answer."""

from collections.abc import Callable, Sequence
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from robotid.cli.flags import config_parameters, input_parameters, parameter_of, stage_table
from robotid.cli.options import Command, command, keyword
from robotid.cli.settings import Settings

if TYPE_CHECKING:
    from robotid.runner.result import StageResult

_CONFIG = typer.Option(
    "--config", readable=False, help="A TOML file with configuration keys; flags win over it."
)
_OUT = typer.Option("--out", "-o", help="Where to put a copy of the result.")
_FORCE = typer.Option("--force", help="Replace another result that is there.")


def stage_command(
    stage: str,
    own: Sequence[Parameter] = (),
    printed: Callable[["StageResult", dict[str, Any]], list[str] | None] | None = None,
) -> Command:
    """The command that runs one stage.

    Args:
        stage: its name.
        own: options that are no configuration keys.
        printed: lines to print instead of the path, given the values of `own`; None for the path.
    """
    parameters = [
        *input_parameters(stage),
        *own,
        keyword("config", Annotated[Path | None, _CONFIG], None),
        keyword("out", Annotated[Path | None, _OUT], None),
        keyword("force", Annotated[bool, _FORCE], False),
        *config_parameters(stage),
    ]

    def call(settings: Settings, **values: Any) -> int:
        chosen = {parameter.name: values.pop(parameter.name) for parameter in own}
        return _call(stage, settings, values, lambda done: printed and printed(done, chosen))

    return command(call, parameters)


def _call(
    stage: str,
    settings: Settings,
    values: dict[str, Any],
    printed: Callable[["StageResult"], list[str] | None],
) -> int:
    from robotid.cli.answer import answer_of_stage
    from robotid.cli.session import finish, run_graph
    from robotid.runner.graph import Graph, Node
    from robotid.stages.catalog import stage_named
    from robotid.stages.configuration import TomlFile, parse_config

    found = stage_named(stage)
    file, out, force = values.pop("config"), values.pop("out"), values.pop("force")
    inputs = {}
    for role in stage_table()[stage]["inputs"]:
        given = values.pop(parameter_of(role))
        paths = [given] if isinstance(given, str) else given or []
        # A path that looks like a reference to a stage is a path here.
        inputs[role] = tuple(f"./{p}" if p.startswith("@") else p for p in paths)
    source = TomlFile(file) if file is not None else None
    flags = {name: value for name, value in values.items() if value is not None}
    keys = {**(source.values if source else {}), **flags}
    config = parse_config(found.config, keys, source=source, flags=frozenset(flags))
    node = Node(
        name=stage, stage=found, config=config, inputs={r: p for r, p in inputs.items() if p}
    )
    graph = Graph.of([node], base=Path())
    targets = {stage: out} if out is not None else {}
    result, _ = run_graph(graph, settings, out=targets, force=force)
    # Of the stages that make its inputs, one that failed is the answer; findings of all are in it.
    own = next((done for done in result.stages if done.error), result.stages[-1])
    before = [notice for done in result.stages if done is not own for notice in done.notices]
    return finish(settings, result, answer_of_stage(own, [*before, *result.notices]), printed)
