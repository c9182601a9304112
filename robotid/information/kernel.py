"""The fused kernel: samples to per-row Gram matrices, and the dense regressor, in numba.

For each batch of samples (see `lanes`), once the motion of the bodies is known, and for each row
of torque (a joint, or one of six of a floating base):

    pair_columns    axis^T A of each body of the row's subtree; the picked columns are kept
    own_columns     friction, offset, rotor inertia, and the torque
    whiten          (where asked) the columns times the inverse of an upper-triangular matrix
    add_gram        4 by 4 tiles of columns^T columns, added to the unit's result
"""

from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robotid.information import lanes
from robotid.information.compiled import CompiledSource, IndexTable, Indices, Run, Table, View
from robotid.information.lanes import FAST, FIELDS, LANES, load, move, pair_columns

TILE = 4
TOGETHER = 8  # samples of the dense regressor that are put out at once
SKIP, PLAIN, WHITENED = 0, 1, 2  # modes of a row in `gram_units`
VISCOUS, COULOMB, OFFSET, ROTOR = 0, 1, 2, 3  # as in `layout.TERMS`
COULOMB_WIDTH = 0.02  # [rad/s or m/s]

_SOURCE = CompiledSource(Path(__file__), Path(lanes.__file__))
compiled = _SOURCE.compiled


def runs_needed(signals: int, bodies: int, widest: int) -> int:
    """How much memory the kernels work in, in runs of LANES numbers."""
    return signals + (bodies + 1) * FIELDS + 6 * bodies + 12 + widest


@compiled(fastmath=FAST)
def tile(left: Run, right: Run, gram: Run, stride: int) -> None:
    """Add four runs times four runs to a 4 by 4 tile of the Gram matrix."""
    c00 = c01 = c02 = c03 = c10 = c11 = c12 = c13 = 0.0
    c20 = c21 = c22 = c23 = c30 = c31 = c32 = c33 = 0.0
    for s in range(LANES):
        a0, a1 = left[s], left[LANES + s]
        a2, a3 = left[2 * LANES + s], left[3 * LANES + s]
        b0, b1 = right[s], right[LANES + s]
        b2, b3 = right[2 * LANES + s], right[3 * LANES + s]
        c00 += a0 * b0
        c01 += a0 * b1
        c02 += a0 * b2
        c03 += a0 * b3
        c10 += a1 * b0
        c11 += a1 * b1
        c12 += a1 * b2
        c13 += a1 * b3
        c20 += a2 * b0
        c21 += a2 * b1
        c22 += a2 * b2
        c23 += a2 * b3
        c30 += a3 * b0
        c31 += a3 * b1
        c32 += a3 * b2
        c33 += a3 * b3
    gram[0] += c00
    gram[1] += c01
    gram[2] += c02
    gram[3] += c03
    gram[stride] += c10
    gram[stride + 1] += c11
    gram[stride + 2] += c12
    gram[stride + 3] += c13
    gram[2 * stride] += c20
    gram[2 * stride + 1] += c21
    gram[2 * stride + 2] += c22
    gram[2 * stride + 3] += c23
    gram[3 * stride] += c30
    gram[3 * stride + 1] += c31
    gram[3 * stride + 2] += c32
    gram[3 * stride + 3] += c33


@compiled(fastmath=FAST)
def add_gram(block: Run, gram: Run, width: int) -> None:
    """Add the upper tiles of block block^T; `width` runs, a multiple of TILE."""
    for a in range(0, width, TILE):
        left = block[a * LANES : (a + TILE) * LANES]
        for b in range(a, width, TILE):
            tile(left, block[b * LANES : (b + TILE) * LANES], gram[a * width + b :], width)


