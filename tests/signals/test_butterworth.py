"""Filter design against scipy's, and what the cut-off means."""

import numpy as np
import pytest
from scipy import signal

from robotid.errors import ConfigError
from robotid.signals.butterworth import (
    design,
    design_cutoff,
    effective_cutoff,
    gain,
    memory,
)
from robotid.signals.derivative import response, taps_of
from robotid.signals.zero_phase import LowPass


@pytest.mark.parametrize("order", range(1, 13))
@pytest.mark.parametrize("cutoff_hz", [0.5, 5.0, 125.0, 240.0])
def test_sections_have_the_response_of_scipys(order, cutoff_hz):
    ours = design(cutoff_hz, order, 500.0)
    theirs = signal.butter(order, cutoff_hz, fs=500.0, output="sos")
    f, h = signal.sosfreqz(ours, 300, fs=500.0)
    # Rounding of coefficients moves poles by 1e-16, which counts 1e5 times at 0.5 Hz.
    np.testing.assert_allclose(h, signal.sosfreqz(theirs, 300, fs=500.0)[1], atol=1e-10)
    np.testing.assert_allclose(
        gain(f[:-1], cutoff_hz, order, 500.0), np.abs(h[:-1]) ** 2, atol=1e-10
    )


@pytest.mark.parametrize("order", [1, 2, 4, 7])
@pytest.mark.parametrize("rate_hz", [100.0, 1000.0])
def test_effective_cutoff_is_where_two_passes_have_half_the_power(order, rate_hz):
    chosen = design_cutoff(8.0, order, rate_hz)
    assert gain(np.array([8.0]), chosen, order, rate_hz)[0] ** 2 == pytest.approx(0.5)
    assert effective_cutoff(chosen, order, rate_hz) == pytest.approx(8.0)
    assert gain(np.array([8.0]), 8.0, order, rate_hz)[0] == pytest.approx(0.5)  # -6 dB


@pytest.mark.parametrize("order", [1, 2, 4, 8, 12])
def test_memory_is_how_long_a_disturbance_lasts(order):
    """The impulse response behind it sums to 1e-4 of the whole, within its polynomial factor."""
    impulse = np.zeros(200_000)
    impulse[0] = 1.0
    left = np.abs(signal.sosfilt(design(5.0, order, 1000.0), impulse))
    assert left[memory(5.0, order, 1000.0) :].sum() < 20e-4 * left.sum()


@pytest.mark.parametrize("cutoff_hz", [250.0, 1000.0, -1.0, 0.0, float("nan")])
def test_n01_cutoff_beyond_nyquist(cutoff_hz):
    with pytest.raises(ConfigError, match=r"half the rate, 250 Hz \(the recording has 500"):
        design(cutoff_hz, 4, 500.0)


@pytest.mark.parametrize(
    ("method", "upto", "error"),
    [("central", 0.05, 0.005), ("savitzky-golay", 0.05, 0.001), ("spectral", 0.8, 1e-7)],
)
def test_differentiators_are_i_omega_in_their_band(method, upto, error):
    """Up to a share of half the rate: sin(x) / x for central differences, far better for others."""
    f = np.linspace(0.1, upto * 50.0, 50)
    found = response(taps_of(method, 11, 3), f, 100.0)
    np.testing.assert_allclose(found, 2 * np.pi * f, rtol=error)


def test_savitzky_golay_is_scipys():
    taps = taps_of("savitzky-golay", 15, 4)
    np.testing.assert_allclose(taps, signal.savgol_coeffs(15, 4, deriv=1)[:7][::-1], atol=1e-14)


@pytest.mark.parametrize("cutoff_hz", [1e-12, 1e-13, 1e-15, 1e-300])
@pytest.mark.parametrize("rate_hz", [100.0, 200.001, 1000.0])
def test_n03_cutoff_so_low_that_poles_round_to_one_is_refused(cutoff_hz, rate_hz):
    """Such a filter would be unstable, or divide by zero."""
    with pytest.raises(ConfigError, match="memory"):
        LowPass([cutoff_hz], 4, rate_hz)
