"""What sensors make of the motion of a floating robot."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.simulation.floating.base_motion import BaseMotion
from robotid.simulation.floating.motion import FloatingMotion
from robotid.simulation.sensors import Sensors, torque_bias
from robotid.spatial.quaternions import product, rotation_of, turn_rate, turned_back

Array = NDArray[np.float64]
_ARM = 0.1  # m: noise of moments against that of forces


class BaseSensors(NamedTuple):
    """How good the sensors of base and contacts are: standard deviations.

    Args:
        pose: of position [m] and angles [rad].
        twist: of velocities [m/s, rad/s].
        contact: of contact forces [N]; of moments with an arm of 0.1 m.
    """

    pose: float
    twist: float
    contact: float


class FloatingLog(NamedTuple):
    """The log of one recording: columns by name, each of shape (samples,), and mean biases.

    Args:
        t: times of the samples [s], shape (samples,).
        columns: in robotid's own names.
        bias: what drift and offset added to torques, shape (samples, n) [N m].
    """

    t: Array
    columns: dict[str, Array]
    bias: Array


def logged(
    robot: RobotTree,
    motion: FloatingMotion,
    rate_hz: float,
    sensors: Sensors,
    of_base: BaseSensors,
    random: np.random.Generator,
) -> FloatingLog:
    """What the log of one recording says."""
    samples = len(motion.q)
    t = np.arange(samples) / rate_hz
    noise = random.standard_normal((3, *motion.q.shape))
    around = random.standard_normal((2, samples, 6))
    touch = random.standard_normal((samples, len(motion.wrenches), 6))
    bias = torque_bias(t, sensors, random)
    seen = motion.q + sensors.noise_q * noise[0]
    if sensors.encoder_step.any():
        seen = np.round(seen / sensors.encoder_step) * sensors.encoder_step
    pose = _seen_pose(motion.base.pose, of_base.pose * around[0])
    qd, twist = motion.qd + sensors.noise_qd * noise[1], motion.base.twist
    twist = twist + of_base.twist * around[1]
    if sensors.velocity == "difference":
        qd, twist = _differences(seen, rate_hz), _twist_of(pose, rate_hz)
    measured = sensors.velocity != "none"
    tau = motion.tau + bias + sensors.noise_tau * noise[2]
    arms = np.array([1.0] * 3 + [_ARM] * 3)
    wrenches = {
        link: f + f.any(axis=0) * of_base.contact * arms * touch[:, place]
        for place, (link, f) in enumerate(motion.wrenches.items())
    }
    base = BaseMotion(pose, twist, motion.base.rates)
    joints = {"q": seen, **({"qd": qd} if measured else {}), "tau": tau}
    parts = ("pos", "quat", "vel") if measured else ("pos", "quat")
    return FloatingLog(t, columns_of(robot, base, parts, joints, wrenches), bias)


def columns_of(
    robot: RobotTree,
    base: BaseMotion,
    parts: tuple[str, ...],
    joints: dict[str, Array],
    wrenches: dict[str, Array],
) -> dict[str, Array]:
    """Columns in robotid's own names.

    Args:
        robot: whose joints they are of.
        base: its motion.
        parts: which of pos, quat, vel, acc.
        joints: signals of the joints, shape (T, n) each.
        wrenches: by link, shape (T, 6); moments that are all zero are left out.
    """
    six = ("x", "y", "z", "rx", "ry", "rz")
    values = {"pos": base.pose[:, :3], "quat": base.pose[:, 3:], "vel": base.twist}
    values["acc"] = base.rates
    ends = {"pos": six[:3], "quat": (*six[:3], "w"), "vel": six, "acc": six}
    found = {
        f"base.{part}.{end}": values[part][:, at]
        for part in parts
        for at, end in enumerate(ends[part])
    }
    for signal, own in joints.items():
        found |= {f"{signal}.{joint}": own[:, at] for at, joint in enumerate(robot.joint_names)}
    for link, wrench in wrenches.items():
        pushes = ("fx", "fy", "fz", "mx", "my", "mz")
        count = 6 if wrench[:, 3:].any() else 3
        found |= {f"contact.{link}.{end}": wrench[:, at] for at, end in enumerate(pushes[:count])}
    return {name: np.ascontiguousarray(column) for name, column in found.items()}


def _seen_pose(pose: Array, noise: Array) -> Array:
    """A pose with noise: of the position, and of small turns in base coordinates."""
    turn = np.column_stack([noise[:, 3:] / 2, np.ones(len(noise))])
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return np.column_stack([pose[:, :3] + noise[:, :3], product(pose[:, 3:], turn)])


def _differences(q: Array, rate_hz: float) -> Array:
    return np.diff(q, axis=0, prepend=q[:1]) * rate_hz


def _twist_of(pose: Array, rate_hz: float) -> Array:
    """The twist of differences of poses."""
    linear = turned_back(rotation_of(pose[:, 3:]), _differences(pose[:, :3], rate_hz))
    return np.column_stack([linear, turn_rate(pose[:, 3:], _differences(pose[:, 3:], rate_hz))])
