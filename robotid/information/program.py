"""A robot as the plain arrays that the kernel runs on."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.joint_columns import JointColumn, motors_of
from robotid.information import lanes
from robotid.information.kernel import BOUNDED, FADING, HELD, LOADED, SCALED, TILE
from robotid.information.layout import Index, Layout
from robotid.robot.geometry import skew
from robotid.robot.tree import Joint, RobotTree

Array = NDArray[np.float64]

_KINDS = {"plain": BOUNDED, "held": HELD, "fading": FADING, "loaded": LOADED}


class Program(NamedTuple):
    """What `kernel.gram_units` needs besides samples.

    Args:
        tree_floats: per body A0, A1, A2 (9 each), p0, p1 (3), joint axis as twist (6).
        tree_ints: per body parent + 1, kind, and where q, qd and qdd stand among the signals.
        gravity: in base coordinates (of a floating robot: of what the base is placed in).
        twists: per row its motion axis in coordinates of its body, linear part first.
        rows: per row first and last pair, width, padded width, place in the Gram matrices,
            their size, first and last own column, and where its tau stands.
        pairs: per row and body of its subtree: body, parent (-1 for the first), and for each of
            the ten columns its place in the block; behind it where it is not picked.
        sums: per speed and acceleration of coupled joints: the signals of the two, and whether the
            second is added (1) or taken away (-1). They follow the signals of samples.
        own_ints: per own column of a row its kind, its place in the block and its signal.
        own_floats: per own column gain, bounds and rate of fading, see `kernel.own_columns`.
        nominal: per row, what gives the torque of the links according to the robot file when
            columns of the block are multiplied with it.
        own_names: per own column of a row, its parameter.
    """

    tree_floats: Array
    tree_ints: Index
    gravity: Array
    twists: Array
    rows: Index
    pairs: Index
    sums: Index
    own_ints: Index
    own_floats: Array
    nominal: Array
    own_names: tuple[str, ...]

    def held(self, before: Mapping[str, float]) -> Array:
        """Signs that own columns begin with, from those of motors by name of parameter."""
        signs = np.array([before.get(name, 0.0) for name in self.own_names])
        return signs * self.own_floats[:, 0]

    @property
    def size(self) -> int:
        """Length of the Gram matrices of all rows, one after the other."""
        return int(self.rows[-1, 4] + self.rows[-1, 5])

    def gram(self, flat: Array, row: int) -> Array:
        """The Gram matrix of a row's picked columns and torque; only its upper triangle counts."""
        width, padded, at, size = self.rows[row, 2:6]
        return flat[at : at + size].reshape(padded, padded)[:width, :width]

    def place_factor(self, flat: Array, row: int, factor: Array) -> None:
        """Put an upper-triangular factor where `kernel.whiten` looks for that of a row."""
        width, padded, at, size = self.rows[row, 2:6]
        square = flat[at : at + size].reshape(padded, padded)
        square[:] = np.eye(padded)
        square[:width, :width] = np.triu(factor, 1) + np.diag(1.0 / np.diag(factor))


