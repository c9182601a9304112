"""Which parts a learned model has, as a fit states it, and an empty model of them."""

import numpy as np
import torch

from robotid.contracts.learned import Architecture
from robotid.information.layout import Layout
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import actuator_model
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.learned.bodies import JointTerms, LinkBody
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.residuals import (
    LayeredResidual,
    MotionScales,
    RecurrentResidual,
    Residual,
)
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import parametrisation


def made(
    architecture: Architecture,
    layout: Layout,
    scales: MotionScales,
    drives: Scales,
    seed: int = 0,
    phi: np.ndarray | None = None,
) -> InverseModel:
    """A model whose networks are random.

    Args:
        architecture: its parts.
        layout: robot and terms of its joints.
        scales: of the motion.
        drives: of joints.
        seed: of the networks.
        phi: links and terms to begin with, shape (p,); of a model with links all are needed.
    """
    body: LinkBody | KinodynamicBody | DeepLagrangian | None = None
    if architecture.body == "links":
        kind = parametrisation(architecture.inertia)
        links = layout.robot.phi if phi is None else phi[: layout.links].reshape(-1, 10)
        body = LinkBody(layout.robot, kind, kind.theta(torch.tensor(links)))
    elif architecture.body == "kinodynamic":
        kind = parametrisation(architecture.inertia)
        links = with_z_axes(layout.robot).phi
        body = KinodynamicBody(layout.robot, kind, kind.theta(torch.tensor(links)))
    elif architecture.body == "delan":
        body = DeepLagrangian(
            layout.robot.n,
            torch.Generator().manual_seed(seed),
            architecture.lagrangian,
            architecture.lagrangian_activation,
            architecture.lagrangian_inputs,
            scales.torque,
        )
    joints = None
    if architecture.body != "none" and layout.own:
        own = np.zeros(len(layout.own)) if phi is None else phi[layout.links :]
        joints = JointTerms(layout, torch.tensor(own))
    drive = None
    if architecture.actuator != "none":
        drive = actuator_model(architecture.actuator).made(drives, seed)
    return InverseModel(body, joints, drive, _residual(architecture, scales, seed))


def _residual(architecture: Architecture, scales: MotionScales, seed: int) -> Residual | None:
    if architecture.residual == "none":
        return None
    hidden, bend = architecture.hidden, architecture.activation
    if architecture.residual == "mlp":
        return LayeredResidual(scales, hidden, bend, seed)
    return RecurrentResidual(scales, hidden, architecture.memory, bend, seed)


def empty(architecture: Architecture, layout: Layout) -> InverseModel:
    """A model to load weights into."""
    n = layout.robot.n
    one, three = torch.ones(n, dtype=torch.float64), torch.ones(3 * n, dtype=torch.float64)
    scales = MotionScales(three, three, one)
    return made(architecture, layout, scales, Scales(one, one, one, one))
