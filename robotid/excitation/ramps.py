"""Ways from a posture at rest into a series and back: polynomials with exact extremes."""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.excitation.limits import Limits

Array = NDArray[np.float64]

KINDS = ("position", "velocity", "acceleration", "jerk")
_SHORTEST_S, _LONGEST_S, _GROWTH = 0.05, 600.0, 1.1
_HALVINGS = 20


class State(NamedTuple):
    """Position, velocity and acceleration of all joints, shape (n,) each."""

    q: Array
    qd: Array
    qdd: Array


class Polynomials(NamedTuple):
    """A ramp: coefficients of x = t/duration, shape (6, n), and how long it takes [s]."""

    coefficients: Array
    duration_s: float

    def extremes(self, order: int) -> tuple[Array, Array]:
        """Least and largest value of a derivative within the ramp, shape (n,) each."""
        derived = self.derivative(order)
        ends = np.vstack([derived[0], derived.sum(0)])
        low, high = ends.min(0), ends.max(0)
        for joint in range(derived.shape[1]):
            slope = polynomial.polyder(derived[:, joint])
            roots = polynomial.polyroots(np.trim_zeros(slope, "b")) if slope.any() else np.zeros(0)
            # The real part of any root is a point of the ramp to look at, extreme or not.
            values = polynomial.polyval(np.clip(roots.real, 0.0, 1.0), derived[:, joint])
            low[joint] = min(low[joint], values.min(initial=np.inf))
            high[joint] = max(high[joint], values.max(initial=-np.inf))
        return low, high

    def derivative(self, order: int) -> Array:
        """Coefficients of a derivative with respect to time, in powers of x."""
        result: Array = np.asarray(polynomial.polyder(self.coefficients, order), dtype=np.float64)
        return result / self.duration_s**order

    def at(self, x: Array) -> Array:
        """Position, velocity and acceleration at shares of the way, shape (3, samples, n)."""
        parts = [polynomial.polyval(x, self.derivative(order)).T for order in range(3)]
        return np.stack(parts)


def between(start: State, end: State, duration_s: float) -> Polynomials:
    """The polynomial of fifth degree from state to state."""
    T = duration_s
    c0, c1, c2 = start.q, start.qd * T, 0.5 * start.qdd * T**2
    far = end.q - c0 - c1 - c2
    speed = end.qd * T - c1 - 2 * c2
    bend = end.qdd * T**2 - 2 * c2
    c3 = 10 * far - 4 * speed + 0.5 * bend
    c4 = -15 * far + 7 * speed - bend
    c5 = 6 * far - 3 * speed + 0.5 * bend
    return Polynomials(np.stack([c0, c1, c2, c3, c4, c5]), T)


def ramp(
    start: State, end: State, limits: Limits, share: float, duration_s: float | None
) -> Polynomials:
    """The shortest ramp within a share of the limits, or that of a given length if it is within.

    Where the series itself moves faster than that share, the ramp may be as fast as the series.

    Args:
        start: of the ramp.
        end: of the ramp.
        limits: of the joints.
        share: of the limits of speed, acceleration and jerk.
        duration_s: its length; None for as short as allowed.
    """
    if duration_s is not None:
        found = between(start, end, duration_s)
        broken = _broken(found, limits, 1.0)
        if broken is not None:
            name, said = broken
            shortest = ramp(start, end, limits, 1.0, None).duration_s
            hint = f"{shortest:.3g} s or more would do"
            raise ConfigError("ramp-too-short", f"ramp_s: {said}", joint=name, hint=hint)
        return found
    for allowed in (share, 1.0):
        tried = _SHORTEST_S
        while tried <= _LONGEST_S:
            if _broken(between(start, end, tried), limits, allowed) is None:
                return _shortened(start, end, limits, allowed, tried)
            tried *= _GROWTH
    name, said = _broken(between(start, end, _LONGEST_S), limits, 1.0) or ("", "")
    raise ConfigError("no-ramp", f"no ramp keeps to the limits: {said}", joint=name)


def _shortened(
    start: State, end: State, limits: Limits, share: float, allowed_s: float
) -> Polynomials:
    low, high = allowed_s / _GROWTH, allowed_s
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _broken(between(start, end, middle), limits, share) is None:
            high = middle
        else:
            low = middle
    return between(start, end, high)


def _broken(found: Polynomials, limits: Limits, share: float) -> tuple[str, str] | None:
    """The joint and limit that a ramp breaks, in words; None if it keeps to all."""
    for order, kind in enumerate(KINDS):
        low, high = found.extremes(order)
        largest = limits.upper if order == 0 else share * limits.derivative(order)
        least = limits.lower if order == 0 else -largest
        over = np.maximum(high - largest, least - low)
        worst = int(np.argmax(over))
        if over[worst] > 0:
            said = f"{kind} goes {over[worst]:.3g} beyond {largest[worst]:.4g}"
            return limits.joints[worst], said
    return None
