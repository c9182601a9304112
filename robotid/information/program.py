"""A robot as the plain arrays that the kernel runs on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.information import lanes
from robotid.information.kernel import TILE
from robotid.information.layout import TERMS, Index, Layout
from robotid.robot.geometry import skew
from robotid.robot.tree import Joint, RobotTree

Array = NDArray[np.float64]


class Program(NamedTuple):
    """What `kernel.gram_units` needs besides samples.

    Args:
        tree_floats: per body A0, A1, A2 (9 each), p0, p1 (3), joint axis as twist (6).
        tree_ints: per body parent + 1, kind, and where q, qd and qdd stand among the signals.
        gravity: in base coordinates (of a floating robot: of what the base is placed in).
        twists: per row its motion axis in coordinates of its body, linear part first.
        rows: per row first and last pair, width, padded width, place in the Gram matrices,
            their size, first and last own column, and where its qd, qdd and tau stand.
        pairs: per row and body of its subtree: body, parent (-1 for the first), and for each of
            the ten columns its place in the block; behind it where it is not picked.
        terms: per own column of a row its kind and its place in the block.
    """

    tree_floats: Array
    tree_ints: Index
    gravity: Array
    twists: Array
    rows: Index
    pairs: Index
    terms: Index

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


def program_of(layout: Layout, picked: Sequence[Index]) -> Program:
    """The arrays of a robot.

    Args:
        layout: the robot and the terms of its joints.
        picked: per row, which of its columns (positions in `layout.columns[row]`) to work on.
    """
    robot = layout.robot
    rows: list[list[int]] = []
    pairs: list[list[int]] = []
    terms: list[list[int]] = []
    twists: list[Array] = []
    at = 0
    for row in range(robot.nv):
        place = np.full(layout.columns[row].size, -1)
        place[picked[row]] = np.arange(picked[row].size)
        width = picked[row].size + 1
        padded = -(-width // TILE) * TILE
        first_pair, first_term = len(pairs), len(terms)
        bodies = layout.subtree(row)
        for position, body in enumerate(bodies):
            parent = robot.parents[body] if position else -1
            ten = place[10 * position : 10 * position + 10]
            pairs.append([body, parent, *np.where(ten < 0, padded, ten)])
        for term, target in zip(layout.terms, place[10 * bodies.size :], strict=False):
            if target >= 0:
                terms.append([TERMS.index(term), target])
        signals = [robot.nq + row, robot.nq + robot.nv + row, robot.nq + 2 * robot.nv + row]
        size = padded * padded
        rows.append(
            [first_pair, len(pairs), width, padded, at, size, first_term, len(terms), *signals]
        )
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
        terms=np.array(terms, dtype=np.int64).reshape(-1, 2),
    )


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
