"""Factors of samples whose regressors are at hand, by a plain QR decomposition."""

import numpy as np

from robotid.information.factor import Factor


def plain_factors(layout, W, tau):
    """One factor per row, with all its columns.

    Args:
        layout: the robot and the terms of its joints.
        W: regressors of the rows, each of shape (samples, columns of the row).
        tau: shape (samples, rows).
    """
    found = []
    for row, columns, w, torque in zip(layout.rows, layout.columns, W, tau.T, strict=True):
        stacked = np.column_stack([w, torque])
        missing = max(0, stacked.shape[1] - len(stacked))
        R = np.linalg.qr(np.vstack([stacked, np.zeros((missing, stacked.shape[1]))]), mode="r")
        sums = float(torque.sum()), float(torque.min()), float(torque.max())
        found.append(Factor(row, columns, np.eye(columns.size), R, len(torque), *sums))
    return tuple(found)
