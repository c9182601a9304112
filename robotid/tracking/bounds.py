"""How far and how fast joints may go: as motions are made, and before a case is stopped."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracking import Reason
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.simulation.robots import reach
from robotid.tracking.options import TrackOptions

Array = NDArray[np.float64]


class Room(NamedTuple):
    """What motions may use: middle, half range and speed of each joint, shape (n,)."""

    middle: Array
    half: Array
    speed: Array


def room_of(robot: RobotTree, options: TrackOptions) -> Room:
    """The share of the limits that motions may use."""
    lower, upper = robot.bound("lower"), robot.bound("upper")
    bounded = np.isfinite(lower) & np.isfinite(upper)
    if not bounded.all() and options.assumed_reach is None:
        name = robot.joint_names[int(np.argmin(bounded))]
        said = f"joint {name} of {robot.name} has no position limits to make motions within"
        hint = "give assumed_reach, or limits in the robot file"
        raise ConfigError("no-limits", said, joint=name, hint=hint)
    half = np.full(robot.n, options.assumed_reach or 0.0)
    middle = np.zeros(robot.n)
    half[bounded] = (upper[bounded] - lower[bounded]) / 2
    middle[bounded] = (upper[bounded] + lower[bounded]) / 2
    return Room(middle, options.position_share * half, options.speed_share * reach(robot)[2])


class Bounds(NamedTuple):
    """Where a joint counts as unstable, shape (n,) each; infinite where it has no limits."""

    lower: Array
    upper: Array
    speed: Array

    def left(self, q: Array, qd: Array) -> NDArray[np.bool_]:
        """Which joints have left them, shape (cases, n); what is no number has."""
        inside = (q >= self.lower) & (q <= self.upper) & (np.abs(qd) <= self.speed)
        return ~inside

    def reason(self, state: Array, joint: int) -> Reason:
        """What a joint has left; its state is position, velocity and whatever else it has."""
        if not np.isfinite(state).all():
            return "not finite"
        return "velocity" if abs(state[1]) > self.speed[joint] else "position"


def bounds_of(robot: RobotTree, options: TrackOptions) -> Bounds:
    """Limits and the margins around them."""
    lower, upper = robot.bound("lower"), robot.bound("upper")
    both = np.isfinite(lower) & np.isfinite(upper)
    margin = np.zeros(robot.n)
    margin[both] = options.position_margin * (upper[both] - lower[both])
    return Bounds(lower - margin, upper + margin, options.speed_margin * reach(robot)[2])
