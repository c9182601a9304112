"""Smoothed positions, velocities, accelerations and torques at instants spread over a recording."""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from robotid.plausibility.blocks import Array, Block, Times

_WINDOW_S = 0.08  # a cubic fitted over this long follows what arms do
_MOST = 4000
_LEAST = 40
_INDEPENDENT_S = 0.2  # errors of a model stay alike about this long


class Samples(NamedTuple):
    """A motion and its torques at some instants, joints in the order of the robot.

    Args:
        t: time [ns], shape (N,).
        q, qd, qdd: from positions alone, shape (N, n).
        tau: shape (N, n); NaN for joints without torque.
        step_s: time between rows of the recording.
        independent: how many samples count as independent.
        width: rows of the window of a sample.
        rows: torques of all rows, stretch after stretch, shape (n, rows).
        centre: row of each sample, and the first and last row of its stretch, shape (N, 3).
    """

    t: Times
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    step_s: float
    independent: float
    width: int
    rows: Array
    centre: NDArray[np.int64]

    def tau_later(self, lag: int) -> Array:
        """Torques `lag` rows later; NaN where that is outside the stretch."""
        at = self.centre[:, 0] + lag
        half = self.width // 2
        inside = (at - half >= self.centre[:, 1]) & (at + half < self.centre[:, 2])
        tau = np.full((len(at), len(self.rows)), np.nan)
        smooth = _cubic(self.width)[0]
        for joint, row in enumerate(self.rows):
            windows = sliding_window_view(row, self.width)
            tau[inside, joint] = windows[at[inside] - half] @ smooth
        return tau


def take_samples(kept: list[Block], q: list[int], tau: list[int | None]) -> Samples | None:
    """Fit cubics to stretches of a recording; None where there is too little of it.

    Args:
        kept: stretches.
        q: columns of the positions.
        tau: columns of the torques; None for a joint without.
    """
    long = [block for block in kept if len(block.t) > 5]
    if not long:
        return None
    step_s = float(np.median(np.concatenate([np.diff(block.t) for block in long]))) / 1e9
    if step_s <= 0:
        return None
    width = max(5, 2 * round(_WINDOW_S / step_s / 2) + 1)
    half = width // 2
    stride = max(half // 2, 1, sum(len(block.t) for block in long) // _MOST)
    positions, torques, times, centre, start = [], [], [], [], 0
    for block in long:
        positions.append(block.values[q])
        torques.append(
            np.stack([np.full(len(block.t), np.nan) if i is None else block.values[i] for i in tau])
        )
        at = np.arange(half, len(block.t) - half, stride)
        times.append(block.t[at])
        ends = np.full((len(at), 2), [start, start + len(block.t)])
        centre.append(np.column_stack([at + start, ends]))
        start += len(block.t)
    where = np.concatenate(centre)
    x, rows = np.concatenate(positions, 1), np.concatenate(torques, 1)
    if len(where) < _LEAST:
        return None
    motion = np.empty((3, len(where), len(q)))
    filters = _cubic(width) / np.array([[1.0], [step_s], [step_s**2]])
    for joint, row in enumerate(x):
        motion[:, :, joint] = filters @ sliding_window_view(row, width)[where[:, 0] - half].T
    independent = len(where) * min(1.0, stride * step_s / _INDEPENDENT_S)
    found = Samples(
        t=np.concatenate(times),
        q=motion[0],
        qd=motion[1],
        qdd=motion[2],
        tau=motion[0],
        step_s=step_s,
        independent=independent,
        width=width,
        rows=rows,
        centre=where,
    )
    found = found._replace(tau=found.tau_later(0))
    good = np.isfinite(motion).all((0, 2))
    if np.count_nonzero(good) < _LEAST:
        return None
    arrays = {name: getattr(found, name)[good] for name in ("t", "q", "qd", "qdd", "tau", "centre")}
    return found._replace(**arrays)


def _cubic(width: int) -> Array:
    """Value, first and second derivative of a cubic in the middle of a window, (3, width)."""
    x = np.arange(width) - width // 2
    fitted = np.linalg.pinv(np.vander(x / width, 4, increasing=True))[:3]
    filters: Array = fitted * np.array([[1.0], [1.0 / width], [2.0 / width**2]])
    return filters
