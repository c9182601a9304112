"""The certificate against dense sampling: it may be too careful, never too bold.

`ROBOTID_POINTS` sets how many points of each motion are looked at: 100,000 in `make soak`.
"""

import os

import numpy as np
import pytest

from robotid.excitation.certificate import broken, joint_lines, ramp_peaks, series_peaks
from robotid.excitation.design import design
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.ramps import State, between, ramp
from robotid.excitation.starts import random_start
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from robotid.signals.planned import PlannedMotion
from tests.excitation.settings import DOUBLE, made_problem, made_setting, rng

SETS, AT_ONCE = 1000, 50
POINTS = int(os.environ.get("ROBOTID_POINTS", "10000"))
LIMITED = {"acceleration": ("30",), "jerk": ("400",), **DOUBLE}


@pytest.mark.parametrize("at_rest", [True, False])
def test_never_inside_by_mistake(at_rest):
    """Random coefficients near the limits, some inside and some outside, at many points each."""
    setting = made_setting("double_pendulum", harmonics=3, noise=(0.1,), at_rest=at_rest, **LIMITED)
    space, limits, random = setting.space, setting.limits, rng(int(at_rest))
    sets = SETS // 2
    xs = random.normal(size=(sets, space.size))
    phases = np.sort(random.uniform(0, 2 * np.pi, POINTS))
    low, high = np.empty((2, sets, 4, len(space.joints)))
    for x in xs:  # the largest share of a limit is then at most a hundredth above or below 1
        ys = space.coefficients(x)
        shares = []
        for i, (joint, y) in enumerate(zip(space.joints, ys, strict=True)):
            for order in range(4):
                values = joint.basis(order, 40) @ y - (limits.middle[i] if order == 0 else 0.0)
                shares.append(np.abs(values).max() / limits.derivative(order)[i])
        np.divide(x, max(shares) * random.uniform(0.99, 1.01), out=x)
    for i, (joint, part) in enumerate(zip(space.joints, space.parts, strict=True)):
        for order in range(4):
            basis = joint.basis_at(order, phases)
            for first in range(0, sets, AT_ONCE):
                some = slice(first, first + AT_ONCE)
                values = basis @ (joint.origin + xs[some, part] @ joint.Z.T).T
                low[some, order, i], high[some, order, i] = values.min(0), values.max(0)
    inside, truly = np.zeros((2, sets), dtype=bool)
    for k, x in enumerate(xs):
        peaks = series_peaks(space, x, limits)
        assert (peaks.low <= low[k] + 1e-12).all()
        assert (peaks.high >= high[k] - 1e-9 * np.abs(high[k])).all()
        width = high[k] - low[k]
        assert (peaks.high - high[k] < 1e-3 * width + 1e-9).all()  # nor far too careful
        inside[k] = (
            broken(joint_lines(peaks, limits, setting.robot, "series", "for all times")) is None
        )
        bounds = np.array([limits.half, limits.velocity, limits.acceleration, limits.jerk])
        middle = np.array([limits.middle, *3 * [0 * limits.middle]])
        truly[k] = (np.maximum(high[k] - middle, middle - low[k]) <= bounds).all()
    assert not (inside & ~truly).any()
    assert inside.sum() > sets // 10
    assert (~truly).sum() > sets // 10
    assert (truly & ~inside).sum() < sets // 20


def test_the_search_keeps_limits_for_all_times():
    """What is inside at the samples of the search is inside by the certificate."""
    problem = made_problem("double_pendulum", harmonics=3, noise=(0.1,), **LIMITED)
    for seed in range(20):
        x = random_start(problem, rng(seed))
        for block in problem.blocks:  # out to the bounds of the samples
            values = block.R @ x[block.part] + block.r
            away = block.R @ (x[block.part] * 0.5)
            room = np.where(away > 0, block.bound - values, block.bound + values) / np.abs(away)
            x[block.part] *= 1 + 0.5 * 0.999 * room.min()
        peaks = series_peaks(problem.space, x, problem.limits)
        assert (peaks.high[0] < problem.limits.upper).all()
        assert (peaks.low[0] > problem.limits.lower).all()
        for order in (1, 2, 3):
            reached = np.maximum(peaks.high[order], -peaks.low[order])
            assert (reached < problem.limits.derivative(order)).all()


