"""Minimise a smooth function inside bounds, every step of the way strictly inside.

    minimise f(x)   subject to   |R x + r| < bound  (rows in blocks)   and   c(x) > 0  (curved)

A feasible primal-dual interior-point method. With barrier parameter mu, multipliers z and slacks s
of all inequalities, a step dx solves

    (B + J^T diag(z/s) J) dx = -(grad f - mu J^T (1/s))

B is a quasi-Newton (damped BFGS) matrix of the Lagrangian; the other term is exact, and cheap,
since linear bounds come in blocks of few unknowns. Steps are cut so that no bound is touched, then
halved until the barrier function f - mu sum log s is below the largest of its last few values. So
whenever the search is stopped, by convergence, by count or by the clock, what it has is feasible.

There are many optima, and what makes the search bold leads to better ones: it may climb a little,
and B begins anew with each barrier parameter, which lets the first steps go far.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]

_BOUNDARY = 0.99  # share of the way to a bound that one step may go
_ARMIJO = 1e-4
_FIRST, _LAST, _SHRINK = 1e-1, 1e-5, 0.2  # barrier parameter, in units of f
_NEAR = 1e2  # how far multipliers may stray from mu/s
_HALVINGS = 30
_MEMORY = 5  # values of the barrier function, of which a step has to go below the largest
_PATIENCE = 30  # steps with one barrier parameter
_ARRIVED = 1.0  # gain that a step promises, in barrier parameters, which is not worth a step


class Block(NamedTuple):
    """Bounds |R x[part] + r| < bound of some unknowns."""

    part: slice
    R: Array
    r: Array
    bound: Array


class CurvedValues(NamedTuple):
    """Values of curved constraints: shares have to stay within -1 and 1, the others above 0."""

    shares: Array
    above: Array

    @property
    def slack(self) -> float:
        """What is left of the nearest one; negative outside."""
        room = 1.0 - np.abs(self.shares).max(initial=-np.inf)
        return float(min(room, self.above.min(initial=np.inf)))


class Functions(NamedTuple):
    """What the search needs to know.

    Args:
        objective: value and gradient at x, for a sharpness that grows to infinity.
        curved: the other constraints at x; None without any.
        jacobian: of the curved constraints, one row per value.
        blocks: linear bounds.
    """

    objective: Callable[[Array, float], tuple[float, Array]]
    curved: Callable[[Array], CurvedValues] | None
    jacobian: Callable[[Array], Array] | None
    blocks: Sequence[Block]


class Found(NamedTuple):
    """The end of a search: x, f(x), steps, and whether there was nothing left to gain."""

    x: Array
    value: float
    iterations: int
    evaluations: int
    converged: bool


class _Rows(NamedTuple):
    """The Jacobian of all bounds in blocks: unknowns, rows, and the matrix between them."""

    blocks: list[tuple[slice, slice, Array]]

    def times(self, direction: Array) -> Array:
        """J d, all rows one after the other."""
        return np.concatenate([J @ direction[part] for part, _, J in self.blocks])

    def weighed(self, weights: Array, size: int) -> Array:
        """J^T w."""
        result = np.zeros(size)
        for part, rows, J in self.blocks:
            result[part] += weights[rows] @ J
        return result

    def gram(self, weights: Array, size: int) -> Array:
        """J^T diag(w) J for weights that are not negative."""
        result, roots = np.zeros((size, size)), np.sqrt(weights)
        for part, rows, J in self.blocks:
            scaled = roots[rows, None] * J
            result[part, part] += scaled.T @ scaled
        return result


class _Point(NamedTuple):
    """All there is to know of an x.

    Args:
        x: where.
        value: of the objective.
        gradient: of the objective.
        rows: Jacobian of the bounds.
        below: distance of every row from its lower bound.
        above: distance from the upper bound; the last rows may have none.
    """

    x: Array
    value: float
    gradient: Array
    rows: _Rows
    below: Array
    above: Array

    def barrier(self) -> float:
        """Minus the sum of the logarithms of all distances."""
        return -float(np.log(self.below).sum() + np.log(self.above).sum())


class _Multipliers(NamedTuple):
    """Of the lower and of the upper bounds."""

    below: Array
    above: Array


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
    curved = functions.curved
    point = _point(functions, start, mu, curved(start) if curved else None)
    B, first = np.eye(start.size), True
    z = _Multipliers(mu / point.below, mu / point.above)
    heights = deque[float](maxlen=_MEMORY)
    converged = False
    while step < iterations and not stop():
        slope, weights = _newton(point, z, mu)
        try:
            direction = -cho_solve(cho_factor(B + weights), slope)
        except LinAlgError:
            if first:
                break
            B, first = np.eye(start.size), True
            continue
        decrement = -float(slope @ direction)
        arrived = decrement < _ARRIVED * mu
        if mu <= _LAST and (arrived or since >= 2 * _PATIENCE):
            converged = arrived
            break
        new, tried = None, 0
        if not arrived and since < _PATIENCE * (1 + (mu <= _LAST)):
            step, since = step + 1, since + 1
            heights.append(point.value + mu * point.barrier())
            new, tried = _line_search(functions, point, direction, decrement, mu, max(heights))
            evaluations += tried
        if new is not None:
            z = _multipliers(point, new, z, direction, mu)
            B, first = _updated(B, first, point, new, z, curved is not None)
            point = new
            told(point.value)
        elif mu <= _LAST:  # rounding, or a kink: nothing to gain any more
            break
        else:  # the objective is sharper with the next barrier parameter
            mu, since = max(_LAST, _SHRINK * mu), 0
            B, first = np.eye(start.size), True
            heights.clear()
            point = _point(functions, point.x, mu, curved(point.x) if curved else None)
            evaluations += 1
    return Found(point.x, point.value, step, evaluations, converged)


def _point(functions: Functions, x: Array, mu: float, curved: CurvedValues | None) -> _Point:
    value, gradient = functions.objective(x, 1.0 / mu)
    blocks, below, above, at = [], list[Array](), list[Array](), 0
    for part, R, r, bound in functions.blocks:
        values = R @ x[part] + r
        blocks.append((part, slice(at, at + r.size), R))
        below.append(bound + values)
        above.append(bound - values)
        at += r.size
    if functions.jacobian and curved:
        J = functions.jacobian(x)
        blocks.append((slice(0, x.size), slice(at, at + len(J)), J))
        below += [1.0 + curved.shares, curved.above]
        above.append(1.0 - curved.shares)
    rows = _Rows(blocks)
    return _Point(x, value, gradient, rows, np.concatenate(below), np.concatenate(above))


def _newton(point: _Point, z: _Multipliers, mu: float) -> tuple[Array, Array]:
    """Gradient of the barrier function, and J^T diag(z/s) J."""
    push, weights = -mu / point.below, z.below / point.below
    both = point.above.size
    push[:both] += mu / point.above
    weights[:both] += z.above / point.above
    size = point.x.size
    slope = point.gradient + point.rows.weighed(push, size)
    return slope, point.rows.gram(weights, size)


def _line_search(
    functions: Functions,
    point: _Point,
    direction: Array,
    decrement: float,
    mu: float,
    height: float,
) -> tuple[_Point | None, int]:
    """A point where the barrier function is below a height, and how many were looked at."""
    linear = sum(len(block.r) for block in functions.blocks)
    change = point.rows.times(direction)[:linear]
    nearest = max(
        float((-change / point.below[:linear]).max(initial=0.0)),
        float((change / point.above[:linear]).max(initial=0.0)),
    )
    length = min(1.0, _BOUNDARY / nearest) if nearest > 0 else 1.0
    for tried in range(1, _HALVINGS + 1):
        x = point.x + length * direction
        curved = functions.curved(x) if functions.curved else None
        if curved is None or curved.slack > 0:
            try:
                new = _point(functions, x, mu, curved)
            except LinAlgError:  # no information left
                pass
            else:
                gained = height - new.value - mu * new.barrier()
                if gained >= _ARMIJO * length * decrement:
                    return new, tried
        length *= 0.5
    return None, _HALVINGS


def _multipliers(
    old: _Point, new: _Point, z: _Multipliers, direction: Array, mu: float
) -> _Multipliers:
    """The step of the multipliers, kept near mu/s of the new point."""
    change = old.rows.times(direction)
    below = (mu - z.below * change) / old.below
    above = (mu + z.above * change[: old.above.size]) / old.above
    return _Multipliers(_near(below, new.below, mu), _near(above, new.above, mu))


def _near(z: Array, slack: Array, mu: float) -> Array:
    central = mu / slack
    return np.clip(z, central / _NEAR, central * _NEAR)


def _updated(
    B: Array, first: bool, old: _Point, new: _Point, z: _Multipliers, curved: bool
) -> tuple[Array, bool]:
    """Damped BFGS of the Lagrangian's Hessian; linear bounds have none."""
    s = new.x - old.x
    y = new.gradient - old.gradient
    if curved:
        (_, rows, before), (_, _, after) = old.rows.blocks[-1], new.rows.blocks[-1]
        weights = -z.below[rows]
        upper = z.above[rows.start :]
        weights[: upper.size] += upper
        y = y + weights @ (after - before)
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
