"""Zero-phase Butterworth filtering and the acceleration that follows from it."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from robotid.errors import ConfigError


def design(cutoff_hz: float, order: int, rate_hz: float) -> NDArray[np.float64]:
    """Second-order sections of a Butterworth low-pass.

    Args:
        cutoff_hz: design value f_c: |H(f)|^2 = 1 / (1 + (f / f_c)^(2 order)). Run forward and
            backward, the filter has |H|^2 as its gain, so -6 dB at f_c.
        order: of the filter that runs forward.
        rate_hz: sampling rate of the signals.

    Returns:
        Shape (ceil(order / 2), 6).
    """
    if not 0 < cutoff_hz < rate_hz / 2:
        raise ConfigError(
            "cutoff-beyond-nyquist",
            f"cutoff_hz {cutoff_hz:g} must lie between 0 and half the rate, {rate_hz / 2:g} Hz",
        )
    sections: NDArray[np.float64] = signal.butter(order, cutoff_hz, fs=rate_hz, output="sos")
    return sections


def memory(sections: NDArray[np.float64]) -> int:
    """Samples after which a disturbance has decayed to 1e-4: ceil(ln 1e-4 / ln max |pole|)."""
    poles = np.concatenate([np.roots(section[3:]) for section in sections])
    return math.ceil(math.log(1e-4) / math.log(float(np.abs(poles).max())))


def smooth(values: NDArray[np.float64], sections: NDArray[np.float64]) -> NDArray[np.float64]:
    """Filter each channel forward and backward.

    Args:
        values: shape (samples, channels), finite.
        sections: second-order sections.
    """
    if not np.isfinite(values).all():
        msg = "a value that is not finite would spread through the filter"
        raise ValueError(msg)
    filtered: NDArray[np.float64] = signal.sosfiltfilt(sections, values, axis=0)
    return filtered


def derivative(values: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Central differences (x[k+1] - x[k-1]) / 2 step along the first axis; same shape out.

    Args:
        values: shape (samples, ...).
        step: time between samples [s].
    """
    return np.gradient(values, step, axis=0)
