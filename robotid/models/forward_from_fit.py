"""The forward model of a fit folder: robot file, changes to it and weights, all checked."""

from pathlib import Path
from typing import NamedTuple

import torch

from robotid.contracts.fit import FIT
from robotid.contracts.forward import ForwardResult, read_forward_result
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import (
    ForwardModel,
    NetworkForward,
    RigidForward,
    SignalScales,
)
from robotid.models.from_fit import check_joints, robot_of
from robotid.models.placements import LearnedPlacements
from robotid.models.weights import load_weights
from robotid.robot.load import Loaded
from robotid.robot.tree import RobotTree
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import parametrisation


class FittedForward(NamedTuple):
    """A fit, the robot it is of (as its file says), and the model with what was learned."""

    fit: ForwardResult
    robot: Loaded
    model: ForwardModel


def read_forward(folder: Path) -> FittedForward:
    """Read a fit folder; weights that are not those of its model are refused."""
    fit = read_forward_result(folder)
    robot = robot_of(folder, fit.robot)
    check_joints(fit, robot.tree.joint_names, str(folder / FIT))
    model = _empty(fit, robot.tree)
    load_weights(model, folder)
    return FittedForward(fit, robot, model)


def _empty(fit: ForwardResult, robot: RobotTree) -> ForwardModel:
    """The model before anything was learned."""
    n, hidden = robot.n, tuple(fit.options.get("hidden", ()))
    one = torch.ones(n, dtype=torch.float64)
    generator = torch.Generator().manual_seed(0)
    if fit.model == "ffnn":
        three = torch.ones(3 * n, dtype=torch.float64)
        return NetworkForward(SignalScales(three, three, one), generator, hidden)
    kind = parametrisation("free" if fit.model == "nea" else fit.options["inertia"])
    drive = actuator_model(fit.actuator).made(Scales(one, one, one, one), 0, hidden)
    theta = torch.zeros(robot.bodies, kind.size, dtype=torch.float64)
    if fit.kinematics == "known":
        return RigidForward(robot, kind, theta, drive)
    zero = torch.zeros(robot.bodies, 3, dtype=torch.float64)
    return RigidForward(with_z_axes(robot), kind, theta, drive, LearnedPlacements(zero, zero))
