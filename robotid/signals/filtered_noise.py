"""What a low-pass filter alone makes of white noise: the measure for residuals of filtered data."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.recording import RecordingFacts
from robotid.signals.butterworth import gain

Array = NDArray[np.float64]


class FilteredNoise(NamedTuple):
    """White noise after both passes of a low-pass, sampled at a rate.

    Args:
        rate_hz: of the samples.
        cutoff_hz: design value of one pass; None where nothing was filtered.
        order: of one pass.
        design_hz: rate at which the filter ran, before samples were left out.
    """

    rate_hz: float
    cutoff_hz: float | None = None
    order: int = 1
    design_hz: float | None = None

    @classmethod
    def of(cls, facts: RecordingFacts, joint: str) -> Self:
        """The noise that white noise of a joint's torque becomes in a recording."""
        done = facts.filter
        if done is None:
            return cls(facts.rate_hz)
        own = done.signal_cutoffs_hz
        cutoff = own.get(f"tau.{joint}", own.get("tau", done.cutoff_hz))
        return cls(facts.rate_hz, cutoff, done.order, facts.rate_hz * done.decimated_by)

    def _densities(self, size: int) -> Array:
        """Power at the lines of an FFT of some size, 1 where nothing is filtered out."""
        frequency_hz = np.fft.rfftfreq(size, 1 / self.rate_hz).astype(np.float64)
        if self.cutoff_hz is None:
            return np.ones_like(frequency_hz)
        rate_hz = self.rate_hz if self.design_hz is None else self.design_hz
        return gain(frequency_hz, self.cutoff_hz, self.order, rate_hz) ** 2

    def autocorrelation(self, lags: int) -> Array:
        """Correlation of samples that are 0, 1, ... steps apart, shape (lags,)."""
        size = 2 ** int(np.ceil(np.log2(max(4 * lags, 4096))))
        found = np.fft.irfft(self._densities(size))[:lags]
        return np.asarray(found / found[0])

    def expected_power(self, samples: int) -> Array:
        """Mean of |rfft|² of that many samples of variance 1, shape (samples // 2 + 1,)."""
        own = self.autocorrelation(samples) * (samples - np.arange(samples))
        around = own.copy()
        around[1:] += own[:0:-1]  # lags of both signs, taken around the circle
        return np.asarray(np.fft.rfft(around).real)

    @property
    def band_hz(self) -> float:
        """Frequencies up to which there is noise to look at."""
        return self.rate_hz / 2 if self.cutoff_hz is None else self.cutoff_hz

    @property
    def share(self) -> float:
        """Of the samples, how many count as independent: mean density over that at rest."""
        density = self._densities(8192)
        return float(np.concatenate([density[:-1], density[1:]]).mean())
