"""Long lines with fewer points that look the same."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def thinned(x: Array, y: Array, most: int) -> tuple[Array, Array]:
    """At most so many points; of equal parts of a line, the least and the greatest stay.

    Args:
        x: shape (n,).
        y: shape (n,).
        most: points, at least 4.
    """
    if x.size <= most:
        return x, y
    edges = np.linspace(0, x.size, most // 2 + 1).astype(np.int64)
    kept = []
    for begin, end in pairwise(edges.tolist()):
        part = y[begin:end]
        if np.isfinite(part).any():
            places = {begin + int(np.nanargmin(part)), begin + int(np.nanargmax(part))}
            kept += sorted(places)
        else:
            kept.append(begin)
    kept = sorted({0, *kept, x.size - 1})
    return x[kept], y[kept]
