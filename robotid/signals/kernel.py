"""Resampling, filtering and differentiating, compiled.

Signals of a stretch lie one after the other, shape (channels, samples). The filter runs on LANES
channels at once, sample by sample, because a recursive filter cannot run on several samples of one
channel at once. A channel depends on nothing but itself, so no bit depends on how they are shared
among threads.
"""

from pathlib import Path
from typing import Annotated

import numpy as np

from robotid.compiled import CompiledSource, Indices, Run, Table, View

LANES = 16  # fewer, and the compiler makes no vectors of them
SECTION = 7
_TILE = 128  # samples that are loaded, filtered and stored at a time: they stay close to the core
_CLOSE = 0.2  # samples closer than this share of a step are not used to bend a curve

Number = Annotated[float, "float64"]

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
def interpolate(
    values: View, base: Indices, weights: Table, begin: int, end: int, out: View
) -> None:
    """Channels begin...end on the grid of `stencils`."""
    for c in range(begin, end):
        for i in range(base.size):
            b = base[i]
            out[c, i] = (
                weights[0, i] * values[c, b] + weights[1, i] * values[c, b + 1]
                + weights[2, i] * values[c, b + 2] + weights[3, i] * values[c, b + 3]
            )  # fmt: skip


@compiled(nogil=True, fastmath=_FAST)
def run_sections(block: Run, count: int, sections: Run) -> None:
    """All second-order sections over `count` samples of LANES channels each, in place.

    y = b0 x + z0,  z0' = b1 x - a1 y + z1,  z1' = b2 x - a2 y (direct form II, transposed).

    Args:
        block: the lanes of a sample, then those of the next.
        count: number of samples.
        sections: for each section SECTION rows of LANES numbers: z0 z1 b0 b1 b2 a1 a2. State and
            coefficients share an array so that the compiler sees that they do not overlap.
    """
    for i in range(count):
        values = block[i * LANES : (i + 1) * LANES]
        for s in range(sections.size // (SECTION * LANES)):
            own = sections[s * SECTION * LANES : (s + 1) * SECTION * LANES]
            for k in range(LANES):
                x = values[k]
                y = own[2 * LANES + k] * x + own[k]
                own[k] = own[3 * LANES + k] * x - own[5 * LANES + k] * y + own[LANES + k]
                own[LANES + k] = own[4 * LANES + k] * x - own[6 * LANES + k] * y
                values[k] = y


@compiled(nogil=True)
def forward(values: View, channel: int, sections: Run, out: Run) -> None:
    """Filter LANES channels from `channel` on; the state in `sections` goes on where it was.

    Args:
        values: shape (channels, samples); lanes beyond the last channel are zero.
        channel: the first of the channels.
        sections: as in `run_sections`.
        out: filtered samples, lanes side by side.
    """
    lanes, n = min(LANES, values.shape[0] - channel), values.shape[1]
    for begin in range(0, n, _TILE):
        count = min(_TILE, n - begin)
        block = out[begin * LANES : (begin + count) * LANES]
        if lanes < LANES:
            block[:] = 0.0
        for i in range(count):
            for k in range(lanes):
                block[i * LANES + k] = values[channel + k, begin + i]
        run_sections(block, count, sections)


@compiled(nogil=True)
def backward(given: Run, keep: int, rows: Indices, sections: Run, out: Table) -> None:
    """Filter from the last sample to the first; only the first `keep` samples are given back.

    Args:
        given: samples, lanes side by side.
        keep: number of samples to give back.
        rows: for each lane that has a channel, where it goes.
        sections: as in `run_sections`.
        out: shape (some rows, at least `keep`).
    """
    lanes, n = rows.size, given.size // LANES
    block = np.empty(_TILE * LANES)
    for done in range(0, n, _TILE):
        count, last = min(_TILE, n - done), n - 1 - done
        for i in range(count):
            for k in range(LANES):
                block[i * LANES + k] = given[(last - i) * LANES + k]
        run_sections(block, count, sections)
        for i in range(max(0, last + 1 - keep), count):
            for k in range(lanes):
                out[rows[k], last - i] = block[i * LANES + k]


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
def count_slow(speed: Run, limit: Number, counts: Indices, at: int) -> None:
    """Add to counts[at] how many speeds are below a limit."""
    total = 0
    for i in range(speed.size):
        total += abs(speed[i]) < limit
    counts[at] += total


_SOURCE.keep()
