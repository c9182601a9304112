"""Learned energies of floating robots: usual sizes of their data, and what they say of the mass."""

from collections.abc import Sequence

import torch

from robotid.contracts.learned import LearnedMass
from robotid.models.floating.energies import Composite, Scales
from robotid.models.floating.lagrangian import FloatingLagrangian
from robotid.models.floating.potential import pose_of
from robotid.models.learning import evenly
from robotid.robot.tree import RobotTree
from robotid.training.motions import Stretch

_LEAST = 1e-6  # of the largest inertia: that of a coordinate that does not move
_SMALL = 1e-2  # of what moments and accelerations alone would say: that of an inertia
_CONFIGURATIONS = 2000  # that the mass is looked at


def floating_scales(train: Sequence[Stretch], robot: RobotTree) -> Scales:
    """Usual sizes of the training data.

    Those of the base are of one body that the wrench on it would move as it moved, by least
    squares: first its mass, then its first moment and an inertia that is alike in all directions.
    """
    q, nu, rate = (torch.cat([own.motion[which] for own in train]) for which in range(3))
    tau = torch.cat([own.tau for own in train])
    spread, rates = tau.std(0, correction=0), rate.std(0, correction=0)
    ratio = spread / rates.clamp(min=torch.finfo(rates.dtype).tiny)
    inertia = ratio.clamp(min=_LEAST * float(ratio.amax()))
    down = pose_of(q.mT).in_base(torch.tensor(robot.gravity)).mT
    carried = rate[:, :3] + torch.linalg.cross(nu[:, 3:6], nu[:, :3]) - down
    mass = (carried * tau[:, :3]).sum() / (carried**2).sum().clamp(min=1e-12)
    mass = mass.clamp(min=_LEAST * float(inertia[0]))
    seen = [torch.linalg.cross(axis.expand_as(carried), carried) for axis in torch.eye(3).double()]
    columns = torch.stack([*seen, rate[:, 3:6]], -1)  # of h, and of the inertia, (T, 3, 4)
    *_, turned = torch.linalg.lstsq(columns.flatten(0, 1), tau[:, 3:6].flatten()).solution
    turned = turned.clamp(min=_SMALL * float(inertia[3:6].mean()), max=float(inertia[3:6].mean()))
    inertia[:3], inertia[3:6] = mass, turned
    lever = tau[:, 3:6].std(0, correction=0).mean() / carried.norm(dim=-1).mean()
    place = q[:, :3]
    position = torch.stack([place.mean(0), place.std(0, correction=0).clamp(min=1e-3)])
    energy = mass * float(torch.tensor(robot.gravity).norm()) * position[1].amax()
    return Scales(inertia, mass, lever, position, energy)


def learned_mass(
    body: FloatingLagrangian, held: Sequence[Stretch], robot: RobotTree
) -> LearnedMass:
    """The mass that an energy has, over configurations of held-out data."""
    q = torch.cat([own.motion.q for own in held])
    with torch.no_grad():
        mass = body.inertia(q[evenly(len(q), _CONFIGURATIONS)]).mass
    entries = sum(len(part.entries) for part in body.parts)
    return LearnedMass(
        mean=float(mass.mean()),
        std=float(mass.std(correction=0)),
        least=float(mass.min()),
        largest=float(mass.max()),
        nominal=float(robot.phi[:, 0].sum()),
        entries=entries + (10 if isinstance(body.energy, Composite) else 0),
    )
