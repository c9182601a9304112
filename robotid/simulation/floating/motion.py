"""`FloatingMotion`: all that happened in one recording of a floating robot."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_pose import as_configured
from robotid.robot.tree import RobotTree
from robotid.simulation.floating.base_motion import BaseMotion

Array = NDArray[np.float64]


class FloatingMotion(NamedTuple):
    """What happened, sample by sample.

    Args:
        base: pose, twist and its rates.
        q, qd, qdd: of the joints, shape (T, n).
        tau: of the motors, shape (T, n) [N m].
        friction: what they lose, shape (T, n) [N m].
        wrenches: on each foot at the origin of its link, in world coordinates, shape (T, 6).
    """

    base: BaseMotion
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    friction: Array
    wrenches: dict[str, Array]


class Reference(NamedTuple):
    """A motion without forces: base, and joints of shape (T, n)."""

    base: BaseMotion
    q: Array
    qd: Array
    qdd: Array

    def generalised(self, robot: RobotTree) -> tuple[Array, Array, Array]:
        """As dynamics take them: q (T, nq), qd and qdd (T, nv)."""
        pose = as_configured(robot, self.base.pose)
        return (
            np.column_stack([pose, self.q]),
            np.column_stack([self.base.twist, self.qd]),
            np.column_stack([self.base.rates, self.qdd]),
        )
