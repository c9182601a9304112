"""Long lines with fewer points that look the same."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def kept(y: Array, most: int) -> NDArray[np.int64]:
    """Which of many points to draw, ascending, at most so many.

    The first and the last stay, and of equal parts of a line the least and the greatest; a gap
    (a value that is not finite) stays as one such value.

    Args:
        y: shape (n,).
        most: points, at least 5.
    """
    if y.size <= most:
        return np.arange(y.size)
    gap = ~np.isfinite(y)
    parts = (most - 2) // (3 if gap.any() else 2)
    length = -(-y.size // parts)
    spare = parts * length - y.size

    def first(values: Array) -> NDArray[np.int64]:
        """Of each part, the place of its greatest value; beyond the end is none."""
        padded = np.concatenate([values, np.full(spare, -np.inf)]).reshape(parts, length)
        places = padded.argmax(axis=1) + length * np.arange(parts)
        return np.asarray(np.minimum(places, y.size - 1))

    places = [first(np.where(gap, -np.inf, sign * y)) for sign in (1.0, -1.0)]
    gaps = first(gap.astype(np.float64))
    return np.unique(np.concatenate([[0, y.size - 1], *places, gaps[gap[gaps]]]))


def thinned(x: Array, y: Array, most: int) -> tuple[Array, Array]:
    """A line, shapes (n,), with at most so many points."""
    places = kept(y, most)
    return x[places], y[places]
