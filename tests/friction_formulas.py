"""Friction written down sample by sample, sharing nothing with the package."""

import math

import numpy as np


def sat(x):
    return np.minimum(1.0, np.maximum(-1.0, x))


def held(qd, width):
    last, result = 0.0, []
    for speed in qd:
        if abs(speed) >= width:
            last = math.copysign(1.0, speed)
        result.append(last)
    return np.array(result)


# label -> column, of speed, acceleration, width and the torque of the links
FORMULAS = {
    "viscous": lambda qd, qdd, w, load: qd,
    "viscous+": lambda qd, qdd, w, load: np.where(qd > 0, qd, 0.0),
    "viscous-": lambda qd, qdd, w, load: np.where(qd < 0, qd, 0.0),
    "coulomb": lambda qd, qdd, w, load: sat(qd / w),
    "coulomb-held": lambda qd, qdd, w, load: held(qd, w),
    "coulomb+": lambda qd, qdd, w, load: np.where(qd > 0, sat(qd / w), 0.0),
    "coulomb-": lambda qd, qdd, w, load: np.where(qd < 0, sat(qd / w), 0.0),
    "stribeck": lambda qd, qdd, w, load: sat(qd / 0.02) * np.exp(-(qd**2) / w**2),
    "load": lambda qd, qdd, w, load: sat(qd / w) * np.abs(load),
    "offset": lambda qd, qdd, w, load: np.ones_like(qd),
    "rotor": lambda qd, qdd, w, load: qdd,
}


def pinocchio_torques(robot, motion):
    """What the links of the robot file need, shape (T, n)."""
    import pinocchio as pin

    from tests.reference_models import pinocchio_model

    model = pinocchio_model(robot)
    data = model.createData()
    return np.array([pin.rnea(model, data, *sample) for sample in zip(*motion, strict=True)])


def friction(robot, motion, parameters, load=None):
    """Torques of (label, joint or (joint, joint, sign), width, value), shape (T, n)."""
    tau = np.zeros_like(motion.qd)
    for label, joints, width, value in parameters:
        first, second, sign = joints if isinstance(joints, tuple) else (joints, None, 0)
        qd, qdd = motion.qd[:, first], motion.qdd[:, first]
        if second is not None:
            qd, qdd = qd + sign * motion.qd[:, second], qdd + sign * motion.qdd[:, second]
        own = None if load is None else load[:, first]
        torque = value * FORMULAS[label](qd, qdd, width, own)
        tau[:, first] += torque
        if second is not None:
            tau[:, second] += sign * torque
    return tau
