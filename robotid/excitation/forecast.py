"""What a trajectory will tell as it is to be run, all plays together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import Play
from robotid.excitation.information import MotionInformation
from robotid.excitation.problem import Recipe
from robotid.excitation.regressor_adjoint import RegressorAdjoint

Array = NDArray[np.float64]

FASTER = 1.5


class Expected(NamedTuple):
    """Information of a trajectory as it is to be run, and if it were run faster, scaled."""

    information: Array
    faster: Array


class Forecaster:
    """Information of the plays of trajectories."""

    def __init__(self, recipe: Recipe) -> None:
        """Prepare for trajectories of a campaign."""
        self._weight, samples = recipe.weight, recipe.samples
        self._maps = recipe.space.maps(samples)
        regressor = RegressorAdjoint(recipe.robot, samples)
        self._information = MotionInformation(
            recipe.target, recipe.noise, 1.0 / samples, samples, regressor
        )

    def of(self, x: Array, plays: Sequence[Play]) -> Expected:
        """What the series of all plays tell; ramps are not counted."""
        motion = self._maps.motion(x)
        return Expected(
            np.sum([self._of(motion, play.slower) for play in plays], axis=0),
            np.sum([self._of(motion, play.slower / FASTER) for play in plays], axis=0),
        )

    def _of(self, motion: Array, slower: float) -> Array:
        slowed = motion / np.array([1.0, slower, slower**2])[:, None, None]
        return self._weight * slower * self._information.of(slowed)
