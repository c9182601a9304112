"""Parts of a torque model that are formulas: links, and the terms of joints."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from robotid.dynamics.friction import column_values
from robotid.dynamics.rnea import rnea
from robotid.information.layout import Layout
from robotid.robot.tree import RobotTree
from robotid.spatial.parametrisations.table import Parametrisation

Array = NDArray[np.float64]


class LinkBody(nn.Module):
    """Inverse dynamics of links that are learned.

    Args:
        robot: tree and placements.
        parametrisation: of the links.
        theta: entries of each link to begin with, shape (bodies, entries).
    """

    def __init__(self, robot: RobotTree, parametrisation: Parametrisation, theta: Tensor) -> None:
        super().__init__()
        self.robot, self.parametrisation = robot, parametrisation
        self.theta = nn.Parameter(theta.clone())

    def links(self) -> Tensor:
        """Link parameters, shape (bodies, 10), or (bodies, 13) with nine of the inertia."""
        return self.parametrisation.phi(self.theta)

    def forward(self, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        """Torques, (..., nv) [N m or N]."""
        return rnea(self.robot, q, qd, qdd, self.links())


class JointTerms(nn.Module):
    """The terms of a layout, such as friction, rotors and offsets: columns times parameters.

    Args:
        layout: robot and terms.
        values: of the parameters to begin with, shape (own,); what cannot be negative is a square.
    """

    def __init__(self, layout: Layout, values: Tensor) -> None:
        super().__init__()
        robot = layout.robot
        places = np.zeros((len(layout.own), robot.nv))
        for number, column in enumerate(layout.own):
            for joint, sign in column.motor.members:
                places[number, robot.nv - robot.n + joint] = sign
        positive = layout.positive[layout.links :]
        self.register_buffer("places", torch.from_numpy(places))
        self.register_buffer("positive", torch.from_numpy(np.asarray(positive)))
        roots = torch.where(torch.from_numpy(positive), values.clamp(min=0.0).sqrt(), values)
        self.entries = nn.Parameter(roots.clone())

    def values(self) -> Tensor:
        """Parameters, shape (own,)."""
        return torch.where(self.get_buffer("positive"), self.entries**2, self.entries)

    def forward(self, columns: Tensor) -> Tensor:
        """Torques (..., nv) of values of the columns, (..., own); none of a floating base."""
        result: Tensor = (columns * self.values()) @ self.get_buffer("places")
        return result


def joint_columns(
    layout: Layout, q: Array, qd: Array, qdd: Array, held: dict[str, float] | None = None
) -> Array:
    """Values of the columns of joints, shape (T, own), of samples in the order of time.

    Args:
        layout: robot and terms.
        q: configurations, shape (T, nq).
        qd: velocities, shape (T, nv).
        qdd: accelerations, shape (T, nv).
        held: signs that friction with memory had before, by parameter; brought up to date.
    """
    signs = {} if held is None else held
    first, load = layout.robot.nv - layout.robot.n, None
    if layout.loaded:
        given = (torch.from_numpy(np.ascontiguousarray(x)) for x in (q, qd, qdd))
        load = rnea(layout.robot, *given).numpy()[:, first:]
    qd, qdd = qd[:, first:], qdd[:, first:]
    found = np.empty((len(qd), len(layout.own)))
    for number, column in enumerate(layout.own):
        found[:, number] = column_values(column, qd, qdd, load, signs.get(column.name, 0.0))
        if column.form.kind == "held" and len(qd):
            signs[column.name] = float(found[-1, number])
    return found