@compiled(fastmath=FAST)
def subtract_runs(solved: Run, runs: Run, factor: Run, stride: int) -> None:
    """From four runs take four solved ones times a 4 by 4 tile of the triangular matrix."""
    t00, t01, t02, t03 = factor[0], factor[1], factor[2], factor[3]
    factor = factor[stride:]
    t10, t11, t12, t13 = factor[0], factor[1], factor[2], factor[3]
    factor = factor[stride:]
    t20, t21, t22, t23 = factor[0], factor[1], factor[2], factor[3]
    factor = factor[stride:]
    t30, t31, t32, t33 = factor[0], factor[1], factor[2], factor[3]
    for s in range(LANES):
        x0, x1 = solved[s], solved[LANES + s]
        x2, x3 = solved[2 * LANES + s], solved[3 * LANES + s]
        runs[s] -= t00 * x0 + t10 * x1 + t20 * x2 + t30 * x3
        runs[LANES + s] -= t01 * x0 + t11 * x1 + t21 * x2 + t31 * x3
        runs[2 * LANES + s] -= t02 * x0 + t12 * x1 + t22 * x2 + t32 * x3
        runs[3 * LANES + s] -= t03 * x0 + t13 * x1 + t23 * x2 + t33 * x3


@compiled(fastmath=FAST)
def whiten(block: Run, factor: Run, width: int) -> None:
    """Replace each row x of the block by the solution y of y R = x, by substitution.

    `factor` holds R row by row, with the reciprocals of its diagonal in their place.
    """
    for c in range(0, width, TILE):
        runs = block[c * LANES : (c + TILE) * LANES]
        for k in range(0, c, TILE):
            solved = block[k * LANES : (k + TILE) * LANES]
            subtract_runs(solved, runs, factor[k * width + c :], width)
        for j in range(TILE):
            run = runs[j * LANES : (j + 1) * LANES]
            for i in range(j):
                known, t = runs[i * LANES : (i + 1) * LANES], factor[(c + i) * width + c + j]
                for s in range(LANES):
                    run[s] -= t * known[s]
            reciprocal = factor[(c + j) * width + c + j]
            for s in range(LANES):
                run[s] *= reciprocal


@compiled(fastmath=FAST)
def own_columns(given: Run, row: Indices, extras: IndexTable, block: Run) -> None:
    """Friction, offset, rotor inertia and torque of a row into their runs of the block."""
    for e in range(row[6], row[7]):
        kind, target = extras[e]
        run = block[target * LANES : (target + 1) * LANES]
        qd = given[row[8] * LANES : (row[8] + 1) * LANES]
        qdd = given[row[9] * LANES : (row[9] + 1) * LANES]
        for s in range(LANES):
            if kind == VISCOUS:
                run[s] = qd[s]
            elif kind == COULOMB:
                run[s] = min(1.0, max(-1.0, qd[s] / COULOMB_WIDTH))
            elif kind == OFFSET:
                run[s] = 1.0
            else:
                run[s] = qdd[s]
    tau = given[row[10] * LANES : (row[10] + 1) * LANES]
    for s in range(LANES):
        block[(row[2] - 1) * LANES + s] = tau[s]
    block[row[2] * LANES : row[3] * LANES] = 0.0


@compiled()
def copy_run(source: Run, target: Run) -> None:
    """Copy one run; a plain loop is several times faster than an assignment of slices."""
    for s in range(LANES):
        target[s] = source[s]


@compiled()
def keep_columns(columns: Run, places: Indices, block: Run) -> None:
    """Copy the picked ones of ten columns to their places in the block."""
    for c in range(10):
        if places[c] >= 0:
            copy_run(columns[c * LANES :], block[places[c] * LANES :])


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
    extras: IndexTable,
    white: Run,
    modes: Indices,
    memory: Run,
    out: Table,
) -> None:
    """Gram matrices of units of `unit` samples each; see `program.py` and `runs_needed`."""
    bodies, used = tree_ints.shape[0], signals.shape[0] * LANES
    given, memory = memory[:used], memory[used:]
    used = (bodies + 1) * FIELDS * LANES
    states, memory = memory[:used], memory[used:]
    axes, memory = memory[: 6 * bodies * LANES], memory[6 * bodies * LANES :]
    trig, columns, block = memory[: 2 * LANES], memory[2 * LANES : 12 * LANES], memory[12 * LANES :]
    for u in range(out.shape[0]):
        out[u] = 0.0
        end = min(signals.shape[1], (u + 1) * unit)
        for begin in range(u * unit, end, LANES):
            count = min(LANES, end - begin)
            load(signals, begin, count, given)
            move(given, tree_floats, tree_ints, gravity, trig, states)
            for r in range(rows.shape[0]):
                if modes[r] == SKIP:
                    continue
                row = rows[r]
                for k in range(row[0], row[1]):
                    pair_columns(twists[r], pairs[k, 1], pairs[k, 0], states, axes, columns)
                    keep_columns(columns, pairs[k, 2:], block)
                own_columns(given, row, extras, block)
                width, at = row[3], row[4]
                if count < LANES:
                    for c in range(width):
                        block[c * LANES + count : (c + 1) * LANES] = 0.0
                if modes[r] == WHITENED:
                    whiten(block, white[at : at + width * width], width)
                add_gram(block, out[u, at : at + width * width], width)


