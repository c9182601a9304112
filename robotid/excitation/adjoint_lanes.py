"""Derivatives of what the regressor is made of, backwards, for a batch of samples, in numba.

Runs and states of bodies are those of `information.lanes`. Twists have their linear part first,
and so have what multiplies them: forces f = (force, moment). A parent's twist u is y = X u in
coordinates of the body; since dX/dq = -ad_s X, its share of the slope in q is f^T ad_y s, and
X^T f goes on to the parent. Poses need no derivatives of their own.
"""

from pathlib import Path

from robotid.compiled import CompiledSource, Run
from robotid.information import lanes
from robotid.information.lanes import FAST, LANES

GATHERED = 12  # runs per body: what multiplies a_c (3), alpha (3), (w w^T)/2 (xx xy yy xz yz zz)

_SOURCE = CompiledSource(Path(__file__), Path(str(lanes.__file__)))
compiled = _SOURCE.compiled


@compiled()
def fetch(weights: Run, at: int, stride: int, count: int, out: Run) -> None:
    """Ten weights of each of `count` samples into ten runs; the rest of the runs is zero."""
    for s in range(count):
        here = weights[at + s * stride : at + s * stride + 10]
        for c in range(10):
            out[c * LANES + s] = here[c]
    for c in range(10):
        out[c * LANES + count : (c + 1) * LANES] = 0.0


