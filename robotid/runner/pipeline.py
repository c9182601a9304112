"""Pipeline files: TOML tables, one per stage, checked before anything runs.

description = "what this is for"

[stages.ingest]
inputs.logs = "../sample_logs/pendulum/*.csv"   # relative to this file

[stages.smooth]
stage = "filter"               # not needed where the table has the stage's own name
inputs.dataset = "@ingest"     # the result of another table
cutoff_hz = 8.0                # all other keys are the stage's configuration

A `[sweep]` varies stages; see `sweep`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from robotid.errors import ConfigError, UsageError, nearest
from robotid.runner.graph import Graph, Node
from robotid.runner.sweep import Sweep, Variation, always_set, variations
from robotid.stages.catalog import CATALOG, stage_in
from robotid.stages.configuration import TomlFile, parse_config, parsed_toml
from robotid.stages.contract import Stage

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class StageTable(BaseModel):
    """One `[stages.NAME]` table; keys not named here are the stage's configuration."""

    model_config = ConfigDict(extra="allow")

    stage: str | None = Field(default=None, description="Which stage; the table's name by default.")
    inputs: dict[str, str | list[str]] = Field(
        default_factory=dict,
        description="For each role a path, a pattern, '@NAME' for another stage, or a list.",
    )
    deliver: bool = Field(default=True, description="Copy the result to --out.")
    gathers: list[str] = Field(
        default=[],
        description="Axes of the sweep of which all results are taken at once; '*' for all.",
    )


class PipelineFile(BaseModel):
    """A pipeline file."""

    model_config = ConfigDict(extra="forbid")

    description: str = Field(default="", description="One line on what the pipeline is for.")
    stages: dict[str, StageTable] = Field(description="The stages by name.", min_length=1)
    sweep: Sweep = Field(default=Sweep(), description="What is varied, and how.")


def load_pipeline(
    path: Path, settings: Sequence[str] = (), catalog: Mapping[str, str] = CATALOG
) -> Graph:
    """Read a pipeline file into a checked graph.

    Args:
        path: the TOML file.
        settings: `stage.key=value` or `sweep.key=value` overrides, the value in TOML notation (or a
            bare word).
        catalog: the stages there are.
    """
    source = TomlFile(path)
    values = source.values
    for setting in settings:
        _apply(values, setting)
    parsed = parse_config(PipelineFile, values, source=source)
    _check_effect(settings, parsed.sweep)
    nodes = [
        _varied_node(one, source, catalog)
        for one in variations(values["stages"], parsed.sweep, source)
    ]
    return Graph.of(nodes, base=path.parent, file=str(path), line_of=source.line_of)


def _varied_node(one: Variation, source: TomlFile, catalog: Mapping[str, str]) -> Node:
    where = ("stages", one.origin)
    try:
        table = parse_config(StageTable, one.table, prefix=where, source=source)
        node = _node(one.origin, table, source, catalog)
    except ConfigError as error:
        key, _, said = error.notice.message.partition(": ")
        axis = one.set_by.get(tuple(key.split(".")[len(where) :]))
        if axis is None:
            raise
        raise ConfigError(
            error.notice.code,
            f"sweep.axes.{axis}: {key}: {said}",
            file=str(source.path),
            line=source.line_of(("sweep", "axes", axis)),
            hint=error.notice.hint,
        ) from error
    return replace(node, name=one.name, origin=one.origin)


def _node(name: str, table: StageTable, source: TomlFile, catalog: Mapping[str, str]) -> Node:
    where = ("stages", name)
    if not _NAME.fullmatch(name):
        raise ConfigError(
            "bad-name",
            f"stage name {name!r} is not lower-case letters, digits, '-' and '_'",
            file=str(source.path),
            line=source.line_of(where),
        )
    kind = table.stage or name
    if kind not in catalog:
        key = (*where, "stage") if table.stage else where
        raise ConfigError(
            "unknown-stage",
            f"{'.'.join(key)}: no stage is called {kind!r}",
            file=str(source.path),
            line=source.line_of(key),
            hint=nearest(kind, catalog)
            if table.stage
            else 'give it with stage = "…"; ' + nearest(kind, catalog),
        )
    stage = stage_in(catalog[kind])
    config = parse_config(stage.config, table.model_extra or {}, prefix=where, source=source)
    _check_roles(name, table, stage, source)
    inputs = {
        role: tuple([given] if isinstance(given, str) else given)
        for role, given in table.inputs.items()
    }
    return Node(name=name, stage=stage, config=config, inputs=inputs, deliver=table.deliver)


def _check_roles(name: str, table: StageTable, stage: Stage, source: TomlFile) -> None:
    def fail(role: str, message: str, hint: str | None = None) -> ConfigError:
        where = ("stages", name, "inputs", role)
        return ConfigError(
            "bad-input",
            f"{'.'.join(where)}: {message}",
            file=str(source.path),
            line=source.line_of(where),
            hint=hint,
        )

    for role, given in table.inputs.items():
        if role not in stage.inputs:
            raise fail(role, f"{stage.name} takes no such input", nearest(role, stage.inputs))
        if not given:
            raise fail(role, "nothing is given")
        if isinstance(given, list) and len(given) > 1 and not stage.inputs[role].many:
            raise fail(role, "only one may be given")
    for role, wanted in stage.inputs.items():
        if role not in table.inputs and not wanted.optional:
            raise fail(role, f"{stage.name} needs it: {wanted.summary}")


def _check_effect(settings: Sequence[str], sweep: Sweep) -> None:
    """Refuse to set what an axis sets: the axis would count."""
    owners = always_set(sweep)
    for setting in settings:
        key = setting.partition("=")[0].strip()
        axis = owners.get(tuple(key.split(".")))
        if axis is not None:
            said = f"--set {setting!r}: the axis {axis!r} of the sweep sets {key}"
            part = "values" if sweep.axes[axis].values else "choices"
            hint = f"change sweep.axes.{axis}.{part}"
            raise UsageError("bad-setting", said, hint=hint)


def _apply(values: dict[str, Any], setting: str) -> None:
    """Put one `stage.key=value` into the values of a pipeline file."""
    path, equals, text = setting.partition("=")
    name, dot, key = path.strip().partition(".")
    stages = values.get("stages", {})
    if not (equals and dot and key):
        raise UsageError("bad-setting", f"--set {setting!r} is not of the form stage.key=value")
    if name == "sweep" and name in values and name not in stages:
        stages = values
    if name not in stages:
        raise UsageError(
            "bad-setting", f"--set {setting!r}: no stage {name!r} here", hint=nearest(name, stages)
        )
    try:
        value = parsed_toml(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()  # a bare word, as one types it in a shell
    table = stages[name]
    *outer, last = key.split(".")
    for part in outer:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UsageError("bad-setting", f"--set {setting!r}: {part!r} is not a table")
    table[last] = value
