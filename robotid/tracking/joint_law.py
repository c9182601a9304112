"""Joints that follow a reference through a model: an impedance, or inverse dynamics with PD.

τ = f(q, q̇, q̈_d + D (q̇_d − q̇) + K (q_d − q)),   D = 2 √K

or, with springs and dampers at the joints, M of which are their inertias by the robot file,

τ = f(q, q̇, q̈_d) + M D (q̇_d − q̇) + M K (q_d − q)
"""

import numpy as np
from numpy.typing import NDArray

from robotid.tracking.law import Command, Seen, Variances
from robotid.tracking.moves import Reference

Array = NDArray[np.float64]


class JointLaw:
    """The law.

    Args:
        reference: what joints should do.
        K: of every gain, shape (gains, n) [1/s²].
        inertia: M, shape (n,) [kg m²]; None for feedback through the model.
    """

    def __init__(self, reference: Reference, K: Array, inertia: Array | None = None) -> None:
        self._reference, self._inertia = reference, inertia
        self._K = K[:, None, :]
        self._D = 2 * np.sqrt(self._K)

    @property
    def start(self) -> Array:
        """Where motions begin, shape (motions, n)."""
        first: Array = self._reference.q[0]
        return first

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self._reference.q)

    @property
    def variances(self) -> Variances:
        """Of the reference, joint by joint."""
        return Variances(self._reference.q.var(0), self._reference.qd.var(0))

    def command(self, step: int, seen: Seen, true: Seen) -> Command:
        """What is asked for."""
        q, qd, qdd = (part[step] for part in self._reference)
        corrected = self._D * (qd - seen.qd) + self._K * (q - seen.q)
        error = np.concatenate([q - true.q, qd - true.qd], -1)
        if self._inertia is None:
            return Command(qdd + corrected, None, q, true.q, error)
        wanted = qdd + np.zeros_like(corrected)
        return Command(wanted, self._inertia * corrected, q, true.q, error)

    def planned(self, step: int) -> tuple[Array, Array, Array] | None:
        """The reference itself; None where all feedback is added torque."""
        if self._inertia is not None:
            return None
        q, qd, qdd = (part[step] for part in self._reference)
        return q, qd, qdd
