"""Flags of the stage commands, from a table that is generated out of the stages' configurations.

Help must not wait for the configuration classes, which need pydantic. `make schemas` writes the
table; a test fails when it is stale.
"""

import json
from collections.abc import Callable
from functools import cache
from inspect import Parameter
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from robotid.cli.options import keyword

_KINDS: dict[str, Any] = {"number": float, "integer": int, "string": str, "boolean": bool}


@cache
def stage_table() -> dict[str, Any]:
    """Inputs and configuration keys of every stage."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "flags.json").read_bytes())
    return loaded


def input_parameters(stage: str) -> list[Parameter]:
    """The inputs of a stage: arguments are the first role and those that say so."""
    parameters = []
    for position, (role, given) in enumerate(stage_table()[stage]["inputs"].items()):
        kind: Any = list[str] if given["many"] else str
        if given["argument"] or (position == 0 and not given["option"]):
            metavar = f"{given['metavar']}..." if given["many"] else given["metavar"]
            argument = typer.Argument(help=given["summary"], metavar=metavar)
            parameters.append(keyword(role, Annotated[kind, argument]))
        else:
            flag = "--" + role.replace("_", "-")
            option = typer.Option(flag, help=given["summary"], metavar=given["metavar"])
            default = None if given["optional"] else Parameter.empty
            parameters.append(keyword(parameter_of(role), Annotated[kind | None, option], default))
    return parameters


def parameter_of(role: str) -> str:
    """The name of a role's parameter: a word of Python, such as `from`, cannot be one."""
    return f"{role}_" if iskeyword(role) else role


def config_parameters(stage: str) -> list[Parameter]:
    """A flag for every configuration key; one that is not given stays None."""
    parameters = []
    for name, key in stage_table()[stage]["config"].items():
        kind: Any = Literal[tuple(key["choices"])] if key["choices"] else _KINDS[key["type"]]
        kind = list[kind] if key["many"] else kind
        flag = "--" + name.replace("_", "-")
        names = (flag, f"--no-{flag[2:]}") if key["type"] == "boolean" else (flag,)
        words = key.get("words", [])
        if words:  # a number, or one of some words
            kind = str
        option = typer.Option(
            "/".join(names),
            help=key["help"],
            show_default=key["default"] or False,
            parser=_number_or(words) if words else None,
            metavar="|".join(["NUMBER", *words]) if words else None,
        )
        parameters.append(keyword(name, Annotated[kind | None, option], None))
    return parameters


def _number_or(words: list[str]) -> Callable[[str], Any]:
    """What turns the text behind a flag into a number, unless it is one of these words."""

    def parse(text: str) -> Any:
        try:
            return text if text in words else float(text)
        except ValueError:
            said = f"{text!r} is neither a number nor {' or '.join(words)}"
            raise typer.BadParameter(said) from None

    return parse
