"""Distances of capsules from planes, boxes and each other, with their gradients, in numba.

All distances are those of segments, the axes of capsules; radii are part of an offset. Distances
are exact up to rounding (some 1e-9 m at worst, where two segments are all but parallel and touch):

    plane   the nearer end of the segment
    box     the squared distance of a point on the segment is convex and quadratic between at most
            six places where it meets the planes of the box; a segment that meets the box has minus
            the depth of its deepest point, where a convex, piecewise linear function is least
    pair    the nearest points lie within both segments or at one of four ends: least of five

At the nearest points x and y with the unit vector n from y to x, the distance changes by
n.dx - n.dy whatever else changes (it is a minimum), so its gradient needs no derivative of x and y
along the segments. Where the nearest points are not unique, one of them is taken: an element of the
generalised gradient.
"""

from math import cos, isfinite, nan, sin, sqrt
from pathlib import Path

from robotid.compiled import CompiledSource, IndexTable, Indices, Run, Table

PLANE, BOX, PAIR = 0, 1, 2  # kinds of rows
SLIDES = 1  # kind of a joint; others turn
FRAME = 15  # numbers of a frame: rotation by rows, origin, axis of its joint
_PARALLEL = 1e-14  # squared sine of the angle below which ends are near enough
_TOUCHING = 1e-12  # distance [m] without a direction

_SOURCE = CompiledSource(Path(__file__))
compiled = _SOURCE.compiled


@compiled()
def place_bodies(q: Run, tree_ints: IndexTable, tree_floats: Table, frames: Table) -> None:
    """Frames of all bodies in base coordinates; row 0 is the base, row i + 1 is body i.

    `tree_ints` has parent and kind, `tree_floats` the pose in the parent and the axis, by body.
    """
    frames[0, :] = 0.0
    frames[0, 0] = frames[0, 4] = frames[0, 8] = 1.0
    for body in range(tree_ints.shape[0]):
        above, frame, own = frames[tree_ints[body, 0] + 1], frames[body + 1], tree_floats[body]
        x, y, z = own[12], own[13], own[14]
        slides = tree_ints[body, 1] == SLIDES
        c, s = (1.0, 0.0) if slides else (cos(q[body]), sin(q[body]))
        k = 1.0 - c
        for row in range(3):
            a, b, d = above[3 * row], above[3 * row + 1], above[3 * row + 2]
            # the row of above's rotation times that of the placement
            e = a * own[0] + b * own[3] + d * own[6]
            f = a * own[1] + b * own[4] + d * own[7]
            g = a * own[2] + b * own[5] + d * own[8]
            frame[3 * row] = e * (c + k * x * x) + f * (k * x * y + s * z) + g * (k * x * z - s * y)
            frame[3 * row + 1] = (
                e * (k * x * y - s * z) + f * (c + k * y * y) + g * (k * y * z + s * x)
            )
            frame[3 * row + 2] = (
                e * (k * x * z + s * y) + f * (k * y * z - s * x) + g * (c + k * z * z)
            )
            axis = e * x + f * y + g * z
            frame[9 + row] = above[9 + row] + a * own[9] + b * own[10] + d * own[11]
            frame[12 + row] = axis
            if slides:
                frame[9 + row] += axis * q[body]


@compiled()
def place_screws(frames: Table, tree_ints: IndexTable, screws: Table) -> None:
    """How joints move points, dx = v + a × x: v and a of each, in base coordinates."""
    for j in range(tree_ints.shape[0]):
        x, y, z = frames[j + 1, 9], frames[j + 1, 10], frames[j + 1, 11]
        a, b, c = frames[j + 1, 12], frames[j + 1, 13], frames[j + 1, 14]
        if tree_ints[j, 1] == SLIDES:
            screws[j, 0], screws[j, 1], screws[j, 2] = a, b, c
            screws[j, 3:] = 0.0
        else:
            screws[j, 0], screws[j, 1], screws[j, 2] = y * c - z * b, z * a - x * c, x * b - y * a
            screws[j, 3], screws[j, 4], screws[j, 5] = a, b, c


@compiled()
def place_ends(frames: Table, bodies: Indices, local: Table, ends: Table) -> None:
    """Both ends of all segments in base coordinates, six numbers each."""
    for k in range(bodies.size):
        frame = frames[bodies[k] + 1]
        for end in range(0, 6, 3):
            x, y, z = local[k, end], local[k, end + 1], local[k, end + 2]
            for c in range(3):
                ends[k, end + c] = (
                    frame[9 + c] + frame[3 * c] * x + frame[3 * c + 1] * y + frame[3 * c + 2] * z
                )


