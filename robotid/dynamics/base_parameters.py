"""Base parameters: what torques can tell of the link parameters, whatever the motion.

The columns of the regressor W are linearly dependent for structural reasons: a link that only
turns about one axis never shows its other moments. With independent columns W_b,
W = W_b [1 K] up to the order of columns, and W φ = W_b β with β = φ_b + K φ_d.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.friction import joint_regressor
from robotid.dynamics.joint_columns import JointColumn, columns_of, slow_speeds
from robotid.dynamics.regressor import joint_torque_regressor
from robotid.robot.tree import RobotTree
from robotid.spatial.transport import change_of_frame

Array = NDArray[np.float64]

# Relative to the length of a column. On the shipped robots and 300 random trees what is dependent
# leaves 5e-13 or less, and what is not leaves 2e-3 or more.
TOLERANCE = 1e-9

_OF_PHI = ("m", "lx", "ly", "lz", "Lxx", "Lxy", "Lyy", "Lxz", "Lyz", "Lzz")
# Who stays when columns depend on each other: inertias before first moments before masses.
_PRIORITY = ("Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz", "lx", "ly", "lz", "m")


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Which parameters are independent, and how the others are grouped with them.

    Args:
        names: of all parameters, in the order of the regressor's columns.
        independent: columns that stay, ascending in priority; β has their order.
        dependent: columns that are combinations of those.
        unidentifiable: columns that are zero for every motion.
        K: W[:, dependent] = W[:, independent] K, shape (rank, dependent).
        gap: the largest relative remainder of a dependent column, the smallest of an independent
            one; the tolerance lies between them.
    """

    names: tuple[str, ...]
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    unidentifiable: tuple[int, ...]
    K: Array
    gap: tuple[float, float]

    @property
    def rank(self) -> int:
        """How many base parameters there are."""
        return len(self.independent)

    @property
    def base_names(self) -> tuple[str, ...]:
        """The parameter each base parameter is called after."""
        return tuple(self.names[column] for column in self.independent)

    @cached_property
    def projection(self) -> Array:
        """The matrix B with β = B φ, shape (rank, parameters)."""
        result = np.zeros((self.rank, len(self.names)))
        result[:, self.independent] = np.eye(self.rank)
        result[:, self.dependent] = self.K
        result.setflags(write=False)
        return result

    def beta(self, phi: Array) -> Array:
        """Base parameters, shape (..., parameters) to (..., rank)."""
        result: Array = np.asarray(phi) @ self.projection.T
        return result

    def reduced(self, regressor: Array) -> Array:
        """W_b, shape (..., parameters) to (..., rank)."""
        result: Array = np.asarray(regressor)[..., self.independent]
        return result


def parameter_names(robot: RobotTree, own: Sequence[JointColumn] = ()) -> tuple[str, ...]:
    """Names in the order of the regressor's columns.

    `m2`, `l2x`, `L2xy` are mass, first moment and inertia about the origin of the body that joint 2
    moves (0 is a floating base); `rotor2` is a term of joint 2, `rotor5+6` of two coupled joints.
    """
    first = 0 if robot.floating else 1
    bodies = (
        f"{kind[0]}{first + body}{kind[1:]}" for body in range(robot.bodies) for kind in _OF_PHI
    )
    return (*bodies, *(column.short for column in own))


