"""Elastic joints: a spring and a damper between a motor and the link it moves.

    link    H(q) q̈ + c + g = s            s = K (θ − q) + D (θ̇ − q̇)
    motor   J θ̈ = τ − f(θ̇) − s

Friction is the motor's, and its inertia J is that of the rotor.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Elasticity(NamedTuple):
    """Stiffness K [N m/rad] and damping D [N m s/rad] of each joint, shape (n,)."""

    stiffness: Array
    damping: Array

    def torque(self, bend: Array, rate: Array) -> Array:
        """What a spring passes on, shape (..., n), bent by θ − q at the rate θ̇ − q̇."""
        passed: Array = self.stiffness * bend + self.damping * rate
        return passed

    def fastest_rate(self, link: Array, motor: Array) -> Array:
        """How fast the two inertias [kg m²] swing against each other, shape (n,) [1/s]."""
        share = 1 / link + 1 / motor
        swing: Array = np.sqrt(self.stiffness * share) + self.damping * share
        return swing


def springs(frequency_hz: float, damping_ratio: float, inertia: Array) -> Elasticity:
    """Springs on which each link swings at one frequency when the motors are locked.

    K = (2π f)² I and D = 2 ζ 2π f I, for what each joint moves: inertia I, shape (n,) [kg m²].
    """
    omega = 2 * np.pi * frequency_hz
    return Elasticity(omega**2 * inertia, 2 * damping_ratio * omega * inertia)
