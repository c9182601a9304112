"""Robot files of a fit: the user's own with new links and friction, and MJCF of any robot.

The new text is read again as robotid reads any robot file, and has to give the same torques.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from robotid.dynamics.joint_columns import JointColumn
from robotid.errors import BadDataError, ConfigError, Notice
from robotid.exporting.comparison import STATES, proved, random_states
from robotid.exporting.feasibility import (
    Impossible,
    impossible_bodies,
    impossible_links,
    negative_friction,
    refuse_in_mujoco,
    refuse_infeasible,
)
from robotid.exporting.joint_edits import ATTRIBUTES, edited_joints
from robotid.exporting.mjcf_writer import mjcf_text
from robotid.exporting.naming import comment
from robotid.exporting.outcome import Request, Written
from robotid.information.layout import Layout
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.description import Format
from robotid.robot.export import exported
from robotid.robot.load import Changes, loaded_from, reload_robot
from robotid.robot.options import RobotOptions
from robotid.robot.tree import Array, RobotTree
from robotid.robot.xml_source import parse_xml

FILES: Mapping[Format, str] = {"urdf": "robot.urdf", "mjcf": "robot.xml"}
# Terms that a field of `Joint` can hold. Files state no width: below it, simulators differ anyway.
_FIELDS = {
    "viscous": "damping",
    "coulomb": "friction",
    "coulomb-held": "friction",
    "rotor": "rotor_inertia",
}
_CARRIED = ("viscous", "coulomb", "rotor")


def urdf_file(request: Request) -> Written:
    """The user's URDF with the parameters of the fit."""
    if request.fitted.robot.description.format != "urdf":
        said = "the robot of this fit is an MJCF file, and that is not converted to URDF"
        raise ConfigError("format-not-offered", said, hint="export --format mjcf")
    return _own_file(request, "urdf")


def mjcf_file(request: Request) -> Written:
    """The user's MJCF with the parameters of the fit, or a new one if the robot is a URDF."""
    if request.fitted.robot.description.format == "mjcf":
        return _own_file(request, "mjcf")
    return _converted(request)


def _own_file(request: Request, kind: Format) -> Written:
    loaded, model = request.fitted.robot, request.fitted.model
    _refuse_nine(request)
    allowed = _allowed(request, kind, impossible_links(request.fitted))
    text, _ = exported(loaded, model.links)
    wanted = _joint_values(model, kind)
    changed = {
        joint.name: {
            attribute: wanted[joint.name][field]
            for field, attribute in ATTRIBUTES[kind].items()
            if wanted[joint.name][field] != getattr(joint, field)
        }
        for joint in loaded.tree.driven
    }
    changed = {name: values for name, values in changed.items() if values}
    text = edited_joints(parse_xml(text, str(loaded.path)), kind, changed)
    miss = _same_torques(model, kind, reload_robot(text, loaded).tree)
    told = [*allowed, *_not_carried(model, kind), *_removed(request, kind)]
    options = RobotOptions.model_validate(request.fitted.fit.robot.options)
    changes = ", ".join(sorted(options.model_dump(exclude_defaults=True)))
    if changes:
        said = f"the fit changed the robot once it was read ({changes}); the file does not say so"
        hint = "give the same options wherever the file is used"
        told.append(Notice(code="options-not-in-file", message=said, hint=hint))
    return Written(FILES[kind], text, f"torques of {STATES} states, read again", miss,
                   tuple(told))  # fmt: skip


def _converted(request: Request) -> Written:
    model, robot = request.fitted.model, request.fitted.robot.tree
    if robot.floating:
        said = f"robot {robot.name} floats; only robots with a fixed base are converted"
        raise ConfigError("format-not-offered", said, hint="export --format urdf")
    _refuse_nine(request)
    allowed = _allowed(request, "mjcf", impossible_bodies(request.fitted))
    wanted = _joint_values(model, "mjcf")
    joints = tuple(
        joint._replace(
            damping=wanted[joint.name]["damping"],
            friction=wanted[joint.name]["friction"],
            rotor_inertia=wanted[joint.name]["rotor_inertia"],
        )
        for joint in robot.joints
    )
    tree = replace(robot, joints=joints).with_phi(model.links)
    origin = [comment(line).replace("--", "__") for line in request.origin]
    text = mjcf_text(tree, origin).encode()
    file = FILES["mjcf"]
    source = parse_xml(text, file)
    found = loaded_from(source, request.fitted.robot.path.with_name(file), Changes()).tree
    miss = _same_torques(model, "mjcf", found)
    said = "the robot is a URDF: the MJCF has its bodies, joints, limits and inertias, no shapes"
    told = (
        *allowed,
        Notice(code="converted", message=said),
        *_not_carried(model, "mjcf"),
        *_removed(request, "mjcf"),
    )
    return Written(file, text, f"torques of {STATES} states, read again", miss, told)


