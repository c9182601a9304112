"""The compiled filter against scipy's, and pieces against the whole."""

import numpy as np
import pytest
from scipy import signal

from robotid.errors import ConfigError
from robotid.signals.butterworth import design
from robotid.signals.threads import Threads
from robotid.signals.zero_phase import LowPass, ZeroPhase


def filtered(values, low_pass, size, threads=2, halo=3):
    """All windows put together, fed with `size` samples at a time."""
    parts = []

    def keep(windows):
        for w in windows:
            assert w.values.shape[1] == w.before + w.end - w.begin + w.after
            parts.append(w.values[:, w.before : w.before + w.end - w.begin].copy())

    with Threads(threads) as pool:
        work = ZeroPhase(low_pass, halo, pool)
        for begin in range(0, values.shape[1], size):
            keep(work.push(values[:, begin : begin + size]))
        keep(work.close())
    return np.hstack(parts) if parts else np.empty((len(values), 0))


@pytest.mark.parametrize("channels", [1, 16, 21])
@pytest.mark.parametrize(("order", "cutoff_hz"), [(1, 20.0), (4, 5.0), (4, 250.0), (7, 30.0)])
def test_equals_filtering_the_whole_at_once(channels, order, cutoff_hz):
    """To 1e-12 of the largest value: rounding, and 1e-15 of what lies ahead of a piece."""
    values = np.random.default_rng(0).normal(size=(channels, 60_000)).cumsum(axis=1)
    low_pass = LowPass([cutoff_hz] * channels, order, 1000.0)
    sections = design(cutoff_hz, order, 1000.0)
    whole = signal.sosfiltfilt(sections, values, axis=1, padlen=low_pass.settled)
    error = np.abs(filtered(values, low_pass, 10_000) - whole).max()
    assert error < 1e-12 * np.abs(values).max()


@pytest.mark.parametrize(("size", "threads"), [(977, 1), (50_000, 3), (16_384, 2)])
def test_pieces_and_threads_change_no_bit(size, threads):
    values = np.random.default_rng(1).normal(size=(19, 50_000))
    low_pass = LowPass([5.0] * 19, 4, 1000.0)
    same = filtered(values, low_pass, 20_000, threads=1)
    assert same.shape == values.shape
    np.testing.assert_array_equal(filtered(values, low_pass, size, threads), same)


def test_channels_have_cutoffs_of_their_own():
    values = np.random.default_rng(2).normal(size=(3, 30_000))
    cutoffs = [5.0, 50.0, 20.0]
    done = filtered(values, LowPass(cutoffs, 4, 1000.0), 30_000)
    for row, cutoff in enumerate(cutoffs):
        alone = filtered(values[row : row + 1], LowPass([cutoff], 4, 1000.0), 30_000)
        middle = slice(3000, -3000)  # ends are continued over the slowest channel's memory
        np.testing.assert_allclose(done[row, middle], alone[0, middle], atol=1e-12)


def test_n03_high_order_is_stable():
    done = filtered(np.ones((1, 80_000)), LowPass([1.0], 12, 1000.0), 80_000)
    np.testing.assert_allclose(done, 1.0, atol=1e-9)


def test_stretch_shorter_than_the_memory_gives_nothing():
    low_pass = LowPass([5.0], 4, 1000.0)
    assert filtered(np.ones((1, low_pass.settled)), low_pass, 100).shape == (1, 0)


def test_filter_with_endless_memory_is_refused():
    with pytest.raises(ConfigError, match="has a memory of"):
        LowPass([1e-4], 4, 1e4)


def test_signal_at_rest_makes_no_numbers_that_are_slow_to_work_with():
    """What the filter remembers would decay to denormal numbers; it ends at 0."""
    values = np.zeros((1, 120_000))
    values[:, :1000] = 1.0
    done = filtered(values, LowPass([50.0], 4, 1000.0), 30_000)[0]
    small = np.abs(done[2000:])
    assert small.max() < 1e-12
    assert not np.any(done[60_000:])
    assert not np.any((small > 0) & (small < np.finfo(float).tiny))
