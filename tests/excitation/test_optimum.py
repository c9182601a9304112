"""Optima that are known by formula or by trying a grid of coefficients."""

import itertools

import numpy as np
import pytest

from robotid.excitation.criteria import goal
from robotid.excitation.interior_point import minimise
from robotid.excitation.search import Searches
from robotid.excitation.starts import random_start
from tests.excitation.settings import PENDULUM, gantry, made_problem, made_setting, rng, table

# What is left to a barrier: a share of the amplitude.
NEAR = 2e-3


def best(setting):
    with Searches(setting.recipe, setting.options) as searches:
        return min(searches.attempts(setting.given, 0), key=lambda attempt: attempt.value)


def amplitudes(setting, x):
    ys = setting.space.coefficients(x)
    return [
        np.hypot(y[1], y[2]) / joint.w for y, joint in zip(ys, setting.space.joints, strict=True)
    ]


ONE_SINE = {"harmonics": 1, "at_rest": False, "position_share": 1.0, "noise": (0.5,)}


@pytest.mark.parametrize("criterion", ["trace-inv", "logdet", "mineig"])
@pytest.mark.parametrize(("period_s", "binding"), [(10.0, 1.0), (1.0, 3.0 / (2 * np.pi))])
def test_a_rotary_table_swings_as_far_as_it_may(tmp_path, criterion, period_s, binding):
    """One joint, one sine, one parameter: information is that of the largest amplitude allowed.

    With a long period that is the range, with a short one the limit of speed over the frequency.
    """
    setting = made_setting(table(tmp_path), (), criterion=criterion, period_s=period_s, **ONE_SINE)
    found = best(setting)
    assert amplitudes(setting, found.checked.x)[0] == pytest.approx(binding, rel=NEAR)
    # sum over samples of (scale q'')² / noise²
    w, (scale,) = 2 * np.pi / period_s, setting.unknowns.target.scale
    squares = 100.0 * period_s * (binding * w**2) ** 2 / 2
    assert found.value == pytest.approx(-np.log(squares * (scale / 0.5) ** 2), abs=3 * NEAR)


def gantry_information(setting, x, y):
    """Of sines of two amplitudes: torques are (m0 + m1) x'' and m1 y''."""
    names, w = setting.unknowns.names, setting.space.joints[0].w
    assert sorted(names) == ["l0.m", "l1.m"]
    rows = np.array([[x, x], [0.0, y]])[:, [int(name[1]) for name in names]]
    rows *= w**2 * setting.unknowns.target.scale / 0.5
    return 100.0 * setting.options.period_s * (rows.T @ rows) / 2


GANTRY = ONE_SINE | {"period_s": 5.0}


@pytest.mark.parametrize("criterion", ["trace-inv", "logdet", "mineig"])
def test_a_gantry_uses_both_ranges(tmp_path, criterion):
    """More of either motion is more information, so both slides go as far as they may."""
    setting = made_setting(gantry(tmp_path), (), criterion=criterion, **GANTRY)
    found = best(setting)
    limits = np.minimum(1.0, np.array([0.8, 0.5]) / setting.space.joints[0].w)
    np.testing.assert_allclose(amplitudes(setting, found.checked.x), limits, rtol=NEAR)
    expected = goal(criterion, gantry_information(setting, *limits)).value
    assert found.value == pytest.approx(expected, abs=3 * NEAR)


def test_a_gantry_is_balanced(tmp_path):
    """The condition number depends on the ratio of the amplitudes alone: that is found."""
    setting = made_setting(gantry(tmp_path), (), criterion="cond", **GANTRY)
    found = best(setting)
    ratios = np.geomspace(0.02, 1.0, 2000)
    tried = [goal("cond", gantry_information(setting, r, 1.0)).value for r in ratios]
    tried += [goal("cond", gantry_information(setting, 1.0, r)).value for r in ratios]
    assert found.value == pytest.approx(min(tried), abs=NEAR)


CRITERIA = ("trace-inv", "logdet", "mineig", "cond")
TWO_HARMONICS = {"harmonics": 2, "period_s": 3.0, "noise": (0.1,), "restarts": 6, **PENDULUM}


@pytest.fixture(scope="module")
def grid():
    """The information of all allowed trajectories of a grid of three free numbers."""
    problem = made_problem("pendulum", ("viscous",), **TWO_HARMONICS)
    assert problem.space.size == 3
    (block,) = problem.blocks
    axis = np.linspace(-1.2, 1.2, 31)
    points = np.array(list(itertools.product(axis, axis, axis)))
    points = points[(np.abs(points @ block.R.T + block.r) < block.bound).all(1)]
    allowed = [x for x in points if problem.curved_values(x).slack > 0]
    assert len(allowed) > 300
    found = [problem.information(x) for x in allowed]
    return [A for A in found if np.linalg.cond(A) < 1e12]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_pendulum_against_a_grid(criterion, grid):
    """Two harmonics from rest: none of all that were tried is better than what is found."""
    values = [goal(criterion, A).value for A in grid]
    found = best(made_setting("pendulum", ("viscous",), criterion=criterion, **TWO_HARMONICS))
    assert found.value <= min(values) + 1e-3
    assert min(values) - found.value < 0.5  # and the grid is fine enough to say something


def test_polishing_a_search_gains_nothing():
    """Where a search ends is an optimum: no step in any direction within the limits is better."""
    problem = made_problem("pendulum", noise=(0.1,), harmonics=3, period_s=4.0, **PENDULUM)
    found = minimise(problem.functions(), random_start(problem, rng(1)), iterations=300)
    random, gained = rng(2), 0.0
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(200):
            x = found.x + size * random.normal(size=found.x.size)
            inside = all((np.abs(b.R @ x[b.part] + b.r) < b.bound).all() for b in problem.blocks)
            if inside and problem.curved_values(x).slack > 0:
                gained = max(gained, problem.value(found.x) - problem.value(x))
    assert gained < 5e-3
