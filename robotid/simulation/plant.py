"""The equation of motion of a robot with friction and, where asked for, elastic joints."""

import numpy as np
from numpy.typing import NDArray

from robotid.simulation.elastic import Elasticity
from robotid.simulation.engine import Engine
from robotid.simulation.friction import Friction

Array = NDArray[np.float64]


class Plant:
    """The state y holds blocks of shape (recordings, n): q, q̇; θ, θ̇ of elastic joints; z.

    z is the memory of the friction, where it has one. With stiff joints the rotors belong to the
    engine's mass matrix and H q̈ + c + g = τ − f(q̇, z).
    """

    def __init__(
        self,
        engine: Engine,
        friction: Friction,
        rotor_inertia: Array,
        elasticity: Elasticity | None = None,
    ) -> None:
        """Put the parts together.

        Args:
            engine: the rigid bodies; with the rotors only where joints are stiff.
            friction: of the motors.
            rotor_inertia: shape (n,) [kg m²].
            elasticity: of the joints; None for stiff ones.
        """
        self._engine, self._friction = engine, friction
        self._rotor, self._elasticity = rotor_inertia, elasticity
        self._motor = 0 if elasticity is None else 2  # the block of the motors' positions

    def at_rest(self, q: Array) -> Array:
        """The state at rest at positions of shape (recordings, n), springs and bristles unbent."""
        zero = np.zeros_like(q)
        blocks = [q, zero] if self._elasticity is None else [q, zero, q, zero]
        return np.stack([*blocks, zero] if self._friction.remembers else blocks)

    def motor(self, y: Array) -> tuple[Array, Array]:
        """Position and velocity of the motors, each of shape (recordings, n)."""
        return y[self._motor], y[self._motor + 1]

    def friction(self, y: Array) -> Array:
        """The torque of the friction, shape (recordings, n)."""
        return self._friction.torque(y[self._motor + 1], y[-1])[0]

    def to_link(self, y: Array, tau: Array, yd: Array) -> Array:
        """The torque that reaches the links, shape (recordings, n)."""
        if self._elasticity is not None:
            return self._elasticity.torque(y[2] - y[0], y[3] - y[1])
        reached: Array = tau - self.friction(y) - self._rotor * yd[1]
        return reached

    def derivative(self, y: Array, tau: Array) -> Array:
        """ẏ under motor torques of shape (recordings, n)."""
        yd = np.empty_like(y)
        yd[0] = y[1]
        resisted, zd = self._friction.torque(y[self._motor + 1], y[-1])
        if self._elasticity is None:
            yd[1] = self._engine.acceleration(y[0], y[1], tau - resisted)
        else:
            passed = self._elasticity.torque(y[2] - y[0], y[3] - y[1])
            yd[1] = self._engine.acceleration(y[0], y[1], passed)
            yd[2] = y[3]
            yd[3] = (tau - resisted - passed) / self._rotor
        if self._friction.remembers:
            yd[-1] = zd
        return yd
