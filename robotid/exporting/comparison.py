"""Random states of a robot, and how far torques of two models differ on them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
TOLERANCE = 1e-9  # relative to the largest torque of each joint
STATES = 64
_FAR = 3.2  # rad: joints without limits


class States(NamedTuple):
    """q (states, nq), qd and qdd (states, nv)."""

    q: Array
    qd: Array
    qdd: Array


def random_states(robot: RobotTree, count: int = STATES, seed: int = 0) -> States:
    """States within the limits of a robot: at rest, creeping, moving, fast; a base lies anyhow."""
    rng = np.random.default_rng(seed)
    low, high = robot.bound("lower"), robot.bound("upper")
    low = np.where(np.isfinite(low), low, -_FAR)
    high = np.where(np.isfinite(high), high, _FAR)
    q = rng.uniform(low, np.maximum(low, high), (count, robot.n))
    if robot.floating:
        place, turn = rng.normal(size=(count, 3)), rng.normal(size=(count, 4))
        q = np.column_stack([place, turn / np.linalg.norm(turn, axis=1, keepdims=True), q])
    speed = np.resize([0.0, 0.01, 0.3, 3.0], count)[:, None]
    qd, qdd = speed * rng.normal(size=(2, count, robot.nv))
    return States(q, qd, 5.0 * qdd)


def difference(expected: Array, found: Array) -> float:
    """The largest difference of torques, relative to the largest torque of each joint."""
    miss = np.abs(np.asarray(found) - expected).max(axis=0)
    size = np.abs(expected).max(axis=0)
    relative = np.where(size > 0, miss / np.where(size > 0, size, 1.0), miss)
    return float(relative.max())


def proved(expected: Array, found: Array, what: str, tolerance: float = TOLERANCE) -> float:
    """The difference of torques; an error if it is more than rounding."""
    if np.shape(found) != expected.shape or not np.isfinite(found).all():
        raise BadDataError("export-differs", f"{what} gives torques that are no numbers")
    miss = difference(expected, found)
    if miss > tolerance:
        said = f"{what} gives other torques than the fit (relative difference {miss:.2g})"
        raise BadDataError("export-differs", said, hint="nothing was written")
    return miss
