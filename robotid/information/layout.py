"""Which parameters there are, and which of them each row of torque depends on."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError, nearest
from robotid.robot.tree import RobotTree

Index = NDArray[np.int64]

# Columns a joint may have besides those of its subtree, in the order of the parameters.
TERMS = ("viscous", "coulomb", "offset", "rotor")
LINK_PARAMETERS = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
BASE_ROWS = ("base.fx", "base.fy", "base.fz", "base.mx", "base.my", "base.mz")


@dataclass(frozen=True, eq=False)
class Layout:
    """Parameters and rows of a robot with some terms per joint.

    Parameters are those of the links, ten per body, then the terms joint by joint. Rows are the
    torques of the driven joints; those of a floating base (its wrench) come first.
    """

    robot: RobotTree
    terms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", checked_terms(self.terms))

    @property
    def parameters(self) -> int:
        """How many parameters there are."""
        return 10 * self.robot.bodies + self.robot.n * len(self.terms)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows: joints, and the six of a floating base."""
        return (BASE_ROWS if self.robot.floating else ()) + self.robot.joint_names

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, such as `forearm.Ixx` and `elbow.viscous`."""
        links = [f"{link}.{name}" for link in self.robot.links for name in LINK_PARAMETERS]
        terms = [f"{joint}.{term}" for joint in self.robot.joint_names for term in self.terms]
        return (*links, *terms)

    def body(self, row: int) -> int:
        """The body that a row's torque moves."""
        return max(0, row - 5) if self.robot.floating else row

    def subtree(self, row: int) -> Index:
        """Bodies whose parameters a row depends on, parents first."""
        return np.flatnonzero(self.robot.ancestors[:, self.body(row)]).astype(np.int64)

    def joint(self, row: int) -> int | None:
        """Position of a row's joint among the driven ones; None for rows of a floating base."""
        at = row - 6 * self.robot.floating
        return at if at >= 0 else None

    @cached_property
    def columns(self) -> tuple[Index, ...]:
        """For each row the positions of its columns among the parameters: subtree, then terms."""
        result = []
        for row in range(self.robot.nv):
            links = (10 * self.subtree(row)[:, None] + np.arange(10)).ravel()
            joint, count = self.joint(row), len(self.terms)
            first = 10 * self.robot.bodies + (joint or 0) * count
            own = np.arange(first, first + count) if joint is not None else np.arange(0)
            result.append(np.concatenate([links, own]))
        return tuple(result)


def geometry_digest(robot: RobotTree) -> str:
    """SHA-256 of all that regressors depend on; the parameters of the links are no part of it."""
    joints = [(joint.name, joint.kind) for joint in robot.joints]
    digest = hashlib.sha256(json.dumps([robot.links, joints, robot.parents]).encode())
    axes = np.array([joint.axis for joint in robot.joints], dtype=np.float64)
    for values in (axes, robot.placements, robot.gravity):
        digest.update((values + 0.0).tobytes())  # -0.0 becomes 0.0
    return digest.hexdigest()


def checked_terms(terms: Sequence[str]) -> tuple[str, ...]:
    """The terms in the order of `TERMS`; unknown ones are refused."""
    for term in terms:
        if term not in TERMS:
            raise ConfigError("unknown-term", f"no term {term!r}", hint=nearest(term, TERMS))
    return tuple(term for term in TERMS if term in terms)
