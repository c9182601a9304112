"""A tracking controller: torques of the nominal model along the reference, and a spring to it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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
