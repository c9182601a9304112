"""Differentiators: antisymmetric filters that turn positions into velocities and so on.

    x'(i h)  ~  1/h  sum over k >= 1 of  taps[k - 1] (x[i + k] - x[i - k])

All of them are zero-phase and local, so that a recording can be differentiated piece by piece.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Method = Literal["central", "savitzky-golay", "spectral"]

_SPECTRAL_REACH = 32
_SPECTRAL_SHAPE = 20.0


def taps_of(method: Method, window: int, polynomial: int) -> Array:
    """The taps of a method for steps of 1, from the middle outwards.

    Args:
        method: `central`: (x[i+1] - x[i-1]) / 2, exact for parabolas, sin(w h) / (w h) of a sine.
            `savitzky-golay`: slope of a polynomial through `window` samples, smooths as well.
            `spectral`: i w of every frequency, to 1e-7 up to 0.8 of half the rate, by 65 samples.
        window: samples of the Savitzky-Golay polynomial, odd.
        polynomial: its degree.
    """
    if method == "central":
        return np.array([0.5])
    if method == "savitzky-golay":
        reach = window // 2
        k = np.arange(-reach, reach + 1) / reach
        slope = np.linalg.pinv(np.vander(k, polynomial + 1, increasing=True))[1] / reach
        return np.ascontiguousarray(slope[reach + 1 :])
    k = np.arange(1.0, _SPECTRAL_REACH + 1)
    ideal = (-1.0) ** (k + 1) / k  # the Fourier series of i w
    window_shape = np.kaiser(2 * _SPECTRAL_REACH + 3, _SPECTRAL_SHAPE)[_SPECTRAL_REACH + 2 : -1]
    taps = ideal * window_shape
    return np.asarray(taps / (2.0 * np.sum(k * taps)))  # exact for a straight line


def response(taps: Array, frequency_hz: Array, rate_hz: float) -> Array:
    """What a differentiator makes of a sine of amplitude 1: about 2 pi f [1/s]."""
    k = np.arange(1, taps.size + 1)
    phase = 2 * np.pi * np.multiply.outer(frequency_hz / rate_hz, k)
    return np.asarray(2 * rate_hz * (np.sin(phase) @ taps))
