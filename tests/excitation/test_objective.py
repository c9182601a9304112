"""Gradients of the whole objective and of all constraints against finite differences."""

import numpy as np
import pytest

from robotid.excitation.interior_point import minimise
from robotid.excitation.problem import Problem
from robotid.excitation.starts import random_start
from tests.excitation.settings import DOUBLE, made_setting, rng

STEP = 1e-6
CASES = {
    "all": {},
    "subset": {"parameters": ("friction",)},
    "one link": {"parameters": ("lower_arm",)},
    "payload": {"payload_link": "lower_arm"},
    "given": {},
    "stribeck": {"terms": ("viscous", "coulomb(0.5)", "stribeck(1.5,0.5)", "rotor")},
    "load": {"terms": ("viscous", "coulomb(0.5)", "load(0.5)", "rotor")},
    "asymmetric": {"terms": ("viscous-asymmetric", "coulomb-asymmetric(0.5)", "offset")},
    "coupled": {"terms": ("viscous", "coulomb(0.5)"), "coupled": ("shoulder+elbow",)},
}


def names(robot="double_pendulum"):
    from robotid.robot.load import load_robot

    tree = load_robot(robot).tree
    return tree.links, tree.joint_names


def made(case, criterion):
    links, joints = names()
    options = {"criterion": criterion, "harmonics": 3, "noise": (0.5, 0.2), **DOUBLE}
    for key, value in CASES[case].items():
        swap = {"lower_arm": links[-1], "shoulder+elbow": "+".join(joints)}
        renamed = tuple(swap.get(one, one) for one in value) if isinstance(value, tuple) else None
        options[key] = swap.get(value, value) if renamed is None else renamed
    terms = options.pop("terms", ("viscous", "coulomb(0.5)", "offset", "rotor"))
    setting = made_setting("double_pendulum", terms, **options)
    given = setting.given
    if case == "given":
        root = rng(3).normal(size=given.shape)
        given = root @ root.T
    return Problem(setting.recipe, given)


def somewhere(problem, seed=5):
    """A point inside where all parameters are told apart, and differences are accurate."""
    start = random_start(problem, rng(seed))
    return minimise(problem.functions(), start, iterations=8).x


def slopes(function, x, directions):
    return np.stack(
        [(function(x + STEP * d) - function(x - STEP * d)) / (2 * STEP) for d in directions]
    )


@pytest.mark.parametrize("criterion", ["trace-inv", "logdet", "mineig", "cond"])
@pytest.mark.parametrize("case", list(CASES))
def test_gradient_of_the_objective(case, criterion):
    problem = made(case, criterion)
    x = somewhere(problem)
    directions = rng(1).normal(size=(6, x.size))
    for sharpness in (10.0, 1e4):
        value, gradient = problem.objective(x, sharpness)
        assert np.isfinite(value)
        expected = slopes(lambda at, s=sharpness: problem.objective(at, s)[0], x, directions)
        np.testing.assert_allclose(
            directions @ gradient, expected, rtol=2e-5, atol=2e-6 * np.abs(expected).max()
        )


def test_the_sharpest_objective_is_the_criterion():
    for criterion in ("mineig", "cond"):
        problem = made("all", criterion)
        x = somewhere(problem)
        value = problem.value(x)
        near = [problem.objective(x, sharpness)[0] for sharpness in (1e2, 1e4, 1e8)]
        assert abs(near[2] - value) < 1e-3 < abs(near[0] - value)
        assert problem.objective(x)[0] == value


@pytest.mark.parametrize("more", [{}, {"floor": -5.0}])
def test_jacobian_of_the_constraints(more):
    setting = made_setting("panda", harmonics=3, **more)
    problem = Problem(setting.recipe, setting.given)
    x = random_start(problem, rng(2))
    directions = rng(1).normal(size=(3, x.size))

    def values(at):
        return np.concatenate(problem.curved_values(at))

    found = directions @ problem.curved_jacobian(x).T
    np.testing.assert_allclose(found, slopes(values, x, directions), rtol=1e-5, atol=1e-6)


def test_information_counts_as_a_long_sum_does():
    """Of a fit on the same motion at the assumed rate, weighted by the noise, friction and all."""
    from robotid.information.regressor import Motion, row_columns

    setting = made_setting("double_pendulum", noise=(0.5, 0.2), **DOUBLE)
    problem = Problem(setting.recipe, setting.given)
    x, target = random_start(problem, rng(8)), setting.unknowns.target
    times = np.arange(1000) / 100.0
    motion = Motion(*(setting.space.at(x, times, order) for order in range(3)))
    A = np.zeros((target.size, target.size))
    rows = zip(row_columns(target.layout, motion), target.layout.columns, strict=True)
    for row, (W, columns) in enumerate(rows):
        Y = np.zeros((len(times), target.layout.parameters))
        Y[:, columns] = W
        Y = Y[:, target.columns] * target.scale / setting.noise[row]
        A += Y.T @ Y
    found = problem.information(x)
    np.testing.assert_allclose(found, A, atol=5e-3 * np.abs(A).max())
