"""Butterworth low-passes as second-order sections, run forward and backward.

One pass has |H(f)|^2 = 1 / (1 + (w / w_c)^(2 n)) with w = tan(pi f / rate), the frequency as the
bilinear transform warps it. Both passes together have |H|^2 as their gain and no phase.
"""

import math
import sys
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError

Array = NDArray[np.float64]
CutoffKind = Literal["design", "effective"]

SETTLED = 1e-4  # what is left of a disturbance where samples count as good
FORGOTTEN = 1e-15  # what is left of it where pieces of a recording are filtered separately


def check_cutoff(cutoff_hz: float, rate_hz: float) -> None:
    """Refuse what no filter can have at this rate.

    Args:
        cutoff_hz: what was asked for.
        rate_hz: the real rate of the recording.
    """
    if not 0 < cutoff_hz < rate_hz / 2:
        raise ConfigError(
            "cutoff-beyond-nyquist",
            f"cutoff_hz {cutoff_hz:g} must lie between 0 and half the rate, {rate_hz / 2:.4g} Hz "
            f"(the recording has {rate_hz:.6g} samples per second)",
            hint="cutoff_hz is in Hz, not a share of the rate",
        )


def design_cutoff(effective_hz: float, order: int, rate_hz: float) -> float:
    """The design value whose two passes together have -3 dB at `effective_hz`.

    |H|^4 = 1/2 where (w / w_c)^(2 n) = sqrt(2) - 1.
    """
    warped = math.tan(math.pi * effective_hz / rate_hz)
    return rate_hz / math.pi * math.atan(warped / (math.sqrt(2) - 1) ** (0.5 / order))


def effective_cutoff(cutoff_hz: float, order: int, rate_hz: float) -> float:
    """Where the two passes of a filter of this design value have -3 dB."""
    warped = math.tan(math.pi * cutoff_hz / rate_hz)
    return rate_hz / math.pi * math.atan(warped * (math.sqrt(2) - 1) ** (0.5 / order))


def design(cutoff_hz: float, order: int, rate_hz: float) -> Array:
    """Second-order sections of a Butterworth low-pass.

    Each section has gain 1 at rest, so that no section works with very large or small numbers.

    Args:
        cutoff_hz: design value: -3 dB in one pass, -6 dB in both.
        order: of one pass.
        rate_hz: sampling rate of the signals.

    Returns:
        Rows b0 b1 b2 1 a1 a2, shape (ceil(order / 2), 6).
    """
    check_cutoff(cutoff_hz, rate_hz)
    k = math.tan(math.pi * cutoff_hz / rate_hz)
    rows = []
    if order % 2:
        rows.append([k / (1 + k), k / (1 + k), 0.0, 1.0, (k - 1) / (k + 1), 0.0])
    for pair in range(order // 2):
        damping = 2 * math.sin(math.pi * (2 * pair + 1) / (2 * order))
        scale = 1 + k * damping + k * k
        b = k * k / scale
        rows.append([b, 2 * b, b, 1.0, 2 * (k * k - 1) / scale, (1 - k * damping + k * k) / scale])
    return np.array(rows)


def gain(frequency_hz: Array, cutoff_hz: float, order: int, rate_hz: float) -> Array:
    """Gain of both passes at some frequencies, which lie within half the rate."""
    ratio = np.tan(np.pi * np.minimum(frequency_hz / rate_hz, 0.5 - 1e-9))
    ratio = ratio / math.tan(math.pi * cutoff_hz / rate_hz)
    return np.asarray(1.0 / (1.0 + ratio ** (2 * order)))


def memory(cutoff_hz: float, order: int, rate_hz: float, left: float = SETTLED) -> int:
    """Samples after which a disturbance has decayed to `left`: ln left / ln max |pole|."""
    sections = design(cutoff_hz, order, rate_hz)
    slowest = 0.0
    for a1, a2 in sections[:, 4:]:
        disc = complex(a1 * a1 - 4 * a2) ** 0.5
        slowest = max(slowest, abs((-a1 + disc) / 2), abs((-a1 - disc) / 2))
    if slowest == 0.0:  # a cut-off at a quarter of the rate: all poles in the origin
        return order
    if slowest >= 1.0:  # so low a cut-off that rounding puts a pole on the unit circle: for ever
        return sys.maxsize
    return max(order, math.ceil(math.log(left) / math.log(slowest)))
