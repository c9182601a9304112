"""Averaging over periods: the mean, the noise it knows of, the period it finds."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.signals.findings import findings_of
from tests.signals.signals import columns_of, rms, run_filter

PERIOD = 3.0
STEP = 0.004
NOISE = 2e-3


def wave(t, derivative=0):
    """Harmonics 1, 2 and 5 of the period, or a derivative of them."""
    total = np.zeros_like(t)
    for k, amplitude in ((1, 1.0), (2, 0.5), (5, 0.1)):
        w = 2 * np.pi * k / PERIOD
        total += amplitude * w**derivative * np.sin(w * t + k + derivative * np.pi / 2)
    return total


def recorded(periods, seed=0, ramp=False):
    t = np.arange(0, periods * PERIOD, STEP)
    scale = np.minimum(t / 2.0, 1.0) if ramp else 1.0
    rng = np.random.default_rng(seed)
    q = scale * wave(t) + rng.normal(0, NOISE, t.size)
    tau = scale * wave(t, 2) + rng.normal(0, 5 * NOISE, t.size)
    return columns_of(t, q_a=q, tau_a=tau)


def test_mean_has_less_noise_and_says_how_much_there_was():
    rows, done = run_filter(recorded(20), average_periods=True, period_s=PERIOD, cutoff_hz=40.0)
    t = rows["t"] / 1e9
    assert done.samples == round(PERIOD / STEP)
    assert done.trimmed == 0
    assert done.period.periods == 20
    # 750 places with 19 degrees of freedom each know a standard deviation to under 1 %.
    assert done.period.noise_std == pytest.approx({"q.a": NOISE, "tau.a": 5 * NOISE}, rel=0.03)
    passed = np.sqrt(40.0 / 125.0 / 20)  # what the low-pass and the mean leave of the noise
    assert rms(rows["q.a"] - wave(t)) == pytest.approx(NOISE * passed, rel=0.25)


def test_ends_of_a_period_are_as_good_as_its_middle():
    """Without noise one period is filtered as one of endlessly many."""
    t = np.arange(0, 5 * PERIOD, STEP)
    rows, _ = run_filter(
        columns_of(t, q_a=wave(t)),
        average_periods=True,
        period_s=PERIOD,
        cutoff_hz=20.0,
        acceleration="spectral",
    )
    at = rows["t"] / 1e9
    np.testing.assert_allclose(rows["qdd.a"], wave(at, 2), atol=1e-5 * np.abs(wave(at, 2)).max())


@pytest.mark.parametrize("ramp", [False, True])
def test_period_is_found(ramp):
    _, done = run_filter(recorded(15, ramp=ramp), average_periods=True)
    assert done.period.found
    # The phase drifts by 15 times the error: 1e-5 of a period is a hundredth of the noise here.
    assert done.period.period_s == pytest.approx(PERIOD, rel=2e-5)
    assert "period-found" in [n.code for n in findings_of(done)]


def test_periods_that_differ_at_the_ends_are_left_out_and_named():
    rows, done = run_filter(recorded(10, ramp=True), average_periods=True, period_s=PERIOD)
    assert done.period.left_out == [0]
    assert done.period.periods == 9
    assert done.period.noise_std["q.a"] == pytest.approx(NOISE, rel=0.05)
    assert "period-left-out" in [n.code for n in findings_of(done)]
    assert np.abs(rows["q.a"] - wave(rows["t"] / 1e9)).max() < 5e-3


def test_gap_in_the_recording_keeps_the_phase():
    columns = recorded(12)
    keep = np.r_[0:1000, 1777:9000]
    columns = {name: values[keep] for name, values in columns.items()}
    rows, _ = run_filter(columns, average_periods=True, period_s=PERIOD)
    assert np.abs(rows["q.a"] - wave(rows["t"] / 1e9)).max() < 5e-3


def test_motion_that_does_not_repeat_itself():
    t = np.arange(0, 30, STEP)
    with pytest.raises(BadDataError, match="does not repeat"):
        run_filter(columns_of(t, q_a=np.sin(0.2 * t**2)), average_periods=True)


def test_less_than_two_periods():
    with pytest.raises(BadDataError, match="fewer than two whole periods"):
        run_filter(recorded(1.6), average_periods=True, period_s=PERIOD)
