"""`robotid robots`: the robots that come with the package, or all about one."""

from typing import TYPE_CHECKING, Annotated

import typer

from robotid.cli import options
from robotid.cli.settings import Settings
from robotid.errors import UsageError

if TYPE_CHECKING:
    from robotid.cli.answer import RobotAnswer


def robots(
    settings: Settings,
    robot: Annotated[
        str | None, typer.Argument(help="A name of the list, or the path of a robot file.")
    ] = None,
    base_parameters: Annotated[
        bool, typer.Option("--base-parameters", help="Show what torques can tell of its links.")
    ] = False,
) -> int:
    """List the robots that come with robotid, or show one."""
    from robotid.cli.alignment import aligned
    from robotid.cli.answer import RobotsAnswer
    from robotid.cli.robot_facts import answer_of_robot, summary_of_robot
    from robotid.cli.session import console_for
    from robotid.robot.catalog import ROBOTS
    from robotid.robot.load import load_robot

    console = console_for(settings)
    if robot is None:
        if base_parameters:
            raise UsageError("robot-missing", "base parameters of which robot?", hint="name one")
        listed = [summary_of_robot(name, load_robot(name)) for name in ROBOTS]
        if settings.json:
            console.emit_json(RobotsAnswer(robots=listed))
            return 0
        rows = [[r.name, _joints(r.joints, r.floating), f"{r.mass:.3f}", r.summary] for r in listed]
        for line in aligned(["robot", "joints", "mass [kg]", "what it is"], rows):
            console.emit_text(line)
        return 0
    loaded = load_robot(robot)
    for notice in loaded.notices:
        console.warn(notice)
    answer = answer_of_robot(loaded, base_parameters=base_parameters)
    if settings.json:
        console.emit_json(answer)
        return 0
    for line in _shown(answer):
        console.emit_text(line)
    return 0


def _shown(answer: "RobotAnswer") -> list[str]:
    """All about a robot, in lines."""
    from robotid.cli.alignment import aligned

    joints = [
        [
            *(j.name, j.kind, j.link),
            *(_limit(value) for value in (j.lower, j.upper, j.velocity, j.effort)),
            *(f"{value:.6g}" for value in (j.damping, j.friction, j.rotor_inertia)),
        ]
        for j in answer.joints
    ]
    header = ["joint", "kind", "moves", "lower", "upper", "velocity", "effort"]
    links = [[k.name, f"{k.mass:.6g}", k.tied_to or "-"] for k in answer.links]
    gravity = " ".join(f"{g:.6g}" for g in answer.gravity)
    count = _joints(len(answer.joints), answer.floating)
    return [
        f"{answer.name}: {count} joints, {answer.mass:.3f} kg",
        f"file {answer.file}",
        f"base {answer.base}, gravity {gravity} m/s²",
        "",
        *aligned([*header, "damping", "friction", "rotor"], joints),
        "",
        *aligned(["link", "mass [kg]", "fixed to"], links),
        *(["", "base parameters", "-" * 15] if answer.base_parameters else []),
        *(answer.base_parameters or []),
    ]


def _joints(count: int, floating: bool) -> str:
    return f"{count} + floating base" if floating else str(count)


def _limit(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


command = options.command(robots)
