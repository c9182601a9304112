"""What a forward model has learned, as a result states it."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.forward import ActuatorValue, Combination
from robotid.dynamics.base_parameters import base_parameters
from robotid.dynamics.groupings import groupings
from robotid.identification.tables import link_table
from robotid.information.layout import Layout
from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.friction import Friction
from robotid.models.forward_models import ForwardModel, RigidForward
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_UNITS = {"viscous": "{torque} s/{angle}", "sharpness": "s²/{angle}²"}


def found(model: ForwardModel, robot: RobotTree) -> dict[str, Any]:
    """Fields of the result that say what the links and the actuator are.

    Args:
        model: trained.
        robot: of the file, which gives the values to compare with.
    """
    if not isinstance(model, RigidForward):
        return {}
    with torch.no_grad():
        phi = model.links().numpy()
        placements = model.placements() if model.placements is not None else None
    return {
        "links": link_table(Layout(model.robot, terms=()), phi.ravel()),
        "combinations": _combinations(robot, phi.ravel()) if placements is None else [],
        "actuator_values": actuator_table(model.actuator, robot),
        "placements": None if placements is None else placements.tolist(),
    }


def _combinations(robot: RobotTree, phi: Array) -> list[Combination]:
    base = base_parameters(robot)
    names = [grouping.text() for grouping in groupings(base)]
    values, nominal = base.beta(phi).tolist(), base.beta(robot.phi.ravel()).tolist()
    layout = Layout(robot, terms=())
    units = [layout.units[column] for column in base.independent]
    return [
        Combination(name=name, value=value, nominal=given, unit=unit)
        for name, value, given, unit in zip(names, values, nominal, units, strict=True)
    ]


def actuator_table(actuator: Actuator | None, robot: RobotTree) -> list[ActuatorValue]:
    """Parameters of an actuator that is a formula, beside those of the robot file."""
    if not isinstance(actuator, Friction):
        return []
    values = actuator.values().detach().tolist()
    units = robot.torque_units
    return [
        ActuatorValue(
            joint=joint.name,
            name=name,
            unit=_UNITS.get(name, "{torque}").format(
                torque=units[joint.name], angle="m" if joint.kind == "prismatic" else "rad"
            ),
            value=row[place],
            nominal={"viscous": joint.damping, "coulomb": abs(joint.friction)}.get(name),
        )
        for name, row in zip(actuator.names, values, strict=True)
        for place, joint in enumerate(robot.driven)
    ]
