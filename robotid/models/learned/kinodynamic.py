"""Links whose places are learned with them: 16 parameters of each, ten inertial and six of pose."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robotid.dynamics.rnea import rnea
from robotid.models.placements import LearnedPlacements
from robotid.robot.tree import RobotTree
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import Parametrisation

Array = NDArray[np.float64]


class KinodynamicBody(nn.Module):
    """Inverse dynamics of links that are learned with where their joints are.

    Joints turn about, or slide along, the z axis of their frames. A floating base is where it was
    measured to be: nothing is learned of its place.

    Args:
        robot: which link hangs on which, and by which joint.
        parametrisation: of the links.
        theta: entries of each link to begin with, shape (bodies, entries).
    """

    def __init__(self, robot: RobotTree, parametrisation: Parametrisation, theta: Tensor) -> None:
        super().__init__()
        self.robot, self.parametrisation = with_z_axes(robot), parametrisation
        self.theta = nn.Parameter(theta.clone())
        poses = torch.from_numpy(self.robot.placements.copy())
        self._first = int(robot.floating)
        self.register_buffer("base", poses[: self._first])
        self.joints = LearnedPlacements.of(poses[self._first :])

    def begin_at(self, theta: Tensor, angles: Array, shifts: Array) -> None:
        """Begin elsewhere than the robot file says: entries, angles and shifts of all bodies."""
        with torch.no_grad():
            self.theta.copy_(theta)
            self.joints.angles.copy_(torch.from_numpy(angles[self._first :]))
            self.joints.shifts.copy_(torch.from_numpy(shifts[self._first :]))

    def links(self) -> Tensor:
        """Link parameters in the learned frames, shape (bodies, 10)."""
        return self.parametrisation.phi(self.theta)

    def placements(self) -> Tensor:
        """Poses of the bodies in their parents at q = 0, shape (bodies, 4, 4)."""
        return torch.cat([self.get_buffer("base"), self.joints()])

    def forward(self, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        """Generalised forces, (..., nv) [N m or N]."""
        return rnea(self.robot, q, qd, qdd, self.links(), placements=self.placements())
