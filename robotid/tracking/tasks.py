"""What a robot has to follow: the law and the reference of a task."""

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import Truth
from robotid.robot.tree import RobotTree
from robotid.tracking.bounds import room_of
from robotid.tracking.joint_law import JointLaw
from robotid.tracking.law import Law
from robotid.tracking.moves import minimum_jerk, random_postures, recorded, sines
from robotid.tracking.options import TrackOptions
from robotid.tracking.reaching import HandLaw, hand_of

Array = NDArray[np.float64]


def assigned(
    robot: RobotTree,
    options: TrackOptions,
    duration_s: float,
    K: Array,
    inertia: Array,
    truth: Truth | None = None,
) -> Law:
    """The task with motions of one length.

    Args:
        robot: the robot file.
        options: the configuration.
        duration_s: length of the motions; of a hand, from target to target.
        K: of all gains, shape (gains, n) [1/s²].
        inertia: that each joint moves alone according to the file, shape (n,) [kg m²].
        truth: of the simulation whose motions are followed.
    """
    hz, springs = options.control_hz, inertia if options.feedback == "joints" else None
    if options.task == "recorded":
        assert truth is not None
        return JointLaw(recorded(truth, options.motions, duration_s, hz), K, springs)
    room = room_of(robot, options)
    if options.task == "sines":
        return JointLaw(sines(robot, room, options, duration_s), K, springs)
    count = options.targets if options.task == "reaching" else 1
    moves = random_postures(room, options, count, min(options.lengths_s))
    reference = minimum_jerk(moves, duration_s, options.hold_s, hz)
    if options.task == "impedance":
        return JointLaw(reference, K, springs)
    hand = hand_of(robot, options.link)
    K_d = 2 * np.sqrt(K) * inertia
    return HandLaw(robot, hand, reference, K_d, options.reach_kp, options.null_kp, 1 / hz)


def hand_name(robot: RobotTree, options: TrackOptions) -> str | None:
    """The link that reaches; None for tasks of joints."""
    return hand_of(robot, options.link).link if options.task == "reaching" else None
