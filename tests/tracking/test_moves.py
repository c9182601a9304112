"""References: inside the limits, smooth, and the same for all that share a seed."""

import numpy as np
import pytest

from robotid.robot.load import load_robot
from robotid.tracking.bounds import room_of
from robotid.tracking.gains import parse_gain
from robotid.tracking.moves import minimum_jerk, random_postures, sines
from robotid.tracking.options import TrackOptions

HZ = 1000.0


@pytest.mark.parametrize("robot", ["panda", "ur10", "double_pendulum"])
@pytest.mark.parametrize("task", ["moves", "sines"])
def test_inside_all_limits(robot, task):
    tree = load_robot(robot).tree
    options = TrackOptions(motions=20)
    room = room_of(tree, options)
    if task == "sines":
        found = sines(tree, room, TrackOptions(task="sines", motions=5), 23.0)
    else:
        found = minimum_jerk(random_postures(room, options, 3, 0.5), 0.5, 0.2, HZ)
    assert (found.q > tree.bound("lower")).all()
    assert (found.q < tree.bound("upper")).all()
    assert (np.abs(found.qd) <= 0.8 * tree.bound("velocity") * (1 + 1e-9)).all()
    for low, high in ((found.q, found.qd), (found.qd, found.qdd)):
        slope = np.gradient(low, 1 / HZ, axis=0)
        # Differences over two steps of functions whose third derivative is below some hundreds.
        np.testing.assert_allclose(slope[2:-2], high[2:-2], atol=3e-2 * np.abs(high).max())
    assert not found.qd[0].any()


def test_moves_start_and_end_at_rest_where_they_should():
    tree, options = load_robot("panda").tree, TrackOptions(motions=3)
    (move,) = random_postures(room_of(tree, options), options, 1, 2.0)
    found = minimum_jerk([move], 2.0, 0.5, HZ)
    assert found.q.shape == (2501, 3, 7)
    np.testing.assert_allclose(found.q[0], move.start)
    np.testing.assert_allclose(found.q[2000], move.goal)
    np.testing.assert_allclose(found.q[-1], move.goal)
    for rates in (found.qd, found.qdd):
        np.testing.assert_allclose(rates[[0, 2000, 2400]], 0.0, atol=1e-12)


def test_slow_and_fast_moves_share_their_postures():
    tree, options = load_robot("panda").tree, TrackOptions(motions=2)
    room = room_of(tree, options)
    (move,) = random_postures(room, options, 1, min(options.lengths_s))
    fast, slow = (minimum_jerk([move], s, 0.0, HZ) for s in options.lengths_s)
    np.testing.assert_allclose(fast.q[-1], slow.q[-1])
    np.testing.assert_allclose(np.abs(fast.qd).max(0), 5 * np.abs(slow.qd).max(0), rtol=1e-6)


def test_sines_have_the_published_periods_and_amplitudes():
    """As far as speed allows: the slow first joint of an arm has all of its amplitude."""
    tree = load_robot("panda").tree
    options = TrackOptions(task="sines", motions=1)
    found = sines(tree, room_of(tree, options), options, 23.0).q[1000:, 0]
    wanted = 0.7 * tree.bound("upper")[0]
    assert (found[:, 0].max() - found[:, 0].min()) / 2 == pytest.approx(wanted, rel=0.02)
    last = found[:, 6] - found[:, 6].mean()
    crossings = np.flatnonzero(np.diff(np.sign(last)))
    assert np.mean(np.diff(crossings)) / HZ == pytest.approx(2.5, rel=0.05)


@pytest.mark.parametrize(
    ("text", "n", "name", "values"),
    [
        ("soft", 3, "soft", (1.0, 1.0, 1.0)),
        ("stiff", 4, "stiff", (400.0, 400.0, 200.0, 200.0)),
        ("stiff", 1, "stiff", (400.0,)),
        ("25", 2, "25", (25.0, 25.0)),
        ("1,2", 2, "1,2", (1.0, 2.0)),
        ("mine=1,2", 2, "mine", (1.0, 2.0)),
        ("1,2", 3, "1,2", None),
    ],
)
def test_gains(text, n, name, values):
    gain = parse_gain(text)
    assert gain.name == name
    assert gain.of_joints(n) == values


@pytest.mark.parametrize("text", ["stif", "0", "-1", "nan", "1,", "=3", "stiff=3", "inf", ""])
def test_gains_that_are_none(text):
    with pytest.raises(ValueError, match=r"gain|above zero|is not"):
        parse_gain(text)
