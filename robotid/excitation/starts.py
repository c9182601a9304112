"""Random trajectories strictly inside all limits, to start a search from."""

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.excitation.interior_point import Block
from robotid.excitation.problem import Problem

Array = NDArray[np.float64]

_ATTEMPTS = 400
_ROOM = 0.7  # share of the linear limits that a start uses at most
_CENTRES = 0.5  # share of the half range in which centres lie
_SHRINKS = 12  # by a quarter each, down to 4 percent


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
