"""The fused kernel: samples to per-row Gram matrices, and the dense regressor, in numba.

For each batch of samples (see `lanes`), once the motion of the bodies is known, and for each row
of torque (a joint, or one of six of a floating base):

    pair_columns    axis^T A of each body of the row's subtree; the picked columns are kept
    own_columns     friction, offset, rotor inertia, and the torque
    whiten          (where asked) the columns times the inverse of an upper-triangular matrix
    add_gram        4 by 4 tiles of columns^T columns, added to the unit's result
"""

import math
from pathlib import Path

from robotid.compiled import CompiledSource, IndexTable, Indices, Run, Table, View
from robotid.information import columns, lanes, vectors
from robotid.information.lanes import FAST, FIELDS, LANES, load, move, pair_columns
from robotid.information.vectors import (
    DEEP,
    WIDTH,
    add_products,
    solve_four,
    store_ten,
    stream_line,
)

TILE = 4
TOGETHER = WIDTH  # samples of the dense regressor that are put out at once
SKIP, PLAIN, WHITENED = 0, 1, 2  # modes of a row in `gram_units`
SCALED, BOUNDED, HELD, FADING, LOADED = range(5)  # kinds of own columns

_SOURCE = CompiledSource(
    Path(__file__), *(Path(str(m.__file__)) for m in (columns, lanes, vectors))
)
compiled = _SOURCE.compiled


def runs_needed(signals: int, bodies: int, widest: int) -> int:
    """How much memory the kernels work in, in runs of LANES numbers."""
    return signals + (bodies + 1) * FIELDS + 6 * bodies + 2 + widest + 1


@compiled(fastmath=FAST)
def add_gram(block: Run, gram: Run, width: int) -> None:
    """Add the upper tiles of block block^T; `width` runs, a multiple of TILE."""
    for a in range(0, width, TILE):
        left = block[a * LANES : (a + TILE) * LANES]
        for b in range(a, width, TILE):
            right = block[b * LANES : (b + TILE) * LANES]
            add_products(left, right, LANES, gram[a * width + b :], width)


@compiled()
def whiten(block: Run, factor: Run, width: int) -> None:
    """Replace each row x of the block by the solution y of y R = x, by substitution.

    `factor` holds R row by row, with the reciprocals of its diagonal in their place.
    """
    for s in range(0, LANES, DEEP * WIDTH):
        for c in range(0, width, TILE):
            solve_four(block, s, LANES, factor, c, width)


@compiled(fastmath=FAST)
def couple(signals: int, sums: IndexTable, given: Run) -> None:
    """Speeds and accelerations of coupled joints, behind the signals of samples."""
    for k in range(sums.shape[0]):
        a, b, sign = sums[k]
        left, right = given[a * LANES : (a + 1) * LANES], given[b * LANES : (b + 1) * LANES]
        out = given[(signals + k) * LANES : (signals + k + 1) * LANES]
        for s in range(LANES):
            out[s] = left[s] + sign * right[s]


@compiled(fastmath=FAST)
def multiply_load(nominal: Run, width: int, block: Run, run: Run) -> None:
    """Multiply a run with the size of the torque that the links need.

    The run behind the columns, where that of the measured torque goes later, holds the sum.
    """
    torque = block[width * LANES : (width + 1) * LANES]
    torque[:] = 0.0
    for c in range(width):
        if nominal[c] != 0.0:
            column = block[c * LANES : (c + 1) * LANES]
            for s in range(LANES):
                torque[s] += nominal[c] * column[s]
    for s in range(LANES):
        run[s] *= abs(torque[s])


@compiled(fastmath=FAST)
def own_columns(
    given: Run,
    row: Indices,
    own_ints: IndexTable,
    own_floats: Table,
    nominal: Run,
    held: Run,
    block: Run,
) -> None:
    """Friction, offset, rotor inertia and torque of a row into their runs of the block.

    For the functions see `dynamics.terms`; `held` has the last sign of each column.
    """
    for e in range(row[6], row[7]):
        kind, target, signal = own_ints[e]
        gain, low, high, rate = own_floats[e]
        run = block[target * LANES : (target + 1) * LANES]
        source = given[signal * LANES : (signal + 1) * LANES]
        if kind == SCALED:
            for s in range(LANES):
                run[s] = gain * source[s]
        elif kind == HELD:
            sign = held[e]
            for s in range(LANES):
                if source[s] >= high:
                    sign = gain
                elif source[s] <= low:
                    sign = -gain
                run[s] = sign
            held[e] = sign
        else:
            for s in range(LANES):
                run[s] = min(high, max(low, gain * source[s]))
        if kind == FADING:
            for s in range(LANES):
                x = rate * source[s]
                run[s] *= math.exp(-x * x)
        if kind == LOADED:
            multiply_load(nominal, row[2] - 1, block, run)
    tau = given[row[8] * LANES : (row[8] + 1) * LANES]
    for s in range(LANES):
        block[(row[2] - 1) * LANES + s] = tau[s]
    block[row[2] * LANES : row[3] * LANES] = 0.0


