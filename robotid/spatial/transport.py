"""Link parameters in another frame: a constant linear map."""

import torch
from torch import Tensor

from robotid.spatial.inertia import phi_of_pseudo_inertia, pseudo_inertia


def change_of_frame(pose: Tensor) -> Tensor:
    """The matrix A with φ = A φ', where φ' are the same link's parameters in another frame.

    A regressor Y of φ becomes Y A, a regressor of φ'.

    Args:
        pose: of the other frame in the frame of φ, shape (..., 4, 4).

    Returns:
        Shape (..., 10, 10). Pseudo-inertias go as P = T P' Tᵀ, which is linear in φ'.
    """
    units = pseudo_inertia(torch.eye(10, dtype=pose.dtype, device=pose.device))
    transform = pose[..., None, :, :]
    return phi_of_pseudo_inertia(transform @ units @ transform.mT).mT