@compiled()
def from_plane(segment: Run, axis: int, row: Run, found: Run) -> None:
    """Height above a plane; `row[0]` is 1 or -1, the way its normal points along the axis.

    Like all that follow, it leaves in `found` the distance, n, x and y.
    """
    first, last = row[0] * segment[axis], row[0] * segment[3 + axis]
    nearer = 0 if first <= last else 3
    found[0] = min(first, last)
    found[1:4] = 0.0
    found[1 + axis] = row[0]
    found[4:7] = segment[nearer : nearer + 3]


@compiled()
def depth_in_box(segment: Run, row: Run, found: Run) -> None:
    """Minus the depth of the deepest point of a segment that meets the box.

    Heights above the six sides are lines over the segment. The highest of them is lowest at an
    end, or where a falling and a rising one cross; there its gradient is the mean of theirs that
    does not change along the segment.
    """
    at, falling, rising, lowest, share = 0.0, 0, 0, 0.0, 0.0
    for step in range(20):
        top, side = -1e300, 0
        for k in range(6):
            x = segment[k // 2] + at * (segment[3 + k // 2] - segment[k // 2])
            height = x - row[3 + k // 2] if k % 2 == 0 else row[k // 2] - x
            if height > top:
                top, side = height, k
        slope = (1.0 - 2.0 * (side % 2)) * (segment[3 + side // 2] - segment[side // 2])
        found[0] = top
        if step == 0:
            falling = rising = side
            if slope >= 0.0:
                break
            at = 1.0
            continue
        if (step == 1 and slope <= 0.0) or slope == 0.0:
            falling = rising = side
            break
        if step > 1 and top <= lowest + 1e-15:
            break
        if slope < 0.0:
            falling = side
        else:
            rising = side
        a, b = 1.0 - 2.0 * (falling % 2), 1.0 - 2.0 * (rising % 2)
        one, two = falling // 2, rising // 2
        high = segment[one] - row[3 + one] if a > 0.0 else row[one] - segment[one]
        low = segment[two] - row[3 + two] if b > 0.0 else row[two] - segment[two]
        down, up = a * (segment[3 + one] - segment[one]), b * (segment[3 + two] - segment[two])
        at = min(max((high - low) / (up - down), 0.0), 1.0)
        lowest, share = high + at * down, -down / (up - down)
    found[1:4] = 0.0
    found[1 + falling // 2] += (1.0 - share) * (1.0 - 2.0 * (falling % 2))
    found[1 + rising // 2] += share * (1.0 - 2.0 * (rising % 2))
    for c in range(3):
        found[4 + c] = segment[c] + at * (segment[3 + c] - segment[c])


@compiled()
def from_box(segment: Run, row: Run, found: Run) -> None:
    """Signed distance from a box, `row` being its lower and upper corner."""
    left, right, slope_left, slope_right = 0.0, 1.0, 0.0, 0.0
    # narrow [left, right] down to where the slope of the squared distance is linear
    for which in range(-2, 6):
        axis = which // 2
        if which == -2:
            at = 0.0
        elif which == -1:
            at = 1.0
        else:
            length = segment[3 + axis] - segment[axis]
            if length == 0.0:
                continue
            at = (row[axis + 3 * (which % 2)] - segment[axis]) / length
            if not left < at < right:
                continue
        slope = 0.0
        for c in range(3):
            length = segment[3 + c] - segment[c]
            x = segment[c] + at * length
            slope += (min(x - row[c], 0.0) + max(x - row[3 + c], 0.0)) * length
        if which == -2:
            slope_left = slope
        elif which == -1:
            slope_right = slope
        elif slope < 0.0:
            left, slope_left = at, slope
        else:
            right, slope_right = at, slope
    if slope_left >= 0.0:
        at = left
    elif slope_right <= 0.0:
        at = right
    else:
        at = left - slope_left * (right - left) / (slope_right - slope_left)
    squared = 0.0
    for c in range(3):
        x = segment[c] + at * (segment[3 + c] - segment[c])
        away = min(x - row[c], 0.0) + max(x - row[3 + c], 0.0)
        found[1 + c], found[4 + c] = away, x
        squared += away * away
    if squared > _TOUCHING * _TOUCHING:
        found[0] = sqrt(squared)
        for c in range(1, 4):
            found[c] /= found[0]
    else:
        depth_in_box(segment, row, found)


@compiled()
def from_segment(segment: Run, other: Run, found: Run) -> None:
    """Distance of two segments."""
    a = b = c = d = e = 0.0
    for i in range(3):
        u, v, w = segment[3 + i] - segment[i], other[3 + i] - other[i], segment[i] - other[i]
        a, b, c, d, e = a + u * u, b + u * v, c + v * v, d + u * w, e + v * w
    least, best_s, best_t = 1e300, 0.0, 0.0
    for which in range(5):
        s, t = 0.0, 0.0
        if which == 0:  # within both
            area = a * c - b * b
            if area <= _PARALLEL * a * c:
                continue
            s, t = (b * e - c * d) / area, (a * e - b * d) / area
            if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
                continue
        elif which < 3:  # at an end of the first
            s = which - 1.0
            t = min(max((e + s * b) / c, 0.0), 1.0) if c > 0.0 else 0.0
        else:
            t = which - 3.0
            s = min(max((t * b - d) / a, 0.0), 1.0) if a > 0.0 else 0.0
        squared = 0.0
        for i in range(3):
            x = segment[i] + s * (segment[3 + i] - segment[i])
            y = other[i] + t * (other[3 + i] - other[i])
            squared += (x - y) * (x - y)
        if squared < least:
            least, best_s, best_t = squared, s, t
    found[0] = sqrt(least)
    for i in range(3):
        found[4 + i] = segment[i] + best_s * (segment[3 + i] - segment[i])
        found[7 + i] = other[i] + best_t * (other[3 + i] - other[i])
    if found[0] > _TOUCHING:
        for i in range(3):
            found[1 + i] = (found[4 + i] - found[7 + i]) / found[0]
        return
    # They touch: what leads out is across both; any direction will do for points.
    size = 0.0
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        found[1 + i] = (segment[3 + k] - segment[k]) * (other[3 + m] - other[m]) - (
            segment[3 + m] - segment[m]
        ) * (other[3 + k] - other[k])
        size += found[1 + i] ** 2
    if size > 1e-24:
        for i in range(3):
            found[1 + i] /= sqrt(size)
    else:
        found[1], found[2], found[3] = 0.0, 0.0, 1.0


@compiled()
def measure(
    q: Table,
    tree_ints: IndexTable,
    tree_floats: Table,
    above: Table,
    bodies: Indices,
    local: Table,
    row_ints: IndexTable,
    row_floats: Table,
    frames: Table,
    screws: Table,
    ends: Table,
    found: Run,
    values: Table,
    gradients: Table,
) -> None:
    """Values of all rows at all samples, and gradients where there is room for them.

    Args:
        q: configurations, shape (samples, n).
        tree_ints: parent and kind of each body.
        tree_floats: rotation, position and axis of each body.
        above: entry (i + 1, j): 1 if joint j moves body i, else 0; row 0, the base, has zeros.
        bodies: body of each segment; -1 is the base.
        local: ends of each segment in its body, shape (segments, 6).
        row_ints: kind, segment, and the other segment or the axis, shape (rows, 3).
        row_floats: offset that is taken off, then the way of the plane or the corners of the box.
        frames: room for frames, shape (bodies + 1, FRAME).
        screws: room for those of the joints, shape (n, 6).
        ends: room for segments, shape (segments, 6).
        found: room for 10 numbers.
        values: result, shape (samples, rows); NaN where q is not finite.
        gradients: result, shape (samples rows, n), or empty.
    """
    rows, joints = row_ints.shape[0], tree_ints.shape[0]
    for sample in range(q.shape[0]):
        if not isfinite(q[sample].sum()):  # a comparison with NaN must not look like a distance
            values[sample, :] = nan
            if gradients.size > 0:
                gradients[sample * rows : (sample + 1) * rows] = nan
            continue
        place_bodies(q[sample], tree_ints, tree_floats, frames)
        place_ends(frames, bodies, local, ends)
        if gradients.size > 0:
            place_screws(frames, tree_ints, screws)
        for row in range(rows):
            kind, one, two = row_ints[row]
            other = 0
            if kind == PLANE:
                from_plane(ends[one], two, row_floats[row, 1:], found)
            elif kind == BOX:
                from_box(ends[one], row_floats[row, 1:], found)
            else:
                from_segment(ends[one], ends[two], found)
                other = bodies[two] + 1
            values[sample, row] = found[0] - row_floats[row, 0]
            if gradients.size == 0:
                continue
            nx, ny, nz = found[1], found[2], found[3]
            x, y, z = found[4], found[5], found[6]
            wx, wy, wz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
            to, body = sample * rows + row, bodies[one] + 1
            for j in range(joints):
                # n.(a × (x - o)); y instead of x would do as well, n being along x - y
                along = nx * screws[j, 0] + ny * screws[j, 1] + nz * screws[j, 2]
                about = wx * screws[j, 3] + wy * screws[j, 4] + wz * screws[j, 5]
                gradients[to, j] = (above[body, j] - above[other, j]) * (along + about)


_SOURCE.keep()
