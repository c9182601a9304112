"""The constant arrays of a robot's tree as tensors.

Sums along the path from the base to a body, and over the subtree of a body, are products with the
matrix of ancestors. So only the chain of poses is computed body by body; velocities, forces,
composite inertias and regressors are a few operations on all bodies at once.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from robotid.robot.tree import RobotTree


class Structure(NamedTuple):
    """Tree of a robot as tensors, laid out as in `layout`.

    Args:
        ancestors: entry (i, j) is 1 when body j is i or lies between the base and i.
        above: the same without the diagonal.
        axes: joint axes in body coordinates, shape (3, bodies, 1); zero for a floating joint.
        turns: 1 for joints that turn, else 0, shape (bodies, 1).
        slides: 1 for prismatic joints, else 0, shape (bodies, 1).
        body_of: body that each velocity coordinate moves, shape (nv,).
        moves: entry (d, i) is 1 when coordinate d moves body i, shape (nv, bodies).
        placements: pose of each body in its parent at q = 0, shape (4, 4, bodies, 1).
        phi: nominal link parameters, shape (10, bodies, 1).
        gravity: shape (3, 1) [m/s²].
    """

    ancestors: Tensor
    above: Tensor
    axes: Tensor
    turns: Tensor
    slides: Tensor
    body_of: Tensor
    moves: Tensor
    placements: Tensor
    phi: Tensor
    gravity: Tensor


@lru_cache(maxsize=64)
def structure_of(robot: RobotTree, dtype: torch.dtype, device: torch.device) -> Structure:
    """The tensors of a robot in the type and on the device of a computation."""
    kinds = [joint.kind for joint in robot.joints]
    base = [0] * 6 if robot.floating else []
    body_of = np.array(base + list(range(int(robot.floating), robot.bodies)))
    ancestors = robot.ancestors.astype(float)

    def tensor(values: object) -> Tensor:
        return torch.tensor(np.asarray(values, dtype=np.float64), dtype=dtype, device=device)

    def last(values: object) -> Tensor:
        return tensor(values).movedim(0, -1)[..., None].contiguous()

    return Structure(
        ancestors=tensor(ancestors),
        above=tensor(ancestors - np.eye(robot.bodies)),
        axes=last([joint.axis for joint in robot.joints]),
        turns=last([kind in ("revolute", "continuous") for kind in kinds]),
        slides=last([kind == "prismatic" for kind in kinds]),
        body_of=torch.tensor(body_of, device=device),
        moves=tensor(ancestors.T[body_of]),
        placements=last(robot.placements),
        phi=last(robot.phi),
        gravity=tensor(robot.gravity)[:, None],
    )
