"""Other ways to design a trajectory, for the same problem from the same start.

Each takes a problem, a start and a `Trace`, and calls `Trace.saw` for every point that it looks at;
what was best when is worked out afterwards, so that nobody pays for it. A point counts if it keeps
all limits of the problem, but for a rounding that the solvers themselves allow.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from excitation_autograd import AutogradProblem
from scipy.optimize import minimize

from robotid.excitation.interior_point import minimise
from robotid.excitation.problem import Problem
from robotid.excitation.starts import random_start

ALLOWED = 1e-5  # beyond a limit, as a share of it


@dataclass
class Trace:
    """Points by time of the processor since the beginning, in seconds."""

    seconds: list[float] = field(default_factory=list)
    points: list[np.ndarray] = field(default_factory=list)
    until: float = np.inf
    total: float = 0.0

    def __post_init__(self) -> None:
        self._began = time.process_time()

    def saw(self, x: np.ndarray) -> None:
        """A point was looked at."""
        self.seconds.append(time.process_time() - self._began)
        self.points.append(np.array(x, dtype=np.float64).ravel())

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.process_time() - self._began > self.until

    def end(self) -> None:
        """The search is over."""
        self.total = time.process_time() - self._began

    def judged(self, problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, the least value so far at each, and the best point."""
        found = np.array([value_if_allowed(problem, x) for x in self.points])
        return np.array(self.seconds), np.minimum.accumulate(found), self.points[found.argmin()]


def value_if_allowed(problem: Problem, x: np.ndarray) -> float:
    """The criterion; infinite where a limit is broken."""
    broken = max(
        float((np.abs(b.R @ x[b.part] + b.r) / b.bound).max()) - 1.0 for b in problem.blocks
    )
    if max(broken, -problem.curved_values(x).slack) > ALLOWED:
        return np.inf
    try:
        return problem.value(x)
    except np.linalg.LinAlgError:
        return np.inf


def ours(problem: Problem, start: np.ndarray, trace: Trace, iterations: int = 300) -> None:
    """The interior-point method of this package."""
    functions = problem.functions()

    def objective(x: np.ndarray, sharpness: float):
        trace.saw(x)
        return functions.objective(x, sharpness)

    found = minimise(functions._replace(objective=objective), start, iterations=iterations)
    trace.saw(found.x)


def best_of_random(problem: Problem, count: int, seed: int, trace: Trace) -> None:
    """Random trajectories within all limits."""
    random = np.random.default_rng([9, seed])
    for _ in range(count):
        x = random_start(problem, random)
        problem.value(x)
        trace.saw(x)


