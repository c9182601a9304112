"""`docs/config.md`: every configuration key of every stage, written from the configurations."""

from collections.abc import Container, Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter

from robotid.ingestion.column_map import ColumnMap
from robotid.runner.pipeline import PipelineFile
from robotid.stages.catalog import CATALOG, stage_named
from robotid.stages.contract import Stage

_HEAD = """# Configuration keys

Written by `make schemas`; do not edit. A key of a stage is a flag on its command line (`cutoff_hz`
is `--cutoff-hz`; flags that take a list are given once per value), a key in the TOML file of
`--config`, and a key in the table of the stage in a [pipeline](pipelines.md). JSON Schemas with
the same content: `schemas/config.STAGE.json`.
"""
_MAP = """A TOML file for `--map`, or the table `columns` of `ingest`; [logs](logs.md) explains it.
"""
_BOUNDS = {
    "minimum": "≥",
    "exclusiveMinimum": ">",
    "maximum": "≤",
    "exclusiveMaximum": "<",
}


def config_reference() -> str:
    """The page."""
    parts = [_HEAD]
    parts += [_stage(stage_named(name)) for name in CATALOG]
    parts += ["## Maps of logs\n", _MAP, *_tables(ColumnMap)]
    parts += ["## Pipeline files\n", *_tables(PipelineFile)]
    return "\n".join(parts)


def _stage(stage: Stage) -> str:
    inputs = [
        f"| `inputs.{role}` | {_times(given.many, given.optional)} | {given.summary} |"
        for role, given in stage.inputs.items()
    ]
    head = ["| input | how many | what |", "|---|---|---|", *inputs, ""]
    of_maps = {ColumnMap.__name__, *TypeAdapter(ColumnMap).json_schema()["$defs"]}
    return "\n".join([f"## {stage.name}\n", *head, *_tables(stage.config, of_maps)])


def _times(many: bool, optional: bool) -> str:
    return {
        (False, False): "one",
        (False, True): "none or one",
        (True, False): "one or more",
        (True, True): "any",
    }[many, optional]


def _tables(model: type[BaseModel], elsewhere: Container[str] = ()) -> Iterator[str]:
    """The table of a model, and one for each model it refers to that is not described elsewhere."""
    schema = TypeAdapter(model).json_schema()
    yield _table(schema) if schema.get("properties") else "It has no keys.\n"
    for name, inner in schema.get("$defs", {}).items():
        if name not in elsewhere:
            said = inner.get("description", "").split("\n")[0]
            yield f"### {name}\n\n{said}\n\n{_table(inner)}"


def _table(schema: dict[str, Any]) -> str:
    rows = ["| key | values | default | meaning |", "|---|---|---|---|"]
    needed = schema.get("required", [])
    for name, key in schema["properties"].items():
        default = "needed" if name in needed else _default(key.get("default"))
        meaning = _cell(key["description"])
        rows.append(f"| `{name}` | {_cell(_values(key))} | {_cell(default)} | {meaning} |")
    return "\n".join(rows) + "\n"


def _values(key: dict[str, Any]) -> str:
    """What a key takes, in words, from its JSON Schema."""
    if "anyOf" in key:
        kinds = [_values(kind) for kind in key["anyOf"] if kind.get("type") != "null"]
        return " or ".join(kinds)
    if "$ref" in key:
        return f"table {key['$ref'].rsplit('/', 1)[-1]}"
    if "enum" in key:
        return ", ".join(f"`{value}`" for value in key["enum"])
    if "const" in key:
        return f"`{key['const']}`"
    kind = key["type"]
    if kind == "array":
        return f"list of {_values(key['items'])}" if "items" in key else "list"
    if kind == "object":
        inner = key.get("additionalProperties")
        return f"table of {_values(inner)}" if isinstance(inner, dict) else "table"
    bounds = [f"{sign} {key[word]:g}" for word, sign in _BOUNDS.items() if word in key]
    return " ".join([kind, ", ".join(bounds)]).strip()


def _default(value: Any) -> str:
    if value is None or value in ("", [], {}):
        return "-"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict):
        return "as below"
    if isinstance(value, list):
        return "`[" + ", ".join(f'"{v}"' if isinstance(v, str) else f"{v:g}" for v in value) + "]`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
