"""Power spectra of signals that come in pieces (Welch's method), and the noise in them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BLOCK_S = 8.0  # a block this long shows tenths of a Hz
_LONGEST, _SHORTEST = 16384, 64
_BLOCKS = 32  # blocks that are looked at, spread over the recording
# Nuttall's window: a slow motion must not leak into the frequencies where noise is measured.
_SHAPE = np.array([0.355768, -0.487396, 0.144232, -0.012604])
_BINS = 64
_TOP = (0.5, 0.95)  # where only noise is expected, as shares of half the rate
_STEEPEST = 2.0  # power of differentiated white noise grows with the square of the frequency


class Spectrum(NamedTuple):
    """Power density [unit²/Hz] of each channel at some frequencies, shape (channels, n)."""

    frequency_hz: Array
    density: Array


class Welch:
    """Adds up the spectra of blocks; nothing reaches across the end of a stretch.

    Args:
        channels: their number.
        rate_hz: of the grid.
        samples: how many there will be, about.
        longest: how many the longest stretch will have, about.
    """

    def __init__(self, channels: int, rate_hz: float, samples: int, longest: int) -> None:
        wanted = 2 ** round(np.log2(max(_BLOCK_S * rate_hz, 1.0)))
        most = 2 ** int(np.log2(max(longest, 2))) // 2
        self._size = int(max(_SHORTEST, min(wanted, _LONGEST, most)))
        self._every = max(1, -(-samples // (self._size * _BLOCKS)))
        self._rate_hz = rate_hz
        turn = 2 * np.pi / self._size * np.multiply.outer(np.arange(self._size), np.arange(4))
        self._window = np.cos(turn) @ _SHAPE
        self._block = np.empty((channels, self._size))
        self._filled = self._seen = self._added = 0
        self._power = np.zeros((channels, self._size // 2 + 1))

    def push(self, values: Array) -> None:
        """Take the next samples of a stretch, shape (channels, n)."""
        used, n = 0, values.shape[1]
        while used < n:
            take = min(self._size - self._filled, n - used)
            if self._seen % self._every == 0:
                self._block[:, self._filled : self._filled + take] = values[:, used : used + take]
            self._filled, used = self._filled + take, used + take
            if self._filled == self._size:
                if self._seen % self._every == 0:
                    self._add()
                self._filled, self._seen = 0, self._seen + 1

    def end_stretch(self) -> None:
        """The next samples do not follow those before."""
        self._filled = 0

    def _add(self) -> None:
        block = self._block - self._block.mean(axis=1, keepdims=True)
        self._power += np.abs(np.fft.rfft(block * self._window, axis=1)) ** 2
        self._added += 1

    def spectrum(self) -> Spectrum | None:
        """The mean of all blocks, without the line at 0 Hz; None when there was no block."""
        if not self._added:
            return None
        scale = 2.0 / (self._rate_hz * np.sum(self._window**2) * self._added)
        frequency = np.fft.rfftfreq(self._size, 1 / self._rate_hz)
        return Spectrum(frequency[1:].astype(np.float64), self._power[:, 1:] * scale)


def in_bins(spectrum: Spectrum) -> Spectrum:
    """The spectrum in at most 64 bins of about equal width on a logarithmic axis."""
    f = spectrum.frequency_hz
    edges = np.unique(np.searchsorted(f, np.geomspace(f[0], f[-1], _BINS + 1)[:-1]))
    widths = np.diff(np.append(edges, f.size))
    middle = np.add.reduceat(f, edges) / widths
    return Spectrum(middle, np.add.reduceat(spectrum.density, edges, axis=1) / widths)


class Noise(NamedTuple):
    """Density of the noise of each channel at the frequencies of a spectrum, and its slope.

    The slope is that of the logarithms over the upper half of the frequencies: 0 for white noise, 2
    for that of a differentiated signal; clearly below 0 where the logger has filtered before.
    """

    density: Array
    slope: Array


def noise_of(spectrum: Spectrum) -> Noise:
    """What the upper half of the frequencies, where no motion is, says about the noise.

    It is taken to be white, or to grow with frequency as it does there, by the square at most.
    """
    f = spectrum.frequency_hz
    top = (f >= _TOP[0] * f[-1]) & (f <= _TOP[1] * f[-1])
    x = np.log(f[top])
    tiny = np.finfo(np.float64).tiny
    y = np.log(np.maximum(spectrum.density[:, top], tiny))
    slope = (y - y.mean(axis=1, keepdims=True)) @ (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    level = np.median(spectrum.density[:, top], axis=1)
    used = np.where(slope > 1.0, np.minimum(slope, _STEEPEST), 0.0)
    shape = (f / np.exp(x.mean())) ** used[:, None]
    return Noise(level[:, None] * shape, slope)
