"""What the robot file says the torques of a motion are, and how well measured ones follow it."""

from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array
from robotid.robot.tree import RobotTree

_SLOW = 0.05  # of a joint's usual speed: below it the sign of friction fades


class Model(NamedTuple):
    """Nominal torques, shape (N, n).

    Args:
        gravity: at rest.
        dynamic: what motion adds.
        axes: torques at rest under 1 m/s² along each axis of the base, shape (3, N, n).
    """

    gravity: Array
    dynamic: Array
    axes: Array


class Fit(NamedTuple):
    """A measured torque as a multiple of the model's, plus friction and an offset.

    Args:
        scale: of the model's torque.
        error: standard deviation of the scale.
        power: mean power that friction takes [W]; negative where it would give some.
        explained: share of the variance that all terms explain.
        by_model: share of the variance left by friction and offset that the model explains.
        residual: what is left [N m], shape (N,); NaN where nothing was measured.
    """

    scale: float
    error: float
    power: float
    explained: float
    by_model: float
    residual: Array


def torques(robot: RobotTree, q: Array, qd: Array, qdd: Array) -> Model:
    """Nominal torques of a motion, each argument of shape (N, n)."""
    import torch

    from robotid.dynamics.rnea import rnea

    with torch.no_grad():
        at, speed, change = (torch.from_numpy(np.ascontiguousarray(x)) for x in (q, qd, qdd))
        still = torch.zeros_like(at)
        gravity = rnea(robot, at, still, still)
        axes = [rnea(robot, at, still, still, gravity=axis) for axis in torch.eye(3).double()]
        dynamic = rnea(robot, at, speed, change) - gravity
    return Model(gravity.numpy(), dynamic.numpy(), np.stack([axis.numpy() for axis in axes]))


def friction_terms(qd: Array) -> Array:
    """Columns of viscous friction, Coulomb friction and an offset, shape (N, 3)."""
    usual = float(np.sqrt(np.mean(qd**2)))
    sign = np.tanh(qd / (_SLOW * usual)) if usual > 0 else np.zeros_like(qd)
    return np.column_stack([qd, sign, np.ones_like(qd)])


def fit_joint(tau: Array, model: Array, qd: Array, independent: float) -> Fit | None:
    """Fit a torque by a model's, friction and offset; None where it cannot be.

    Args:
        tau, model, qd: of one joint, shape (N,).
        independent: how many samples count as independent.
    """
    good = np.isfinite(tau)
    if np.count_nonzero(good) < 20:
        return None
    y, x, speed = tau[good], model[good], qd[good]
    terms = friction_terms(speed)
    rest_y, rest_x = _without(terms, y), _without(terms, x)
    variance = float(np.var(y))
    if variance == 0 or float(rest_x @ rest_x) <= 1e-12 * float(x @ x):
        return None
    scale = float(rest_x @ rest_y / (rest_x @ rest_x))
    left = rest_y - scale * rest_x
    count = max(independent * np.mean(good) - 4, 1.0)
    error = float(np.sqrt(np.mean(left**2) / np.mean(rest_x**2) / count))
    drag = y - scale * x - left
    residual = np.full(len(tau), np.nan)
    residual[good] = left
    return Fit(
        scale,
        error,
        float(np.mean((drag - drag.mean()) * speed)),
        1 - float(np.mean(left**2)) / variance,
        1 - float((left @ left) / (rest_y @ rest_y)),
        residual,
    )


def _without(terms: Array, y: Array) -> Array:
    """What some columns do not explain of y."""
    return y - terms @ np.linalg.lstsq(terms, y, rcond=None)[0]