def base_parameters(
    robot: RobotTree,
    terms: Sequence[str] = (),
    joint_terms: Mapping[str, Sequence[str]] | None = None,
    coupled: Sequence[str] = (),
    *,
    frames: Array | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> BaseParameters:
    """The base parameters of a robot, from its regressor at random motions.

    Columns are taken from the base to the tips, within a body in the order of `_PRIORITY`, those of
    the joints last; one that the ones before it cannot express stays. What is regrouped therefore
    goes into inertias and towards the base.

    Args:
        robot: the robot; its nominal link parameters and limits play no part (except for friction
            by load), its gravity does.
        terms: of joints, see `terms.TERMS`.
        joint_terms: of single joints or couplings, by name.
        coupled: motors that drive two joints, such as `j5+j6`.
        frames: frames that parameters refer to, as poses in the bodies, shape (bodies, 4, 4); the
            bodies' own when not given.
        tolerance: as for `reduce`. An axis that rounding in a robot file leaves a hair off the
            vertical makes columns independent by that much, which no log will ever show; a larger
            tolerance takes them for dependent.
        seed: of the random motions; the result does not depend on it beyond rounding.
    """
    own = columns_of(robot, terms, joint_terms, coupled)
    W = random_regressor(robot, own, frames=frames, seed=seed)
    return reduce(W, parameter_names(robot, own), priority(robot, W.shape[1]), tolerance)


def priority(robot: RobotTree, columns: int) -> list[int]:
    """All columns in the order in which they may stay: from the base to the tips, joints last."""
    links = [10 * body + _OF_PHI.index(kind) for body in range(robot.bodies) for kind in _PRIORITY]
    return [*links, *range(len(links), columns)]


def random_regressor(
    robot: RobotTree,
    own: Sequence[JointColumn] = (),
    *,
    frames: Array | None = None,
    seed: int = 0,
    samples: int | None = None,
) -> Array:
    """Rows of the regressor at random motions, shape (samples nv, 10 bodies + own).

    Angles and base orientations take any value, slides are within ±1 m; velocities and
    accelerations are standard normal. Without `samples` there are four rows per column, and as many
    again at each speed at which friction changes.
    """
    columns = 10 * robot.bodies + len(own)
    paces = [1.0] if samples else [1.0, *slow_speeds(own)]
    each = samples or -(-4 * columns // robot.nv)
    count = each * len(paces)
    generator = np.random.default_rng(seed)
    slides = np.array([joint.kind == "prismatic" for joint in robot.driven], dtype=bool)
    q = generator.uniform(-1, 1, (count, robot.n)) * np.where(slides, 1.0, np.pi)
    if robot.floating:
        base = generator.normal(size=(count, 7))  # any length of the quaternion will do
        q = np.concatenate([base, q], -1)
    qd, qdd = generator.normal(size=(2, count, robot.nv))
    qd *= np.repeat(paces, each)[:, None]
    Y = joint_torque_regressor(robot, *map(torch.from_numpy, (q, qd, qdd)))
    driven = slice(robot.nv - robot.n, None)
    load = (Y @ torch.tensor(robot.phi.ravel()))[:, driven].numpy()
    joints = np.zeros((count, robot.nv, len(own)))
    joints[:, driven] = joint_regressor(own, qd[:, driven], qdd[:, driven], load)
    if frames is not None:
        change = change_of_frame(torch.as_tensor(frames, dtype=torch.float64))
        blocks = Y.reshape(*Y.shape[:-1], robot.bodies, 1, 10) @ change
        Y = blocks.flatten(-3)
    result = np.concatenate([Y.numpy(), joints], axis=-1)
    return result.reshape(count * robot.nv, columns)


def reduce(
    W: Array, names: Sequence[str], order: Sequence[int], tolerance: float = TOLERANCE
) -> BaseParameters:
    """Independent columns of W, taken in an order of priority, and the rest in terms of them.

    Args:
        W: a regressor, or a triangular factor of it, shape (rows, parameters).
        names: of the parameters.
        order: all columns, in the order in which they may stay.
        tolerance: a column depends on others when they leave less of it, relative to its length.
    """
    length = np.linalg.norm(W, axis=0)
    zero = length <= tolerance * length.max(initial=0.0)
    scale = np.where(zero, 1.0, length)
    R = np.linalg.qr(W / scale).R
    basis = np.zeros((R.shape[0], 0))
    independent, dependent = [], []
    largest, smallest = 0.0, 1.0
    for column in order:
        if zero[column]:
            continue
        rest = R[:, column]
        for _ in range(2):  # once more: the first pass leaves rounding along the basis
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > tolerance:
            basis = np.column_stack([basis, rest / size])
            independent.append(column)
            smallest = min(smallest, size)
        else:
            dependent.append(column)
            largest = max(largest, size)
    dependent.sort()
    K = np.linalg.lstsq(R[:, independent], R[:, dependent], rcond=None)[0]
    K[np.abs(K) < tolerance] = 0.0
    K = K * scale[dependent] / scale[independent][:, None]
    K.setflags(write=False)
    return BaseParameters(
        names=tuple(names),
        independent=tuple(independent),
        dependent=tuple(dependent),
        unidentifiable=tuple(np.flatnonzero(zero).tolist()),
        K=K,
        gap=(largest, smallest),
    )
