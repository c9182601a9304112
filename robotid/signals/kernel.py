"""Resampling, filtering and differentiating, compiled.

Signals of a stretch lie one after the other, shape (channels, samples). A channel depends on
nothing but itself, so no bit depends on how they are shared among threads.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from robotid.compiled import CompiledSource, Indices, Run, Table

PAIR, STATE = 10, 6  # numbers that make two sections, and the state of two
_TINY, _NOTHING = 1e-250, 1e-200
_CLOSE = 0.2  # samples closer than this share of a step are not used to bend a curve

Number = Annotated[float, "float64"]
Marks = Annotated[NDArray[np.bool_], "boolean[::1]"]
Line = Annotated[NDArray[np.float64], "float64[:]"]

_SOURCE = CompiledSource(Path(__file__))
compiled = _SOURCE.compiled
_FAST = {"contract"}


@compiled(nogil=True)
def stencils(t: Run, first: int, step: Number, snap: Number, base: Indices, weights: Table) -> None:
    """Where each grid sample k step lies between samples, and what they weigh.

    Four samples make a cubic; at the ends of a stretch those nearest. Where samples crowd, the
    straight line between two is taken, for a cubic through them would blow up their noise.

    Args:
        t: times of the samples, increasing, at least four [s].
        first: k of the first grid sample; the last one must not lie beyond the last sample.
        step: of the grid [s].
        snap: a grid sample closer than this to a sample takes its value [s].
        base: first of four samples for each grid sample.
        weights: of the four samples, shape (4, grid samples).
    """
    n, j = t.size, 0
    usual = _CLOSE * step
    for i in range(base.size):
        at = (first + i) * step
        while j < n - 2 and t[j + 1] <= at:
            j += 1
        start = min(max(j - 1, 0), n - 4)
        base[i] = start
        for p in range(4):
            weights[p, i] = 0.0
        left, right = at - t[j], t[j + 1] - at
        if abs(left) <= snap or abs(right) <= snap:
            weights[j - start if abs(left) <= abs(right) else j + 1 - start, i] = 1.0
            continue
        closest = min(
            t[start + 1] - t[start], t[start + 2] - t[start + 1], t[start + 3] - t[start + 2]
        )
        if closest < usual:
            weights[j - start, i] = right / (left + right)
            weights[j + 1 - start, i] = left / (left + right)
            continue
        for p in range(4):
            product = 1.0
            for r in range(4):
                if r != p:
                    product *= (at - t[start + r]) / (t[start + p] - t[start + r])
            weights[p, i] = product


@compiled(nogil=True, fastmath=_FAST)
def interpolate(values: Line, base: Indices, weights: Table, out: Run) -> None:
    """A channel on the grid of `stencils`."""
    for i in range(base.size):
        b = base[i]
        out[i] = (
            weights[0, i] * values[b] + weights[1, i] * values[b + 1]
            + weights[2, i] * values[b + 2] + weights[3, i] * values[b + 3]
        )  # fmt: skip


@compiled(nogil=True, fastmath=_FAST)
def two_sections(values: Line, sections: Run, state: Run, out: Line) -> None:
    """Two second-order sections over the samples of a channel; `out` may be `values`.

    With s = y - b0 x, a section is s' = c1 x + c2 x_before - a1 s - a2 s_before, c = b - a b0. In
    this order of sums a sample waits for one product of the sample before, not for two. TINY keeps
    a signal that has come to rest from numbers so small that processors work on them slowly.

    Args:
        values: shape (n,).
        sections: b0 c1 c2 a1 a2 of both.
        state: x_before, s, s_before of both; afterwards that behind the last sample.
        out: shape (n,).
    """
    b0, c1, c2, a1, a2 = sections[0], sections[1], sections[2], sections[3], sections[4]
    e0, f1, f2, d1, d2 = sections[5], sections[6], sections[7], sections[8], sections[9]
    x_before, s, s_before = state[0], state[1], state[2]
    y_before, r, r_before = state[3], state[4], state[5]
    for i in range(values.size):
        x = values[i] + _TINY
        y = b0 * x + s
        out[i] = e0 * y + r
        s, s_before = c1 * x + c2 * x_before - a2 * s_before - a1 * s, s
        r, r_before = f1 * y + f2 * y_before - d2 * r_before - d1 * r, r
        x_before, y_before = x, y
    state[0], state[1], state[2] = x_before, s, s_before
    state[3], state[4], state[5] = y_before, r, r_before


@compiled(nogil=True)
def low_pass(values: Line, sections: Run, state: Run, out: Line) -> None:
    """Filter a channel; given reversed views, from the last sample to the first.

    Args:
        values: shape (n,).
        sections: those of `two_sections`, pair after pair.
        state: the same way.
        out: shape (n,).
    """
    for pair in range(sections.size // PAIR):
        own = sections[pair * PAIR : (pair + 1) * PAIR]
        at = state[pair * STATE : (pair + 1) * STATE]
        two_sections(values if pair == 0 else out, own, at, out)


@compiled(nogil=True)
def clear_tiny(values: Run) -> None:
    """Make numbers 0 that come from TINY and nothing else, in place."""
    for i in range(values.size):
        values[i] = values[i] if abs(values[i]) > _NOTHING else 0.0


@compiled(nogil=True, fastmath=_FAST)
def differentiate(values: Run, taps: Run, out: Run) -> None:
    """out[i] = sum over k of taps[k] (x[i + m + k + 1] - x[i + m - k - 1]), m = taps.size.

    Args:
        values: shape (n,).
        taps: of an antisymmetric filter, from the middle outwards.
        out: shape (n - 2 m,).
    """
    m = taps.size
    for k in range(m):
        tap, ahead, behind = taps[k], values[m + k + 1 :], values[m - k - 1 :]
        if k == 0:
            for i in range(out.size):
                out[i] = tap * (ahead[i] - behind[i])
        else:
            for i in range(out.size):
                out[i] += tap * (ahead[i] - behind[i])


@compiled(nogil=True)
def mark_slow(speed: Run, limit: Number, slow: Marks) -> None:
    """Mark the speeds that are below a limit."""
    for i in range(speed.size):
        slow[i] = abs(speed[i]) < limit


_SOURCE.keep()
