"""What the robot file says the torques of a motion are, and how well measured ones follow it."""

from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array
from robotid.robot.tree import RobotTree

_NEGLIGIBLE = 1e-5  # of a torque: rounding, not physics
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
    """A measured torque as gravity and dynamics of the model, each scaled, friction and offset.

    Args:
        gravity, error: scale of the model's gravity and its standard deviation.
        by_gravity: share of what the other terms leave that gravity explains.
        whole, whole_error: scale and standard deviation when gravity and dynamics have the same.
        by_whole: share of what friction and offset leave that the model as a whole explains.
        explained: share of the variance that all terms of the latter fit explain.
        power: mean power that friction takes [W]; negative where it would give some.
        by_friction: share of the variance that friction alone explains.
        residual: what the latter fit leaves [N m], shape (N,); NaN where nothing was measured.
    """

    gravity: float
    error: float
    by_gravity: float
    whole: float
    whole_error: float
    by_whole: float
    explained: float
    power: float
    by_friction: float
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


def fit_joint(
    tau: Array, gravity: Array, dynamic: Array, qd: Array, independent: float
) -> Fit | None:
    """Fit a torque by a model's, friction and offset; None where there is nothing to fit.

    Args:
        tau: measured, of one joint, shape (N,).
        gravity: the model's at rest, shape (N,).
        dynamic: what motion adds to it, shape (N,).
        qd: velocity, shape (N,).
        independent: how many samples count as independent.
    """
    good = np.isfinite(tau)
    if np.count_nonzero(good) < 20:
        return None
    y, speed = tau[good], qd[good]
    variance = float(np.var(y))
    if variance == 0:
        return None
    count = max(independent * float(np.mean(good)) - 5, 1.0)
    terms = friction_terms(speed)
    whole, whole_error, by_whole, left = _scale(y, gravity[good] + dynamic[good], terms, count)
    more = np.column_stack([terms, dynamic[good]])
    scale, error, by_gravity, _ = _scale(y, gravity[good], more, count)
    drag = y - whole * (gravity[good] + dynamic[good]) - left
    friction = _without(terms, y)
    residual = np.full(len(tau), np.nan)
    residual[good] = left
    return Fit(
        gravity=scale,
        error=error,
        by_gravity=by_gravity,
        whole=whole,
        whole_error=whole_error,
        by_whole=by_whole,
        explained=1 - float(np.mean(left**2)) / variance,
        power=float(np.mean((drag - drag.mean()) * speed)),
        by_friction=1 - float(np.mean(friction**2)) / variance,
        residual=residual,
    )


def explained_by(tau: Array, model: Model, qd: Array) -> tuple[Array, Array]:
    """How well torque i is explained by motion and model of joint k, and with which scale, (n, n).

    Torques that are nowhere finite are explained by nothing.
    """
    n = tau.shape[1]
    known = np.isfinite(tau).any(0)
    good = np.isfinite(tau[:, known]).all(1)
    explained, scale = np.zeros((n, n)), np.zeros((n, n))
    y = tau[good][:, known]
    variance = np.var(y, 0)
    for k in range(n):
        whole = model.gravity[good, k] + model.dynamic[good, k]
        terms = np.column_stack([whole, friction_terms(qd[good, k])])
        found = np.linalg.lstsq(terms, y, rcond=1e-10)[0]
        left = np.mean((y - terms @ found) ** 2, 0)
        explained[known, k] = 1 - left / np.maximum(variance, 1e-300)
        scale[known, k] = found[0]
    return explained, scale


def _scale(y: Array, x: Array, terms: Array, count: float) -> tuple[float, float, float, Array]:
    """Scale of x beside other terms, its standard deviation, what x explains, what is left."""
    rest_y, rest_x = _without(terms, y), _without(terms, x)
    negligible = _NEGLIGIBLE**2 * max(float(x @ x), float(rest_y @ rest_y))
    if not float(rest_x @ rest_x) > negligible or not (rest_y @ rest_y) > 0:
        return 0.0, np.inf, 0.0, rest_y
    scale = float(rest_x @ rest_y / (rest_x @ rest_x))
    left = rest_y - scale * rest_x
    error = float(np.sqrt(np.mean(left**2) / np.mean(rest_x**2) / count))
    return scale, error, 1 - float((left @ left) / (rest_y @ rest_y)), left


def _without(terms: Array, y: Array) -> Array:
    """What some columns do not explain of y."""
    return y - terms @ np.linalg.lstsq(terms, y, rcond=None)[0]
