"""Which parts a learned model has, as a fit states it, and an empty model of them."""

from typing import cast

import numpy as np
import torch

from robotid.contracts.learned import Architecture
from robotid.errors import ConfigError
from robotid.information.layout import Layout
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import actuator_model
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.floating.lagrangian import FloatingLagrangian, Kind
from robotid.models.learned.bodies import JointTerms, LinkBody
from robotid.models.learned.inverse import AnyBody, InverseModel
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.residuals import (
    LayeredResidual,
    MotionScales,
    RecurrentResidual,
    Residual,
)
from robotid.robot.tree import RobotTree
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
    body: AnyBody | None = None
    if architecture.body == "links":
        kind = parametrisation(architecture.inertia)
        links = layout.robot.phi if phi is None else phi[: layout.links].reshape(-1, 10)
        body = LinkBody(layout.robot, kind, kind.theta(torch.tensor(links)))
    elif architecture.body == "kinodynamic":
        kind = parametrisation(architecture.inertia)
        links = with_z_axes(layout.robot).phi
        body = KinodynamicBody(layout.robot, kind, kind.theta(torch.tensor(links)))
    elif architecture.body != "none":
        body = _energy(architecture, layout.robot, scales, torch.Generator().manual_seed(seed))
    joints = None
    if architecture.body != "none" and layout.own:
        own = np.zeros(len(layout.own)) if phi is None else phi[layout.links :]
        joints = JointTerms(layout, torch.tensor(own))
    drive = None
    if architecture.actuator != "none":
        drive = actuator_model(architecture.actuator).made(drives, seed)
    return InverseModel(body, joints, drive, _residual(architecture, scales, seed))


def _energy(
    architecture: Architecture, robot: RobotTree, scales: MotionScales, generator: torch.Generator
) -> DeepLagrangian | FloatingLagrangian:
    """An energy that is learned, of a robot with a fixed or a floating base."""
    layers, bend = architecture.lagrangian, architecture.lagrangian_activation
    if robot.floating:
        kind = cast("Kind", architecture.body)
        return FloatingLagrangian(robot, kind, generator, layers, bend)
    if architecture.body != "delan":
        said = f"model: {architecture.body} is for a robot that floats, and {robot.name} is fixed"
        raise ConfigError("fixed-robot", said, hint="take delan, or base = floating")
    inputs = architecture.lagrangian_inputs
    return DeepLagrangian(robot.n, generator, layers, bend, inputs, scales.torque)


def _residual(architecture: Architecture, scales: MotionScales, seed: int) -> Residual | None:
    if architecture.residual == "none":
        return None
    hidden, bend = architecture.hidden, architecture.activation
    if architecture.residual == "mlp":
        return LayeredResidual(scales, hidden, bend, seed)
    return RecurrentResidual(scales, hidden, architecture.memory, bend, seed)


def empty(architecture: Architecture, layout: Layout) -> InverseModel:
    """A model to load weights into."""
    robot = layout.robot
    one, drives = (torch.ones(size, dtype=torch.float64) for size in (robot.nv, robot.n))
    seen = torch.ones(robot.n + 9 * robot.floating + 2 * robot.nv, dtype=torch.float64)
    return made(architecture, layout, MotionScales(seen, seen, one), Scales(*[drives] * 4))
