"""Do velocities fit positions? Changes of positions against integrals of velocities.

The ratio of both says which units go together: 1 the same, 57.3 degrees and rad/s, and so on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.ingestion.sources import Place
from robotid.ingestion.units import UNITS
from robotid.inspection.survey import ROWS, limited

Array = NDArray[np.float64]

_WINDOWS = 4000
_LEAST_ROWS = 5  # of a window
_LEAST_WINDOWS = 8
_MOVING = 0.2  # of the usual largest change: windows with less say nothing
_UNRELATED = 0.25  # of a change that the integral does not explain
_TOLERANCE = 0.03


class Clock(NamedTuple):
    """Where the times of a stream are: a column and seconds in its unit, or seconds per row."""

    column: str | None
    unit_s: float


class Series(NamedTuple):
    """Columns of a stream, and its clock."""

    place: Place
    clock: Clock
    columns: tuple[str, ...]
    rows: int


def ratios(positions: Series, velocities: Series) -> list[float | None]:
    """Change of position over integral of velocity for each joint, in the units of the file.

    None where the joint hardly moves, or where both are not related.
    """
    if positions.rows != velocities.rows:
        return [None] * len(positions.columns)
    every = max(_LEAST_ROWS, -(-positions.rows // _WINDOWS))
    change = np.diff(_sampled(positions, every, integrate=False), axis=0)
    integral = np.diff(_sampled(velocities, every, integrate=True), axis=0)
    return [_ratio(d, i) for d, i in zip(change.T, integral.T, strict=True)]


def fitting_units(ratio: float, kind: str) -> list[tuple[str, str]]:
    """Units of positions and velocities that give a ratio, SI units first.

    Args:
        ratio: as `ratios` gives it; its sign does not matter.
        kind: `revolute` or `prismatic`.
    """
    angle = kind == "revolute"
    q_units = [name for name, u in UNITS.items() if u.measures == ("angle" if angle else "length")]
    speed = "angular velocity" if angle else "velocity"
    qd_units = [name for name, u in UNITS.items() if u.measures == speed]
    found = []
    for q in q_units:
        for qd in qd_units:
            expected = UNITS[qd].factor / UNITS[q].factor
            if abs(abs(ratio) / expected - 1) < _TOLERANCE:
                found.append((q, qd))
    return found


def _sampled(series: Series, every: int, *, integrate: bool) -> Array:
    """Values, or integrals over time, at every so many rows; shape (samples, columns)."""
    clock, found = series.clock, []
    wanted = list(dict.fromkeys([*([clock.column] if clock.column else []), *series.columns]))
    rows, zero = 0, None
    last: tuple[Array, Array] | None = None
    total = np.zeros(len(series.columns))
    for batch in limited(series.place.log.batches(series.place.stream.name, wanted), ROWS):
        values = np.column_stack([batch.columns[name] for name in series.columns]).astype(float)
        chosen = np.flatnonzero(np.arange(rows, rows + batch.rows) % every == 0)
        if integrate:
            values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
            if clock.column is None:
                t = np.asarray(np.arange(rows, rows + batch.rows) * clock.unit_s, np.float64)
            else:
                raw = batch.columns[clock.column]
                zero = raw[0] if zero is None else zero  # stamps of ns stay exact
                t = np.asarray((raw - zero) * clock.unit_s, np.float64)
            before = last or (t[:1], values[:1])
            steps = np.diff(np.concatenate([before[0], t]))
            means = np.concatenate([before[1], values])
            sums = np.cumsum(0.5 * (means[1:] + means[:-1]) * steps[:, None], axis=0) + total
            last, total = (t[-1:], values[-1:]), sums[-1]
            values = sums
        found.append(values[chosen])
        rows += batch.rows
    return np.concatenate(found) if found else np.empty((0, len(series.columns)))


def _ratio(change: Array, integral: Array) -> float | None:
    good = np.isfinite(change) & np.isfinite(integral)
    change, integral = change[good], integral[good]
    if integral.size < _LEAST_WINDOWS:
        return None
    moving = np.abs(integral) > _MOVING * np.quantile(np.abs(integral), 0.95)
    change, integral = change[moving], integral[moving]
    if integral.size < _LEAST_WINDOWS or not np.median(np.abs(change)) > 0:
        return None
    found = float(np.median(change / integral))
    # Jumps of an encoder and the like must not hide that all the rest fits.
    off = np.median(np.abs(change - found * integral)) / np.median(np.abs(change))
    return found if off < _UNRELATED else None
