"""The equation of motion of a robot with friction and, where asked for, elastic joints."""

import numpy as np
from numpy.typing import NDArray

from robotid.simulation.elastic import Elasticity
from robotid.simulation.engine import Engine
from robotid.simulation.friction import Friction, laws

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
        self._law, self._parameters = friction.number, friction.parameters

    def at_rest(self, q: Array, held: Array) -> Array:
        """The state at rest with motors at q, springs bent by the torque that holds the links.

        Args:
            q: shape (recordings, n).
            held: torque that holds the links still there, shape (recordings, n).
        """
        zero = np.zeros_like(q)
        blocks = [q, zero]
        if self._elasticity is not None:
            blocks = [q - held / self._elasticity.stiffness, zero, q, zero]
        return np.stack([*blocks, zero] if self._friction.remembers else blocks)

    def motor(self, y: Array) -> tuple[Array, Array]:
        """Position and velocity of the motors, each of shape (..., n); y is (blocks, ..., n)."""
        return y[self._motor], y[self._motor + 1]

    def torques(self, y: Array, tau: Array, qdd: Array) -> tuple[Array, Array]:
        """What the motors lose to friction and what reaches the links, shape (..., n).

        Args:
            y: states, shape (blocks, ..., n).
            tau: of the motors, shape (..., n).
            qdd: of the links, shape (..., n).
        """
        lost, _ = self._friction.torque(y[self._motor + 1], y[-1])
        if self._elasticity is not None:
            return lost, self._elasticity.torque(y[2] - y[0], y[3] - y[1])
        return lost, tau - lost - self._rotor * qdd

    def derivative(self, y: Array, tau: Array) -> Array:
        """ẏ under motor torques of shape (recordings, n)."""
        yd = np.empty_like(y)
        lost, zd = laws(self._law, self._parameters, y[self._motor + 1], y[-1])
        yd[0] = y[1]
        pushed = tau - lost
        if self._elasticity is not None:
            motors = pushed
            pushed = self._elasticity.torque(y[2] - y[0], y[3] - y[1])
            yd[2], yd[3] = y[3], (motors - pushed) / self._rotor
        yd[1] = self._engine.acceleration(y[0], y[1], pushed)
        if self._friction.remembers:
            yd[-1] = zd
        return yd
