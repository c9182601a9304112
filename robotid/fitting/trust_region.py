"""Minimising with exact second derivatives in a region where they are believed."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_CLOSE = 0.05  # by which share the length of a step may miss the radius
_MOST_TRIES = 60


def best_step(curvatures: Array, slopes: Array, radius: float) -> Array:
    """The y with |y| ≤ radius that minimises slopes · y + ½ Σ curvatures y².

    Curvatures are ascending and may be negative; then the step is as long as the radius.
    """
    least = max(0.0, -float(curvatures[0]))
    if curvatures[0] > 0:
        inside: Array = -slopes / curvatures
        if np.linalg.norm(inside) <= radius:
            return inside
    low, high = least, least + float(np.linalg.norm(slopes)) / radius
    shift = low + 1e-3 * (high - low)
    for _ in range(_MOST_TRIES):
        raised = np.maximum(curvatures + shift, np.finfo(float).tiny)
        step: Array = -slopes / raised
        length = float(np.linalg.norm(step))
        if abs(length - radius) <= _CLOSE * radius or high - low <= 1e-14 * high:
            break
        low, high = (shift, high) if length > radius else (low, shift)
        # Newton's method on 1 / length, which is nearly a straight line of the shift.
        rise = float(np.sum(slopes**2 / raised**3))
        wanted = shift + (length / radius - 1.0) * length**2 / rise if rise > 0 else low
        shift = wanted if low < wanted < high else 0.5 * (low + high)
    if length < (1.0 - _CLOSE) * radius:  # no slope along the most negative curvature
        rest = np.sqrt(radius**2 - length**2)
        step[0] += rest if step[0] >= 0 else -rest
    elif length > radius:
        step *= radius / length
    return step


def predicted_gain(curvatures: Array, slopes: Array, step: Array) -> float:
    """By how much the model falls along a step."""
    return -float(slopes @ step + 0.5 * (curvatures @ step**2))