def _stream_line(_: Any, target: Any, to: Any, source: Any, at: Any) -> Any:
    """Write eight numbers, a line of the cache, past the caches; their place must be aligned."""
    del to, at  # only their types are known here, and those are given below

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        line = ir.VectorType(ir.DoubleType(), 8).as_pointer()
        target, to, source, at = arguments
        out = context.make_array(signature.args[0])(context, builder, target).data
        given = context.make_array(signature.args[2])(context, builder, source).data
        value = builder.load(builder.bitcast(builder.gep(given, [at]), line), align=8)
        stored = builder.store(value, builder.bitcast(builder.gep(out, [to]), line), align=64)
        one = ir.Constant(ir.IntType(32), 1)
        stored.set_metadata("nontemporal", builder.module.add_metadata([one]))
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), generate


stream_line: Any = intrinsic(_stream_line)


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


@compiled()
def store_columns(columns: Run, begin: int, end: int, at: int, stride: int, out: Run) -> None:
    """Ten runs into ten neighbouring numbers per sample, for samples begin...end of a batch."""
    for s in range(begin, end):
        for c in range(10):
            out[at + c] = columns[c * LANES + s]
        at += stride


@compiled(nogil=True)
def regressor_batches(
    signals: View,
    first: int,
    step: int,
    tree_floats: Table,
    tree_ints: IndexTable,
    gravity: Run,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    memory: Run,
    out: Run,
) -> None:
    """The dense regressor (samples, rows, 10 bodies), flat, of batches first, first + step, ..."""
    bodies, samples = tree_ints.shape[0], signals.shape[1]
    used = signals.shape[0] * LANES
    given, memory = memory[:used], memory[used:]
    used = (bodies + 1) * FIELDS * LANES
    states, memory = memory[:used], memory[used:]
    axes, memory = memory[: 6 * bodies * LANES], memory[6 * bodies * LANES :]
    trig, memory = memory[: 2 * LANES], memory[2 * LANES :]
    columns, buffer = memory[: 10 * len(pairs) * LANES], memory[10 * len(pairs) * LANES :]
    stride = 10 * bodies * rows.shape[0]
    buffer[: TOGETHER * stride] = 0.0
    for begin in range(first * LANES, samples, step * LANES):
        count = min(LANES, samples - begin)
        load(signals, begin, count, given)
        move(given, tree_floats, tree_ints, gravity, trig, states)
        for r in range(rows.shape[0]):
            for k in range(rows[r, 0], rows[r, 1]):
                own = columns[10 * k * LANES : 10 * (k + 1) * LANES]
                pair_columns(twists[r], pairs[k, 1], pairs[k, 0], states, axes, own)
        for done in range(0, count, TOGETHER):
            end = min(count, done + TOGETHER)
            for r in range(rows.shape[0]):
                for k in range(rows[r, 0], rows[r, 1]):
                    own = columns[10 * k * LANES : 10 * (k + 1) * LANES]
                    store_columns(own, done, end, 10 * (r * bodies + pairs[k, 0]), stride, buffer)
            copy_past_caches(buffer, (end - done) * stride, out[(begin + done) * stride :])


_SOURCE.keep()
