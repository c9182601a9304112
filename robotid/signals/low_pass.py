"""A recording, smoothed: uniform grid, zero-phase low-pass, velocities, accelerations."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.signals.butterworth import derivative, design, memory, smooth
from robotid.signals.grid import resample, segments
from robotid.types import Columns


class Stretch(NamedTuple):
    """Samples between two gaps that were left out: start [s] and number."""

    start_s: float
    samples: int


class Filtered(NamedTuple):
    """Filtered columns (empty when nothing was long enough) and what became of the rest.

    `memory_s` is after how long the filter has forgotten; `needed` is how many samples a stretch
    without gaps must have; `trimmed` is how many were cut off at the ends of stretches because the
    filter was not settled there.
    """

    columns: Columns
    rate_hz: float
    memory_s: float
    needed: int
    trimmed: int
    left_out: list[Stretch]


def low_pass(columns: Columns, joints: Sequence[str], cutoff_hz: float, order: int) -> Filtered:
    """Filter all signals alike and differentiate the velocities.

    Args:
        columns: `t` [ns] and `<signal>.<joint>`, each of shape (samples,).
        joints: their names.
        cutoff_hz: design value of the low-pass.
        order: order of the low-pass.
    """
    t = columns["t"] / 1e9
    step, stretches = segments(t)
    sections = design(cutoff_hz, order, 1.0 / step)
    trim = memory(sections)
    names = [name for name in columns if name != "t"]
    raw = np.column_stack([columns[name] for name in names]).astype(np.float64)
    kept: list[Columns] = []
    left_out: list[Stretch] = []
    for number, stretch in enumerate(stretches):
        progress.report(number, len(stretches), "filtering")
        grid, values = resample(t[stretch], raw[stretch], step)
        if grid.size < 4 * trim:
            left_out.append(Stretch(float(t[stretch.start]), stretch.stop - stretch.start))
            continue
        signals = dict(zip(names, smooth(values, sections).T, strict=True))
        _differentiate(signals, joints, step)
        inner = slice(trim, grid.size - trim)
        kept.append(
            {
                "t": np.round(grid[inner] * 1e9).astype(np.int64),
                "segment": np.full(grid[inner].size, number, dtype=np.int64),
                **{name: signal[inner] for name, signal in sorted(signals.items())},
            }
        )
    joined = (
        {name: np.concatenate([part[name] for part in kept]) for name in kept[0]} if kept else {}
    )
    return Filtered(
        columns=joined,
        rate_hz=1.0 / step,
        memory_s=trim * step,
        needed=4 * trim,
        trimmed=2 * trim * len(kept),
        left_out=left_out,
    )


def _differentiate(
    signals: dict[str, NDArray[np.float64]], joints: Sequence[str], step: float
) -> None:
    """Add velocities where the log has none, and accelerations."""
    for joint in joints:
        if f"qd.{joint}" not in signals:
            signals[f"qd.{joint}"] = derivative(signals[f"q.{joint}"], step)
        signals[f"qdd.{joint}"] = derivative(signals[f"qd.{joint}"], step)
