"""Factors by a plain QR decomposition in torch: slow, obvious, and what the kernel is held to."""

import numpy as np
import torch
from numpy.typing import ArrayLike

from robotid.dynamics.friction import column_values
from robotid.dynamics.regressor import joint_torque_regressor
from robotid.information.factor import Factor
from robotid.information.layout import Layout


def reference_factors(
    layout: Layout, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike
) -> list[Factor]:
    """One factor per row, with all its columns (E = 1).

    Args:
        layout: the robot and the terms of its joints.
        q: configurations, shape (T, nq).
        qd: velocities, shape (T, nv).
        qdd: accelerations, shape (T, nv).
        tau: torques, shape (T, nv).
    """
    robot = layout.robot
    q, qd, qdd, torque = (torch.tensor(np.asarray(x, dtype=float)) for x in (q, qd, qdd, tau))
    base = 6 * robot.floating
    W = joint_torque_regressor(robot, q, qd, qdd)
    load = (W @ torch.tensor(robot.phi.ravel()))[:, base:]
    own = W.new_zeros(len(q), robot.nv, len(layout.own))
    for position, column in enumerate(layout.own):
        values = column_values(column, qd[:, base:], qdd[:, base:], load)
        for joint, sign in column.motor.members:
            own[:, base + joint, position] = sign * values
    W = torch.cat([W, own], -1)
    factors = []
    for row, columns in enumerate(layout.columns):
        stacked = torch.column_stack([W[:, row, torch.tensor(columns)], torque[:, row]])
        width = stacked.shape[1]
        stacked = torch.cat([stacked, stacked.new_zeros(max(0, width - len(q)), width)])
        factors.append(
            Factor(
                row=layout.rows[row],
                columns=columns,
                expansion=np.eye(width - 1),
                R=torch.linalg.qr(stacked, mode="r").R.numpy(),
                count=len(q),
                total=float(torque[:, row].sum()),
                lowest=float(torque[:, row].min()),
                highest=float(torque[:, row].max()),
            )
        )
    return factors
