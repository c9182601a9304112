"""Starts that a user names, or random ones."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.errors import ConfigError
from robotid.robot.tree import Joint, RobotTree
from robotid.rollouts.options import JointState, joint_states

Array = NDArray[np.float64]


class States(NamedTuple):
    """Positions and velocities, shape (starts, n) each [rad or m, per s]."""

    q: Array
    qd: Array


def named_states(robot: RobotTree, texts: Sequence[str]) -> States:
    """States as texts name them; a joint that is not there or outside its limits is refused."""
    q, qd = np.zeros((2, len(texts), robot.n))
    for start, text in enumerate(texts):
        for given in joint_states(text):
            place = robot.joint_index(given.joint)
            _must_be_inside(robot.driven[place], given)
            q[start, place], qd[start, place] = given.position, given.velocity
    return States(q, qd)


def random_states(
    robot: RobotTree, ranges: Mapping[str, JointRange], count: int, seed: int
) -> States:
    """States spread evenly over the ranges of the training data, inside the joint limits."""
    random = np.random.default_rng(seed)
    lower, upper, speed = (robot.bound(which) for which in ("lower", "upper", "velocity"))
    q_low, q_high = np.array([ranges[joint].q for joint in robot.joint_names]).T
    qd_low, qd_high = np.array([ranges[joint].qd for joint in robot.joint_names]).T
    size = count, robot.n
    q = random.uniform(np.clip(q_low, lower, upper), np.clip(q_high, lower, upper), size)
    qd = random.uniform(np.clip(qd_low, -speed, speed), np.clip(qd_high, -speed, speed), size)
    return States(q, qd)


def _must_be_inside(joint: Joint, given: JointState) -> None:
    limits, unit = joint.limits, "m" if joint.kind == "prismatic" else "rad"
    for what, value, low, high, per in (
        ("position", given.position, limits.lower, limits.upper, ""),
        ("velocity", given.velocity, -limits.velocity, limits.velocity, "/s"),
    ):
        if not low <= value <= high:
            side = "lower" if value < low else "upper"
            bound = low if value < low else high
            said = (
                f"state: {what} {value:g} {unit}{per} of {joint.name} is beyond its {side} limit, "
                f"{bound:g} {unit}{per}"
            )
            hint = "start inside the limits of the robot file"
            raise ConfigError("start-outside-limits", said, joint=joint.name, hint=hint)