def random_state(random, n=3):
    return State(*random.normal(size=(3, n)))


@pytest.mark.parametrize("seed", range(20))
def test_extremes_of_ramps(seed):
    random = rng(seed)
    found = between(random_state(random), random_state(random), random.uniform(0.2, 5.0))
    x = np.linspace(0.0, 1.0, 20001)
    peaks = ramp_peaks(found)
    for order in range(4):
        values = np.polynomial.polynomial.polyval(x, found.derivative(order)).T
        size = np.abs(values).max(0)
        assert (peaks.high[order] >= values.max(0) - 1e-12 * size).all()
        assert (peaks.low[order] <= values.min(0) + 1e-12 * size).all()
        np.testing.assert_allclose(peaks.high[order], values.max(0), atol=1e-6 * size.max())
        np.testing.assert_allclose(peaks.low[order], values.min(0), atol=1e-6 * size.max())


def test_a_ramp_is_as_short_as_its_share_allows():
    setting = made_setting("double_pendulum", harmonics=3, noise=(0.1,), **LIMITED)
    limits, still = setting.limits, np.zeros(2)
    start, end = State(limits.middle, still, still), State(limits.upper * 0.9, still, still)
    found = ramp(start, end, limits, 0.25, None)

    def largest(ramp_found):
        peaks = ramp_peaks(ramp_found)
        return max(
            (np.maximum(peaks.high[o], -peaks.low[o]) / limits.derivative(o)).max()
            for o in (1, 2, 3)
        )

    assert largest(found) == pytest.approx(0.25, rel=1e-3)
    assert largest(found) <= 0.25
    np.testing.assert_allclose(found.at(np.array([0.0, 1.0]))[0], [start.q, end.q], atol=1e-12)


@pytest.mark.parametrize("posture", [(), (0.3, -0.4)])
def test_a_design_keeps_all_it_certifies(posture):
    """Ramps and plays included, at 1e5 points of the motion as it is to be run."""
    robot = load_robot("double_pendulum").tree
    options = ExcitationOptions(
        harmonics=3,
        restarts=1,
        iterations=60,
        noise=(0.1,),
        posture=posture,
        home=(0.1, 0.2),
        speeds=(0.4, 0.8),
        **LIMITED,
    )
    found = design(robot, Layout(robot, TERMS), options).design
    (planned,) = found.trajectories
    assert all(line.margin > 0 for line in planned.certificate)
    assert {line.proof for line in planned.certificate} == {
        "for all times",
        "by formula",
        "at samples",
    }
    assert {line.quantity for line in planned.certificate} == {
        "position",
        "velocity",
        "acceleration",
        "jerk",
        "torque",
    }
    for play in planned.plays:
        motion = PlannedMotion(planned, tuple(found.joints), play.slower)
        q, qd, qdd = motion.at(np.linspace(0.0, play.duration_s, POINTS))
        np.testing.assert_allclose(q[[0, -1]], np.tile([0.1, 0.2], (2, 1)), atol=1e-9)
        for i, name in enumerate(found.joints):
            limits = found.limits[name]
            assert limits.lower < q[:, i].min()
            assert q[:, i].max() < limits.upper
            assert np.abs(qd[:, i]).max() < limits.velocity
            assert np.abs(qdd[:, i]).max() < limits.acceleration
        # neither speed nor acceleration jumps where ramps and series meet
        steps = np.diff(qd, axis=0) * POINTS / play.duration_s
        assert np.abs(steps).max() < 1.05 * np.abs(qdd).max()
