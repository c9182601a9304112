"""The interior-point method on problems whose answers are known."""

import time

import numpy as np
import pytest

from robotid.excitation.interior_point import Block, CurvedValues, Functions, minimise
from robotid.excitation.starts import random_start
from tests.excitation.settings import DOUBLE, made_problem, rng

NEAR = 5e-3


def box(size, bound=1.0):
    return Block(slice(0, size), np.eye(size), np.zeros(size), np.full(size, bound))


def nearest_to(target, seen=None):
    """Half the squared distance from a target."""

    def objective(x, _):
        if seen is not None:
            seen.append(x.copy())
        return 0.5 * float((x - target) @ (x - target)), x - target

    return objective


def disc(radius):
    """|x|² / radius² as a share, and its slope."""
    return (
        lambda x: CurvedValues(np.array([x @ x / radius**2]), np.zeros(0)),
        lambda x: 2 * x[None] / radius**2,
    )


@pytest.mark.parametrize("seed", range(5))
def test_nearest_point_of_a_box(seed):
    target = rng(seed).normal(scale=1.5, size=6)
    found = minimise(
        Functions(nearest_to(target), None, None, [box(6)]), np.zeros(6), iterations=300
    )
    best = np.clip(target, -1, 1)
    np.testing.assert_allclose(found.x, best, atol=NEAR)
    assert found.value == pytest.approx(nearest_to(target)(best, 0.0)[0], abs=1e-4)
    assert found.converged


@pytest.mark.parametrize("radius", [0.5, 0.9, 5.0])
def test_nearest_point_of_a_disc_in_a_box(radius):
    target = np.array([2.0, 0.3])
    curved, jacobian = disc(radius)
    functions = Functions(nearest_to(target), curved, jacobian, [box(2)])
    found = minimise(functions, np.array([-0.1, 0.1]), iterations=300)
    expected = target * radius / np.linalg.norm(target) if radius < 1 else [1.0, 0.3]
    np.testing.assert_allclose(found.x, expected, atol=NEAR)


def test_a_one_sided_curved_bound():
    """x0 + x1 above 1, by a value that only has to be positive."""
    functions = Functions(
        nearest_to(np.zeros(2)),
        lambda x: CurvedValues(np.zeros(0), np.array([x.sum() - 1.0])),
        lambda x: np.ones((1, 2)),
        [box(2, 3.0)],
    )
    found = minimise(functions, np.array([2.0, 1.5]), iterations=300)
    np.testing.assert_allclose(found.x, [0.5, 0.5], atol=NEAR)


def test_every_point_it_looks_at_is_inside():
    seen: list[np.ndarray] = []
    curved, jacobian = disc(0.8)
    objective = nearest_to(np.array([3.0, -2.0, 1.0]), seen)
    found = minimise(
        Functions(objective, curved, jacobian, [box(3, 0.6)]), np.zeros(3), iterations=300
    )
    assert 5 < len(seen) <= found.evaluations  # what is outside is not asked for its value
    assert all(np.abs(x).max() < 0.6 and np.linalg.norm(x) < 0.8 for x in seen)


def test_every_step_of_a_design_is_inside():
    problem = made_problem("double_pendulum", harmonics=3, noise=(0.1,), **DOUBLE)
    functions, seen = problem.functions(), []

    def objective(x, sharpness):
        seen.append(x.copy())
        return functions.objective(x, sharpness)

    start = random_start(problem, rng(4))
    found = minimise(functions._replace(objective=objective), start, iterations=120)
    assert len(seen) > 30
    for x in [*seen, found.x]:
        assert problem.curved_values(x).slack > 0
        for block in problem.blocks:
            assert (np.abs(block.R @ x[block.part] + block.r) < block.bound).all()
    assert problem.value(found.x) < problem.value(start) - 0.5


def test_few_steps_are_few():
    problem = made_problem("double_pendulum", harmonics=3, noise=(0.1,), **DOUBLE)
    start, values = random_start(problem, rng(4)), []
    found = minimise(problem.functions(), start, iterations=5, told=values.append)
    assert found.iterations == 5
    assert 0 < len(values) <= 5
    assert not found.converged


def test_it_stops_when_told():
    began = time.monotonic()

    def objective(x, _):
        time.sleep(0.01)
        return 0.5 * float(x @ x) + float(np.cos(5 * x).sum()), x - 5 * np.sin(5 * x)

    found = minimise(
        Functions(objective, None, None, [box(4)]),
        np.full(4, 0.3),
        iterations=100000,
        stop=lambda: time.monotonic() > began + 0.05,
    )
    assert found.iterations < 30
    assert np.abs(found.x).max() < 1
