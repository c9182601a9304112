"""From values to pixels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FAR = 2e4  # pixels: what is farther away than this is drawn there


class Scale(NamedTuple):
    """Values between two ends, on pixels between two others.

    Args:
        ends: of the axis, ascending.
        pixels: where these are.
        log: whether it is logarithmic; values that are not positive are then far below.
    """

    ends: tuple[float, float]
    pixels: tuple[float, float]
    log: bool

    def __call__(self, values: Array) -> Array:
        """Pixels of values, shape (n,); not finite where these are not."""
        known = np.isfinite(values)
        low, high = np.log(self.ends) if self.log else self.ends
        if self.log:
            values = np.log(np.maximum(values, self.ends[0] * 1e-3))
        share = (values - low) / (high - low)
        first, last = self.pixels
        placed = np.clip(first + share * (last - first), -_FAR, _FAR)
        return np.where(known, placed, np.nan)

    def at(self, value: float) -> float:
        """The pixel of one value."""
        return float(self(np.array([value]))[0])
