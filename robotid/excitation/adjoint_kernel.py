"""The regressor of a motion and its derivatives backwards, batch by batch, in numba.

What is kept of a motion, per batch of LANES samples: q, qd, qdd of all joints and the states of all
bodies (see `information.lanes`). For weights G, the slopes of sum(G Y) follow in two passes:

    weigh_row       for a row of torque and the bodies of its subtree, last one first: what G makes
                    of the motion of the body, and how the row's axis turns with the joints between
    pull_back       over all bodies, last one first: slopes in their motion, hence in q, qd, qdd
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.compiled import CompiledSource, IndexTable, Indices, Run, Table, View
from robotid.excitation import adjoint_lanes
from robotid.excitation.adjoint_lanes import (
    GATHERED,
    add_force,
    add_pull,
    add_turning,
    fetch,
    gather,
    hand_on,
    put,
    release,
)
from robotid.information import columns, lanes, vectors
from robotid.information.lanes import FIELDS, LANES, load, move, pair_columns, transport
from robotid.information.vectors import WIDTH, store_ten

_SOURCE = CompiledSource(
    Path(__file__), *(Path(str(m.__file__)) for m in (adjoint_lanes, columns, lanes, vectors))
)
compiled = _SOURCE.compiled
Array = NDArray[np.float64]


class Memory(NamedTuple):
    """What the kernels keep and work in, allocated once; runs of LANES numbers.

    Args:
        given: q, qd, qdd of all joints, one row per batch.
        states: of all bodies, one row per batch.
        trig: 2 runs.
        block: 10 runs per body of a row's subtree, for all rows.
        axes: 6 runs per body: the axis of a row in coordinates of the body.
        weights: 10 runs per body: what multiplies the columns of a row.
        forces: 6 runs per body: what multiplies the axis of a row.
        gathered: see `adjoint_lanes.GATHERED`.
        pulls: 12 runs per body: slopes in v, w, a, alpha.
        slopes: 3 runs per joint: slopes in q, qd, qdd.
    """

    given: Array
    states: Array
    trig: Array
    block: Array
    axes: Array
    weights: Array
    forces: Array
    gathered: Array
    pulls: Array
    slopes: Array

    @classmethod
    def of(cls, bodies: int, pairs: int, samples: int) -> "Memory":
        """Memory for a robot on a fixed base, with as many joints as bodies."""
        batches = -(-samples // LANES)
        given, states = lines(batches * 3 * bodies), lines(batches * (bodies + 1) * FIELDS)
        per_body = (lines(runs * bodies) for runs in (6, 10, 6, GATHERED, 12, 3))
        kept = given.reshape(batches, -1), states.reshape(batches, -1)
        return cls(*kept, lines(2), lines(10 * pairs), *per_body)


def lines(runs: int) -> Array:
    """Memory for some runs that begins where a line of the cache does."""
    size = runs * LANES
    fresh = np.zeros(size + WIDTH)
    skipped = -fresh.ctypes.data // 8 % WIDTH
    return fresh[skipped : skipped + size]


@compiled(nogil=True)
def regressor_kept(
    q: View,
    qd: View,
    qdd: View,
    tree_floats: Table,
    tree_ints: IndexTable,
    gravity: Run,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    kept_given: Table,
    kept_states: Table,
    trig: Run,
    block: Run,
    axes: Run,
    out: Run,
) -> None:
    """The regressor of signals of shape (joints, samples); see `information.program`.

    `out` is (samples, rows, 10 bodies), flat, zero outside of subtrees, and long enough for a
    multiple of WIDTH samples.
    """
    bodies, samples = tree_ints.shape[0], q.shape[1]
    stride = 10 * bodies * rows.shape[0]
    for batch in range(kept_given.shape[0]):
        begin = batch * LANES
        count = min(LANES, samples - begin)
        given, states = kept_given[batch], kept_states[batch]
        load(q, begin, count, given)
        load(qd, begin, count, given[bodies * LANES :])
        load(qdd, begin, count, given[2 * bodies * LANES :])
        move(given, tree_floats, tree_ints, gravity, trig, states)
        for r in range(rows.shape[0]):
            own = block[10 * rows[r, 0] * LANES :]
            for k in range(rows[r, 0], rows[r, 1]):
                pair_columns(twists[r], pairs[k], states, axes, own)
        for done in range(0, count, WIDTH):
            for r in range(rows.shape[0]):
                for k in range(rows[r, 0], rows[r, 1]):
                    to = (begin + done) * stride + 10 * (r * bodies + pairs[k, 0])
                    store_ten(block, 10 * k * LANES + done, LANES, out, to, stride)


@compiled()
def weigh_row(
    twist: Run,
    row: Indices,
    tree_floats: Table,
    pairs: IndexTable,
    states: Run,
    axes: Run,
    weights: Run,
    forces: Run,
    gathered: Run,
    slopes: Run,
) -> None:
    """Add what one row gives: `gathered` of the bodies of its subtree, and slopes in their q."""
    size, first, last = FIELDS * LANES, row[0], row[1]
    for k in range(first, last):
        body, parent = pairs[k, 0], pairs[k, 1]
        axis = axes[6 * body * LANES : 6 * (body + 1) * LANES]
        forces[6 * body * LANES : 6 * (body + 1) * LANES] = 0.0
        if k == first:
            for c in range(6):
                axis[c * LANES : (c + 1) * LANES] = twist[c]
        else:
            transport(states[(body + 1) * size :], axes[6 * parent * LANES :], axis)
    for k in range(last - 1, first - 1, -1):
        body, parent = pairs[k, 0], pairs[k, 1]
        state = states[(body + 1) * size : (body + 2) * size]
        weight = weights[10 * body * LANES : 10 * (body + 1) * LANES]
        axis = axes[6 * body * LANES : 6 * (body + 1) * LANES]
        gather(axis, weight, gathered[GATHERED * body * LANES :])
        if k > first:
            force = forces[6 * body * LANES : 6 * (body + 1) * LANES]
            add_force(weight, state, force)
            add_turning(tree_floats[body], axis, force, slopes[3 * body * LANES :])
            if parent != pairs[first, 0]:  # the row's own axis turns with none of its joints
                hand_on(state, force, forces[6 * parent * LANES :])


@compiled()
def pull_back(
    given: Run,
    tree_floats: Table,
    tree_ints: IndexTable,
    states: Run,
    gathered: Run,
    pulls: Run,
    slopes: Run,
) -> None:
    """From `gathered` of all bodies to slopes in q (added), qd and qdd of all joints."""
    bodies, size = tree_ints.shape[0], FIELDS * LANES
    pulls[: 12 * bodies * LANES] = 0.0
    for body in range(bodies - 1, -1, -1):
        state = states[(body + 1) * size : (body + 2) * size]
        motion, pull = state[12 * LANES :], pulls[12 * body * LANES : 12 * (body + 1) * LANES]
        add_pull(gathered[GATHERED * body * LANES :], motion, pull)
        qd = given[(bodies + body) * LANES :]
        release(tree_floats[body], qd, motion, pull, slopes[3 * body * LANES :])
        parent = tree_ints[body, 0] - 1
        if parent >= 0:
            above = pulls[12 * parent * LANES : 12 * (parent + 1) * LANES]
            hand_on(state, pull, above)
            hand_on(state, pull[6 * LANES :], above[6 * LANES :])


@compiled(nogil=True)
def gradient_kept(
    G: Run,
    samples: int,
    tree_floats: Table,
    tree_ints: IndexTable,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    kept_given: Table,
    kept_states: Table,
    axes: Run,
    weights: Run,
    forces: Run,
    gathered: Run,
    pulls: Run,
    slopes: Run,
    out: Run,
) -> None:
    """Slopes of sum(G Y) for a motion that was kept; G has the shape of Y.

    `out` is (3, samples, joints): slopes in q, qd and qdd. Both are flat.
    """
    bodies = tree_ints.shape[0]
    stride = 10 * bodies * rows.shape[0]
    for batch in range(kept_given.shape[0]):
        begin, states = batch * LANES, kept_states[batch]
        count = min(LANES, samples - begin)
        gathered[:] = 0.0
        slopes[:] = 0.0
        for r in range(rows.shape[0]):
            for k in range(rows[r, 0], rows[r, 1]):
                body = pairs[k, 0]
                at = begin * stride + 10 * (r * bodies + body)
                fetch(G, at, stride, count, weights[10 * body * LANES :])
            weigh_row(
                twists[r], rows[r], tree_floats, pairs,
                states, axes, weights, forces, gathered, slopes,
            )  # fmt: skip
        pull_back(kept_given[batch], tree_floats, tree_ints, states, gathered, pulls, slopes)
        put(slopes, count, out, begin * bodies, bodies, samples * bodies)


@compiled(nogil=True)
def torque_gradients_kept(
    phi: Run,
    samples: int,
    tree_floats: Table,
    tree_ints: IndexTable,
    twists: Table,
    rows: IndexTable,
    pairs: IndexTable,
    kept_given: Table,
    kept_states: Table,
    axes: Run,
    weights: Run,
    forces: Run,
    gathered: Run,
    pulls: Run,
    slopes: Run,
    out: Run,
) -> None:
    """Slopes of each row of Y phi for a motion that was kept; phi has 10 numbers per body.

    `out` is (samples, rows, 3, joints), flat.
    """
    bodies, total = tree_ints.shape[0], rows.shape[0]
    for c in range(10 * bodies):
        weights[c * LANES : (c + 1) * LANES] = phi[c]
    for batch in range(kept_given.shape[0]):
        begin, states = batch * LANES, kept_states[batch]
        count = min(LANES, samples - begin)
        for r in range(total):
            gathered[:] = 0.0
            slopes[:] = 0.0
            weigh_row(
                twists[r], rows[r], tree_floats, pairs,
                states, axes, weights, forces, gathered, slopes,
            )  # fmt: skip
            pull_back(kept_given[batch], tree_floats, tree_ints, states, gathered, pulls, slopes)
            put(slopes, count, out, 3 * bodies * (begin * total + r), 3 * bodies * total, bodies)


_SOURCE.keep()
