"""Minimise a smooth function inside bounds, every step of the way strictly inside.

    minimise f(x)   subject to   |R x + r| < bound  (rows in blocks)   and   c(x) > 0  (curved)

A feasible primal-dual interior-point method. With barrier parameter mu, multipliers z and slacks s
of all inequalities, a step dx solves

    (B + J^T diag(z/s) J) dx = -(grad f - mu J^T (1/s))

B is a quasi-Newton (damped BFGS) matrix of the Lagrangian; the other term is exact, and cheap,
since linear bounds come in blocks of few unknowns. Steps are cut so that no bound is touched, then halved
until the barrier function f - mu sum log s has gone down. So whenever the search is stopped, by
convergence, by count or by the clock, what it has is feasible.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]

_BOUNDARY = 0.99  # share of the way to a bound that one step may go
_ARMIJO = 1e-4
_FIRST, _LAST, _SHRINK = 1e-1, 1e-5, 0.25  # barrier parameter, in units of f
_NEAR = 1e2  # how far multipliers may stray from mu/s
_HALVINGS = 30
_PATIENCE = 25  # steps with one barrier parameter


class Block(NamedTuple):
    """Bounds |R x[part] + r| < bound of some unknowns."""

    part: slice
    R: Array
    r: Array
    bound: Array


class Curved(NamedTuple):
    """Values of curved constraints, positive inside, and their Jacobian (values, size)."""

    values: Array
    jacobian: Array


class Functions(NamedTuple):
    """What the search needs to know.

    Args:
        objective: value and gradient at x, for a sharpness that grows to infinity.
        curved: the other constraints at x; None without any.
        curved_values: the same without the Jacobian.
        blocks: linear bounds.
    """

    objective: Callable[[Array, float], tuple[float, Array]]
    curved: Callable[[Array], Curved] | None
    curved_values: Callable[[Array], Array] | None
    blocks: Sequence[Block]


class Found(NamedTuple):
    """The end of a search: x, f(x), steps, and whether there was nothing left to gain."""

    x: Array
    value: float
    iterations: int
    evaluations: int
    converged: bool


class _Point(NamedTuple):
    """All there is to know of an x: f and its gradient, slacks on both sides of linear bounds."""

    x: Array
    value: float
    gradient: Array
    below: list[Array]
    above: list[Array]
    curved: Curved | None

    def barrier(self) -> float:
        """Minus the sum of the logarithms of all slacks."""
        total = sum(float(np.log(s).sum()) for s in (*self.below, *self.above))
        return -total - (float(np.log(self.curved.values).sum()) if self.curved else 0.0)


def minimise(
    functions: Functions,
    start: Array,
    *,
    iterations: int,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[float], None] = lambda _: None,
) -> Found:
    """Search from a point strictly inside.

    Args:
        functions: the problem.
        start: shape (size,).
        iterations: most steps.
        stop: asked before every step whether to stop.
        told: is told the value after every step.
    """
    mu, step, since, evaluations = _FIRST, 0, 0, 1
    point = _point(functions, start, mu)
    B, first = np.eye(start.size), True
    z = _central(point, mu)
    converged = False
    while step < iterations and not stop():
        slope, weights = _newton(functions, point, z, mu)
        try:
            direction = -cho_solve(cho_factor(B + weights), slope)
        except LinAlgError:
            B, first = np.eye(start.size), True
            continue
        decrement = -float(slope @ direction)
        if decrement < 0.1 * mu or since >= _PATIENCE:
            if mu <= _LAST:
                converged = decrement < 0.1 * mu
                if converged or since >= 2 * _PATIENCE:
                    break
            else:
                mu, since = max(_LAST, _SHRINK * mu), 0
                point = _point(functions, point.x, mu)  # the objective is sharper now
                continue
        step, since = step + 1, since + 1
        new, tried = _line_search(functions, point, direction, decrement, mu)
        evaluations += tried
        if new is None:  # rounding, or a kink: nothing to gain with this barrier
            if mu <= _LAST:
                break
            mu, since, B, first = max(_LAST, _SHRINK * mu), 0, np.eye(start.size), True
            point = _point(functions, point.x, mu)
            continue
        z = _multipliers(functions, point, new, z, direction, mu)
        B, first = _updated(B, first, point, new, z)
        point = new
        told(point.value)
    return Found(point.x, point.value, step, evaluations, converged)


def _point(functions: Functions, x: Array, mu: float) -> _Point:
    value, gradient = functions.objective(x, 1.0 / mu)
    below, above = _slacks(functions.blocks, x)
    return _Point(
        x, value, gradient, below, above, functions.curved(x) if functions.curved else None
    )


def _slacks(blocks: Sequence[Block], x: Array) -> tuple[list[Array], list[Array]]:
    values = [block.R @ x[block.part] + block.r for block in blocks]
    return (
        [block.bound + value for block, value in zip(blocks, values, strict=True)],
        [block.bound - value for block, value in zip(blocks, values, strict=True)],
    )


class _Multipliers(NamedTuple):
    below: list[Array]
    above: list[Array]
    curved: Array


def _central(point: _Point, mu: float) -> _Multipliers:
    curved = mu / point.curved.values if point.curved else np.zeros(0)
    return _Multipliers([mu / s for s in point.below], [mu / s for s in point.above], curved)


def _newton(functions: Functions, point: _Point, z: _Multipliers, mu: float) -> tuple[Array, Array]:
    """Gradient of the barrier function, and J^T diag(z/s) J."""
    slope = point.gradient.copy()
    weights = np.zeros((slope.size, slope.size))
    for k, block in enumerate(functions.blocks):
        below, above = point.below[k], point.above[k]
        slope[block.part] += block.R.T @ (mu / above - mu / below)
        both = z.below[k] / below + z.above[k] / above
        weights[block.part, block.part] += block.R.T @ (both[:, None] * block.R)
    if point.curved:
        values, J = point.curved
        slope -= J.T @ (mu / values)
        scaled = np.sqrt(z.curved / values)[:, None] * J
        weights += scaled.T @ scaled
    return slope, weights


def _line_search(
    functions: Functions, point: _Point, direction: Array, decrement: float, mu: float
) -> tuple[_Point | None, int]:
    """A point down the barrier function, and how many were looked at."""
    length = 1.0
    for block, below, above in zip(functions.blocks, point.below, point.above, strict=True):
        change = block.R @ direction[block.part]
        nearest = max(float((-change / below).max()), float((change / above).max()))
        if nearest * length > _BOUNDARY:
            length = _BOUNDARY / nearest
    before = point.value + mu * point.barrier()
    for tried in range(1, _HALVINGS + 1):
        x = point.x + length * direction
        if functions.curved_values is None or float(functions.curved_values(x).min()) > 0:
            try:
                new = _point(functions, x, mu)
                after = new.value + mu * new.barrier()
            except LinAlgError:  # no information left
                after = np.inf
            if after <= before - _ARMIJO * length * decrement:
                return new, tried
        length *= 0.5
    return None, _HALVINGS


def _multipliers(
    functions: Functions,
    old: _Point,
    new: _Point,
    z: _Multipliers,
    direction: Array,
    mu: float,
) -> _Multipliers:
    """The step of the multipliers, kept near mu/s of the new point."""
    below, above = [], []
    for k, block in enumerate(functions.blocks):
        change = block.R @ direction[block.part]
        low = mu / old.below[k] - z.below[k] / old.below[k] * change
        high = mu / old.above[k] + z.above[k] / old.above[k] * change
        below.append(_near(low, new.below[k], mu))
        above.append(_near(high, new.above[k], mu))
    curved = np.zeros(0)
    if old.curved and new.curved:
        change = old.curved.jacobian @ direction
        raw = mu / old.curved.values - z.curved / old.curved.values * change
        curved = _near(raw, new.curved.values, mu)
    return _Multipliers(below, above, curved)


def _near(z: Array, slack: Array, mu: float) -> Array:
    central = mu / slack
    return np.clip(z, central / _NEAR, central * _NEAR)


def _updated(
    B: Array, first: bool, old: _Point, new: _Point, z: _Multipliers
) -> tuple[Array, bool]:
    """Damped BFGS of the Lagrangian's Hessian; linear bounds have none."""
    s = new.x - old.x
    y = new.gradient - old.gradient
    if old.curved and new.curved:
        y = y - (new.curved.jacobian - old.curved.jacobian).T @ z.curved
    curvature = float(s @ y)
    if first and curvature > 0:
        B = np.eye(s.size) * (float(y @ y) / curvature)
    Bs = B @ s
    sBs = float(s @ Bs)
    if curvature < 0.2 * sBs:
        share = 0.8 * sBs / (sBs - curvature)
        y = share * y + (1 - share) * Bs
        curvature = 0.2 * sBs
    if sBs <= 0 or curvature <= 0:
        return B, first
    return B - np.outer(Bs, Bs) / sBs + np.outer(y, y) / curvature, False
