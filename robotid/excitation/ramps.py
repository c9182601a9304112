"""Ways from a posture at rest into a series and back: polynomials with exact extremes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.excitation.limits import Limits

Array = NDArray[np.float64]

KINDS = ("position", "velocity", "acceleration", "jerk")
LONGEST_S = 600.0
_SHORTEST_S, _GROWTH = 0.05, 1.1
_HALVINGS = 20
_GENTLER = 25  # other ramps that are tried where the first choice needs too much torque
_POINTS = np.linspace(0.0, 1.0, 33)
# Powers of points and their derivatives: what gives a ramp and its derivatives there.
_POWERS = [
    np.stack([polynomial.polyval(_POINTS, polynomial.polyder(row, order)) for row in np.eye(6)], 1)
    for order in range(4)
]


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

    def share(self, limits: Limits) -> float:
        """Of the limits of speed, acceleration and jerk; infinite where it leaves the ranges."""
        low, high = self.extremes(0)
        if (low < limits.lower).any() or (high > limits.upper).any():
            return np.inf
        shares = [np.abs(self.extremes(o)) / limits.derivative(o) for o in (1, 2, 3)]
        return float(np.max(shares))

    def share_at_points(self, limits: Limits) -> float:
        """The same at some points, which is never more, and quickly computed."""
        q, *others = (
            powers @ self.coefficients / self.duration_s**order
            for order, powers in enumerate(_POWERS)
        )
        if (q < limits.lower).any() or (q > limits.upper).any():
            return np.inf
        return float(max((np.abs(v) / limits.derivative(k)).max() for k, v in enumerate(others, 1)))

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
    start: State,
    end: State,
    limits: Limits,
    share: float,
    duration_s: float | None,
    allowed: Callable[[Polynomials], bool] = lambda _: True,
) -> Polynomials:
    """The shortest ramp within a share of the limits, or that of a given length if it is within.

    Where no ramp is, because it would take too long or the series itself moves faster than that
    share, it is the one that uses the smallest share.

    Args:
        start: of the ramp.
        end: of the ramp.
        limits: of the joints.
        share: of the limits of speed, acceleration and jerk.
        duration_s: its length; None for as short as allowed.
        allowed: what else it should fulfil; without any that does, it is the shortest all the same.
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
    lengths = [_SHORTEST_S]
    while lengths[-1] * _GROWTH <= LONGEST_S:
        lengths.append(lengths[-1] * _GROWTH)
    gentlest, needed = between(start, end, LONGEST_S), np.inf
    within: list[Polynomials] = []
    for tried in [*lengths, LONGEST_S]:
        found = between(start, end, tried)
        least = found.share_at_points(limits)
        used = found.share(limits) if least <= share or least < needed else np.inf
        if used <= share:
            within.append(found if within else _shortened(start, end, limits, share, tried))
            if allowed(within[-1]):
                return within[-1]
        if used < needed:
            gentlest, needed = found, used
        if len(within) > _GENTLER:
            break
    if within:
        return within[0]
    if needed <= 1.0:
        others = [between(start, end, tried) for tried in lengths]
        others.sort(key=lambda found: found.share_at_points(limits))
        candidates = [gentlest, *others[:_GENTLER]]
        good = (f for f in candidates if allowed(f) and f.share(limits) <= 1.0)
        return next(good, gentlest)
    name, said = _broken(gentlest, limits, 1.0) or ("", "")
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
