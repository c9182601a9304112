"""The free numbers of a trajectory, and the linear maps from them to the motion.

The Fourier series of a joint has a centre and two coefficients per harmonic,

    y = (c, a_1 ... a_L, b_1 ... b_L),

and what is asked of its start leaves fewer of them free:

    no speed         sum a_l = 0
    no acceleration  sum h_l b_l = 0
    at a posture     c - sum b_l/(h_l w) = posture

y = y_0 + Z x_i solves these for every x_i. Numbers are scaled so that one is a lot: the half range
for the centre, the velocity limit for the coefficients.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from robotid.errors import ConfigError
from robotid.excitation.limits import Limits

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointSpace:
    """The series of one joint.

    Args:
        harmonics: whole multiples of the base frequency, ascending.
        w: the base frequency [rad/s].
        origin: y_0, shape (1 + 2 L,).
        Z: shape (1 + 2 L, free).
    """

    harmonics: tuple[int, ...]
    w: float
    origin: Array
    Z: Array

    @property
    def free(self) -> int:
        """How many numbers are free."""
        return int(self.Z.shape[1])

    @property
    def degree(self) -> int:
        """Of the series as a trigonometric polynomial."""
        return self.harmonics[-1]

    def basis(self, order: int, samples: int) -> Array:
        """What gives a derivative at even samples of a period when multiplied with y."""
        return self.basis_at(order, np.arange(samples, dtype=np.float64) * (2 * np.pi / samples))

    def basis_at(self, order: int, phase: Array) -> Array:
        """The same at phases w t, shape (samples, 1 + 2 L)."""
        h = np.array(self.harmonics, dtype=np.float64)
        sin, cos = np.sin(np.outer(phase, h)), np.cos(np.outer(phase, h))
        a, b = ((sin, -cos), (cos, sin))[order % 2]
        scale = (-1) ** (order // 2) * (h * self.w) ** (order - 1.0)
        return np.column_stack([np.full(phase.size, float(order == 0)), a * scale, b * scale])


@dataclass(frozen=True, eq=False)
class Space:
    """All joints: x is one vector, the joints' numbers one after the other.

    Args:
        joints: their series.
        period_s: of the base frequency.
    """

    joints: tuple[JointSpace, ...]
    period_s: float

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where the numbers of each joint stand in x."""
        ends = np.cumsum([0, *(joint.free for joint in self.joints)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @property
    def size(self) -> int:
        """Length of x."""
        return int(self.parts[-1].stop)

    @property
    def degree(self) -> int:
        """The highest harmonic of all joints."""
        return max(joint.degree for joint in self.joints)

    def coefficients(self, x: Array) -> list[Array]:
        """The y of each joint."""
        return [
            joint.origin + joint.Z @ x[part]
            for joint, part in zip(self.joints, self.parts, strict=True)
        ]

    def at(self, x: Array, t: Array, order: int = 0) -> Array:
        """Position or a derivative of all joints at times [s], shape (times, n)."""
        phase = t * (2 * np.pi / self.period_s)
        ys = self.coefficients(x)
        rows = [joint.basis_at(order, phase) @ y for joint, y in zip(self.joints, ys, strict=True)]
        return np.stack(rows, axis=1)

    def maps(self, samples: int, orders: int = 3) -> "Maps":
        """Linear maps from x to the motion at samples spread evenly over a period."""
        matrices, offsets = [], []
        for joint in self.joints:
            basis = np.concatenate([joint.basis(order, samples) for order in range(orders)])
            matrices.append(np.ascontiguousarray(basis @ joint.Z))
            offsets.append(basis @ joint.origin)
        return Maps(tuple(matrices), tuple(offsets), self.parts, orders, samples)

    def from_coefficients(self, given: Sequence[Array]) -> Array:
        """The x whose coefficients are nearest to the given ones."""
        parts = []
        for joint, y in zip(self.joints, given, strict=True):
            found, *_ = np.linalg.lstsq(joint.Z, y - joint.origin, rcond=None)
            parts.append(found)
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Maps:
    """Motion of each joint = matrix x + offset, all orders one below the other.

    Args:
        matrices: one per joint, shape (orders samples, free).
        offsets: one per joint, shape (orders samples,).
        parts: where the numbers of each joint stand in x.
        orders: position and derivatives.
        samples: per period.
    """

    matrices: tuple[Array, ...]
    offsets: tuple[Array, ...]
    parts: tuple[slice, ...]
    orders: int
    samples: int

    def motion(self, x: Array) -> Array:
        """Position and derivatives, shape (orders, samples, n)."""
        result = np.empty((self.orders * self.samples, len(self.parts)))
        for i, (matrix, part) in enumerate(zip(self.matrices, self.parts, strict=True)):
            result[:, i] = matrix @ x[part] + self.offsets[i]
        return result.reshape(self.orders, self.samples, -1)

    def pulled_back(self, gradient: Array) -> Array:
        """Gradient with respect to x from that to the motion, (orders, samples, n) to (size,)."""
        columns = np.ascontiguousarray(gradient.reshape(-1, len(self.parts)).T)
        return np.concatenate(
            [column @ matrix for column, matrix in zip(columns, self.matrices, strict=True)]
        )

    def rows(self, gradients: Array) -> Array:
        """Rows of a Jacobian with respect to x, sample by sample.

        Args:
            gradients: of functions of the state at each sample, shape (samples, functions, orders,
                n), where the orders may be fewer than those of the motion.
        """
        samples, functions, orders, _ = gradients.shape
        result = np.empty((samples, functions, self.parts[-1].stop))
        for i, (matrix, part) in enumerate(zip(self.matrices, self.parts, strict=True)):
            block = matrix.reshape(self.orders, samples, -1)[:orders].swapaxes(0, 1)
            np.matmul(gradients[:, :, :, i], block, out=result[:, :, part])
        return result.reshape(samples * functions, -1)

    def start_rows(self, gradients: Array) -> Array:
        """Rows of a Jacobian of functions of the first posture, (some, functions, n) of each."""
        columns = [gradients[:, :, i, None] * m[0] for i, m in enumerate(self.matrices)]
        return np.concatenate(columns, axis=2).reshape(-1, self.parts[-1].stop)


def make_space(
    limits: Limits,
    harmonics: Sequence[Sequence[int]],
    period_s: float,
    *,
    at_rest: bool,
    posture: Array | None,
) -> Space:
    """The space of trajectories that start (and end) as asked.

    Args:
        limits: of the joints; what numbers are scaled by.
        harmonics: of each joint.
        period_s: of the base frequency.
        at_rest: no speed and acceleration at the start.
        posture: where it starts, shape (n,); None for anywhere.
    """
    w = 2 * np.pi / period_s
    joints = []
    for i, name in enumerate(limits.joints):
        h = np.array(harmonics[i], dtype=np.float64)
        rows: list[Array] = []
        if at_rest:
            rows += [np.r_[0.0, np.ones_like(h), 0 * h], np.r_[0.0, 0 * h, h]]
        if posture is not None:
            rows.append(np.r_[1.0, 0 * h, -1.0 / (h * w)])
        scale = np.r_[limits.half[i], np.full(2 * h.size, limits.velocity[i])]
        start = limits.middle[i] if posture is None else posture[i]
        origin, Z = np.r_[start, np.zeros(2 * h.size)], np.diag(scale)
        if rows:
            E = np.array(rows) * scale
            Z = scale[:, None] * null_space(E / np.linalg.norm(E, axis=1, keepdims=True))
        if at_rest and h.size < 2:
            raise ConfigError(
                "too-few-harmonics",
                f"a series of {h.size} harmonic that starts at rest cannot move",
                joint=name,
                hint="give it more harmonics, or at_rest = false",
            )
        joints.append(JointSpace(tuple(int(k) for k in h), w, origin, Z))
    return Space(tuple(joints), period_s)
