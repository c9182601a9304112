"""Motion of all bodies and columns of the regressor for a batch of samples, in numba.

Samples are treated `LANES` at a time. Every quantity is a run of `LANES` numbers in a flat buffer,
so that the compiler turns each loop over them into vector instructions; run r of a buffer starts
at r * LANES. Equations are those of `dynamics.rnea` and `dynamics.regressor`.
"""

from math import cos, sin
from pathlib import Path

import numpy as np

from robotid.compiled import CompiledSource, IndexTable, Indices, Run, Table, View
from robotid.information import columns, vectors
from robotid.information.columns import ten_columns

LANES = 120  # an odd number of lines: runs that lie 4096 bytes apart get in each other's way
FIELDS = 36  # runs per body: R 9, p 3, v 3, w 3, a 3, alpha 3, a_c 3, B 9
REVOLUTE, PRISMATIC, FLOATING = 0, 1, 2

# Sums may be reordered by the compiler (always the same way); nothing is assumed about infinities
# and NaN, which have to reach the result.
FAST = {"reassoc", "contract", "nsz"}
_LARGEST_ANGLE = 1e5  # beyond it the library's own reduction is needed

_SOURCE = CompiledSource(Path(__file__), *(Path(str(m.__file__)) for m in (columns, vectors)))
compiled = _SOURCE.compiled


@compiled()
def sine_cosine(angle: Run, out: Run) -> None:
    """Sine (run 0) and cosine (run 1) of a run of angles [rad]; within 1e-16 or so.

    Reduction by multiples of pi/2 in three parts, then the usual polynomials on ±pi/4.
    """
    largest = 0.0
    for s in range(LANES):
        largest = max(largest, abs(angle[s]))
    if not largest < _LARGEST_ANGLE:
        for s in range(LANES):
            out[s], out[LANES + s] = sin(angle[s]), cos(angle[s])
        return
    for s in range(LANES):
        x = angle[s]
        k = np.floor(x * 0.63661977236758134308 + 0.5)
        r = x - k * 1.57079632673412561417
        r = r - k * 6.07710050630396597660e-11
        r = r - k * 2.02226624879595063154e-21
        z = r * r
        a = 1.58969099521155010221e-10
        a = a * z - 2.50507602534068634195e-08
        a = a * z + 2.75573137070700676789e-06
        a = a * z - 1.98412698298579493134e-04
        a = a * z + 8.33333333332248946124e-03
        a = a * z - 1.66666666666666324348e-01
        a = r + r * z * a
        b = -1.13596475577881948265e-11
        b = b * z + 2.08757232129817482790e-09
        b = b * z - 2.75573143513906633035e-07
        b = b * z + 2.48015872894767294178e-05
        b = b * z - 1.38888888888741095749e-03
        b = b * z + 4.16666666666666019037e-02
        b = 1.0 - (0.5 * z - z * z * b)
        quarter = k - 4.0 * np.floor(0.25 * k)
        odd = quarter == 1.0 or quarter == 3.0
        sine = b if odd else a
        cosine = a if odd else b
        out[s] = -sine if quarter >= 2.0 else sine
        out[LANES + s] = -cosine if (quarter == 1.0 or quarter == 2.0) else cosine


@compiled(fastmath=FAST)
def place(k: Run, trig: Run, q: Run, pose: Run) -> None:
    """Pose of a body in its parent: R = A0 + sin A1 + (1 - cos) A2 (9 runs), p = p0 + p1 q (3)."""
    for c in range(9):
        a, b, d, run = k[c], k[9 + c], k[18 + c], pose[c * LANES : (c + 1) * LANES]
        for s in range(LANES):
            run[s] = a + trig[s] * b + (1.0 - trig[LANES + s]) * d
    for c in range(3):
        a, b, run = k[27 + c], k[30 + c], pose[(9 + c) * LANES : (10 + c) * LANES]
        for s in range(LANES):
            run[s] = a + q[s] * b


