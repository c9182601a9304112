"""How fast a joint can change a distance: bounds of its derivative in every configuration.

A revolute joint moves a point by its distance from the axis. Seen along the tree, a point lies in
a ball: crossing a joint that turns it, the centre moves to the foot of its perpendicular on the
axis and the radius grows by the perpendicular; crossing one that slides, by half of its range.

The distance of two points x and y changes with a joint between them by n.(a × (x - o)), with n
along x - y, so x may be replaced by y: the nearer of the two to the axis a bounds it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.geometry import inverse
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

NO_REACH = 1e-9  # [m] below this, a joint does not move a thing


class Ranges(NamedTuple):
    """Least and largest positions of the joints, shape (n,) each."""

    lower: Array
    upper: Array

    @classmethod
    def of(cls, robot: RobotTree) -> "Ranges":
        """As the robot file has them."""
        return cls(robot.bound("lower"), robot.bound("upper"))


class Balls(NamedTuple):
    """Where points are, as seen from a body: centres of shape (points, 3), radii (points,) [m]."""

    centre: Array
    radius: Array

    def from_axis(self, axis: Array) -> float:
        """Largest distance of any of the points from a line through the origin."""
        foot = np.outer(self.centre @ axis, axis)
        return float((np.linalg.norm(self.centre - foot, axis=1) + self.radius).max())


class Walk:
    """A walk along a tree with points that hang on a body."""

    def __init__(self, robot: RobotTree, ranges: Ranges, points: Array) -> None:
        self._robot, self._ranges = robot, ranges
        self.balls = Balls(np.asarray(points, dtype=np.float64), np.zeros(len(points)))

    def up(self, body: int) -> float:
        """From a body to its parent; returns the largest distance from the axis it crossed."""
        distance = self.balls.from_axis(np.array(self._robot.joints[body].axis))
        self._cross(body, 1.0)
        self._turn(self._robot.placements[body])
        return distance

    def down(self, body: int) -> float:
        """From the parent of a body to the body; returns the same."""
        self._turn(inverse(self._robot.placements[body]))
        distance = self.balls.from_axis(np.array(self._robot.joints[body].axis))
        self._cross(body, -1.0)
        return distance

    def _cross(self, body: int, way: float) -> None:
        joint, (centre, radius) = self._robot.joints[body], self.balls
        axis = np.array(joint.axis)
        if joint.kind == "prismatic":
            low, high = self._ranges.lower[body], self._ranges.upper[body]
            if not np.isfinite(high - low):
                said = f"joint {joint.name} slides without limits, so no distance can be proven"
                hint = f"give lower and upper limits: {joint.name}=VALUE"
                raise ConfigError("no-limits", said, joint=joint.name, hint=hint)
            self.balls = Balls(centre + way * (low + high) / 2 * axis, radius + (high - low) / 2)
        else:
            foot = np.outer(centre @ axis, axis)
            self.balls = Balls(foot, radius + np.linalg.norm(centre - foot, axis=1))

    def _turn(self, placement: Array) -> None:
        moved = self.balls.centre @ placement[:3, :3].T + placement[:3, 3]
        self.balls = self.balls._replace(centre=moved)


def reach_of_pair(
    robot: RobotTree, ranges: Ranges, one: tuple[int, Array], two: tuple[int, Array]
) -> Array:
    """Bound of |d distance/d q_j| of two sets of points, each on a body (-1: base), shape (n,).

    Joints that move both, or none, do not change it.
    """
    result = np.zeros(robot.n)
    for (body, points), (other, far) in ((one, two), (two, one)):
        branch = [b for b in _path(robot, body) if b not in _path(robot, other)]
        near, beyond = Walk(robot, ranges, points), Walk(robot, ranges, far)
        for b in _path(robot, other):
            if b not in _path(robot, body):
                beyond.up(b)
        from_far = {b: beyond.down(b) for b in reversed(branch)}
        for b in branch:
            from_near = near.up(b)
            slides = robot.joints[b].kind == "prismatic"
            result[b] = 1.0 if slides else min(from_near, from_far[b])
    return result


def reach_along(robot: RobotTree, ranges: Ranges, body: int, points: Array, normal: Array) -> Array:
    """Bound of |d (n.x)/d q_j| of points on a body, n a unit vector of the base, shape (n,)."""
    result, walk = np.zeros(robot.n), Walk(robot, ranges, points)
    directions = _directions(robot)
    for b in _path(robot, body):
        distance = walk.up(b)
        slides = robot.joints[b].kind == "prismatic"
        before = [k for k in _path(robot, b)[1:] if robot.joints[k].kind != "prismatic"]
        share = 1.0
        if all(np.linalg.norm(np.cross(directions[b], directions[k])) < 1e-9 for k in before):
            # The axis keeps its direction, and only the part of its motion along n counts.
            along, across = directions[b] @ normal, np.cross(directions[b], normal)
            share = float(abs(along) if slides else np.linalg.norm(across))
        result[b] = share * (1.0 if slides else distance)
    return result


def where(robot: RobotTree, ranges: Ranges, body: int, points: Array) -> Balls:
    """Balls in base coordinates that points on a body never leave."""
    walk = Walk(robot, ranges, points)
    for b in _path(robot, body):
        walk.up(b)
    return walk.balls


def _path(robot: RobotTree, body: int) -> list[int]:
    """A body and all it hangs on, outermost first; empty for the base."""
    path = []
    while body >= 0:
        path.append(body)
        body = robot.parents[body]
    return path


def _directions(robot: RobotTree) -> list[Array]:
    """Axes of all joints in base coordinates at q = 0."""
    rotations: list[Array] = []
    for placement, parent in zip(robot.placements, robot.parents, strict=True):
        above = rotations[parent] if parent >= 0 else np.eye(3)
        rotations.append(above @ placement[:3, :3])
    return [r @ np.array(j.axis) for r, j in zip(rotations, robot.joints, strict=True)]