@compiled(nogil=True)
def gram_units(
    signals: View,
    unit: int,
    tree_floats: Table,
    tree_ints: IndexTable,
    gravity: Run,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    sums: IndexTable,
    own_ints: IndexTable,
    own_floats: Table,
    nominal: Table,
    held: Run,
    white: Run,
    modes: Indices,
    memory: Run,
    out: Table,
) -> None:
    """Gram matrices of units of `unit` samples each; see `program.py` and `runs_needed`.

    `held` has the last sign of each own column before these samples, and then behind them.
    """
    bodies, used = tree_ints.shape[0], (signals.shape[0] + sums.shape[0]) * LANES
    given, memory = memory[:used], memory[used:]
    used = (bodies + 1) * FIELDS * LANES
    states, memory = memory[:used], memory[used:]
    axes, memory = memory[: 6 * bodies * LANES], memory[6 * bodies * LANES :]
    trig, block = memory[: 2 * LANES], memory[2 * LANES :]
    for u in range(out.shape[0]):
        out[u] = 0.0
        end = min(signals.shape[1], (u + 1) * unit)
        for begin in range(u * unit, end, LANES):
            count = min(LANES, end - begin)
            load(signals, begin, count, given)
            couple(signals.shape[0], sums, given)
            move(given, tree_floats, tree_ints, gravity, trig, states)
            for r in range(rows.shape[0]):
                if modes[r] == SKIP:
                    continue
                row = rows[r]
                for k in range(row[0], row[1]):
                    pair_columns(twists[r], pairs[k], states, axes, block)
                own_columns(given, row, own_ints, own_floats, nominal[r], held, block)
                width, at = row[3], row[4]
                if count < LANES:
                    for c in range(width):
                        block[c * LANES + count : (c + 1) * LANES] = 0.0
                if modes[r] == WHITENED:
                    whiten(block, white[at : at + width * width], width)
                add_gram(block, out[u, at : at + width * width], width)


@compiled()
def copy_past_caches(source: Run, count: int, out: Run) -> None:
    """out[:count] = source[:count] for a result much larger than the caches.

    A plain store would first read from memory what it then overwrites.
    """
    head = min(count, (64 - out.ctypes.data % 64) % 64 // 8)
    for i in range(head):
        out[i] = source[i]
    whole = head + (count - head) // 8 * 8
    for i in range(head, whole, 8):
        stream_line(out, i, source, i)
    for i in range(whole, count):
        out[i] = source[i]


@compiled(nogil=True)
def regressor_batches(
    signals: View,
    tree_floats: Table,
    tree_ints: IndexTable,
    gravity: Run,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    memory: Run,
    out: Run,
) -> None:
    """The dense regressor of samples, (samples, rows, 10 bodies), flat; `out` may be longer."""
    bodies, samples = tree_ints.shape[0], signals.shape[1]
    used = signals.shape[0] * LANES
    given, memory = memory[:used], memory[used:]
    used = (bodies + 1) * FIELDS * LANES
    states, memory = memory[:used], memory[used:]
    axes, memory = memory[: 6 * bodies * LANES], memory[6 * bodies * LANES :]
    trig, memory = memory[: 2 * LANES], memory[2 * LANES :]
    columns, buffer = memory[: 10 * len(pairs) * LANES], memory[10 * len(pairs) * LANES :]
    stride = 10 * bodies * rows.shape[0]
    buffer = buffer[out.ctypes.data // 8 % WIDTH :]  # lines of both begin together
    buffer[: TOGETHER * stride] = 0.0
    for begin in range(0, samples, LANES):
        count = min(LANES, samples - begin)
        load(signals, begin, count, given)
        move(given, tree_floats, tree_ints, gravity, trig, states)
        for r in range(rows.shape[0]):
            own = columns[10 * rows[r, 0] * LANES :]
            for k in range(rows[r, 0], rows[r, 1]):
                pair_columns(twists[r], pairs[k], states, axes, own)
        for done in range(0, count, TOGETHER):
            end = min(count, done + TOGETHER)
            for r in range(rows.shape[0]):
                for k in range(rows[r, 0], rows[r, 1]):
                    to = 10 * (r * bodies + pairs[k, 0])
                    store_ten(columns, 10 * k * LANES + done, LANES, buffer, to, stride)
            copy_past_caches(buffer, (end - done) * stride, out[(begin + done) * stride :])


_SOURCE.keep()
