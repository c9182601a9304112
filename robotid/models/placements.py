"""Where links are, as something that can be learned."""

import torch
from torch import Tensor, nn

from robotid.spatial.so3 import rotation_rpy


class LearnedPlacements(nn.Module):
    """Where each body's frame lies in its parent's at q = 0: a rotation and a shift.

    The rotation is a known one times roll, pitch and yaw: angles that count from where training
    begins are far from where they are singular.
    """

    def __init__(self, angles: Tensor, shifts: Tensor, before: Tensor | None = None) -> None:
        """Begin with angles (bodies, 3) [rad], shifts (bodies, 3) [m], rotations (bodies, 3, 3)."""
        super().__init__()
        self.angles, self.shifts = nn.Parameter(angles.clone()), nn.Parameter(shifts.clone())
        none = torch.eye(3, dtype=angles.dtype).expand(len(angles), 3, 3)
        self.register_buffer("before", (none if before is None else before).clone())

    @classmethod
    def of(cls, poses: Tensor) -> "LearnedPlacements":
        """Begin with poses, shape (bodies, 4, 4)."""
        shifts = poses[..., :3, 3]
        return cls(torch.zeros_like(shifts), shifts, poses[..., :3, :3])

    def forward(self) -> Tensor:
        """Poses, shape (bodies, 4, 4)."""
        turned = self.get_buffer("before") @ rotation_rpy(self.angles)
        top = torch.cat([turned, self.shifts[..., None]], -1)
        last = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=top.dtype, device=top.device)
        return torch.cat([top, last.expand(len(top), 1, 4)], -2)
