"""Filtering and differentiation against analytic truth."""

import numpy as np
import pytest

from robotid.errors import ConfigError
from robotid.signals.butterworth import derivative, design, memory, smooth
from robotid.signals.grid import resample, segments
from robotid.signals.low_pass import low_pass
from robotid.signals.splits import by_split

RATE = 500.0
T = np.arange(0, 20, 1 / RATE)


def inner(values, sections):
    trim = memory(sections)
    return values[trim:-trim]


@pytest.mark.parametrize("frequency_hz", [0.3, 1.0, 2.5])
def test_pass_band_keeps_amplitude_and_phase(frequency_hz):
    sections = design(10.0, 4, RATE)
    wave = np.sin(2 * np.pi * frequency_hz * T)[:, None]
    # Forward and backward: gain 1 / (1 + (f/fc)^8), no delay. 1e-4 is what `memory` leaves.
    expected = wave / (1 + (frequency_hz / 10.0) ** 8)
    error = np.abs(inner(smooth(wave, sections) - expected, sections)).max()
    assert error < 2e-4


def test_stop_band_is_removed():
    sections = design(10.0, 4, RATE)
    wave = np.sin(2 * np.pi * 60 * T)[:, None]
    assert np.abs(inner(smooth(wave, sections), sections)).max() < 1e-4


def test_acceleration_of_a_noisy_signal():
    """Filtered differences come within 1 % of the truth where the naive ones are useless."""
    w = 2 * np.pi * 0.7
    noise = np.random.default_rng(0).normal(0, 1e-4, T.size)
    position = (np.sin(w * T) + noise)[:, None]
    sections = design(5.0, 4, RATE)
    velocity = derivative(smooth(position, sections), 1 / RATE)
    acceleration = derivative(velocity, 1 / RATE)
    truth = (-(w**2) * np.sin(w * T))[:, None]
    error = np.sqrt(np.mean(inner(acceleration - truth, sections) ** 2))
    naive = derivative(derivative(position, 1 / RATE), 1 / RATE)
    naive_error = np.sqrt(np.mean(inner(naive - truth, sections) ** 2))
    assert error < 0.01 * w**2
    assert naive_error > 20 * error


@pytest.mark.parametrize("cutoff_hz", [250.0, 1000.0])
def test_n01_cutoff_beyond_nyquist(cutoff_hz):
    with pytest.raises(ConfigError, match="half the rate, 250 Hz"):
        design(cutoff_hz, 4, RATE)


def test_n06_nan_never_enters_the_filter():
    values = np.zeros((1000, 1))
    values[500] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        smooth(values, design(5.0, 4, RATE))


def test_n03_high_order_is_stable():
    values = smooth(np.ones((5000, 1)), design(1.0, 12, 1000.0))
    np.testing.assert_allclose(values, 1.0, atol=1e-6)


def test_segments_split_at_gaps():
    t = np.concatenate([np.arange(0, 1, 0.01), np.arange(2, 3, 0.01), np.arange(3.015, 4, 0.01)])
    step, pieces = segments(t)
    assert step == pytest.approx(0.01)
    assert [(piece.start, piece.stop) for piece in pieces] == [(0, 100), (100, 299)]


def test_resample_takes_jitter_out():
    rng = np.random.default_rng(1)
    t = np.arange(0, 2, 0.002)
    jittered = t + rng.uniform(-2e-4, 2e-4, t.size)
    grid, values = resample(jittered, np.sin(jittered)[:, None], 0.002)
    np.testing.assert_allclose(np.diff(grid), 0.002, rtol=1e-9)
    np.testing.assert_allclose(values[:, 0], np.sin(grid), atol=1e-6)


def _columns(start, samples=1000):
    return {"t": (np.arange(samples) * 10_000_000 + start).astype(np.int64), "x": np.zeros(samples)}


def test_n21_recordings_are_never_mixed():
    splits, within = by_split(
        {"a": _columns(0), "b": _columns(0), "c": _columns(0)},
        {"a": "train", "b": "val", "c": "test"},
        1.0,
    )
    assert {name: len(parts) for name, parts in splits.items()} == {"train": 1, "val": 1, "test": 1}
    assert not within


def test_single_recording_is_cut_with_a_gap():
    splits, within = by_split({"a": _columns(0)}, {"a": "train"}, gap_s=2.5)
    assert within
    train, test = splits["train"][0]["t"] / 1e9, splits["test"][0]["t"] / 1e9
    assert test[0] - train[-1] >= 2.5
    assert test.size == pytest.approx(200, abs=2)


def recording(*pieces):
    """A sine recorded at 200 Hz over the given spans [s], position only."""
    t = np.concatenate([np.arange(start, end, 0.005) for start, end in pieces])
    return {"t": np.round(t * 1e9).astype(np.int64), "q.a": np.sin(2 * t), "tau.a": np.cos(2 * t)}


def test_recording_gets_velocities_and_accelerations():
    done = low_pass(recording((0, 20)), ["a"], 5.0, 4)
    t = done.columns["t"] / 1e9
    np.testing.assert_allclose(done.columns["qd.a"], 2 * np.cos(2 * t), atol=2e-3)
    np.testing.assert_allclose(done.columns["qdd.a"], -4 * np.sin(2 * t), atol=1e-2)
    assert done.trimmed + t.size == 4000
    assert done.rate_hz == pytest.approx(200)


def test_n05_nothing_is_filtered_across_a_gap():
    """Two stretches give what each gives alone; a short one is left out and counted."""
    both = low_pass(recording((0, 10), (30, 41), (50, 51)), ["a"], 5.0, 4)
    first = low_pass(recording((0, 10)), ["a"], 5.0, 4)
    assert set(both.columns["segment"]) == {0, 1}
    np.testing.assert_array_equal(
        both.columns["qdd.a"][both.columns["segment"] == 0], first.columns["qdd.a"]
    )
    assert both.left_out == [(50.0, 200)]


def test_recording_that_is_too_short():
    done = low_pass(recording((0, 1)), ["a"], 5.0, 4)
    assert done.columns == {}
    assert done.needed > 200


def test_stretch_sampled_faster_than_the_rest_may_become_too_short():
    """It has samples enough in the log, and too few on the grid."""
    slow, fast = np.arange(0, 40, 0.005), 60 + np.arange(0, 2, 0.001)
    t = np.concatenate([slow, fast])
    columns = {"t": np.round(t * 1e9).astype(np.int64), "q.a": np.sin(t)}
    done = low_pass(columns, ["a"], 5.0, 4)
    assert done.left_out == [(60.0, 2000)]
