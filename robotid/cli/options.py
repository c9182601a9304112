"""Options that all commands share, and the glue that hands them over as one object."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from robotid.cli.settings import Settings

Command = Callable[..., int]

# name, type, default, help, flags: what every command understands.
_EVERYWHERE: tuple[tuple[str, Any, Any, str, tuple[str, ...]], ...] = (
    ("json", bool, False, "Print one JSON object on standard output.", ("--json",)),
    ("cache_dir", Path | None, None, "The cache folder.", ("--cache-dir",)),
    ("shared_cache", bool, False, "Accept a cache that a group shares.", ("--shared-cache",)),
    ("no_cache", bool, False, "Work without the cache.", ("--no-cache",)),
    ("recompute", bool, False, "Compute everything again.", ("--recompute",)),
    ("jobs", int | None, None, "Worker processes; one per core by default.", ("--jobs", "-j")),
    ("timeout", float | None, None, "Stop after so many seconds.", ("--timeout",)),
    ("quiet", bool, False, "Say only what went wrong.", ("--quiet", "-q")),
    ("verbose", bool, False, "Say more.", ("--verbose", "-v")),
    ("debug", bool, False, "Show tracebacks.", ("--debug",)),
)

# Whether a flag of these takes a value: needed to find the command's name behind them.
FLAGS = {flag: kind is not bool for _, kind, _, _, flags in _EVERYWHERE for flag in flags}


def keyword(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """A parameter of a command, as typer reads it."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _everywhere() -> list[inspect.Parameter]:
    return [
        keyword(
            name,
            Annotated[kind, typer.Option(*flags, help=text, rich_help_panel="Everywhere")],
            default,
        )
        for name, kind, default, text, flags in _EVERYWHERE
    ]


def command(function: Command, own: list[inspect.Parameter] | None = None) -> Command:
    """Give a function `(settings, **own)` the shared options.

    Args:
        function: takes `Settings` first, then its own options.
        own: its own parameters, when they are not in its signature.
    """
    if own is None:
        signature = inspect.signature(function, eval_str=True)
        own = list(signature.parameters.values())[1:]
    names = {field.name for field in fields(Settings)}

    def with_settings(**values: Any) -> int:
        settings = Settings(**{name: value for name, value in values.items() if name in names})
        return function(settings, **{k: v for k, v in values.items() if k not in names})

    own = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in own]
    parameters = [*own, *_everywhere()]
    with_settings.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_settings.__annotations__ = {p.name: p.annotation for p in parameters}
    with_settings.__doc__ = function.__doc__
    return with_settings
