"""A tracking controller: torques of the nominal model along the reference, and a spring to it."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True, eq=False)
class TrackingController:
    """τ = τ_ff + Kp (q_r − q) + Kd (q̇_r − q̇), inside ± limit.

    Args:
        q, qd: the reference at each control step, shape (steps, recordings, n).
        feedforward: torque added at each step, of the same shape; zero for plain PD.
        kp, kd: gains, shape (n,).
        limit: largest torque of each joint, shape (n,).
    """

    q: Array
    qd: Array
    feedforward: Array
    kp: Array
    kd: Array
    limit: Array

    @property
    def start(self) -> Array:
        """Where the reference begins, shape (recordings, n)."""
        first: Array = self.q[0]
        return first

    @property
    def fastest(self) -> Array:
        """The largest speeds of the reference, shape (n,)."""
        fastest: Array = np.abs(self.qd).max((0, 1))
        return fastest

    def torque(self, step: int, q: Array, qd: Array) -> Array:
        """The torque held during a step, shape (recordings, n)."""
        error, rate = self.q[step] - q, self.qd[step] - qd
        wanted = self.feedforward[step] + self.kp * error + self.kd * rate
        held: Array = np.maximum(np.minimum(wanted, self.limit), -self.limit)
        return held


def gains(inertia: Array, bandwidth_hz: float, damping_ratio: float) -> tuple[Array, Array]:
    """Kp and Kd that move an inertia of shape (n,) like a spring and damper of this frequency."""
    omega = 2 * np.pi * bandwidth_hz
    return inertia * omega**2, inertia * (2 * damping_ratio * omega)
