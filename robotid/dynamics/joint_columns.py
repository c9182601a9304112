"""The columns that joints and coupled joints of a robot add to its regressor, by their terms."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robotid.dynamics.terms import DEFAULT_COUPLED, TERMS, Form, Spec, parse_specs
from robotid.errors import ConfigError, nearest
from robotid.robot.tree import RobotTree


class Motor(NamedTuple):
    """What moves with one joint, or with the sum or difference of two.

    Args:
        name: of the joint, or such as `j5+j6`.
        number: for short names: 5, or 5+6.
        members: joints (positions among the driven ones) and the sign of their speeds. The same
            sign has the motor's torque on them.
        sliding: whether it is measured in metres.
    """

    name: str
    number: str
    members: tuple[tuple[int, float], ...]
    sliding: bool


class JointColumn(NamedTuple):
    """One parameter of a joint or of coupled joints, and the column that belongs to it.

    Args:
        owner: name of the joint, or such as `j5+j6`.
        term: name in `TERMS`.
        label: of the column, such as `viscous`, `coulomb+` or, among candidates, `stribeck(0.1)`.
        unit: of the parameter.
        positive: whether it cannot be negative.
        width: [rad/s or m/s]; None for a term without one.
        saturation: width of the sign; None where there is none.
        nominal: value of the robot file; None where it has none.
        form: the function.
        motor: whose motion it is a function of.
    """

    owner: str
    term: str
    label: str
    unit: str
    positive: bool
    width: float | None
    saturation: float | None
    nominal: float | None
    form: Form
    motor: Motor

    @property
    def name(self) -> str:
        """Such as `elbow.viscous`."""
        return f"{self.owner}.{self.label}"

    @property
    def short(self) -> str:
        """Such as `viscous2`, for groupings."""
        return f"{self.label}{self.motor.number}"


class Candidates(NamedTuple):
    """Columns of one term for each of its widths, of which one is to be chosen.

    Args:
        owner: of the columns.
        term: name in `TERMS`.
        widths: [rad/s or m/s], ascending.
        columns: for each width the positions of its columns among the parameters.
    """

    owner: str
    term: str
    widths: tuple[float, ...]
    columns: tuple[tuple[int, ...], ...]


Specs = dict[str, tuple[Spec, ...]]


def specs_of(
    robot: RobotTree,
    terms: Sequence[str] = (),
    joint_terms: Mapping[str, Sequence[str]] | None = None,
    coupled: Sequence[str] = (),
) -> Specs:
    """The terms of every joint, then of every coupling, by name.

    Args:
        robot: the robot.
        terms: of joints that have none of their own.
        joint_terms: by name of joint, or of a coupling.
        coupled: such as `j5+j6`.
    """
    own = joint_terms or {}
    everybody = (*robot.joint_names, *coupled)
    for name in own:
        if name not in everybody:
            said = f"robot {robot.name} has no joint {name!r} to give terms to"
            raise ConfigError("unknown-joint", said, joint=name, hint=nearest(name, everybody))
    usual = {**dict.fromkeys(robot.joint_names, terms), **dict.fromkeys(coupled, DEFAULT_COUPLED)}
    return {name: checked_specs(own.get(name, usual[name]), name) for name in everybody}


def checked_specs(texts: Sequence[str], joint: str | None = None) -> tuple[Spec, ...]:
    """A list of terms in the order of `TERMS`, or an error that names the joint."""
    try:
        return parse_specs(tuple(texts))
    except ValueError as error:
        said, _, hint = str(error).partition("; ")
        raise ConfigError("unknown-term", said, joint=joint, hint=hint or None) from error


def motors_of(robot: RobotTree, coupled: Sequence[str] = ()) -> tuple[Motor, ...]:
    """Joints, then couplings."""
    joints = [
        Motor(joint.name, str(number + 1), ((number, 1.0),), joint.kind == "prismatic")
        for number, joint in enumerate(robot.driven)
    ]
    return (*joints, *(_coupling(robot, text) for text in coupled))


def own_columns(robot: RobotTree, specs: Specs, coupled: Sequence[str]) -> tuple[JointColumn, ...]:
    """All columns besides those of the links, motor by motor."""
    result = []
    for motor in motors_of(robot, coupled):
        for spec in specs[motor.name]:
            if spec.term == "load":
                _check_load(robot, motor)
            forms = TERMS[spec.term].forms
            for width in spec.widths or (None,):
                result += [_column(robot, motor, spec, form, width) for form in forms]
    return tuple(result)


def columns_of(
    robot: RobotTree,
    terms: Sequence[str] = (),
    joint_terms: Mapping[str, Sequence[str]] | None = None,
    coupled: Sequence[str] = (),
) -> tuple[JointColumn, ...]:
    """The same from texts; arguments as for `specs_of`."""
    return own_columns(robot, specs_of(robot, terms, joint_terms, coupled), coupled)


def candidates_of(own: Sequence[JointColumn], first: int) -> tuple[Candidates, ...]:
    """Terms with several widths; the first own column is parameter `first`."""
    found: dict[tuple[str, str], dict[float, list[int]]] = {}
    for position, column in enumerate(own, start=first):
        if column.width is not None:
            widths = found.setdefault((column.owner, column.term), {})
            widths.setdefault(column.width, []).append(position)
    return tuple(
        Candidates(owner, term, tuple(widths), tuple(map(tuple, widths.values())))
        for (owner, term), widths in found.items()
        if len(widths) > 1
    )


def slow_speeds(own: Sequence[JointColumn]) -> list[float]:
    """Speeds at which columns of a motor differ that look alike at others, ascending."""
    by_owner: dict[str, list[float]] = {}
    for column in own:
        if column.saturation is not None and column.width is not None:
            by_owner.setdefault(column.owner, []).extend({column.saturation, column.width})
    return sorted({speed for speeds in by_owner.values() if len(speeds) > 1 for speed in speeds})


def _column(
    robot: RobotTree, motor: Motor, spec: Spec, form: Form, width: float | None
) -> JointColumn:
    term = TERMS[spec.term]
    joint = robot.driven[motor.members[0][0]]
    alone = len(motor.members) == 1
    return JointColumn(
        owner=motor.name,
        term=spec.term,
        label=f"{form.label}({width!r})" if len(spec.widths) > 1 else form.label,
        unit=term.sliding_unit if motor.sliding else term.unit,
        positive=term.positive,
        width=width,
        saturation=spec.saturation if form.kind == "fading" else width,
        nominal=getattr(joint, term.nominal) if alone and term.nominal else None,
        form=form,
        motor=motor,
    )


def _coupling(robot: RobotTree, text: str) -> Motor:
    names = robot.joint_names
    for at, letter in enumerate(text):
        left, right = text[:at], text[at + 1 :]
        if letter in "+-" and left in names and right in names and left != right:
            one, two = names.index(left), names.index(right)
            kinds = [robot.driven[joint].kind == "prismatic" for joint in (one, two)]
            if kinds[0] != kinds[1]:
                said = f"coupled joints {left} and {right} do not both turn, or both slide"
                raise ConfigError("bad-coupling", said, joint=text)
            sign = 1.0 if letter == "+" else -1.0
            number = f"{one + 1}{letter}{two + 1}"
            return Motor(text, number, ((one, 1.0), (two, sign)), kinds[0])
    said = f"{text!r} is not the sum or difference of two joints of robot {robot.name}"
    raise ConfigError("bad-coupling", said, joint=text, hint=f"joints: {', '.join(names)}")


def _check_load(robot: RobotTree, motor: Motor) -> None:
    if len(motor.members) > 1:
        said = f"coupled joints {motor.name} have no load of their own"
        raise ConfigError("no-load", said, joint=motor.name, hint="give load to the joints")
    body = robot.bodies - robot.n + motor.members[0][0]
    if not robot.phi[robot.ancestors[:, body]].any():
        said = f"the robot file has no mass behind joint {motor.name}, so no load is known there"
        raise ConfigError("no-load", said, joint=motor.name, hint="leave the term load out")
