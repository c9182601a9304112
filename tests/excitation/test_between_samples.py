"""The proof between samples: never a false word, and seldom a refusal without need."""

import numpy as np
import pytest

from robotid.excitation.between_samples import prove, speeds_near
from robotid.excitation.reach import Ranges
from tests.excitation.arms import PANDA_CAPSULES, panda

PERIOD = 10.0
W = 2 * np.pi / PERIOD * np.arange(1, 6)
DENSE = np.linspace(0, PERIOD, 20001)
DENSE_WAVES = np.sin(np.outer(DENSE, W)), np.cos(np.outer(DENSE, W))


@pytest.fixture(scope="module")
def arm():
    robot, kept = panda(
        capsules=[PANDA_CAPSULES[k] for k in (0, 3, 5, 7)],
        self_collision=True,
        floor=0.0,
        keep_out=("*:0.3,-0.2,-0.1,0.6,0.2,0.3",),
    )
    return robot, kept.clearances


def random_motion(robot, rng):
    """A Fourier series with five harmonics: positions, bounds of speed nearby and at all times."""
    lower, upper = Ranges.of(robot)
    a, b = rng.normal(size=(2, robot.n, 5)) * W * 0.12
    centre = (lower + upper) / 2 + rng.uniform(-0.25, 0.25, robot.n) * (upper - lower)

    def waves(t):
        return DENSE_WAVES if t is DENSE else (np.sin(np.outer(t, W)), np.cos(np.outer(t, W)))

    def q(t):
        sin, cos = waves(t)
        return centre + sin @ (a / W).T - cos @ (b / W).T

    def qd(t):
        sin, cos = waves(t)
        return cos @ a.T + sin @ b.T

    return q, speeds_near(qd, (np.hypot(a, b) * W).sum(1)), np.hypot(a, b).sum(1)


def test_never_a_false_word(arm):
    """Margins are set so that each motion comes as near to them as a thousandth of a millimetre."""
    robot, clearances = arm
    rng, wrong, refused, apart, evaluations = np.random.default_rng(7), 0, 0, 0, []
    for trial in range(200):
        q, bounds, fastest = random_motion(robot, rng)
        least = clearances.at(q(DENSE)).min(0)
        chosen = rng.integers(len(least))
        # 5 mm below the closest approach of one of them, right at it, or a little above
        gap = (0.005, 1e-6, -1e-6, 0.0)[trial % 4]
        margin, close = least[chosen] - gap, abs(gap) < 1e-5
        speeds, budget = fastest if trial % 5 == 0 else bounds, 4000 if close else 100_000
        proven = prove(clearances, q, speeds, 0, PERIOD, margin=margin, evaluations=budget)
        assert np.all(proven.bound <= least)
        np.testing.assert_allclose(
            proven.nearest, clearances.at(q(proven.time)).diagonal(), atol=1e-12
        )
        wrong += np.count_nonzero(proven.apart & (least <= margin))
        safe = least >= margin + 0.005 - 1e-12
        refused += np.count_nonzero(safe & ~proven.apart)
        apart += np.count_nonzero(safe)
        evaluations.append(proven.evaluations)
        # bounds are near what was seen
        gaps = np.where(proven.apart, 0.06 * (least - margin), 0.06 * np.abs(least - margin) + 2e-3)
        if not close:
            assert np.all(proven.bound >= proven.nearest - gaps - 1e-7)
    assert wrong == 0
    assert apart > 1000
    assert refused <= 0.01 * apart
    assert np.median(evaluations) < 5000


def test_a_short_budget_refuses_instead_of_guessing(arm):
    robot, clearances = arm
    rng = np.random.default_rng(8)
    for _ in range(20):
        q, bounds, _ = random_motion(robot, rng)
        least = clearances.at(q(DENSE)).min(0)
        few = prove(clearances, q, bounds, 0, PERIOD, evaluations=30)
        many = prove(clearances, q, bounds, 0, PERIOD)
        assert few.evaluations <= 30
        assert not np.any(few.apart & ~many.apart)
        assert np.all(few.bound <= least)
        assert few.apart.sum() < many.apart.sum()


def test_a_dip_between_the_first_samples_is_found(arm):
    """A joint that darts to the floor and back within a thousandth of the time."""
    _, clearances = arm
    home = np.array([0, -0.5, 0, -2.0, 0, 2.0, 0.0])
    down = home + np.array([0, 1.9, 0, 0.5, 0, 0, 0])
    middle, width = 4.321, 0.005

    def q(t):
        return home + np.clip(1 - np.abs(t - middle) / width, 0, 1)[:, None] * (down - home)

    def bounds(start, end):
        moves = (end > middle - width) & (start < middle + width)
        return moves[:, None] * np.abs(down - home) / width

    assert np.all(clearances.at(home[None]) > 0)
    proven = prove(clearances, q, bounds, 0, PERIOD)
    deepest = clearances.at(q(np.linspace(middle - width, middle + width, 2001))).min(0)
    assert deepest.min() < -0.1
    assert not np.any(proven.apart & (deepest <= 0))
    worst = int(np.argmin(deepest))
    assert abs(proven.time[worst] - middle) < width
    assert proven.bound[worst] <= deepest[worst] <= proven.nearest[worst] + 1e-3
    assert np.all(proven.apart[deepest > 0.005])


def test_nonsense_is_never_apart(arm):
    _, clearances = arm
    home = np.array([0, -0.5, 0, -2.0, 0, 2.0, 0.0])
    still = lambda t: np.tile(home, (len(t), 1))  # noqa: E731
    assert np.all(prove(clearances, still, np.zeros(7), 0, 1).apart)
    assert not np.any(prove(clearances, still, np.full(7, np.nan), 0, 1).apart)
    broken = lambda t: np.where(t[:, None] > 0.5, np.nan, still(t))  # noqa: E731
    assert not np.any(prove(clearances, broken, np.zeros(7), 0, 1).apart)
    assert not np.any(prove(clearances, still, np.full(7, np.inf), 0, 1, evaluations=1000).apart)
    with pytest.raises(ValueError, match="takes no time"):
        prove(clearances, still, np.zeros(7), 1, 1)
