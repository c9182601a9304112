"""`robotid init`: from logs nobody has described to a pipeline that is ready to run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings

if TYPE_CHECKING:
    from robotid.cli.answer import InitAnswer
    from robotid.cli.start import Start
    from robotid.errors import Notice
    from robotid.ingestion.column_map import ColumnMap
    from robotid.inspection.remarks import Remark
    from robotid.inspection.several import Several
    from robotid.robot.load import Loaded

# Typer's own check would call a file without permission wrong usage.
_LOGS = typer.Argument(
    readable=False, help="Logs, one recording each; the last of several is held out."
)
_ROBOT = typer.Option("--robot", help="A robot file (URDF or MJCF) or the name of a robot.")
_LOCK = typer.Option("--lock", help="A joint of the robot to hold, as NAME=VALUE; repeat it.")
_CHAIN = typer.Option("--chain", help="Keep what lies between two links of it, as BASE:TIP.")
_BASE = typer.Option("--base", help="fixed holds the root of a robot whose file lets it float.")
_GRAVITY = typer.Option("--gravity", help="Gravity in the axes of the base, as X,Y,Z [m/s²].")
_MOUNT = typer.Option("--mount", help="How the base is tilted, as ROLL,PITCH,YAW [rad].")
_MODEL = typer.Option("--model", help="A model to fit; repeat it. By default ols and sdp.")
_MAP = typer.Option(
    "--map", readable=False, help="A map of their columns, instead of a guessed one."
)
_OUT = typer.Option("--out", "-o", help="The folder that gets pipeline.toml; default: here.")
_PIPELINE = typer.Option("--pipeline", help="The pipeline file, instead of a folder.")
_FORCE = typer.Option("--force", help="Replace files that are there.")


def init(
    settings: Settings,
    logs: Annotated[list[Path], _LOGS],
    robot: Annotated[str, _ROBOT],
    model: Annotated[list[str] | None, _MODEL] = None,
    map_: Annotated[Path | None, _MAP] = None,
    out: Annotated[Path | None, _OUT] = None,
    pipeline: Annotated[Path | None, _PIPELINE] = None,
    force: Annotated[bool, _FORCE] = False,
    lock: Annotated[list[str] | None, _LOCK] = None,
    chain: Annotated[str | None, _CHAIN] = None,
    base: Annotated[str | None, _BASE] = None,
    gravity: Annotated[str | None, _GRAVITY] = None,
    mount: Annotated[str | None, _MOUNT] = None,
) -> int:
    """Look at logs and write a pipeline, and a map of their columns where one is needed."""
    from robotid.cli.named_robot import named_robot
    from robotid.cli.session import console_for, warn_of_all
    from robotid.errors import UsageError, exit_code_of
    from robotid.inspection.several import inspect_several

    if out is not None and pipeline is not None:
        raise UsageError("usage", "--out and --pipeline exclude each other")
    target = pipeline if pipeline is not None else (out or Path()) / "pipeline.toml"
    models = _models(model)
    changes = {"lock": lock, "chain": chain, "base": base, "gravity": gravity, "mount": mount}
    loaded = named_robot(robot, **changes)
    assert loaded is not None
    several = inspect_several(logs, loaded.tree, _given_map(map_))
    if several.proposal is not None:
        map_ = target.with_name(
            "columns.map.toml" if pipeline is None else f"{target.stem}.map.toml"
        )
    start = _started(several, loaded, target, map_, robot, models, changes)
    _write(start, several, force=force)
    readers = [notice for log in several.logs for notice in log.found.findings]
    notices = [*loaded.notices, *readers]
    notices += [notice for log in several.logs for notice in log.trial.findings]
    checks = several.proposal.checks if several.proposal is not None else []
    code = exit_code_of(readers)
    console = console_for(settings)
    if settings.json:
        console.emit_json(_answer(start, checks, notices, code))
        return code
    for log in start.logs:
        console.tell(f"{log.found.path}: {log.summary()}")
    warn_of_all(console, notices, verbose=settings.verbose)
    for remark in checks:
        console.tell(f"check [{remark.table}]: {remark.text}")
    for log in start.logs:
        for notice in log.refused:
            console.say(f"ingest would refuse {log.name}: error[{notice.code}] {notice.text()}")
    if start.map_file is not None:
        console.tell(f"the map of columns is {start.map_file}")
    if not start.ready:
        console.tell("not ready: what is marked CHECK comes first")
    console.tell(f"next: {_next(start)}")
    console.emit(str(target))
    return code


def _given_map(path: Path | None) -> "ColumnMap | None":
    from robotid.ingestion.column_map import ColumnMap
    from robotid.stages.configuration import TomlFile, parse_config

    if path is None:
        return None
    source = TomlFile(path)
    return parse_config(ColumnMap, source.values, source=source)


def _models(given: list[str] | None) -> list[str]:
    """The models to compare; one that is named twice counts once."""
    from typing import get_args

    from robotid.errors import UsageError, nearest
    from robotid.fitting.options import Model

    for name in given or ():
        if name not in get_args(Model):
            said = f"no model is called {name!r}"
            raise UsageError("unknown-model", said, hint=nearest(name, get_args(Model)))
    return list(dict.fromkeys(given or ("ols", "sdp")))


def _started(
    several: "Several",
    loaded: "Loaded",
    target: Path,
    map_file: Path | None,
    robot: str,
    models: list[str],
    changes: dict[str, str | list[str] | None],
) -> "Start":
    from robotid.cli.start import Start, StartLog
    from robotid.runner.inputs import names_of

    names = names_of([looked.found.path for looked in several.logs])
    known = {joint for log in several.logs for joint in log.found.proposal.joints}
    proposed = map_file is None or several.proposal is not None
    return Start(
        logs=[StartLog(name, looked) for name, looked in zip(names, several.logs, strict=True)],
        map_file=map_file,
        robot=robot,
        changes={name: value for name, value in changes.items() if value},
        missing=[j for j in loaded.tree.joint_names if proposed and j not in known],
        models=models,
        target=target,
    )


def _write(start: "Start", several: "Several", *, force: bool) -> None:
    """Both files or none: what is in the way is seen before the first is written."""
    from robotid.cli.text_file import refuse_other_file, write_text_file
    from robotid.errors import UsageError, from_os_error
    from robotid.inspection.map_text import map_text

    files = [(start.target, start.text(), "the pipeline")]
    if several.proposal is not None:
        assert start.map_file is not None
        first = several.logs[0].found.path.name
        more = len(several.logs) - 1
        named = f"{first} and {more} more" if more else first
        text = map_text(several.proposal, named)
        files.insert(0, (start.map_file, text, "the map"))
    for path, text, what in files:
        refuse_other_file(path, text, what, force=force)
    try:
        start.target.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        said = "the pipeline needs a folder, and this is a file"
        hint = "--out names another folder, --pipeline a file"
        raise UsageError("output-exists", said, file=str(start.target.parent), hint=hint) from error
    except OSError as error:
        raise from_os_error(error, "making the folder") from error
    for path, text, what in files:
        write_text_file(path, text, what, force=force)


def _next(start: "Start") -> str:
    """The command that runs the pipeline; a name with a dash in front is no flag."""
    from shlex import quote

    name = str(start.target)
    return f"robotid run {quote(f'./{name}' if name.startswith('-') else name)} --out results"


def _answer(
    start: "Start", checks: "list[Remark]", notices: "list[Notice]", code: int
) -> "InitAnswer":
    from robotid.cli.answer import InitAnswer, RemarkAnswer, StartLogAnswer

    return InitAnswer(
        warnings=notices,
        exit_code=code,
        pipeline=str(start.target),
        map_file=str(start.map_file) if start.map_file is not None else None,
        ready=start.ready,
        robot=start.robot,
        held=list(start.missing),
        logs=[
            StartLogAnswer(
                path=str(log.found.path),
                name=log.name,
                formats=list(log.found.formats),
                samples=log.samples,
                rate_hz=log.rate_hz,
                signals=list(log.columns.signals()),
                refused=list(log.refused),
            )
            for log in start.logs
        ],
        checks=[RemarkAnswer(**remark._asdict()) for remark in checks],
        next=_next(start),
    )


command = options.command(init)
