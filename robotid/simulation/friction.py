"""Friction of joints, as a torque against the motion.

`coulomb`    f = fv q̇ + fc sat(q̇/w)
`stribeck`   f = fv q̇ + g(q̇) sat(q̇/w),  g(q̇) = fc + (fs − fc) exp(−(q̇/vs)²)
`stick-slip` f = fv q̇ + σ0 z + σ1(q̇) ż,  ż = q̇ − σ0 |q̇| z / g(q̇)   (LuGre)

z is how far the bristles between the surfaces are bent: the friction remembers where it stuck.
σ1(q̇) = 1/(1/σ1 + |q̇|/(4 g)) keeps it passive: what it gives back it was given before.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.simulation.plant_options import FrictionKind

Array = NDArray[np.float64]
LAWS: tuple[FrictionKind, ...] = ("none", "viscous", "coulomb", "stribeck", "stick-slip")


@njit()
def _law(number: int, parameters: Array, qd: float, z: float) -> tuple[float, float]:
    """F and ż of one joint; `parameters` are those of `Friction`, in order, shape (7,)."""
    viscous, coulomb, static, width, stribeck_velocity, stiffness, damping = parameters
    if number == 0:
        return 0.0, 0.0
    if number == 1:
        return viscous * qd, 0.0
    sign = max(-1.0, min(1.0, qd / width))
    if number == 2:
        return viscous * qd + coulomb * sign, 0.0
    level = coulomb + (static - coulomb) * math.exp(-((qd / stribeck_velocity) ** 2))
    if number == 3:
        return viscous * qd + level * sign, 0.0
    if level <= 0.0:
        return viscous * qd, 0.0
    speed = abs(qd)
    zd = qd - stiffness * speed * z / level
    damped = damping / (1.0 + damping * speed / (4.0 * level))
    return viscous * qd + stiffness * z + damped * zd, zd


@njit()
def laws(number: int, parameters: Array, qd: Array, z: Array) -> tuple[Array, Array]:
    """F and ż of many states of all joints, each of shape (states, n)."""
    f, zd = np.empty_like(qd), np.empty_like(qd)
    for state in range(qd.shape[0]):
        for joint in range(qd.shape[1]):
            at = state, joint
            f[at], zd[at] = _law(number, parameters[joint], qd[at], z[at])
    return f, zd


class Friction(NamedTuple):
    """The law and its parameters, each of shape (n,); those a law does not have are zero.

    Args:
        kind: which law.
        viscous: fv [N m s/rad].
        coulomb: fc [N m].
        static: fs [N m], the torque that breaks a joint loose.
        width: w [rad/s], below which the sign of the velocity fades.
        stribeck_velocity: vs [rad/s].
        bristle_stiffness: σ0 [N m/rad].
        bristle_damping: σ1 [N m s/rad].
    """

    kind: FrictionKind
    viscous: Array
    coulomb: Array
    static: Array
    width: Array
    stribeck_velocity: Array
    bristle_stiffness: Array
    bristle_damping: Array

    @property
    def remembers(self) -> bool:
        """Whether it has a state z of its own."""
        return self.kind == "stick-slip"

    @property
    def number(self) -> int:
        """The law as compiled code knows it."""
        return LAWS.index(self.kind)

    @property
    def parameters(self) -> Array:
        """All parameters as compiled code takes them, shape (n, 7)."""
        return np.stack(self[1:], -1)

    def torque(self, qd: Array, z: Array) -> tuple[Array, Array]:
        """F and ż, shape (..., n), at velocity and state of shape (..., n).

        A law without memory does not look at z and gives ż = 0.
        """
        n = qd.shape[-1]
        rows, states = (
            np.ascontiguousarray(qd).reshape(-1, n),
            np.ascontiguousarray(z).reshape(-1, n),
        )
        f, zd = laws(self.number, self.parameters, rows, states)
        return f.reshape(qd.shape), zd.reshape(qd.shape)

    def fastest_rate(self, inertia: Array, speed: Array) -> Array:
        """How fast friction alone changes the velocity of an inertia, shape (n,) [1/s].

        Args:
            inertia: what the friction acts on, shape (n,) [kg m²].
            speed: the largest velocity to expect, shape (n,) [rad/s].
        """
        rate = self.viscous / inertia
        if self.kind in ("coulomb", "stribeck"):
            rate = rate + self.static / self.width / inertia
        if self.kind == "stick-slip":
            bending = np.zeros_like(speed)
            np.divide(self.bristle_stiffness * speed, self.coulomb, bending, where=self.coulomb > 0)
            shaking = np.sqrt(self.bristle_stiffness / inertia)
            rate = rate + np.maximum(bending, shaking) + self.bristle_damping / inertia
        return rate