def program_of(layout: Layout, bases: Sequence[tuple[Index, Array]]) -> Program:
    """The arrays of a robot.

    Args:
        layout: the robot and the terms of its joints.
        bases: per row, which of its columns to work on, and how all follow from them (see `basis`).
    """
    robot = layout.robot
    rows: list[list[int]] = []
    pairs: list[list[int]] = []
    own_ints: list[list[int]] = []
    own_floats: list[list[float]] = []
    own_names: list[str] = []
    twists: list[Array] = []
    at = 0
    nominal = np.zeros((robot.nv, max(independent.size for independent, _ in bases)))
    for row, (independent, expansion) in enumerate(bases):
        place = np.full(layout.columns[row].size, -1)
        place[independent] = np.arange(independent.size)
        width = independent.size + 1
        padded = -(-width // TILE) * TILE
        first_pair, first_own = len(pairs), len(own_ints)
        bodies = layout.subtree(row)
        for position, body in enumerate(bodies):
            parent = robot.parents[body] if position else -1
            ten = place[10 * position : 10 * position + 10]
            pairs.append([body, parent, *np.where(ten < 0, padded, ten)])
        links = 10 * bodies.size
        nominal[row, : independent.size] = expansion[:, :links] @ robot.phi[bodies].ravel()
        # What grows with the load comes last: it needs the torque of the others.
        acting = zip((layout.own[own] for own in layout.own_of(row)), place[links:], strict=True)
        for column, target in sorted(acting, key=lambda item: item[0].form.kind == "loaded"):
            if target >= 0:
                if column.form.kind == "loaded":
                    nominal[row, target] = 0.0  # not known yet when it is needed
                own_ints.append([_kind(column), target, _signal(layout, column)])
                own_floats.append(_numbers(column, layout.joint(row)))
                own_names.append(column.name)
        ends = [first_own, len(own_ints), robot.nq + 2 * robot.nv + row]
        size = padded * padded
        rows.append([first_pair, len(pairs), width, padded, at, size, *ends])
        twists.append(_twist(layout, row))
        at += size
    floating = robot.floating
    gravity = robot.placements[0, :3, :3].T @ robot.gravity if floating else robot.gravity
    return Program(
        tree_floats=np.array([_constants(robot, body) for body in range(robot.bodies)]),
        tree_ints=np.array([_places(robot, body) for body in range(robot.bodies)], dtype=np.int64),
        gravity=np.array(gravity),
        twists=np.array(twists),
        rows=np.array(rows, dtype=np.int64),
        pairs=np.array(pairs, dtype=np.int64),
        sums=np.array(_sums(layout), dtype=np.int64).reshape(-1, 3),
        own_ints=np.array(own_ints, dtype=np.int64).reshape(-1, 3),
        own_floats=np.array(own_floats).reshape(-1, 4),
        nominal=nominal,
        own_names=tuple(own_names),
    )


def _sums(layout: Layout) -> list[list[int]]:
    """Signals of coupled motors: all speeds, then all accelerations."""
    robot = layout.robot
    first = robot.nq + robot.nv - robot.n
    motors = motors_of(robot, layout.coupled)[robot.n :]
    return [
        [at + motor.members[0][0], at + motor.members[1][0], int(motor.members[1][1])]
        for at in (first, first + robot.nv)
        for motor in motors
    ]


def _kind(column: JointColumn) -> int:
    form = column.form
    unbounded = np.isinf(form.low) and np.isinf(form.high)
    return SCALED if form.kind == "plain" and unbounded else _KINDS[form.kind]


def _signal(layout: Layout, column: JointColumn) -> int:
    """Where the speed or acceleration of a column's motor stands among the signals."""
    robot, later = layout.robot, column.form.source == "acceleration"
    if len(column.motor.members) == 1:
        return robot.nq + robot.nv - robot.n + later * robot.nv + column.motor.members[0][0]
    coupled = layout.coupled.index(column.owner)
    return robot.nq + 3 * robot.nv + later * len(layout.coupled) + coupled


def _numbers(column: JointColumn, joint: int | None) -> list[float]:
    """Gain, bounds and rate of fading of a column in the row of a joint."""
    sign = dict(column.motor.members)[joint or 0]
    if column.form.kind == "held":
        width = column.width or 0.0
        return [sign, -width, width, 0.0]
    low, high = sorted((sign * column.form.low, sign * column.form.high))
    rate = 1.0 / (column.width or 1.0) if column.form.kind == "fading" else 0.0
    return [sign / (column.saturation or 1.0), low, high, rate]


def _twist(layout: Layout, row: int) -> Array:
    joint = layout.joint(row)
    return np.eye(6)[row] if joint is None else _axis(layout.robot.driven[joint])


def _axis(joint: Joint) -> Array:
    """The motion axis of a joint as a twist, linear part first."""
    slides = joint.kind == "prismatic"
    return np.concatenate([joint.axis, np.zeros(3)] if slides else [np.zeros(3), joint.axis])


def _constants(robot: RobotTree, body: int) -> Array:
    joint, placement = robot.joints[body], robot.placements[body]
    rotation, position = placement[:3, :3], placement[:3, 3]
    turn = skew(joint.axis) if joint.kind != "prismatic" else np.zeros((3, 3))
    slide = rotation @ joint.axis if joint.kind == "prismatic" else np.zeros(3)
    matrices = [rotation, rotation @ turn, rotation @ turn @ turn]
    return np.concatenate([*(m.ravel() for m in matrices), position, slide, _axis(joint)])


def _places(robot: RobotTree, body: int) -> list[int]:
    kind = robot.joints[body].kind
    if kind == "floating":
        return [0, lanes.FLOATING, 3, robot.nq, robot.nq + robot.nv]
    dof = body + 5 * robot.floating
    at = [robot.nq - robot.nv + dof, robot.nq + dof, robot.nq + robot.nv + dof]
    code = lanes.PRISMATIC if kind == "prismatic" else lanes.REVOLUTE
    return [robot.parents[body] + 1, code, *at]
