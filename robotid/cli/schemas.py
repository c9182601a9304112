"""The generated files: JSON Schemas of every file format, the table of flags, docs/config.md.

    python -m robotid.cli.schemas    (or: make schemas)

writes them; a test fails when one is stale.
"""

import json
import sys
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter

import robotid
from robotid.cli.answer import ANSWERS
from robotid.cli.config_reference import config_reference
from robotid.contracts.comparison import ForwardComparison
from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.decomposition import Decomposition
from robotid.contracts.excitation import Excitation
from robotid.contracts.export import ExportIndex
from robotid.contracts.factors import FactorFacts, FactorIndex
from robotid.contracts.fit import FitResult
from robotid.contracts.forward import ForwardResult
from robotid.contracts.learned import LearnedResult
from robotid.contracts.predictions import PredictionIndex
from robotid.contracts.recording import RecordingFacts
from robotid.contracts.rollout import Rollout
from robotid.contracts.splits import Cut
from robotid.contracts.table import TableFacts
from robotid.contracts.tracking import Tracking
from robotid.contracts.truth import Truth
from robotid.reporting.facts import ReportFacts
from robotid.runner.pipeline import PipelineFile, StageTable
from robotid.stages.catalog import CATALOG, stage_named
from robotid.stages.contract import Stage
from robotid.store.manifest import ManifestFile

FORMATS: dict[str, Any] = {
    "answer": ANSWERS,
    "dataset": DatasetIndex,
    "dataset.cut": Cut,
    "decomposition": Decomposition,
    "excitation": Excitation,
    "export": ExportIndex,
    "factors": FactorIndex,
    "factors.recording": FactorFacts,
    "fit": FitResult,
    "fit.forward": ForwardResult,
    "fit.learned": LearnedResult,
    "manifest": ManifestFile,
    "predictions": PredictionIndex,
    "recording": RecordingFacts,
    "report": ReportFacts,
    "rollout": Rollout,
    "comparison": ForwardComparison,
    "table": TableFacts,
    "tracking": Tracking,
    "truth": Truth,
}

_TYPES = {float: "number", int: "integer", str: "string", bool: "boolean"}


def generated() -> dict[Path, str]:
    """Every generated file and its content; paths relative to the project."""
    files = {
        Path("schemas") / f"{name}.json": _text(_schema(kind)) for name, kind in FORMATS.items()
    }
    for name in CATALOG:
        files[Path("schemas") / f"config.{name}.json"] = _text(_schema(stage_named(name).config))
    files[Path("schemas") / "pipeline.json"] = _text(_pipeline_schema())
    flags = {name: _flags(stage_named(name)) for name in CATALOG}
    files[Path("robotid") / "cli" / "flags.json"] = _text(flags)
    files[Path("docs") / "config.md"] = config_reference()
    return files


def _schema(kind: Any) -> dict[str, Any]:
    schema = TypeAdapter(kind).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _pipeline_schema() -> dict[str, Any]:
    """A pipeline file, with the configuration of each stage where its table has its name."""
    schema = _schema(PipelineFile)
    stage_table = schema["$defs"].pop(StageTable.__name__)
    for name in CATALOG:
        config = TypeAdapter(stage_named(name).config).json_schema()
        schema["$defs"] |= config.pop("$defs", {})
        known = {**stage_table["properties"], **config["properties"]}
        schema["$defs"][name] = {**stage_table, "properties": known, "additionalProperties": False}
    schema["properties"]["stages"]["properties"] = {
        name: {"$ref": f"#/$defs/{name}"} for name in CATALOG
    }
    schema["properties"]["stages"]["additionalProperties"] = {
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in CATALOG]
    }
    return schema


def _flags(stage: Stage) -> dict[str, Any]:
    inputs = {
        role: {
            "metavar": given.metavar,
            "summary": given.summary[0].upper() + given.summary[1:] + ".",
            "many": given.many,
            "optional": given.optional,
            "option": given.option,
            "argument": given.argument,
        }
        for role, given in stage.inputs.items()
    }
    config = {}
    for name, field in stage.config.model_fields.items():
        kind, many, words = _plain(field.annotation)
        if get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, BaseModel)):
            continue  # a table of its own: for files, not for flags
        choices = [str(choice) for choice in get_args(kind)] if get_origin(kind) is Literal else []
        default = field.get_default(call_default_factory=True)
        shown = default not in (None, (), [], {}) and not isinstance(default, BaseModel)
        config[name] = {
            "type": "string" if choices else _TYPES[kind],
            "choices": choices,
            "many": many,
            "default": str(default) if shown else None,
            "help": field.description,
            **({"words": words} if words else {}),
        }
    return {"inputs": inputs, "config": config}


def _plain(annotation: Any) -> tuple[Any, bool, list[str]]:
    """The type of one value of a field, whether it takes several, and words it takes instead."""
    words: list[str] = []
    if get_origin(annotation) in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        annotation = kinds[0]
        words = [word for kind in kinds[1:] for word in get_args(kind)]
    if get_origin(annotation) in (tuple, list):
        return get_args(annotation)[0], True, words
    return annotation, False, words


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write all generated files below the project folder."""
    project = Path(robotid.__file__).parent.parent
    wanted = generated()
    for path in (project / "schemas").glob("*.json"):
        if path.relative_to(project) not in wanted:
            path.unlink()
    for path, text in wanted.items():
        (project / path).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
