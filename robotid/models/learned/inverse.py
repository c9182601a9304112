"""`InverseModel`: the torques of a motion as a sum of parts.

τ = body(q, q̇, q̈) + friction and other terms of the joints + residual(q, q̇, q̈, what was before)
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from robotid.models.actuators.actuator import Actuator
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.models.floating.potential import pose_of
from robotid.models.learned.bodies import JointTerms, LinkBody
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.residuals import Memory, Residual

AnyBody = LinkBody | KinodynamicBody | DeepLagrangian | FloatingLagrangian


class Motion(NamedTuple):
    """Configurations (..., nq), velocities, accelerations (..., nv), joint columns (..., own)."""

    q: Tensor
    qd: Tensor
    qdd: Tensor
    columns: Tensor

    def seen(self) -> Tensor:
        """What networks see of it, (..., inputs): of a floating base how it is turned."""
        q = self.q
        if q.shape[-1] != self.qd.shape[-1]:
            turned = pose_of(q.movedim(-1, 0)).rotation.flatten(0, 1).movedim(0, -1)
            q = torch.cat([turned, q[..., 7:]], -1)
        return torch.cat([q, self.qd, self.qdd], -1)

    def at(self, chosen: Tensor | slice) -> "Motion":
        """Some of them, along the first axis."""
        return Motion(*(values[chosen] for values in self))


class TorqueParts(NamedTuple):
    """What a torque is the sum of, (..., n) each; None for a part that a model does not have.

    Args:
        body: links, or an energy that was learned.
        joints: friction, rotors and offsets.
        residual: what a network adds.
    """

    body: Tensor | None
    joints: Tensor | None
    residual: Tensor | None

    def total(self) -> Tensor:
        """Their sum."""
        return sum_of([part for part in self if part is not None])


class InverseModel(nn.Module):
    """A sum of parts; which there are says an `Architecture`."""

    def __init__(
        self,
        body: AnyBody | None = None,
        joints: JointTerms | None = None,
        actuator: Actuator | None = None,
        residual: Residual | None = None,
    ) -> None:
        """A model.

        Args:
            body: torques of links, or of an energy.
            joints: terms of the joints that add up.
            actuator: what the torque passes through on its way to the body.
            residual: a network of the motion.
        """
        super().__init__()
        self.body, self.joints, self.actuator, self.residual = body, joints, actuator, residual

    @property
    def remembers(self) -> bool:
        """Whether torques depend on what was before."""
        return self.residual is not None and self.residual.remembers

    def forward(self, motion: Motion, memory: Memory | None = None) -> tuple[Tensor, Memory | None]:
        """Torques (..., n) and the memory afterwards; see `Residual`."""
        parts, after = self.parts(motion, memory)
        return parts.total(), after

    def judged(self, motion: Motion) -> tuple[TorqueParts, Tensor | None]:
        """Torques, and what training counts beside their errors, (...); often nothing."""
        if not isinstance(self.body, FloatingLagrangian):
            return self.parts(motion)[0], None
        body, short = self.body.judged(*motion[:3])
        found = self._around(body, motion)
        if self.residual is not None:
            found = found._replace(residual=self.added(motion)[0])
        return found, short

    def formulas(self, motion: Motion) -> TorqueParts:
        """The parts without the residual."""
        return self._around(None if self.body is None else self.body(*motion[:3]), motion)

    def _around(self, body: Tensor | None, motion: Motion) -> TorqueParts:
        """The torque of a body, and what its joints add."""
        q, qd, _, columns = motion
        joints = None if self.joints is None else self.joints(columns)
        if self.actuator is not None and body is not None:
            drive = self.actuator.inverse(body, q, qd) - body
            joints = drive if joints is None else joints + drive
        return TorqueParts(body, joints, None)

    def parts(
        self, motion: Motion, memory: Memory | None = None
    ) -> tuple[TorqueParts, Memory | None]:
        """The torque in parts, and the memory afterwards."""
        found = self.formulas(motion)
        if self.residual is None:
            return found, memory
        residual, after = self.added(motion, memory)
        return found._replace(residual=residual), after

    def added(self, motion: Motion, memory: Memory | None = None) -> tuple[Tensor, Memory | None]:
        """What the residual adds, (..., n), and the memory afterwards."""
        assert self.residual is not None
        found: tuple[Tensor, Memory | None] = self.residual(motion.seen(), memory)
        return found

    def learns_formulas(self) -> bool:
        """Whether anything but the residual changes in training."""
        others = (self.body, self.joints, self.actuator)
        return any(p.requires_grad for part in others if part for p in part.parameters())


def sum_of(parts: list[Tensor]) -> Tensor:
    """The sum of one part at least."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
