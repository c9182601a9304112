"""Joint terms as lines of code: the torque of each per unit of its parameter."""

from typing import NamedTuple

from robotid.dynamics.joint_columns import JointColumn
from robotid.errors import ConfigError
from robotid.exporting.expressions import ONE, Program, Value
from robotid.models.rigid_body import RigidBodyModel

# Functions that every language gives: clipped to -1 … 1, the positive and the negative part.
HELPERS = ("sat", "pos", "neg")
# How `clip` to some bounds is said with them, from the inside out.
_CLIPS = {
    (float("-inf"), float("inf")): (),
    (-1.0, 1.0): ("sat",),
    (0.0, float("inf")): ("pos",),
    (float("-inf"), 0.0): ("neg",),
    (0.0, 1.0): ("sat", "pos"),
    (-1.0, 0.0): ("sat", "neg"),
}


class JointMotion(NamedTuple):
    """Velocity and acceleration of a joint."""

    velocity: Value
    acceleration: Value


def refuse_memory(model: RigidBodyModel) -> None:
    """A function of one moment cannot know which way a joint moved before."""
    for column in model.layout.own:
        if column.form.kind == "held":
            said = f"{column.name} depends on the motion before, and code has no memory"
            hint = "fit with coulomb instead; parameters can also be json, csv or a robot file"
            raise ConfigError("term-not-exported", said, joint=column.owner, hint=hint)


def joint_torques(
    program: Program, model: RigidBodyModel, joints: list[JointMotion], loads: list[Value]
) -> list[Value]:
    """What terms add to the torque of each joint.

    Args:
        program: where lines go.
        model: the terms and their parameters.
        joints: how each joint moves.
        loads: the torque that links need according to the robot file, where a term asks for it.
    """
    refuse_memory(model)
    products: list[list[list[Value]]] = [[] for _ in joints]
    for column, parameter in zip(model.layout.own, model.own.tolist(), strict=True):
        if parameter != 0.0:
            value = _column(program, column, joints, loads)
            for joint, sign in column.motor.members:
                products[joint].append([Value(sign * parameter), *value])
    return [program.sum(*some) for some in products]


def _column(
    program: Program, column: JointColumn, joints: list[JointMotion], loads: list[Value]
) -> list[Value]:
    """The function of a column, as factors."""
    form, members = column.form, column.motor.members
    if form.low == form.high == 1.0:
        return [ONE]
    speed = program.sum(*([Value(sign), joints[joint].velocity] for joint, sign in members))
    rise = program.sum(*([Value(sign), joints[joint].acceleration] for joint, sign in members))
    x = speed if form.source == "speed" else rise
    if column.saturation is not None:
        x = program.let(f"{_bracketed(x)} / {column.saturation!r}")
    for function in _CLIPS[form.low, form.high]:
        x = program.call(function, x)
    if form.kind == "fading":
        share = program.let(f"{_bracketed(speed)} / {column.width!r}")
        return [x, program.call("exp", program.sum([Value(-1.0), share, share]))]
    if form.kind == "loaded":
        return [x, program.call("fabs", loads[members[0][0]])]
    return [x]


def _bracketed(value: Value) -> str:
    return value.text if value.coefficient == 1.0 else f"({value.text})"
