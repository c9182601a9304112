"""Random trajectories strictly inside all limits, to start a search from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import JointSeries
from robotid.errors import ConfigError
from robotid.excitation.interior_point import Block
from robotid.excitation.problem import Problem
from robotid.excitation.space import JointSpace

Array = NDArray[np.float64]

_ATTEMPTS = 400
_ROOM = 0.7  # share of the linear limits that a start uses at most
_CENTRES = 0.5  # share of the half range in which centres lie
_SHRINKS = 12  # by a quarter each, down to 4 percent
_WARM_SHRINKS = 40  # by a tenth each, down to 2 percent


def random_start(problem: Problem, random: np.random.Generator) -> Array:
    """Free numbers of a random feasible trajectory, shape (size,)."""
    functions = problem.functions()
    least = ("", np.inf)
    for _ in range(_ATTEMPTS):
        rest, swing = random_rest(problem, random), random_swing(problem, random)
        for block in problem.blocks:
            swing[block.part] *= _largest(block, rest[block.part], swing[block.part])
        if functions.curved is None:
            return rest + swing
        for shrink in range(_SHRINKS):
            x: Array = rest + 0.75**shrink * swing
            if functions.curved(x).slack > 0:
                return x
        least = min(least, problem.worst(rest), key=lambda item: item[1])
    raise ConfigError(
        "infeasible-limits",
        f"none of {_ATTEMPTS} random trajectories is allowed; nearest to it breaks {least[0]}",
        hint="widen this limit, or start at a posture that is allowed",
    )


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
    return space.from_coefficients(
        [
            np.r_[centre, np.zeros(joint.origin.size - 1)]
            for centre, joint in zip(centres, space.joints, strict=True)
        ]
        if problem.recipe.free_centre
        else [joint.origin for joint in space.joints]
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
    at, by, bound = block.R @ rest + block.r, block.R @ swing, _ROOM * block.bound
    with np.errstate(divide="ignore"):
        room = np.where(by > 0, bound - at, bound + at) / np.abs(by)
    return float(max(0.0, room.min()))
