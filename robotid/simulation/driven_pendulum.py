"""A pendulum on a driven joint, found in a robot: cart-pole, Furuta pendulum and their like.

With x of the driven joint and φ of the pendulum, seen from where it hangs:

    J φ̈ + M₁₂(x, φ) ẍ + A sin φ = 0  (and what speeds of x add)
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.crba import crba
from robotid.dynamics.rnea import rnea
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.simulation.robots import reach

Array = NDArray[np.float64]
_PLACES = np.linspace(0.0, 2.0, 7)  # of the driven joint, in half ranges from its lower end
_SAME = 1e-6  # share by which gravity may differ from place to place
_COUPLED = 1e-6  # share of the pendulum's and the drive's inertia


class DrivenPendulum(NamedTuple):
    """Which joints, and what their motion depends on.

    Args:
        drive: index of the joint with a motor.
        pivot: index of the joint that swings.
        hanging: position of the pivot at rest [rad].
        weight: A, largest torque of gravity at the pivot [N m].
        inertia: J about the pivot, hanging [kg m²].
        coupling: M₁₂, hanging [kg m or kg m²].
        coupling_upright: the same, upright.
    """

    drive: int
    pivot: int
    hanging: float
    weight: float
    inertia: float
    coupling: float
    coupling_upright: float

    @property
    def frequency(self) -> float:
        """Of small swings [rad/s]."""
        return float(np.sqrt(self.weight / self.inertia))

    def from_upright(self, q: Array) -> Array:
        """Angle from upright in ±π, shape (...); q has shape (..., n) [rad]."""
        turned: Array = np.mod(q[..., self.pivot] - self.hanging, 2 * np.pi) - np.pi
        return turned

    def energy(self, q: Array, qd: Array) -> Array:
        """Of the pendulum alone, in units of A: -1 hanging at rest, 1 upright at rest."""
        motion = self.inertia * qd[..., self.pivot] ** 2 / 2
        energy: Array = motion / self.weight + np.cos(self.from_upright(q))
        return energy


def driven_pendulum(robot: RobotTree) -> DrivenPendulum:
    """The pendulum of a robot; a robot without one is refused with the reason."""
    effort = robot.bound("effort")
    motors, free = np.flatnonzero(effort > 0), np.flatnonzero(effort == 0)
    if len(motors) != 1 or len(free) != 1:
        raise _refused(robot, f"has {len(motors)} joints with a motor and {len(free)} without")
    drive, pivot = int(motors[0]), int(free[0])
    name, joint = robot.joint_names[pivot], robot.driven[pivot]
    if robot.parents[pivot] != drive:
        raise _refused(robot, f"has joint {name} not below the joint with a motor")
    if joint.kind == "prismatic":
        raise _refused(robot, f"has joint {name}, which slides and does not swing")
    if np.isfinite([joint.limits.lower, joint.limits.upper]).any():
        raise _refused(robot, f"has position limits of joint {name}, which has to turn freely")
    pulls = _pulls(robot, drive, pivot)
    weights = np.hypot(pulls[:, 0], pulls[:, 1])
    if weights.min() <= _SAME * np.abs(robot.phi[pivot]).max() * np.linalg.norm(robot.gravity):
        raise _refused(robot, f"has joint {name}, which gravity pulls to no side")
    if np.ptp(pulls, axis=0).max() > _SAME * weights.max():
        raise _refused(robot, f"has joint {name}, which does not hang alike wherever the motor is")
    hanging = float(np.arctan2(-pulls[0, 0], pulls[0, 1]))
    mass, above = (_mass_at(robot, pivot, hanging + turn) for turn in (0.0, np.pi))
    coupling = float(mass[drive, pivot])
    if abs(coupling) <= _COUPLED * np.sqrt(mass[drive, drive] * mass[pivot, pivot]):
        raise _refused(robot, f"has a motor that does not move joint {name} where it hangs")
    return DrivenPendulum(
        drive=drive,
        pivot=pivot,
        hanging=hanging,
        weight=float(weights[0]),
        inertia=float(mass[pivot, pivot]),
        coupling=coupling,
        coupling_upright=float(above[drive, pivot]),
    )


def _pulls(robot: RobotTree, drive: int, pivot: int) -> Array:
    """Torque of gravity at pivot angles 0 and π/2, wherever the drive is, shape (places, 2)."""
    lower, half, _ = reach(robot)
    q = np.zeros((len(_PLACES), 2, robot.n))
    q[:, :, drive] = (lower[drive] + _PLACES * half[drive])[:, None]
    q[:, 1, pivot] = np.pi / 2
    at, still = torch.from_numpy(q), torch.zeros(q.shape, dtype=torch.float64)
    with torch.no_grad():
        pulls: Array = rnea(robot, at, still, still).numpy()[..., pivot]
    return pulls


def _mass_at(robot: RobotTree, pivot: int, angle: float) -> Array:
    """The mass matrix with the drive in the middle, shape (n, n)."""
    lower, half, _ = reach(robot)
    q = lower + half
    q[pivot] = angle
    with torch.no_grad():
        mass: Array = crba(robot, torch.from_numpy(q)).numpy()
    return mass


def _refused(robot: RobotTree, why: str) -> ConfigError:
    return ConfigError(
        "no-driven-pendulum",
        f'trajectory "swing-up": robot {robot.name} {why}',
        hint="it needs one joint with a motor and, on it, a free pendulum with effort 0 that "
        "swings in a vertical plane, such as cartpole and furuta",
    )
