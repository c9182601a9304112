"""Where the data are: shares of limits, and positions with velocities."""

import numpy as np
import pytest

from robotid.contracts.fit_data import JointRange
from robotid.reporting.numbers import percent
from robotid.reporting.page import render
from robotid.reporting.sections import coverage
from robotid.reporting.sections.coverage import limits_chart, motion_chart, row
from tests.reporting.results import JOINTS, view
from tests.reporting.signals import excerpt, window, with_excerpt

TURNS = coverage.Units("rad", "rad/s", "N m")
DID = JointRange(
    q=(-1.0, 0.5), qd=(-2.0, 1.0), qdd=(-3.0, 3.0), tau=(-4.0, 8.0),
    position_limits=(-2.0, 4.0), velocity_limit=4.0, effort_limit=10.0,
)  # fmt: skip
FREE = JointRange(q=(-1, 1), qd=(-2, 1), qdd=(-3, 3), tau=(-4, 8))


def test_shares_of_limits():
    found = row("a", DID, TURNS)
    assert (found.position, found.velocity, found.effort) == (0.25, 0.5, 0.8)
    free = row("a", FREE, TURNS)
    assert (free.position, free.velocity, free.effort) == (None, None, None)
    odd = DID.model_copy(update={"position_limits": (1.0, 1.0), "velocity_limit": 0.0})
    assert (row("a", odd, TURNS).position, row("a", odd, TURNS).velocity) == (None, None)


def test_limits_that_stand_for_none(tmp_path):
    """Files write the largest number, or a very large one, where a joint turns for ever."""
    for limit, share in ((1e308, None), (1e16, 7.5e-17)):
        free = DID.model_copy(update={"position_limits": (-limit, limit)})
        assert row("a", free, TURNS).position == share
        chart = motion_chart(excerpt(window()), 0, TURNS, free)
        assert chart.marks == []
        assert chart.across.high < 100
    assert not limits_chart(
        {"a": DID.model_copy(update={"position_limits": (-1e308, 1e308)})}
    ).series


def test_bars_lie_between_the_limits():
    chart = limits_chart({"free": FREE, "a": DID})
    whole, used = chart.series  # a joint without limits has no bar
    np.testing.assert_allclose([used.low[0], used.y[0]], [100 / 6, 250 / 6])
    assert (whole.low[0], whole.y[0]) == (0, 100)
    assert used.x.mean() == pytest.approx(1.0)
    assert chart.across.names == ["free", "a"]


def test_training_and_held_out_data_have_colours_of_their_own():
    parts = excerpt(window("run1", "train", 300), window("run2", "test", 200), window("r", "val"))
    chart = motion_chart(parts, 1, TURNS, DID)
    training, held_out = chart.series
    assert (training.x.size, held_out.x.size) == (300, 600)
    np.testing.assert_array_equal(training.x, parts.windows[0].q[:, 1])
    np.testing.assert_array_equal(held_out.y[:200], parts.windows[1].qd[:, 1])
    assert training.colour != held_out.colour
    assert chart.marks == [-2.0, 4.0]
    assert chart.across.low < -2.0 < 4.0 < chart.across.high  # limits are in the picture
    assert motion_chart(parts, 1, TURNS, None).marks == []


def test_either_may_be_missing(tmp_path):
    assert coverage.section(view(tmp_path / "none")) is None
    ranges = view(tmp_path / "a", ranges=dict.fromkeys(JOINTS, DID))
    assert coverage.section(ranges).motions == []
    text = render([ranges])
    assert percent(0.25) in text
    assert percent(0.8) in text
    samples = with_excerpt(view(tmp_path / "b"), window())
    found = coverage.section(samples)
    assert (found.rows, found.limits) == ([], None)
    assert [drawing.chart.title for drawing in found.motions] == list(JOINTS)
    assert "extrapolates" not in render([samples])
