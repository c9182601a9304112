"""Torques that a motion needs by the robot file."""

import numpy as np
from numpy.typing import NDArray

from robotid.information.regressor import dense_regressor
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


def nominal_torques(robot: RobotTree, q: Array, qd: Array, qdd: Array) -> Array:
    """Links, rotors and viscous friction of the robot file, shape (samples, n) [N m or N].

    Args:
        robot: with a fixed base.
        q: positions, shape (samples, n).
        qd: velocities.
        qdd: accelerations.
    """
    rotor = np.array([joint.rotor_inertia for joint in robot.driven])
    damping = np.array([joint.damping for joint in robot.driven])
    links = dense_regressor(robot, q, qd, qdd, threads=1) @ robot.phi.ravel()
    result: Array = links + rotor * qdd + damping * qd
    return result