def _refuse_nine(request: Request) -> None:
    if request.fitted.model.full:
        said = "inertias of nine entries each (nostr) have no place in a robot file"
        raise ConfigError("not-writable", said, hint="export json, csv, python or c")


def _allowed(
    request: Request, kind: Format, impossible: Mapping[str, Impossible]
) -> tuple[Notice, ...]:
    """What to say of links and friction that cannot exist; an error unless they were asked for."""
    links, file = list(impossible.values()), FILES[kind]
    if kind == "mjcf" and request.allow_infeasible:
        refuse_in_mujoco(request, file, links)
    return refuse_infeasible(request, file, [*links, *negative_friction(request.fitted)])


def _field(column: JointColumn) -> str | None:
    """The field of `Joint` that holds the parameter of a column, if one does."""
    alone = len(column.motor.members) == 1
    return _FIELDS.get(column.term) if alone else None


def _joint_values(model: RigidBodyModel, kind: Format) -> dict[str, dict[str, float]]:
    """What the file is to hold, by joint and field; 0 for what is negative or not in the fit."""
    joints = model.layout.robot.joint_names
    values = {joint: dict.fromkeys(ATTRIBUTES[kind], 0.0) for joint in joints}
    for column, value in zip(model.layout.own, model.own.tolist(), strict=True):
        field = _field(column)
        if field is not None and field in ATTRIBUTES[kind]:
            values[column.owner][field] += max(0.0, value)
    return values


def _same_torques(model: RigidBodyModel, kind: Format, found: RobotTree) -> float:
    """Compare the fit with the file, both with the terms that the file can hold."""
    robot, fields = model.layout.robot, ATTRIBUTES[kind]
    if found.joint_names != robot.joint_names:
        said = f"the new file has joints {found.joint_names}, the fit {robot.joint_names}"
        raise BadDataError("export-differs", said, hint="nothing was written")
    read = {j.name: {field: getattr(j, field) for field in fields} for j in found.driven}
    wanted = _carried_model(robot, model.links, _joint_values(model, kind))
    states = random_states(robot)
    again = _carried_model(found, found.phi, read)
    return proved(wanted.torque(*states), again.torque(*states), FILES[kind])


def _carried_model(
    robot: RobotTree, links: Array, values: Mapping[str, Mapping[str, float]]
) -> RigidBodyModel:
    """A robot with what files can hold."""
    layout = Layout(robot, _CARRIED)
    own = [values[column.owner].get(_FIELDS[column.term], 0.0) for column in layout.own]
    return RigidBodyModel(layout, np.concatenate([links.ravel(), own]))


def _not_carried(model: RigidBodyModel, kind: Format) -> list[Notice]:
    """Terms of the fit that the format has no place for."""
    lost = {
        column.term if len(column.motor.members) == 1 else f"{column.term} of {column.owner}"
        for column, value in zip(model.layout.own, model.own, strict=True)
        if value != 0 and _field(column) not in ATTRIBUTES[kind]
    }
    if not lost:
        return []
    said = f"{kind.upper()} has no place for {', '.join(sorted(lost))}: its torques are without"
    return [Notice(code="not-carried", message=said, hint="export python or c for all of the fit")]


def _removed(request: Request, kind: Format) -> list[Notice]:
    """Friction that the robot file stated and the fit does not have."""
    fitted = {(column.owner, _field(column)) for column in request.fitted.model.layout.own}
    gone = [
        f"{joint.name} {attribute}"
        for joint in request.fitted.robot.tree.driven
        for field, attribute in ATTRIBUTES[kind].items()
        if (joint.name, field) not in fitted and getattr(joint, field) != 0
    ]
    if not gone:
        return []
    said = f"the fit has no such term, so the file states 0 now: {', '.join(gone[:5])}"
    return [Notice(code="friction-removed", message=said, hint="fit with these terms to keep them")]
