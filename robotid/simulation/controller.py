"""Controllers that follow a reference: by springs at the joints, or through the nominal model."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Controller(Protocol):
    """What drives the motors of all recordings.

    kp, kd and limit (the largest torques) have shape (n,).
    """

    @property
    def kp(self) -> Array:
        """Gains on positions, as far as they are constant."""

    @property
    def kd(self) -> Array:
        """Gains on velocities, as far as they are constant."""

    @property
    def limit(self) -> Array:
        """Largest torque of each joint."""

    @property
    def start(self) -> Array:
        """Where the motors are at first, at rest, shape (recordings, n)."""

    @property
    def fastest(self) -> Array:
        """The largest speeds to expect, shape (n,)."""

    def torque(self, step: int, q: Array, qd: Array) -> Array:
        """The torque held during a step, shape (recordings, n)."""


class Reference(NamedTuple):
    """What is to be followed, at each control step, each of shape (steps, recordings, n)."""

    q: Array
    qd: Array
    qdd: Array

    @property
    def start(self) -> Array:
        """Where it begins, shape (recordings, n)."""
        first: Array = self.q[0]
        return first

    @property
    def fastest(self) -> Array:
        """The largest speeds, shape (n,)."""
        fastest: Array = np.abs(self.qd).max((0, 1))
        return fastest


class JointFeedback:
    """τ = τ_ff + Kp (q_r − q) + Kd (q̇_r − q̇), inside ± limit.

    Args:
        reference: what is to be followed.
        feedforward: torque added at each step, of the same shape; zero for plain PD.
        kp, kd: gains, shape (n,).
        limit: largest torque of each joint, shape (n,).
    """

    def __init__(
        self, reference: Reference, feedforward: Array, kp: Array, kd: Array, limit: Array
    ) -> None:
        self._reference, self._feedforward = reference, feedforward
        self.kp, self.kd, self.limit = kp, kd, limit
        self.start, self.fastest = reference.start, reference.fastest

    def torque(self, step: int, q: Array, qd: Array) -> Array:
        """The torque held during a step, shape (recordings, n)."""
        error, rate = self._reference.q[step] - q, self._reference.qd[step] - qd
        wanted = self._feedforward[step] + self.kp * error + self.kd * rate
        return _inside(wanted, self.limit)


class ModelFeedback:
    """τ = ID(q, q̇, q̈_r + ω² (q_r − q) + 2ζω (q̇_r − q̇)) of the nominal robot, inside ± limit.

    Args:
        reference: what is to be followed.
        nominal: what is known of the robot.
        rotor_inertia: of its joints, shape (n,) [kg m²].
        inertia: that each joint moves alone, shape (n,) [kg m²]; says what kp and kd come to.
        bandwidth_hz, damping_ratio: of the corrections.
    """

    def __init__(
        self,
        reference: Reference,
        nominal: RobotTree,
        rotor_inertia: Array,
        inertia: Array,
        bandwidth_hz: float,
        damping_ratio: float,
    ) -> None:
        self._reference, self._rotor = reference, rotor_inertia
        self._inverse = CompiledRnea(nominal)
        self._kp, self._kd = gains(np.ones(nominal.n), bandwidth_hz, damping_ratio)
        self.kp, self.kd = gains(inertia, bandwidth_hz, damping_ratio)
        self.limit = nominal.bound("effort")
        self.start, self.fastest = reference.start, reference.fastest

    def torque(self, step: int, q: Array, qd: Array) -> Array:
        """The torque held during a step, shape (recordings, n)."""
        error, rate = self._reference.q[step] - q, self._reference.qd[step] - qd
        qdd = self._reference.qdd[step] + self._kp * error + self._kd * rate
        return _inside(self._inverse(q, qd, qdd) + self._rotor * qdd, self.limit)


def _inside(tau: Array, limit: Array) -> Array:
    held: Array = np.maximum(np.minimum(tau, limit), -limit)
    return held


def gains(inertia: Array, bandwidth_hz: float, damping_ratio: float) -> tuple[Array, Array]:
    """Kp and Kd that move an inertia of shape (n,) like a spring and damper of this frequency."""
    omega = 2 * np.pi * bandwidth_hz
    return inertia * omega**2, inertia * (2 * damping_ratio * omega)
