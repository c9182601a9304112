"""A start without a robot file: of many random robots, the one that errs least.

Heavy links hardly accelerate, whatever their parameters are: a search that begins with them finds
no slope. Many robots of all sizes cost little to try, and a few steps tell the best of them apart.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.models.forward_models import ForwardModel
from robotid.spatial.inertia import random_phi
from robotid.training.levenberg import LevenbergOptions, train_levenberg
from robotid.training.problem import Problem, Samples

Array = NDArray[np.float64]
Model = TypeVar("Model", bound=ForwardModel)

_LIGHTEST, _HEAVIEST = 0.02, 3.0  # typical mass of a link [kg]
_SMALLEST, _LARGEST = 0.02, 0.3  # typical length [m]
_MASS_SPREAD = 0.5  # of the logarithm, from link to link
_TRIED, _REFINED, _STEPS = 128, 8, 25
_SAMPLES = 400
_GOOD = 1e-3  # of the variance: no other start needs to be tried


class RandomRobot(NamedTuple):
    """Links (bodies, 10), placements of their frames as angles and shifts (bodies, 3) each."""

    links: Array
    angles: Array
    shifts: Array


def random_robot(bodies: int, random: np.random.Generator) -> RandomRobot:
    """Rigid bodies of one random size: light or heavy, short or long, turned anyhow."""
    size = np.exp(random.uniform(np.log(_SMALLEST), np.log(_LARGEST)))
    typical = np.exp(random.uniform(np.log(_LIGHTEST), np.log(_HEAVIEST)))
    mass = typical * np.exp(_MASS_SPREAD * random.normal(size=bodies))
    links = random_phi(mass, size, random).numpy()
    angles = random.uniform(-np.pi, np.pi, size=(bodies, 3))
    return RandomRobot(links, angles, size * random.normal(size=(bodies, 3)))


def best_start(make: Callable[[np.random.Generator], Model], train: Samples, seed: int) -> Model:
    """The model to begin with.

    Args:
        make: a model with random parameters from a stream.
        train: samples; a few hundred of them decide.
        seed: of the stream.
    """
    few, tried = promising(make, train, seed)
    best, least = tried[0], np.inf
    for model in tried:
        how = LevenbergOptions(steps=_STEPS, tolerance=_GOOD)
        found = train_levenberg(Problem(model, few, few), how).loss
        if found < least:
            best, least = model, found
        if least < _GOOD:
            break
    return best


def promising(
    make: Callable[[np.random.Generator], Model], train: Samples, seed: int
) -> tuple[Samples, list[Model]]:
    """A few samples, and the random models that err least on them, the best first."""
    random = np.random.default_rng(seed)
    few = train.at(torch.from_numpy(random.permutation(len(train.q))[:_SAMPLES]))
    tried = [make(random) for _ in range(_TRIED)]
    tried.sort(key=lambda model: _or_last(Problem(model, few, few).loss(few)))
    return few, tried[:_REFINED]


def _or_last(loss: float) -> float:
    return loss if np.isfinite(loss) else np.inf
