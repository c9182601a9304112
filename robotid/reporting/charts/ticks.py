"""Where the labels of an axis stand, and what they say; templates/script.js does the same."""

from math import ceil, floor, log10
from typing import NamedTuple

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_CLOSE = 1e-9  # of a step
_LARGE, _SMALL = 1e5, 1e-2  # beyond these, labels have an exponent


class Tick(NamedTuple):
    """A value of an axis and its label."""

    value: float
    text: str


def linear_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Round values between two others: as many as there is room for, of the finest such step."""
    raw = (high - low) / max(1, most)
    size = 10.0 ** floor(log10(raw) + _CLOSE)

    def places(step: float) -> range:
        return range(ceil(low / step - _CLOSE), floor(high / step + _CLOSE) + 1)

    times = next((s for s in _STEPS if len(places(s * size)) <= most), _STEPS[-1])
    step = times * size
    large = max(abs(low), abs(high))
    power = 3 * floor(log10(large) / 3 + _CLOSE) if large >= _LARGE or large < _SMALL else 0
    digits = max(0, power - floor(log10(step) + _CLOSE) + (1 if times == 2.5 else 0))
    ticks = []
    for k in places(step):
        text = f"{k * step / 10.0**power:.{digits}f}"
        ticks.append(Tick(k * step, "0" if k == 0 else f"{text}e{power}" if power else text))
    return ticks


def log_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Powers of ten between two values, about so many at most; 2, 5 or 3 times them with room."""
    powers = range(floor(log10(low) - _CLOSE), floor(log10(high) + _CLOSE) + 1)

    def inside(value: float) -> bool:
        return low * (1 - _CLOSE) <= value <= high * (1 + _CLOSE)

    for mantissas in ((1, 2, 5), (1, 3), (1,)):
        fine = [(m, k) for k in powers for m in mantissas if inside(m * 10.0**k)]
        if len(fine) <= most + 1:
            if len(fine) < 2:
                return linear_ticks(low, high, most)
            return [Tick(m * 10.0**k, _log_text(m, k)) for m, k in fine]
    whole = [k for k in powers if inside(10.0**k)]
    every = ceil(len(whole) / most)
    return [Tick(10.0**k, _log_text(1, k)) for k in whole[::every]]


def _log_text(mantissa: int, power: int) -> str:
    if -3 <= power < 4:
        return f"{mantissa * 10.0**power:.{max(0, -power)}f}"
    return f"{mantissa}e{power}"
