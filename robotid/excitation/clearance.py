"""`Clearances`: how far the parts of a robot are from boxes, the floor and each other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import ConfigError
from robotid.excitation.clearance_kernel import BOX, FRAME, PAIR, PLANE, SLIDES, measure
from robotid.excitation.reach import Ranges, reach_along, reach_of_pair
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Solid(NamedTuple):
    """A capsule in the frame of a body; a sphere or a point if its ends are one.

    Args:
        link: it is around.
        name: of its link, with a number where that has several.
        body: that carries it; -1 is the base.
        ends: of its axis in the frame of the body [m], shape (2, 3).
        radius: [m].
    """

    link: str
    name: str
    body: int
    ends: Array
    radius: float


class AbovePlane(NamedTuple):
    """Solid `which` stays where `sign` times its coordinate along an axis is above `sign` `at`."""

    name: str
    which: int
    axis: int
    sign: float
    at: float


class OutsideBox(NamedTuple):
    """Solid `which` stays out of a box."""

    name: str
    which: int
    lower: tuple[float, ...]
    upper: tuple[float, ...]


class Apart(NamedTuple):
    """Two solids stay apart."""

    name: str
    which: int
    other: int


Rule = AbovePlane | OutsideBox | Apart


class Clearances:
    """Distances of a robot with a fixed base that are to stay positive.

    Args:
        robot: with n joints.
        solids: what is kept apart.
        rules: from what.
        clearance: that is taken off all distances [m].
        ranges: of the joints; by default the robot's.
    """

    def __init__(
        self,
        robot: RobotTree,
        solids: Sequence[Solid],
        rules: Sequence[Rule],
        clearance: float = 0.0,
        ranges: Ranges | None = None,
    ) -> None:
        if robot.floating and rules:
            said = "distances are kept by robots with a fixed base; this one floats"
            raise ConfigError("floating-base", said, hint="fix it: base = fixed")
        self._robot, self.clearance = robot, clearance
        self.solids = tuple(solids)
        known = Ranges.of(robot) if ranges is None else ranges
        self.rules: tuple[Rule, ...] = tuple(rules)
        self.names: tuple[str, ...] = tuple(rule.name for rule in self.rules)
        bounds = [_reach(robot, known, self.solids, rule) for rule in self.rules]
        self._reach = np.array(bounds).reshape(-1, robot.n)
        kinds = [SLIDES * (joint.kind == "prismatic") for joint in robot.joints]
        self._tree_ints = np.array([robot.parents, kinds], dtype=np.int64).T.copy()
        placements = robot.placements
        self._tree_floats = np.hstack(
            [
                placements[:, :3, :3].reshape(-1, 9),
                placements[:, :3, 3],
                np.array([joint.axis for joint in robot.joints]),
            ]
        )
        self._above = np.vstack([np.zeros(robot.bodies), robot.ancestors]).astype(np.float64)
        self._bodies = np.array([solid.body for solid in self.solids], dtype=np.int64)
        self._local = np.array([solid.ends for solid in self.solids]).reshape(-1, 6)
        self._row_ints = np.array([self._ints(r) for r in self.rules], np.int64).reshape(-1, 3)
        self._row_floats = np.array([self._floats(r) for r in self.rules]).reshape(-1, 7)

    def _ints(self, rule: Rule) -> tuple[int, int, int]:
        if isinstance(rule, AbovePlane):
            return PLANE, rule.which, rule.axis
        return (BOX, rule.which, 0) if isinstance(rule, OutsideBox) else (PAIR, *rule[1:])

    def _floats(self, rule: Rule) -> list[float]:
        offset = self.clearance + self.solids[rule.which].radius
        if isinstance(rule, AbovePlane):
            return [offset + rule.sign * rule.at, rule.sign, 0, 0, 0, 0, 0]
        if isinstance(rule, OutsideBox):
            return [offset, *rule.lower, *rule.upper]
        return [offset + self.solids[rule.other].radius, 0, 0, 0, 0, 0, 0]

    def at(self, q: ArrayLike) -> Array:
        """Distances minus clearance [m], shape (samples, P); positive is fine.

        Negative values are depths under planes and in boxes. Of two capsules the axes count, whose
        distance is never negative.
        """
        return self._measured(q, 0)[0]

    def with_gradients(self, q: ArrayLike) -> tuple[Array, Array]:
        """The same, and derivatives with respect to q, shape (samples, P, n)."""
        return self._measured(q, 1)

    def _measured(self, q: ArrayLike, gradients: int) -> tuple[Array, Array]:
        given = np.ascontiguousarray(q, dtype=np.float64)
        samples, rows, n = len(given), len(self.rules), self._robot.n
        if given.shape != (samples, n):
            raise ValueError(f"q has shape {given.shape}, (samples, {n}) is needed")
        values = np.empty((samples, rows))
        if not rows:
            return values, np.empty((samples, 0, n))
        slopes = np.empty((samples * rows * gradients, n))
        measure(
            given,
            self._tree_ints,
            self._tree_floats,
            self._above,
            self._bodies,
            self._local,
            self._row_ints,
            self._row_floats,
            np.empty((n + 1, FRAME)),
            np.empty((n, 6)),
            np.empty((len(self.solids), 6)),
            np.empty(10),
            values,
            slopes,
        )
        return values, slopes.reshape(samples, rows, n) if gradients else slopes

    def reach(self) -> Array:
        """Bound of |d value/d q_j| for all configurations within joint limits, shape (P, n)."""
        return self._reach


def _reach(robot: RobotTree, ranges: Ranges, solids: Sequence[Solid], rule: Rule) -> Array:
    """Bound of the derivatives of one distance, shape (n,)."""
    one = solids[rule.which]
    if isinstance(rule, Apart):
        two = solids[rule.other]
        return reach_of_pair(robot, ranges, (one.body, one.ends), (two.body, two.ends))
    if isinstance(rule, OutsideBox):
        corners = np.array(np.meshgrid(*zip(rule.lower, rule.upper, strict=True)))
        return reach_of_pair(robot, ranges, (one.body, one.ends), (-1, corners.reshape(3, 8).T))
    normal = np.zeros(3)
    normal[rule.axis] = 1.0
    return reach_along(robot, ranges, one.body, one.ends, normal)
