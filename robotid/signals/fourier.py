"""Finite Fourier series per joint (Swevers), their derivatives, and bounds that hold at all times.

q_i(t) = c_i + sum over l of  a_il/w_il sin(w_il t) - b_il/w_il cos(w_il t)
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SAMPLES_PER_HARMONIC = 64


def series(a: Array, b: Array, w: Array, t: Array, derivatives: int = 2) -> list[Array]:
    """The series without its centre and its derivatives, each of shape (times, n).

    Args:
        a: coefficients, shape (n, terms) [rad/s or m/s].
        b: coefficients, the same.
        w: frequencies, shape (n, terms) [rad/s].
        t: times, shape (times,) [s].
        derivatives: how many.
    """
    result = [np.zeros((t.size, len(a))) for _ in range(derivatives + 1)]
    for term in range(a.shape[1]):
        al, bl, wl = a[:, term], b[:, term], w[:, term]
        sin, cos = np.sin(np.outer(t, wl)), np.cos(np.outer(t, wl))
        for order in range(derivatives + 1):
            # each derivative turns (sin, -cos) by a quarter and multiplies with w
            turned = (al * sin - bl * cos, al * cos + bl * sin)[order % 2]
            scaled = turned / wl if order == 0 else wl ** (order - 1.0) * turned
            result[order] += (-1) ** (order // 2) * scaled
    return result


def grid_factor(degree: int, samples: int) -> float:
    """What the largest sample of a trigonometric polynomial has to be divided by.

    A polynomial of a degree N, sampled at M > 2N points spread evenly over its period, is nowhere
    above its largest absolute sample divided by cos(pi N/M).
    """
    if samples <= 2 * degree:
        raise ValueError(f"{samples} samples say nothing of degree {degree}")
    return float(np.cos(np.pi * degree / samples))


def peaks(values: Array, degree: int, middle: Array | float = 0.0) -> tuple[Array, Array]:
    """Least and largest values of trigonometric polynomials at all times, shape (n,).

    Args:
        values: samples spread evenly over the period, shape (samples, n).
        degree: of the polynomials, in units of the period.
        middle: what the bound is taken about; it is tightest about the middle of the range.
    """
    away = np.abs(values - middle).max(0) / grid_factor(degree, len(values))
    return middle - away, middle + away