@compiled(fastmath=FAST)
def transport(pose: Run, twist: Run, out: Run) -> None:
    """A parent's twist in body coordinates: (R^T (v + w x p), R^T w)."""
    for s in range(LANES):
        px, py, pz = pose[9 * LANES + s], pose[10 * LANES + s], pose[11 * LANES + s]
        wx, wy, wz = twist[3 * LANES + s], twist[4 * LANES + s], twist[5 * LANES + s]
        vx = twist[s] + wy * pz - wz * py
        vy = twist[LANES + s] + wz * px - wx * pz
        vz = twist[2 * LANES + s] + wx * py - wy * px
        r0, r3, r6 = pose[s], pose[3 * LANES + s], pose[6 * LANES + s]
        out[s] = r0 * vx + r3 * vy + r6 * vz
        out[3 * LANES + s] = r0 * wx + r3 * wy + r6 * wz
        r1, r4, r7 = pose[LANES + s], pose[4 * LANES + s], pose[7 * LANES + s]
        out[LANES + s] = r1 * vx + r4 * vy + r7 * vz
        out[4 * LANES + s] = r1 * wx + r4 * wy + r7 * wz
        r2, r5, r8 = pose[2 * LANES + s], pose[5 * LANES + s], pose[8 * LANES + s]
        out[2 * LANES + s] = r2 * vx + r5 * vy + r8 * vz
        out[5 * LANES + s] = r2 * wx + r5 * wy + r8 * wz


@compiled(fastmath=FAST)
def drive(k: Run, qd: Run, qdd: Run, motion: Run) -> None:
    """Add the joint's own part: v += s qd, a += s qdd + ad_v s qd (runs: v, w, a, alpha)."""
    sx, sy, sz, tx, ty, tz = k[33], k[34], k[35], k[36], k[37], k[38]
    for s in range(LANES):
        speed, rise = qd[s], qdd[s]
        vx, vy, vz = motion[s], motion[LANES + s], motion[2 * LANES + s]
        wx, wy, wz = motion[3 * LANES + s], motion[4 * LANES + s], motion[5 * LANES + s]
        # ad_v s is the same before and after s qd is added, for s x s = 0
        ax = wy * sz - wz * sy + vy * tz - vz * ty
        ay = wz * sx - wx * sz + vz * tx - vx * tz
        az = wx * sy - wy * sx + vx * ty - vy * tx
        motion[s] = vx + sx * speed
        motion[LANES + s] = vy + sy * speed
        motion[2 * LANES + s] = vz + sz * speed
        motion[3 * LANES + s] = wx + tx * speed
        motion[4 * LANES + s] = wy + ty * speed
        motion[5 * LANES + s] = wz + tz * speed
        motion[6 * LANES + s] += sx * rise + ax * speed
        motion[7 * LANES + s] += sy * rise + ay * speed
        motion[8 * LANES + s] += sz * rise + az * speed
        motion[9 * LANES + s] += tx * rise + (wy * tz - wz * ty) * speed
        motion[10 * LANES + s] += ty * rise + (wz * tx - wx * tz) * speed
        motion[11 * LANES + s] += tz * rise + (wx * ty - wy * tx) * speed


@compiled(fastmath=FAST)
def float_base(quaternion: Run, twist: Run, rate: Run, gravity: Run, motion: Run) -> None:
    """Motion of a floating base from its twist and the rate of it, with gravity taken in."""
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    motion[: 6 * LANES] = twist[: 6 * LANES]
    motion[6 * LANES : 12 * LANES] = rate[: 6 * LANES]
    for s in range(LANES):
        x, y = quaternion[s], quaternion[LANES + s]
        z, w = quaternion[2 * LANES + s], quaternion[3 * LANES + s]
        f = 2.0 / (x * x + y * y + z * z + w * w)
        # R^T g, row by row
        motion[6 * LANES + s] -= (
            (1.0 - f * (y * y + z * z)) * gx + f * (x * y + w * z) * gy + f * (x * z - w * y) * gz
        )
        motion[7 * LANES + s] -= (
            f * (x * y - w * z) * gx + (1.0 - f * (x * x + z * z)) * gy + f * (y * z + w * x) * gz
        )
        motion[8 * LANES + s] -= (
            f * (x * z + w * y) * gx + f * (y * z - w * x) * gy + (1.0 - f * (x * x + y * y)) * gz
        )


