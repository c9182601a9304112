"""The equation of motion of a robot with friction and, where asked for, elastic joints."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robotid.simulation.elastic import Elasticity
from robotid.simulation.engine import Engine
from robotid.simulation.friction import Friction, law

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
        zero = np.zeros_like(rotor_inertia)
        springs = (zero, zero) if elasticity is None else elasticity
        self._law, self._parameters = friction.number, friction.parameters
        self._drives = np.stack([*springs, rotor_inertia], -1)

    def at_rest(self, q: Array) -> Array:
        """The state at rest at positions of shape (recordings, n), springs and bristles unbent."""
        zero = np.zeros_like(q)
        blocks = [q, zero] if self._elasticity is None else [q, zero, q, zero]
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
        yd, pushed = np.empty_like(y), np.empty_like(tau)
        _forces(y, tau, self._motor, self._law, self._parameters, self._drives, yd, pushed)
        yd[1] = self._engine.acceleration(y[0], y[1], pushed)
        return yd


@njit()
def _forces(
    y: Array,
    tau: Array,
    motor: int,
    law_number: int,
    parameters: Array,
    drives: Array,
    yd: Array,
    pushed: Array,
) -> None:
    """All of ẏ but the links' accelerations, and the torques that push the links.

    Args:
        y: state, shape (blocks, recordings, n).
        tau: of the motors, shape (recordings, n).
        motor: the block of the motors' positions: 0 where joints are stiff, else 2.
        law_number: of the friction.
        parameters: of the friction, shape (n, 7).
        drives: stiffness, damping, rotor inertia, shape (n, 3).
        yd: to be filled.
        pushed: to be filled, shape (recordings, n).
    """
    last = y.shape[0] - 1
    for recording in range(y.shape[1]):
        for joint in range(y.shape[2]):
            at = recording, joint
            resisted, zd = law(law_number, parameters[joint], y[motor + 1][at], y[last][at])
            if last % 2 == 0:  # an odd number of blocks: the last is z
                yd[last][at] = zd
            yd[0][at] = y[1][at]
            if motor == 0:
                pushed[at] = tau[at] - resisted
                continue
            stiffness, damping, rotor = drives[joint]
            bend, rate = y[2][at] - y[0][at], y[3][at] - y[1][at]
            pushed[at] = stiffness * bend + damping * rate
            yd[2][at] = y[3][at]
            yd[3][at] = (tau[at] - resisted - pushed[at]) / rotor