@compiled()
def put(slopes: Run, count: int, out: Run, at: int, stride: int, plane: int) -> None:
    """Slopes of all joints (3 runs each: q, qd, qdd) to out[at + s stride + kind plane + joint]."""
    for joint in range(slopes.size // (3 * LANES)):
        for kind in range(3):
            run = slopes[(3 * joint + kind) * LANES : (3 * joint + kind + 1) * LANES]
            for s in range(count):
                out[at + s * stride + kind * plane + joint] = run[s]


@compiled(fastmath=FAST)
def gather(axis: Run, weights: Run, out: Run) -> None:
    """Add what multiplies the motion of a body in axis^T A weights; see GATHERED.

    With weights (m, h, I) and axis (v, w) it is, for a_c: m v + w x h, for alpha: h x v + I w, and
    for w: the quadratic form v h^T + h v^T - 2 v^T h - [w] I + I [w].
    """
    for s in range(LANES):
        vx, vy, vz = axis[s], axis[LANES + s], axis[2 * LANES + s]
        wx, wy, wz = axis[3 * LANES + s], axis[4 * LANES + s], axis[5 * LANES + s]
        m = weights[s]
        hx, hy, hz = weights[LANES + s], weights[2 * LANES + s], weights[3 * LANES + s]
        xx, xy, yy = weights[4 * LANES + s], weights[5 * LANES + s], weights[6 * LANES + s]
        xz, yz, zz = weights[7 * LANES + s], weights[8 * LANES + s], weights[9 * LANES + s]
        out[s] += m * vx + wy * hz - wz * hy
        out[LANES + s] += m * vy + wz * hx - wx * hz
        out[2 * LANES + s] += m * vz + wx * hy - wy * hx
        out[3 * LANES + s] += hy * vz - hz * vy + xx * wx + xy * wy + xz * wz
        out[4 * LANES + s] += hz * vx - hx * vz + xy * wx + yy * wy + yz * wz
        out[5 * LANES + s] += hx * vy - hy * vx + xz * wx + yz * wy + zz * wz
        out[6 * LANES + s] -= 2.0 * (vy * hy + vz * hz + wy * xz - wz * xy)
        out[7 * LANES + s] += vx * hy + vy * hx - wy * yz + wz * yy - wz * xx + wx * xz
        out[8 * LANES + s] -= 2.0 * (vx * hx + vz * hz + wz * xy - wx * yz)
        out[9 * LANES + s] += vx * hz + vz * hx - wy * zz + wz * yz - wx * xy + wy * xx
        out[10 * LANES + s] += vy * hz + vz * hy - wz * xz + wx * zz - wx * yy + wy * xy
        out[11 * LANES + s] -= 2.0 * (vx * hx + vy * hy + wx * yz - wy * xz)


@compiled(fastmath=FAST)
def add_force(weights: Run, state: Run, out: Run) -> None:
    """Add A weights: m a_c + B h, and h x a_c + I alpha + w x I w."""
    for s in range(LANES):
        m = weights[s]
        hx, hy, hz = weights[LANES + s], weights[2 * LANES + s], weights[3 * LANES + s]
        xx, xy, yy = weights[4 * LANES + s], weights[5 * LANES + s], weights[6 * LANES + s]
        xz, yz, zz = weights[7 * LANES + s], weights[8 * LANES + s], weights[9 * LANES + s]
        wx, wy, wz = state[15 * LANES + s], state[16 * LANES + s], state[17 * LANES + s]
        bx, by, bz = state[21 * LANES + s], state[22 * LANES + s], state[23 * LANES + s]
        ax, ay, az = state[24 * LANES + s], state[25 * LANES + s], state[26 * LANES + s]
        row = state[27 * LANES + s] * hx + state[28 * LANES + s] * hy + state[29 * LANES + s] * hz
        out[s] += m * ax + row
        row = state[30 * LANES + s] * hx + state[31 * LANES + s] * hy + state[32 * LANES + s] * hz
        out[LANES + s] += m * ay + row
        row = state[33 * LANES + s] * hx + state[34 * LANES + s] * hy + state[35 * LANES + s] * hz
        out[2 * LANES + s] += m * az + row
        lx, ly = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz
        lz = xz * wx + yz * wy + zz * wz
        out[3 * LANES + s] += hy * az - hz * ay + xx * bx + xy * by + xz * bz + wy * lz - wz * ly
        out[4 * LANES + s] += hz * ax - hx * az + xy * bx + yy * by + yz * bz + wz * lx - wx * lz
        out[5 * LANES + s] += hx * ay - hy * ax + xz * bx + yz * by + zz * bz + wx * ly - wy * lx


@compiled(fastmath=FAST)
def add_turning(k: Run, twist: Run, force: Run, slope: Run) -> None:
    """Slope in q of a transported twist y that multiplies a force: add force^T ad_y s."""
    sx, sy, sz, tx, ty, tz = k[33], k[34], k[35], k[36], k[37], k[38]
    for s in range(LANES):
        vx, vy, vz = twist[s], twist[LANES + s], twist[2 * LANES + s]
        wx, wy, wz = twist[3 * LANES + s], twist[4 * LANES + s], twist[5 * LANES + s]
        slope[s] += (
            force[s] * (wy * sz - wz * sy + vy * tz - vz * ty)
            + force[LANES + s] * (wz * sx - wx * sz + vz * tx - vx * tz)
            + force[2 * LANES + s] * (wx * sy - wy * sx + vx * ty - vy * tx)
            + force[3 * LANES + s] * (wy * tz - wz * ty)
            + force[4 * LANES + s] * (wz * tx - wx * tz)
            + force[5 * LANES + s] * (wx * ty - wy * tx)
        )


@compiled(fastmath=FAST)
def hand_on(pose: Run, force: Run, out: Run) -> None:
    """Add a body's force in its parent's coordinates: X^T f = (R f, R n + p x R f)."""
    for s in range(LANES):
        fx, fy, fz = force[s], force[LANES + s], force[2 * LANES + s]
        nx, ny, nz = force[3 * LANES + s], force[4 * LANES + s], force[5 * LANES + s]
        px, py, pz = pose[9 * LANES + s], pose[10 * LANES + s], pose[11 * LANES + s]
        a, b, c = pose[s], pose[LANES + s], pose[2 * LANES + s]
        gx, mx = a * fx + b * fy + c * fz, a * nx + b * ny + c * nz
        a, b, c = pose[3 * LANES + s], pose[4 * LANES + s], pose[5 * LANES + s]
        gy, my = a * fx + b * fy + c * fz, a * nx + b * ny + c * nz
        a, b, c = pose[6 * LANES + s], pose[7 * LANES + s], pose[8 * LANES + s]
        gz, mz = a * fx + b * fy + c * fz, a * nx + b * ny + c * nz
        out[s] += gx
        out[LANES + s] += gy
        out[2 * LANES + s] += gz
        out[3 * LANES + s] += mx + py * gz - pz * gy
        out[4 * LANES + s] += my + pz * gx - px * gz
        out[5 * LANES + s] += mz + px * gy - py * gx


@compiled(fastmath=FAST)
def add_pull(gathered: Run, motion: Run, out: Run) -> None:
    """Add the slopes in v, w, a, alpha of a body (12 runs), from those in a_c and B."""
    for s in range(LANES):
        cx, cy, cz = gathered[s], gathered[LANES + s], gathered[2 * LANES + s]
        xx, xy, yy = gathered[6 * LANES + s], gathered[7 * LANES + s], gathered[8 * LANES + s]
        xz, yz, zz = gathered[9 * LANES + s], gathered[10 * LANES + s], gathered[11 * LANES + s]
        vx, vy, vz = motion[s], motion[LANES + s], motion[2 * LANES + s]
        wx, wy, wz = motion[3 * LANES + s], motion[4 * LANES + s], motion[5 * LANES + s]
        out[s] += cy * wz - cz * wy
        out[LANES + s] += cz * wx - cx * wz
        out[2 * LANES + s] += cx * wy - cy * wx
        out[3 * LANES + s] += vy * cz - vz * cy + xx * wx + xy * wy + xz * wz
        out[4 * LANES + s] += vz * cx - vx * cz + xy * wx + yy * wy + yz * wz
        out[5 * LANES + s] += vx * cy - vy * cx + xz * wx + yz * wy + zz * wz
        out[6 * LANES + s] += cx
        out[7 * LANES + s] += cy
        out[8 * LANES + s] += cz
        out[9 * LANES + s] += gathered[3 * LANES + s]
        out[10 * LANES + s] += gathered[4 * LANES + s]
        out[11 * LANES + s] += gathered[5 * LANES + s]


@compiled(fastmath=FAST)
def release(k: Run, qd: Run, motion: Run, pull: Run, slopes: Run) -> None:
    """Take the joint's own part away: `lanes.drive` and the turning of what it began with.

    Args:
        k: constants of the body.
        qd: speed of the joint.
        motion: v, w, a, alpha of the body.
        pull: slopes in them; those in v, w become slopes in the parent's, transported.
        slopes: in q (added to), qd and qdd of the joint.
    """
    sx, sy, sz, tx, ty, tz = k[33], k[34], k[35], k[36], k[37], k[38]
    for s in range(LANES):
        speed = qd[s]
        vx, vy, vz = motion[s], motion[LANES + s], motion[2 * LANES + s]
        wx, wy, wz = motion[3 * LANES + s], motion[4 * LANES + s], motion[5 * LANES + s]
        fx, fy, fz = pull[6 * LANES + s], pull[7 * LANES + s], pull[8 * LANES + s]
        nx, ny, nz = pull[9 * LANES + s], pull[10 * LANES + s], pull[11 * LANES + s]
        # e = ad_v s, by which a grows with qd
        ex = wy * sz - wz * sy + vy * tz - vz * ty
        ey = wz * sx - wx * sz + vz * tx - vx * tz
        ez = wx * sy - wy * sx + vx * ty - vy * tx
        dx, dy, dz = wy * tz - wz * ty, wz * tx - wx * tz, wx * ty - wy * tx
        slopes[2 * LANES + s] = sx * fx + sy * fy + sz * fz + tx * nx + ty * ny + tz * nz
        gx, gy, gz = pull[s], pull[LANES + s], pull[2 * LANES + s]
        mx, my, mz = pull[3 * LANES + s], pull[4 * LANES + s], pull[5 * LANES + s]
        own = sx * gx + sy * gy + sz * gz + tx * mx + ty * my + tz * mz
        slopes[LANES + s] = own + ex * fx + ey * fy + ez * fz + dx * nx + dy * ny + dz * nz
        # the slope in v of f^T ad_v s: (s_w x f, s_v x f + s_w x n)
        gx += speed * (ty * fz - tz * fy)
        gy += speed * (tz * fx - tx * fz)
        gz += speed * (tx * fy - ty * fx)
        mx += speed * (sy * fz - sz * fy + ty * nz - tz * ny)
        my += speed * (sz * fx - sx * fz + tz * nx - tx * nz)
        mz += speed * (sx * fy - sy * fx + tx * ny - ty * nx)
        pull[s], pull[LANES + s], pull[2 * LANES + s] = gx, gy, gz
        pull[3 * LANES + s], pull[4 * LANES + s], pull[5 * LANES + s] = mx, my, mz
        # the parent's acceleration, transported (but for s qdd, which ad takes to zero)
        ax, ay = motion[6 * LANES + s] - ex * speed, motion[7 * LANES + s] - ey * speed
        az, bx = motion[8 * LANES + s] - ez * speed, motion[9 * LANES + s] - dx * speed
        by, bz = motion[10 * LANES + s] - dy * speed, motion[11 * LANES + s] - dz * speed
        slopes[s] += ex * gx + ey * gy + ez * gz + dx * mx + dy * my + dz * mz
        slopes[s] += (
            fx * (by * sz - bz * sy + ay * tz - az * ty)
            + fy * (bz * sx - bx * sz + az * tx - ax * tz)
            + fz * (bx * sy - by * sx + ax * ty - ay * tx)
            + nx * (by * tz - bz * ty)
            + ny * (bz * tx - bx * tz)
            + nz * (bx * ty - by * tx)
        )


_SOURCE.keep()