@compiled(fastmath=FAST)
def wrench_terms(motion: Run, out: Run) -> None:
    """What the wrench of a body is made of: a_c = a + w x v (3 runs), B = [alpha] + [w][w] (9)."""
    for s in range(LANES):
        vx, vy, vz = motion[s], motion[LANES + s], motion[2 * LANES + s]
        wx, wy, wz = motion[3 * LANES + s], motion[4 * LANES + s], motion[5 * LANES + s]
        bx, by, bz = motion[9 * LANES + s], motion[10 * LANES + s], motion[11 * LANES + s]
        out[s] = motion[6 * LANES + s] + wy * vz - wz * vy
        out[LANES + s] = motion[7 * LANES + s] + wz * vx - wx * vz
        out[2 * LANES + s] = motion[8 * LANES + s] + wx * vy - wy * vx
        out[3 * LANES + s] = -wy * wy - wz * wz
        out[4 * LANES + s] = wx * wy - bz
        out[5 * LANES + s] = wx * wz + by
        out[6 * LANES + s] = wx * wy + bz
        out[7 * LANES + s] = -wx * wx - wz * wz
        out[8 * LANES + s] = wy * wz - bx
        out[9 * LANES + s] = wx * wz - by
        out[10 * LANES + s] = wy * wz + bx
        out[11 * LANES + s] = -wx * wx - wy * wy


@compiled()
def load(signals: View, begin: int, count: int, out: Run) -> None:
    """Copy samples begin...begin + count of all signals into runs; the rest repeats the last."""
    for c in range(signals.shape[0]):
        run = out[c * LANES : (c + 1) * LANES]
        for s in range(count):
            run[s] = signals[c, begin + s]
        for s in range(count, LANES):
            run[s] = signals[c, begin + count - 1]


@compiled()
def move(
    given: Run, tree_floats: Table, tree_ints: IndexTable, gravity: Run, trig: Run, states: Run
) -> None:
    """Outward pass: state of every body (see FIELDS); slot 0 is the fixed base."""
    size = FIELDS * LANES
    base = states[:size]
    base[:] = 0.0
    for c in range(3):
        base[(18 + c) * LANES : (19 + c) * LANES] = -gravity[c]
    for body in range(tree_ints.shape[0]):
        state = states[(body + 1) * size : (body + 2) * size]
        kind, at_q, at_qd, at_qdd = tree_ints[body, 1:5]
        if kind == FLOATING:
            motion = state[12 * LANES : 24 * LANES]
            twist, rate = given[at_qd * LANES :], given[at_qdd * LANES :]
            float_base(given[at_q * LANES :], twist, rate, gravity, motion)
        else:
            parent = states[tree_ints[body, 0] * size : (tree_ints[body, 0] + 1) * size]
            k, q = tree_floats[body], given[at_q * LANES : (at_q + 1) * LANES]
            if kind == REVOLUTE:
                sine_cosine(q, trig)
            else:
                trig[:LANES] = 0.0
                trig[LANES:] = 1.0
            place(k, trig, q, state)
            transport(state, parent[12 * LANES :], state[12 * LANES :])
            transport(state, parent[18 * LANES :], state[18 * LANES :])
            drive(k, given[at_qd * LANES :], given[at_qdd * LANES :], state[12 * LANES :])
        wrench_terms(state[12 * LANES :], state[24 * LANES :])


@compiled()
def pair_columns(twist: Run, pair: Indices, states: Run, axes: Run, block: Run) -> None:
    """The ten columns of one body in one row into their runs of the block; see `program`."""
    size, body, parent = FIELDS * LANES, pair[0], pair[1]
    state = states[(body + 1) * size : (body + 2) * size]
    axis = axes[6 * body * LANES : 6 * (body + 1) * LANES]
    before = axes[6 * max(parent, 0) * LANES :]
    if parent < 0:
        for c in range(6):
            axis[c * LANES : (c + 1) * LANES] = twist[c]
    ten_columns(before, int(parent >= 0), state, axis, LANES, block, pair[2:])


_SOURCE.keep()
