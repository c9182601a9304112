"""The robot that a command line names, changed as it asks for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robotid.robot.load import Loaded


def named_robot(robot: str | None, **changes: str | list[str] | None) -> "Loaded | None":
    """Load a robot; None if none is named.

    Args:
        robot: a file or the name of a robot.
        changes: keys of `RobotOptions`; those that are None or empty were not given.
    """
    from robotid.errors import UsageError
    from robotid.robot.load import load_robot
    from robotid.robot.options import RobotOptions
    from robotid.stages.configuration import parse_config

    given = {name: value for name, value in changes.items() if value}
    if robot is None:
        if given:
            flags = " and ".join(f"--{name}" for name in given)
            raise UsageError("robot-missing", f"{flags} of which robot?", hint="--robot")
        return None
    options = parse_config(RobotOptions, given, flags=frozenset(given))
    return load_robot(robot, **options.changes())
