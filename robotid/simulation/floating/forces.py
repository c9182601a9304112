"""Generalised forces of motions of a floating robot: by MuJoCo, or by our own recursion."""

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.rnea import rnea
from robotid.robot.tree import RobotTree
from robotid.simulation.engine import must_have_mujoco
from robotid.simulation.floating.motion import Reference
from robotid.simulation.plant_options import EngineName

Array = NDArray[np.float64]
_PIECE = 4096  # samples


def forces(engine: EngineName, robot: RobotTree, motion: Reference) -> Array:
    """Wrench on the base in base coordinates, then torques of the joints, shape (T, nv)."""
    if engine == "own":
        given = motion.generalised(robot)
        with torch.no_grad():
            parts = [
                rnea(robot, *(torch.from_numpy(x[at : at + _PIECE]) for x in given)).numpy()
                for at in range(0, len(motion.q), _PIECE)
            ]
        return np.concatenate(parts)
    must_have_mujoco()
    from robotid.simulation.floating.mujoco_forces import inverse_dynamics

    return inverse_dynamics(robot, motion)
