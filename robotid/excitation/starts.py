"""Random trajectories strictly inside all limits, to start a search from."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import JointSeries
from robotid.errors import ConfigError
from robotid.excitation.interior_point import Block
from robotid.excitation.postures import AT_ONCE, Postures
from robotid.excitation.problem import Problem
from robotid.excitation.space import JointSpace

Array = NDArray[np.float64]

_ROOM = 0.7  # share of the linear limits that a start uses at most
_CENTRES = 0.5  # share of the half range in which centres lie
_SHRINKS, _MOST_SHRINKS = 12, 28  # by a quarter each: down to 4 percent, or to 0.04 percent
_SWINGS = 12  # about allowed postures, before one that was shrunk that far is taken
_BATCHES = 12  # of postures that are moved to where they are allowed
_WARM_SHRINKS = 40  # by a tenth each, down to 2 percent
_DRAWN = (0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0)
_ENOUGH = 1e-3  # slack of a point that a search begins with, as a share of torques or in metres


def random_start(problem: Problem, random: np.random.Generator) -> Array:
    """Free numbers of a random feasible trajectory, shape (size,).

    Where none but small motions fit in, it is the largest of a few.
    """
    curved = problem.functions().curved
    shrinks, best = _MOST_SHRINKS, None
    for tried, rest in enumerate(_rests(problem, random), 1):
        swing = random_swing(problem, random)
        for block in problem.blocks:
            swing[block.part] *= _largest(block, rest[block.part], swing[block.part])
        for shrink in range(shrinks):
            x: Array = rest + 0.75**shrink * swing
            if curved is None or curved(x).slack > 0:
                shrinks, best = shrink, x
                break
        if best is not None and (shrinks < _SHRINKS or tried >= _SWINGS):
            break
    if best is None:
        raise ConfigError(
            "infeasible-limits",
            "about allowed postures, even the smallest motions leave the limits",
            hint="widen limits, or reduce clearance",
        )
    return best


def _rests(problem: Problem, random: np.random.Generator) -> Iterator[Array]:
    """The robot at rest in allowed postures: random ones, moved to where they are allowed."""
    postures, nearest, allowed = None, ("", np.inf), False
    for _ in range(_BATCHES):
        rest = random_rest(problem, random)
        if _is_allowed(problem, rest):
            allowed = True
            yield rest
            continue
        nearest = min(nearest, problem.worst(rest), key=lambda item: item[1])
        if not problem.recipe.free_centre:
            raise ConfigError(
                "infeasible-limits",
                f"the posture to start at is not allowed: it breaks {nearest[0]}",
                hint="give another posture, or widen this limit",
            )
        postures = postures or Postures(problem)
        away = random.uniform(-1, 1, (AT_ONCE, len(problem.limits.joints)))
        for q in postures.moved_inside(problem.limits.middle + problem.limits.half * away):
            rest = _at_rest(problem, q)
            if _is_allowed(problem, rest):
                allowed = True
                yield rest
            else:
                nearest = min(nearest, problem.worst(rest), key=lambda item: item[1])
    if not allowed:
        raise ConfigError(
            "infeasible-limits",
            f"none of {_BATCHES * AT_ONCE} random postures could be moved to where all limits are "
            f"kept; the nearest breaks {nearest[0]}",
            hint="widen this limit, or reduce clearance",
        )


def _is_allowed(problem: Problem, x: Array) -> bool:
    curved = problem.functions().curved
    return curved is None or curved(x).slack > 0


def drawn_in(problem: Problem, x: Array, start: Array) -> Array | None:
    """A trajectory between x and rest that is well inside all limits, as near to x as may be.

    Args:
        problem: with more samples than the one that x and the start are inside of.
        x: free numbers.
        start: of the search that led to x.
    """
    curved = problem.functions().curved
    if curved is None:
        return x
    ys = problem.space.coefficients(start)
    rest = _at_rest(problem, np.array([y[0] for y in ys])) if problem.recipe.free_centre else 0.0
    best, most = None, 0.0
    for share in (*_DRAWN, *(1.0 + part for part in _DRAWN[1:])):
        at: Array = (1 - min(share, 1.0)) * x + min(share, 1.0) * start
        if share > 1.0:
            at = (2.0 - share) * start + (share - 1.0) * rest
        slack = curved(at).slack
        if slack > _ENOUGH:
            return at
        if slack > most:
            best, most = at, slack
    return best


def warm_start(problem: Problem, series: Sequence[JointSeries]) -> Array:
    """An earlier trajectory, drawn together until it is strictly inside all limits.

    Args:
        problem: the new one; the joints may have other harmonics.
        series: of each joint.
    """
    space, functions = problem.space, problem.functions()
    wanted = [_in_space(joint, own) for joint, own in zip(space.joints, series, strict=True)]
    rest = space.from_coefficients([np.r_[y[0], np.zeros(y.size - 1)] for y in wanted])
    swing = space.from_coefficients(wanted) - rest
    for shrink in range(_WARM_SHRINKS):
        x: Array = rest + 0.9**shrink * swing
        inside = min(_room(block, x[block.part]) for block in problem.blocks)
        if inside > 0 and (functions.curved is None or functions.curved(x).slack > 0):
            return x
    raise ConfigError(
        "infeasible-limits",
        "the trajectory to start from swings about a posture that is not allowed any more",
        hint="start without it",
    )


def _in_space(joint: JointSpace, own: JointSeries) -> Array:
    """Coefficients of an earlier series, zero for harmonics that it does not have."""
    count = len(joint.harmonics)
    y = np.zeros(1 + 2 * count)
    y[0] = own.centre
    for at, harmonic in enumerate(joint.harmonics):
        if harmonic in own.harmonics:
            known = own.harmonics.index(harmonic)
            y[1 + at], y[1 + count + at] = own.a[known], own.b[known]
    return y


def _room(block: Block, x: Array) -> float:
    """How far inside its bounds a joint is."""
    return float((block.bound - np.abs(block.R @ x + block.r)).min())


def random_rest(problem: Problem, random: np.random.Generator) -> Array:
    """The robot at rest somewhere inside its limits, or at the posture that was asked for."""
    space, limits = problem.space, problem.limits
    centres = limits.middle + _CENTRES * limits.half * random.uniform(-1, 1, len(limits.joints))
    if not problem.recipe.free_centre:
        return space.from_coefficients([joint.origin for joint in space.joints])
    return _at_rest(problem, centres)


def _at_rest(problem: Problem, q: Array) -> Array:
    """The robot at rest in a posture."""
    joints = problem.space.joints
    return problem.space.from_coefficients(
        [np.r_[at, np.zeros(joint.origin.size - 1)] for at, joint in zip(q, joints, strict=True)]
    )


def random_swing(problem: Problem, random: np.random.Generator) -> Array:
    """Coefficients without a centre of their own."""
    space = problem.space
    x = random.standard_normal(space.size)
    if problem.recipe.free_centre:
        ys = space.coefficients(x)
        x -= space.from_coefficients([np.r_[y[0], np.zeros(y.size - 1)] for y in ys])
    return x


def _largest(block: Block, rest: Array, swing: Array) -> float:
    """By how much a swing about a posture can be multiplied within a share of the limits."""
    at, by = block.R @ rest + block.r, block.R @ swing
    near = np.abs(at) + (1.0 - _ROOM) * (block.bound - np.abs(at))  # of a posture near its limits
    bound = np.maximum(_ROOM * block.bound, near)
    with np.errstate(divide="ignore"):
        room = np.where(by > 0, bound - at, bound + at) / np.abs(by)
    return float(max(0.0, room.min()))
