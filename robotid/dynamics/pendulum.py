"""One revolute joint under gravity: the smallest robot there is.

    tau = J qdd + a sin(q) + b cos(q) + fv qd + fc sat(qd / w) + offset

J is the inertia about the axis [kg m^2]; a and b are the gravity torques [N m] with the centre of
mass beside and behind the zero position; the rest is viscous and Coulomb friction and the offset
of the torque sensor.
"""

import numpy as np
from numpy.typing import NDArray

COULOMB_WIDTH = 0.02  # rad/s: the sign of a slower motion is not told by its velocity

PARAMETERS: dict[str, str] = {
    "inertia": "kg m^2",
    "gravity_sin": "N m",
    "gravity_cos": "N m",
    "viscous": "N m s/rad",
    "coulomb": "N m",
    "offset": "N m",
}


def regressor(
    q: NDArray[np.float64], qd: NDArray[np.float64], qdd: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The matrix W with tau = W phi, phi in the order of `PARAMETERS`.

    Args:
        q: joint positions, shape (samples,) [rad].
        qd: joint velocities, shape (samples,) [rad/s].
        qdd: joint accelerations, shape (samples,) [rad/s^2].

    Returns:
        Shape (samples, 6).
    """
    coulomb = np.clip(qd / COULOMB_WIDTH, -1.0, 1.0)
    return np.column_stack([qdd, np.sin(q), np.cos(q), qd, coulomb, np.ones_like(q)])
