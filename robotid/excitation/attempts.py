"""One start of a search: a random trajectory, improved, and made safe.

A search may find gaps between its samples where torques or distances are beyond their limits. Where
pulling it back a little does not help, it goes on from there with twice the samples. A start may
also be too small a motion to tell everything; the search then begins as if a little were known.
"""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from robotid.contracts.excitation import JointSeries
from robotid.errors import ConfigError, Notice
from robotid.excitation.forecast import Forecaster
from robotid.excitation.interior_point import minimise
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem, Recipe
from robotid.excitation.safe import Checked, Checker, not_safe
from robotid.excitation.starts import drawn_in, random_start, warm_start

Array = NDArray[np.float64]

_DOUBLINGS = 4  # of the samples, at most
_LITTLE = (0.0, 0.01, 0.02, 0.03)  # shares of the way back to the start
_FURTHER = (0.05, 0.08, 0.12, 0.2, 0.3, 0.4)
_VAGUE, _ROUNDING = 1e-6, 1e-11  # information of what is not told: least, and share of the largest
_WAKING = 40  # steps until everything has to be told


class Job(NamedTuple):
    """One start.

    Args:
        known: information there is already, shape (b, b).
        name: of the trajectory that is being designed.
        seed: of the campaign.
        trajectory: number of the trajectory.
        start: number of the start.
        iterations: most steps of a search.
        warm: series of the joints to start from; None for random ones.
        until: time of `time.monotonic` when to stop; None for never.
    """

    known: Array
    name: str
    seed: int
    trajectory: int
    start: int
    iterations: int
    warm: tuple[JointSeries, ...] | None
    until: float | None

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.until is not None and time.monotonic() > self.until

    def random(self) -> np.random.Generator:
        """Where the start comes from."""
        return np.random.default_rng([self.seed, self.trajectory, self.start])


class Attempt(NamedTuple):
    """What a start led to.

    Args:
        number: of the start.
        checked: a trajectory that keeps all limits; None if there is none.
        value: its criterion; infinite without.
        iterations: steps of the search.
        evaluations: of criterion and gradient.
        why: what went wrong, if there is no trajectory.
    """

    number: int
    checked: Checked | None
    value: float
    iterations: int
    evaluations: int
    why: Notice | None = None


class Searcher:
    """Searches of a campaign in one process."""

    def __init__(self, recipe: Recipe, options: ExcitationOptions) -> None:
        """Prepare for the starts of a campaign."""
        self._recipe = recipe
        self._checker, self._forecaster = Checker(recipe, options), Forecaster(recipe)
        self._iterations = self._evaluations = 0

    def attempt(self, job: Job) -> Attempt:
        """What a start leads to, which depends on the job alone."""
        self._iterations = self._evaluations = 0
        checked, value, why = None, np.inf, None
        try:
            checked, value = self._judged(job, self._safe(job))
        except ConfigError as error:
            why = error.notice
        return Attempt(job.start, checked, value, self._iterations, self._evaluations, why)

    def _judged(self, job: Job, checked: Checked) -> tuple[Checked, float]:
        """The criterion of a trajectory, if all of its plays together tell everything."""
        told = job.known + self._forecaster.of(checked.x, checked.plays).information
        self._recipe.target.check_told(told)
        return checked, Problem(self._recipe, job.known).value(checked.x)

    def _safe(self, job: Job) -> Checked:
        problem = Problem(self._recipe, job.known)
        if job.warm is None:
            start = random_start(problem, job.random())
        else:
            start = warm_start(problem, job.warm)
        x: Array | None = start
        for doubling in range(_DOUBLINGS + 1):
            if x is None:
                break
            x = self._searched(job, problem, self._telling(job, problem, x))
            checked = self._checker.pulled_back(job.name, x, start, _LITTLE)
            if checked.broken is None:
                return checked
            if doubling == _DOUBLINGS or not checked.gaps:
                break
            finer = self._recipe._replace(samples=2 * problem.recipe.samples)
            problem = Problem(finer, job.known)
            x = drawn_in(problem, x, start)
        checked = self._checker.pulled_back(job.name, checked.x, start, _FURTHER)
        if checked.broken is not None:
            raise not_safe(checked.broken)
        return checked

    def _telling(self, job: Job, problem: Problem, x: Array) -> Array:
        """A trajectory that tells everything, if only a little; x itself if it does."""
        target, A = problem.recipe.target, problem.information(x)
        if target.tells(A):
            return x
        little = max(_VAGUE, _ROUNDING * float(np.trace(A)))
        vague = Problem(problem.recipe, job.known + little * np.eye(len(A)))
        x = self._searched(job, vague, x, min(_WAKING, job.iterations))
        target.check_told(problem.information(x))
        return x

    def _searched(self, job: Job, problem: Problem, x: Array, most: int | None = None) -> Array:
        steps = job.iterations if most is None else most
        try:
            found = minimise(problem.functions(), x, iterations=steps, stop=lambda: job.late)
        except LinAlgError:
            said = "rounding leaves nothing of what trajectories of this kind tell"
            hint = "give more harmonics or wider limits"
            raise ConfigError("not-told", said, hint=hint) from None
        self._iterations += found.iterations
        self._evaluations += found.evaluations
        return found.x
