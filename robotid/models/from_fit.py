"""The model of a fit folder: robot file, changes to it, terms and parameters, all checked."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from robotid.contracts.fit import FIT, AnyFit, FitResult, JointTerms, RobotUsed, read_fit
from robotid.contracts.forces import Forces
from robotid.errors import BadDataError, ConfigError
from robotid.information.layout import Layout
from robotid.models.rigid_body import RigidBodyModel, parameter_names
from robotid.robot.load import Loaded, load_robot
from robotid.robot.options import RobotOptions
from robotid.robot.tree import RobotTree


class FittedRobot(NamedTuple):
    """A fit, the robot it is of (as its file says), and the model with the fitted parameters."""

    fit: FitResult
    robot: Loaded
    model: RigidBodyModel


def read_fitted(folder: Path) -> FittedRobot:
    """Read a fit folder; one whose parameters are not those of its robot is refused."""
    fit, file = read_fit(folder), str(folder / FIT)
    robot = robot_of(folder, fit.robot)
    layout = layout_of(robot.tree, fit.terms, file, fit.forces)
    given = tuple(parameter.name for parameter in fit.parameters)
    if given not in (parameter_names(layout), parameter_names(layout, full=True)):
        raise _differs(given, parameter_names(layout), file)
    check_joints(fit, layout.rows, file)
    phi = np.array([parameter.value for parameter in fit.parameters])
    if not np.isfinite(phi).all():
        name = given[int(np.flatnonzero(~np.isfinite(phi))[0])]
        raise BadDataError("fit-differs", f"parameter {name} is not finite", file=file)
    return FittedRobot(fit, robot, RigidBodyModel(layout, phi))


def check_joints(fit: AnyFit, rows: tuple[str, ...], file: str) -> None:
    """Refuse a fit whose joints are not those of its robot."""
    if tuple(fit.joints) != rows:
        said = f"the joints of the fit are {fit.joints}, those of its robot {rows}"
        raise BadDataError("fit-differs", said, file=file)


def layout_of(
    robot: RobotTree, terms: JointTerms, file: str | None = None, forces: Forces | None = None
) -> Layout:
    """The layout of a robot with the terms, and for the generalised forces, that a fit states."""
    try:
        return Layout(robot, **terms.model_dump(), forces=forces or Forces())
    except ConfigError as error:
        said = error.notice
        raise BadDataError(said.code, said.message, file=file, joint=said.joint) from error


def robot_of(folder: Path, used: RobotUsed) -> Loaded:
    """The robot of a fit in a folder."""
    file = str(folder / FIT)
    if Path(used.file).name != used.file:  # a fit may come from anywhere: no other file is read
        said = f"{used.file!r} is not the name of a file in the folder"
        raise BadDataError("bad-fit", said, file=file)
    try:
        options = RobotOptions.model_validate(used.options)
    except ValidationError as error:
        said = f"robot.options: {error.errors()[0]['msg']}"
        raise BadDataError("bad-fit", said, file=file) from error
    return load_robot(folder / used.file, **options.changes())


def _differs(given: tuple[str, ...], wanted: tuple[str, ...], file: str) -> BadDataError:
    said = f"the fit has {len(given)} parameters, its robot and terms make {len(wanted)}"
    for at, (one, other) in enumerate(zip(given, wanted, strict=False)):
        if one != other:
            said = f"parameter {at} of the fit is {one!r}, that of its robot and terms {other!r}"
            break
    hint = "the robot file in the folder is not the one of the fit; fit again"
    return BadDataError("fit-differs", said, file=file, hint=hint)
