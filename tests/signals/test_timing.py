"""Time axes: the usual step, gaps, jitter, and times that run backward; resampling."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.signals.findings import findings_of
from robotid.signals.timing import survey
from tests.signals.signals import columns_of, rms, run_filter


def surveyed(t, size=1000, gap_steps=3.0):
    ns = np.round(np.asarray(t) * 1e9).astype(np.int64)
    return survey(lambda: (ns[k : k + size] for k in range(0, ns.size, size)), gap_steps)


@pytest.mark.parametrize("size", [2, 7, 1000])
def test_gaps_and_stretches(size):
    t = np.concatenate([np.arange(0, 1, 0.01), np.arange(2, 3, 0.01), np.arange(3.015, 4, 0.01)])
    found = surveyed(t, size)
    assert found.step_s == pytest.approx(0.01)
    assert (found.gaps, found.longest, found.samples) == (1, 199, 299)
    assert found.late == 1
    assert found.largest == pytest.approx(2.5)


def test_step_that_is_no_whole_number_of_nanoseconds():
    """A grid of 33333333 ns would be 0.3 ms off after an hour."""
    assert surveyed(np.arange(100_000) / 30.0).step_s == pytest.approx(1 / 30, rel=1e-9)


@pytest.mark.parametrize("slow_first", [True, False])
def test_first_piece_may_be_far_from_usual(slow_first):
    slow, fast = np.arange(0, 1000, 1.0), np.arange(0, 20, 0.001)
    parts = [slow, 2000 + fast] if slow_first else [fast[:1000], 100 + np.arange(0, 9000, 1.0)]
    found = surveyed(np.concatenate(parts))
    assert found.step_s == pytest.approx(0.001 if slow_first else 1.0)


@pytest.mark.parametrize(("step", "says"), [(0.0, "is the same as"), (-0.5, "is before")])
def test_n30_n31_times_must_increase(step, says):
    t = np.arange(0, 5, 0.01)
    t[300:] += step - 0.01
    with pytest.raises(BadDataError, match=f"the time of row 300 {says}") as error:
        surveyed(t, 50)
    assert error.value.notice.code == "time-not-increasing"


@pytest.mark.parametrize("t", [[], [1.0]])
def test_too_few_times(t):
    with pytest.raises(BadDataError, match="fewer than two samples"):
        surveyed(t)


def test_b60_jitter_is_resampled_and_said():
    """Cubic interpolation is better than the straight line by far, and close to no jitter at all."""
    rng = np.random.default_rng(1)
    even = np.arange(0, 20, 0.01)
    t = even + rng.uniform(-3e-3, 3e-3, even.size)
    w = 2 * np.pi * 3.0
    rows, done = run_filter(columns_of(t, q_a=np.sin(w * t)), cutoff_hz=12.0, gap_steps=2.0)
    at = rows["t"] / 1e9
    np.testing.assert_allclose(np.diff(rows["t"]), 1e9 * done.timing.step_s, atol=1.01)
    grid = np.arange(0, 20, done.timing.step_s)[5:-5]
    straight = np.interp(grid, t, np.sin(w * t)) - np.sin(w * grid)
    error = rows["q.a"] - np.sin(w * at) / (1 + (3 / 12) ** 8)
    assert rms(error) < 0.1 * rms(straight)
    (found,) = findings_of(done)
    assert found.code == "jitter"
    assert "resampled" in found.message


def test_samples_that_crowd_do_not_blow_up_noise():
    """Pairs 10 ns apart with noise: a cubic through them would be off by thousands."""
    rng = np.random.default_rng(2)
    even = np.arange(0, 20, 0.01)
    t = np.sort(np.concatenate([even + 0.003, even[::50] + 0.00300001]))
    q = np.sin(t) + rng.normal(0, 1e-3, t.size)
    rows, _ = run_filter(columns_of(t, q_a=q), rate_hz=96.0)
    assert np.abs(rows["q.a"] - np.sin(rows["t"] / 1e9)).max() < 3e-3


def test_lost_samples_short_of_a_gap_are_filled():
    t = np.delete(np.arange(0, 20, 0.01), np.arange(50, 1950, 37))
    rows, done = run_filter(columns_of(t, q_a=np.sin(2 * t)))
    assert done.timing.late == np.arange(50, 1950, 37).size
    np.testing.assert_allclose(rows["q.a"], np.sin(2 * rows["t"] / 1e9), atol=1e-4)
