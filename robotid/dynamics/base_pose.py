"""The pose of a floating base: in the world, as recordings hold it, and as configurations do."""

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.spatial.quaternions import inverse, of_rotation, product

Array = NDArray[np.float64]


def as_configured(robot: RobotTree, pose: Array) -> Array:
    """Position and quaternion in the world as the first seven entries of q, shape (T, 7).

    Configurations are on top of where the robot file places the base: T_world = T_placement T(q).
    """
    placement = robot.placements[0]
    if np.array_equal(placement, np.eye(4)):
        return pose
    position = (pose[:, :3] - placement[:3, 3]) @ placement[:3, :3]
    back = np.broadcast_to(inverse(of_rotation(placement[:3, :3])[None]), (len(pose), 4))
    return np.column_stack([position, product(back, pose[:, 3:])])
