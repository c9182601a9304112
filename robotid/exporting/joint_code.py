"""Joint terms as lines of code: the torque of each per unit of its parameter."""

from collections.abc import Callable
from typing import NamedTuple

from robotid.dynamics.friction import COULOMB_WIDTH
from robotid.errors import ConfigError
from robotid.exporting.expressions import ONE, Program, Value
from robotid.models.rigid_body import RigidBodyModel

SATURATION = "sat"  # clips to -1 … 1; every language gives it under this name


class JointMotion(NamedTuple):
    """Velocity and acceleration of a joint."""

    velocity: Value
    acceleration: Value


def _coulomb(program: Program, at: JointMotion) -> Value:
    width = Value(COULOMB_WIDTH)
    return program.let(f"{SATURATION}({at.velocity.text} / {width.text})")


COLUMNS: dict[str, Callable[[Program, JointMotion], Value]] = {
    "viscous": lambda _program, at: at.velocity,
    "coulomb": _coulomb,
    "offset": lambda _program, _at: ONE,
    "rotor": lambda _program, at: at.acceleration,
}


def refuse_terms_without_code(model: RigidBodyModel) -> None:
    """Say which term of a fit cannot be written as code."""
    for term in model.layout.terms:
        if term not in COLUMNS:
            said = f"term {term!r} cannot be written as a function of the motion of one moment"
            hint = "fit with other terms, or export json or csv"
            raise ConfigError("term-not-exported", said, hint=hint)


def joint_torques(
    program: Program, model: RigidBodyModel, joints: list[JointMotion]
) -> list[Value]:
    """What the terms of each joint add to its torque."""
    refuse_terms_without_code(model)
    terms = model.layout.terms
    values = model.own.reshape(len(joints), len(terms)).tolist()
    return [
        program.sum(
            *(
                [Value(value), COLUMNS[term](program, at)]
                for term, value in zip(terms, own, strict=True)
                if value != 0.0
            )
        )
        for at, own in zip(joints, values, strict=True)
    ]