def evolution(problem: Problem, start: np.ndarray, trace: Trace, seed: int) -> None:
    """CMA-ES (Hansen's defaults); points outside are drawn back towards the start.

    The start is strictly inside the linear limits, which are convex, so the line to it crosses them
    once; what breaks a curved limit after that is drawn back by halves. Begun anew with twice the
    population when it has come to rest, until the time is up.
    """
    random = np.random.default_rng([7, seed])
    n, population = start.size, 4 + int(3 * np.log(start.size))
    while not trace.late:
        mean, spread = start.copy(), 0.1
        chosen = population // 2
        weights = np.log(chosen + 0.5) - np.log(np.arange(1, chosen + 1))
        weights /= weights.sum()
        mass = 1.0 / (weights**2).sum()
        c_path, c_spread = (4 + mass / n) / (n + 4 + 2 * mass / n), (mass + 2) / (n + mass + 5)
        c_one = 2 / ((n + 1.3) ** 2 + mass)
        c_mean = min(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (n + 1)) - 1) + c_spread
        usual = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
        C, path, path_spread = np.eye(n), np.zeros(n), np.zeros(n)
        axes, lengths = np.eye(n), np.ones(n)
        generation, last = 0, []
        while not trace.late and spread * lengths.max() > 1e-6:
            generation += 1
            if generation % max(1, int(1 / (10 * n * (c_one + c_mean)))) == 0:
                values, axes = np.linalg.eigh(C)
                lengths = np.sqrt(np.maximum(values, 1e-20))
            steps = (random.standard_normal((population, n)) * lengths) @ axes.T
            costs = []
            for step in steps:
                x, drawn = _drawn_in(problem, start, mean + spread * step)
                trace.saw(x)
                costs.append(problem.value(x) + 10.0 * drawn**2)
            order = np.argsort(costs)[:chosen]
            step = weights @ steps[order]
            mean = mean + spread * step
            path_spread = (1 - c_spread) * path_spread + np.sqrt(
                c_spread * (2 - c_spread) * mass
            ) * (axes @ ((axes.T @ step) / lengths))
            size = np.linalg.norm(path_spread)
            fading = np.sqrt(1 - (1 - c_spread) ** (2 * generation))
            steady = size / fading < (1.4 + 2 / (n + 1)) * usual
            path = (1 - c_path) * path + steady * np.sqrt(c_path * (2 - c_path) * mass) * step
            C = (
                (1 - c_one - c_mean + (1 - steady) * c_one * c_path * (2 - c_path)) * C
                + c_one * np.outer(path, path)
                + c_mean * (steps[order].T * weights) @ steps[order]
            )
            spread *= np.exp((c_spread / damping) * (size / usual - 1))
            last = [*last[-99:], min(costs)]
            if len(last) == 100 and max(last) - min(last) < 1e-5:
                break
        population *= 2


def _drawn_in(problem: Problem, start: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, float]:
    """The point, or one between start and it that is allowed, and how far it was drawn."""
    share = 1.0
    for block in problem.blocks:
        at = block.R @ start[block.part] + block.r
        by = block.R @ (x - start)[block.part]
        with np.errstate(divide="ignore"):
            room = np.where(by > 0, block.bound - at, block.bound + at) / np.abs(by)
        share = min(share, 0.999 * float(room.min()))
    while problem.curved_values(start + share * (x - start)).slack <= 0:
        share *= 0.8
    inside = start + share * (x - start)
    return inside, float(np.linalg.norm(x - inside))


def slsqp(problem: Problem, start: np.ndarray, trace: Trace, per_harmonic: int = 8) -> None:
    """A condition-number design as is usual: SLSQP, limits at samples, gradients by torch."""
    of = AutogradProblem(problem)
    A, b = [], []
    for block in problem.blocks:
        kept = slice(None, None, 32 // per_harmonic)
        for sign in (1.0, -1.0):
            rows = np.zeros((len(block.r[kept]), start.size))
            rows[:, block.part] = sign * block.R[kept]
            A.append(-rows)
            b.append(block.bound[kept] - sign * block.r[kept])
    A, b = np.vstack(A), np.concatenate(b)
    some = slice(None, None, 3)

    class Late(Exception):  # noqa: N818 - no error
        pass

    def objective(x):
        if trace.late:
            raise Late
        trace.saw(_drawn_in(problem, start, x)[0])  # between its samples it may be outside
        return of.objective(x, np.inf)

    def shares(x):
        found = of.curved_values(x).reshape(problem.recipe.samples, -1)[some].ravel()
        return np.concatenate([1 - found, 1 + found])

    def slopes(x):
        J = (
            of.curved_jacobian(x)
            .reshape(problem.recipe.samples, -1, x.size)[some]
            .reshape(-1, x.size)
        )
        return np.concatenate([-J, J])

    constraints = [
        {"type": "ineq", "fun": lambda x: A @ x + b, "jac": lambda x: A},
        {"type": "ineq", "fun": shares, "jac": slopes},
    ]
    with suppress(Late):
        minimize(
            objective,
            start,
            jac=True,
            method="SLSQP",
            constraints=constraints,
            options={"maxiter": 1000},
        )
