"""The robot that a simulation was made with, where one says so."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import TRUTH, Truth, read_truth
from robotid.errors import BadDataError
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class TrueRobot(NamedTuple):
    """What was simulated.

    Args:
        robot: with the true links, and gravity as it was.
        rotor_inertia: seen from the joints, shape (n,) [kg m²].
        friction: law of it.
        truth: all that is known.
    """

    robot: RobotTree
    rotor_inertia: Array
    friction: str
    truth: Truth


def true_robot(folder: Path, robot: RobotTree) -> TrueRobot:
    """The robot that a simulation was made with.

    Args:
        folder: what `simulate` wrote.
        robot: has to have the same links and joints.
    """
    truth = read_truth(folder)
    for what, own, theirs in (
        ("links", list(robot.links), [link.name for link in truth.links]),
        ("joints", list(robot.joint_names), [joint.name for joint in truth.joints]),
    ):
        if own != theirs:
            said = f"{what} of the simulation are {_listed(theirs)}, of {robot.name} {_listed(own)}"
            hint = "give the simulation that the data are from"
            raise BadDataError("truth-differs", said, file=str(folder / TRUTH), hint=hint)
    return TrueRobot(
        replace(
            robot, phi=np.array([link.phi for link in truth.links]), gravity=np.array(truth.gravity)
        ),
        np.array([joint.rotor_inertia for joint in truth.joints]),
        truth.friction,
        truth,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
