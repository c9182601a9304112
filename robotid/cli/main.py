"""Finding the command, calling it, and turning whatever happens into an exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer

from robotid import __version__
from robotid.cli.commands import COMMANDS, GROUPS
from robotid.cli.console import Console
from robotid.cli.options import FLAGS
from robotid.cli.signals import InterruptedBySignal, as_exceptions
from robotid.errors import ExitCode, RobotidError, StorageError, UsageError, from_exception

# The base class of all usage errors, wherever this version of typer keeps it.
_BadUsageError: Any = typer.BadParameter.__mro__[1]


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    _reserve_standard_streams()
    console = Console(json="--json" in arguments, debug="--debug" in arguments)
    name = ""
    try:
        with as_exceptions():
            name, before, rest = split(arguments)
            if name in COMMANDS:
                code = _call(name, before + rest)
            elif "--version" in before:
                console.emit(f"robotid {__version__}")
                code = ExitCode.OK
            else:
                unknown = [word for word in before if word.startswith("-") and word not in FLAGS]
                code = _overview(name, unknown + rest)
        if sys.stdout is None:  # the caller closed it
            raise StorageError("stdout-closed", "standard output is closed: the result is lost")
    except InterruptedBySignal as stop:
        error = RobotidError("interrupted", f"stopped by {stop}; finished stages are kept")
        return console.failed(name, error, 128 + stop.number)
    except _BadUsageError as error:
        usage = UsageError("usage", error.format_message(), hint=f"{_program(name)} --help")
        return console.failed(name, usage)
    except (
        SystemExit
    ):  # typer's answer to a reader that went away, as in `robotid --help | head -1`
        return ExitCode.OK
    except Exception as error:
        known = from_exception(error, _program(name))
        return console.failed(name, known, detail=traceback.format_exc())
    return code


def split(arguments: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The command or group a command line names, and what stands before and behind the name."""
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        position += 2 if FLAGS.get(arguments[position]) else 1
    before, words = list(arguments[:position]), list(arguments[position:])
    for length in (2, 1):
        name = " ".join(words[:length])
        if len(words) >= length and (name in COMMANDS or name in GROUPS):
            return name, before, words[length:]
    return "", before, words


def _call(name: str, arguments: list[str]) -> int:
    module, summary = COMMANDS[name]
    app = _app()
    app.command(help=summary)(import_module(module).command)
    return _run(app, arguments, name)


def _overview(group: str, arguments: list[str]) -> int:
    """The help of robotid or of a group of commands, or the error for a name it does not have."""
    app = _app()
    app.callback(help=GROUPS[group])(_nothing)
    inside = f"{group} " if group else ""
    summaries: dict[str, str] = {}
    for name, (_, summary) in COMMANDS.items():
        if name.startswith(inside):
            word = name.removeprefix(inside).split(" ")[0]
            summaries[word] = GROUPS.get(inside + word, summary)
    for word, summary in summaries.items():
        app.command(word, help=summary)(_nothing)
    return _run(app, arguments or ["--help"], group)


def _app() -> typer.Typer:
    """An app for one command: a group would load typer's machinery for all of them."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return typer.Typer(
        add_completion=False,
        rich_markup_mode="rich" if terminal else None,
        context_settings={"help_option_names": ["--help", "-h"]},
    )


def _run(app: typer.Typer, arguments: list[str], name: str) -> int:
    code = app(args=arguments, prog_name=_program(name), standalone_mode=False)
    return code if isinstance(code, int) else ExitCode.OK


def _program(name: str) -> str:
    return f"robotid {name}".strip()


def _nothing() -> None:
    pass


def _reserve_standard_streams() -> None:
    """Keep the numbers 0 to 2 from being given to a file when the caller closed them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
