"""The regressor of a motion together with its derivatives: what designing a trajectory needs."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.excitation import adjoint_kernel as kernel
from robotid.information.regressor import whole_program
from robotid.information.vectors import WIDTH
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class RegressorAdjoint:
    """Y, torques and slopes of one motion after the other, all with the same number of samples.

    `regressor` comes first; everything else is about the motion of its last call. Memory is
    allocated once, so an object serves one thread.

    Args:
        robot: a robot on a fixed base, of n joints.
        samples: of every motion.
    """

    def __init__(self, robot: RobotTree, samples: int) -> None:
        if robot.floating:
            said = f"robot {robot.name} floats; trajectories are designed for fixed bases"
            raise UsageError("floating-base", said)
        if samples < 1:
            raise UsageError("wrong-shape", f"a motion of {samples} samples is none")
        self._robot, self._samples = robot, samples
        self._program = whole_program(robot)
        self._memory = kernel.Memory.of(robot.bodies, len(self._program.pairs), samples)
        self._whole = np.zeros((-(-samples // WIDTH) * WIDTH, robot.n, 10 * robot.bodies))
        self._Y = self._whole[:samples]
        self._Y.flags.writeable = False  # callers get it, and torques are computed from it
        self._qdd: Array | None = None

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Y with tau = Y phi, shape (samples, n, 10 bodies); the next call overwrites it.

        Args:
            q: positions, shape (samples, n) [rad, m].
            qd: velocities, shape (samples, n).
            qdd: accelerations, shape (samples, n).
        """
        q, qd, qdd = _writable(q), _writable(qd), _writable(qdd)
        for name, values in (("q", q), ("qd", qd), ("qdd", qdd)):
            self._check(name, values, (self._samples, self._robot.n))
        kept, flat = self._memory[:5], self._whole.reshape(-1)
        kernel.regressor_kept(q.T, qd.T, qdd.T, *self._program[:6], *kept, flat)
        self._qdd = qdd.copy()
        return self._Y

    def gradient(self, G: ArrayLike) -> tuple[Array, Array, Array]:
        """Derivatives of sum(G * Y) by q, qd and qdd, each of shape (samples, n).

        Args:
            G: one weight per entry of Y, shape (samples, n, 10 bodies).
        """
        self._moved()
        weights = _writable(G)
        self._check("G", weights, self._Y.shape)
        out = np.empty((3, self._samples, self._robot.n))
        self._slopes(kernel.gradient_kept, weights, out)
        return out[0], out[1], out[2]

    def torques(self, phi: ArrayLike, rotor_inertia: ArrayLike) -> Array:
        """Y phi + rotor_inertia qdd, shape (samples, n) [N m, N].

        Args:
            phi: link parameters, shape (bodies, 10).
            rotor_inertia: shape (n,) [kg m²].
        """
        qdd = self._moved()
        links, rotors = self._parameters(phi, rotor_inertia)
        torques: Array = self._Y @ links + rotors * qdd
        return torques

    def torque_gradients(self, phi: ArrayLike, rotor_inertia: ArrayLike) -> Array:
        """Derivatives of `torques`: entry (sample, row, kind, joint), shape (samples, n, 3, n).

        Kinds are q, qd and qdd; arguments as for `torques`.
        """
        self._moved()
        links, rotors = self._parameters(phi, rotor_inertia)
        n = self._robot.n
        out = np.empty((self._samples, n, 3, n))
        self._slopes(kernel.torque_gradients_kept, links, out)
        joints = np.arange(n)
        out[:, joints, 2, joints] += rotors
        return out

    def _slopes(self, run: Callable[..., None], weights: Array, out: Array) -> None:
        """Run a kernel on the motion that was kept."""
        floats, ints, _, *rows = self._program[:6]
        given, states, _, _, *working = self._memory
        tree = (self._samples, floats, ints, *rows)
        run(weights.reshape(-1), *tree, given, states, *working, out.reshape(-1))

    def _moved(self) -> Array:
        if self._qdd is None:
            raise UsageError("no-motion", "there is no motion yet", hint="call `regressor` first")
        return self._qdd

    def _parameters(self, phi: ArrayLike, rotor_inertia: ArrayLike) -> tuple[Array, Array]:
        links = _writable(phi)
        rotors = np.asarray(rotor_inertia, dtype=np.float64)
        self._check("phi", links, (self._robot.bodies, 10))
        self._check("rotor_inertia", rotors, (self._robot.n,))
        return links.reshape(-1), rotors

    def _check(self, name: str, values: Array, wanted: tuple[int, ...]) -> None:
        if values.shape != wanted:
            said = f"{name} has shape {values.shape}, robot {self._robot.name} needs {wanted}"
            raise UsageError("wrong-shape", said)


def _writable(values: ArrayLike) -> Array:
    """An array as kernels take it, copied only where it is not one already."""
    return np.require(values, np.float64, ["C", "W"])
