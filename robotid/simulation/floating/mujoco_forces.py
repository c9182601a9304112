"""Inverse dynamics by MuJoCo, which shares no code with robotid."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.simulation.floating.motion import Reference
from robotid.simulation.mujoco_engine import driven_places, mujoco_model
from robotid.spatial.quaternions import rotation_of, turned, turned_back

Array = NDArray[np.float64]


def inverse_dynamics(robot: RobotTree, motion: Reference) -> Array:
    """Wrench on the base in base coordinates, then torques of the joints, shape (T, nv)."""
    model = mujoco_model(robot, np.zeros(robot.n))
    data = mujoco.MjData(model)
    place = driven_places(model, robot)
    qpos, qvel, qacc = states(motion)
    found = np.empty((len(motion.q), robot.nv))
    order = np.concatenate([np.arange(6), place])
    for sample in range(len(found)):
        data.qpos[:7], data.qpos[place + 1] = qpos[sample, :7], qpos[sample, 7:]
        data.qvel[order], data.qacc[order] = qvel[sample], qacc[sample]
        mujoco.mj_inverse(model, data)
        found[sample] = data.qfrc_inverse[order]
    rotation = rotation_of(motion.base.pose[:, 3:])
    found[:, :3] = turned_back(rotation, found[:, :3])
    return found


def states(motion: Reference) -> tuple[Array, Array, Array]:
    """Positions, velocities and accelerations as MuJoCo has them, joints in our order.

    Its quaternion has w first; the linear velocity of a base is in world coordinates, the turn
    rate in base coordinates.
    """
    base = motion.base
    rotation = rotation_of(base.pose[:, 3:])
    v, omega = base.twist[:, :3], base.twist[:, 3:]
    linear = turned(rotation, base.rates[:, :3] + np.cross(omega, v))
    return (
        np.column_stack([base.pose[:, :3], base.pose[:, [6, 3, 4, 5]], motion.q]),
        np.column_stack([turned(rotation, v), omega, motion.qd]),
        np.column_stack([linear, base.rates[:, 3:], motion.qdd]),
    )
