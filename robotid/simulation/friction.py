"""Friction of joints, as a torque against the motion.

`coulomb`    f = fv q̇ + fc sat(q̇/w)
`stribeck`   f = fv q̇ + g(q̇) sat(q̇/w),  g(q̇) = fc + (fs − fc) exp(−(q̇/vs)²)
`stick-slip` f = fv q̇ + σ0 z + σ1(q̇) ż,  ż = q̇ − σ0 |q̇| z / g(q̇)   (LuGre)

z is how far the bristles between the surfaces are bent: the friction remembers where it stuck.
σ1(q̇) = 1/(1/σ1 + |q̇|/(4 g)) keeps it passive: what it gives back it was given before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.simulation.options import FrictionKind

Array = NDArray[np.float64]


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

    def torque(self, qd: Array, z: Array) -> tuple[Array, Array]:
        """F and ż, shape (..., n), at velocity and state of shape (..., n).

        A law without memory leaves z alone and gives ż = 0.
        """
        if self.kind == "none":
            return np.zeros_like(qd), np.zeros_like(z)
        resisted = self.viscous * qd
        if self.kind == "viscous":
            return resisted, np.zeros_like(z)
        if self.kind == "stick-slip":
            level, speed = self._level(qd), np.abs(qd)
            zd = qd - self.bristle_stiffness * speed * z / level
            damping = self.bristle_damping / (1 + self.bristle_damping * speed / (4 * level))
            return resisted + self.bristle_stiffness * z + damping * zd, zd
        sign = np.maximum(np.minimum(qd / self.width, 1.0), -1.0)
        level = self.coulomb if self.kind == "coulomb" else self._level(qd)
        return resisted + level * sign, np.zeros_like(z)

    def _level(self, qd: Array) -> Array:
        """g, the steady friction at a velocity without its viscous part [N m]."""
        ratio = qd / self.stribeck_velocity
        level: Array = self.coulomb + (self.static - self.coulomb) * np.exp(-ratio * ratio)
        return level

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
            bending = self.bristle_stiffness * speed / self.coulomb
            shaking = np.sqrt(self.bristle_stiffness / inertia)
            rate = rate + np.maximum(bending, shaking) + self.bristle_damping / inertia
        return rate
