"""`robotid inspect`: what is inside a log, and a map for it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings

if TYPE_CHECKING:
    from robotid.inspection.inspection import Inspection

_LOG = typer.Argument(
    readable=False, help="A log, a ROS 2 bag, or a folder of files that belong together."
)
_ROBOT = typer.Option("--robot", help="A robot file or the name of a robot, to match joints.")
_LOCK = typer.Option("--lock", help="A joint of the robot to hold, as NAME=VALUE; repeat it.")
_CHAIN = typer.Option("--chain", help="Keep what lies between two links of it, as BASE:TIP.")
_OUT = typer.Option("--out", "-o", help="Where the map goes; default NAME.map.toml, here.")
_FORCE = typer.Option("--force", help="Replace a file that is there.")


def inspect(
    settings: Settings,
    log: Annotated[Path, _LOG],
    robot: Annotated[str | None, _ROBOT] = None,
    lock: Annotated[list[str] | None, _LOCK] = None,
    chain: Annotated[str | None, _CHAIN] = None,
    out: Annotated[Path | None, _OUT] = None,
    force: Annotated[bool, _FORCE] = False,
) -> int:
    """Show what is inside a log and write a map of its columns."""
    from robotid.cli.inspect_facts import answer_of_inspection
    from robotid.cli.inspect_text import shown
    from robotid.cli.named_robot import named_robot
    from robotid.cli.session import console_for
    from robotid.cli.text_file import write_text_file
    from robotid.errors import exit_code_of
    from robotid.inspection.inspection import inspect_log

    console = console_for(settings)
    loaded = named_robot(robot, lock=lock, chain=chain)
    found = inspect_log(log, loaded.tree if loaded else None)
    notices = [*(loaded.notices if loaded else ()), *found.findings, *found.trial.findings]
    wanted = out is not None or found.proposal.needed
    target = (out or _default(found.path)) if wanted else None
    if not settings.json:
        for line in shown(found):
            console.emit_text(line)
        for notice in notices:
            console.warn(notice)
    if target is not None:
        write_text_file(target, found.text, "the map", force=force)
    if settings.json:
        console.emit_json(answer_of_inspection(found, notices, target))
        return exit_code_of(found.findings)
    for remark in found.proposal.checks:
        console.tell(f"check [{remark.table}]: {remark.text}")
    for notice in found.trial.refused:
        console.say(f"ingest would refuse it: error[{notice.code}] {notice.text()}")
    if not found.proposal.needed:
        console.tell("no map is needed for this log")
    console.tell(f"next: {_next(found, robot, lock or [], chain, target)}")
    if target is not None:
        console.emit(str(target))
    return exit_code_of(found.findings)


def _default(log: Path) -> Path:
    """The name of the log with .map.toml behind it, in the current folder."""
    log = log.resolve()
    return Path(f"{log.name if log.is_dir() else log.stem}.map.toml")


def _next(
    found: "Inspection", robot: str | None, lock: list[str], chain: str | None, target: Path | None
) -> str:
    """The command that reads the log."""
    from shlex import quote

    words = ["robotid", "ingest", quote(str(found.path))]
    if target is not None:
        words += ["--map", quote(str(target))]
    if robot is not None:
        words += ["--robot", quote(robot)]
    words += [f"--lock {quote(text)}" for text in lock]
    words += [f"--chain {quote(chain)}"] if chain is not None else []
    return " ".join([*words, *found.trial.flags])


command = options.command(inspect)
