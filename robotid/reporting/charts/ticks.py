"""Where the labels of an axis stand, and what they say."""

from math import ceil, floor, log10
from typing import NamedTuple

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_CLOSE = 1e-9  # of a step


class Tick(NamedTuple):
    """A value of an axis and its label."""

    value: float
    text: str


def linear_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Round values between two others, at most so many."""
    span = high - low
    if not span > 0:
        return [Tick(low, f"{low:.4g}")]
    raw = span / max(1, most)
    size = 10.0 ** floor(log10(raw))
    step = size * next(s for s in _STEPS if s * size >= raw * (1 - _CLOSE))
    digits = max(0, -floor(log10(step) + _CLOSE) + (1 if step / size == 2.5 else 0))
    first, last = ceil(low / step - _CLOSE), floor(high / step + _CLOSE)
    values = [k * step for k in range(first, last + 1)]
    large = max(abs(low), abs(high))
    if large >= 1e5 or large < 1e-3:
        return [Tick(value, f"{value:.3g}") for value in values]
    return [Tick(value, f"{value:.{digits}f}") for value in values]


def log_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Powers of ten between two values, at most so many; 1, 2 and 5 times them if there is room."""
    first, last = ceil(log10(low) - _CLOSE), floor(log10(high) + _CLOSE)
    every = max(1, ceil((last - first + 1) / max(1, most)))
    powers = [10.0**k for k in range(first, last + 1, every)]
    if len(powers) > 2 or every > 1:
        return [Tick(value, _power(value)) for value in powers]
    fine = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
    inside = [value for value in fine if low * (1 - _CLOSE) <= value <= high * (1 + _CLOSE)]
    return [Tick(value, f"{value:.3g}") for value in inside[: most + 3]]


def _power(value: float) -> str:
    return f"{value:g}" if 1e-3 <= value < 1e4 else f"1e{round(log10(value))}"
