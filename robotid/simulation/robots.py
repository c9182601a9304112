"""Which robots can be simulated, and how far and fast their joints go."""

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
# What a joint without limits is taken to reach: half range and speed, of turning and of sliding.
_TURNING, _SLIDING = (np.pi, 2 * np.pi), (0.5, 1.0)


def check_held(robot: RobotTree) -> None:
    """Refuse a robot with a floating base."""
    if robot.floating:
        said = f"robot {robot.name} has a floating base"
        raise ConfigError("floating-base", said, hint="hold it: --base fixed, or choose an arm")


def check_robots(nominal: RobotTree, true: RobotTree) -> None:
    """Refuse robots that cannot be simulated as one another."""
    if nominal.rows != true.rows:
        raise ConfigError(
            "other-joints",
            f"robot {nominal.name} and the true robot {true.name} have different joints",
            hint=f"{', '.join(nominal.joint_names)}; {', '.join(true.joint_names)}",
        )


def reach(robot: RobotTree) -> tuple[Array, Array, Array]:
    """Lower end, half range and speed of each joint; reasonable ones where there is no limit."""
    assumed = np.array([_SLIDING if j.kind == "prismatic" else _TURNING for j in robot.driven])
    lower, upper = robot.bound("lower"), robot.bound("upper")
    bounded = np.isfinite(lower) & np.isfinite(upper)
    half, start = assumed[:, 0].copy(), -assumed[:, 0]
    half[bounded], start[bounded] = (upper - lower)[bounded] / 2, lower[bounded]
    speed = robot.bound("velocity")
    return start, half, np.where(np.isfinite(speed), speed, assumed[:, 1])
