"""Accelerations by robotid's own articulated-body algorithm, for machines without MuJoCo."""

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.compiled_aba import CompiledAba
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class OwnEngine:
    """Forward dynamics of one robot."""

    def __init__(self, robot: RobotTree, rotor_inertia: Array) -> None:
        self._aba = CompiledAba(robot, rotor_inertia=rotor_inertia)

    def acceleration(self, q: Array, qd: Array, tau: Array) -> Array:
        """q̈ of each recording; arguments and result have shape (recordings, n)."""
        return self._aba(q, qd, tau)
