"""Do velocities fit positions? Changes of positions against integrals of velocities.

The ratio of both says which units go together: 1 the same, 57.3 degrees and rad/s, and so on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.ingestion.sources import Place
from robotid.ingestion.units import UNITS
from robotid.inspection.survey import limited
from robotid.logs.log import Batch

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
    if positions.place == velocities.place:
        values, integrals = _sampled(positions, velocities.columns, every)
    else:
        values, _ = _sampled(positions, (), every)
        _, integrals = _sampled(velocities._replace(columns=()), velocities.columns, every)
    if len(values) != len(integrals):
        return [None] * len(positions.columns)
    change, integral = np.diff(values, axis=0), np.diff(integrals, axis=0)
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


def _sampled(series: Series, integrated: tuple[str, ...], every: int) -> tuple[Array, Array]:
    """Values of some columns and integrals of others at every so many rows.

    Returns:
        Values, shape (samples, columns), and integrals over time, shape (samples, integrated).
    """
    clock = series.clock
    times = [clock.column] if clock.column else []
    wanted = list(dict.fromkeys([*times, *series.columns, *integrated]))
    found: list[tuple[Array, Array]] = []
    rows, integral = 0, _Integral(clock)
    for batch in limited(series.place.log.batches(series.place.stream.name, wanted), series.rows):
        chosen = np.flatnonzero(np.arange(rows, rows + batch.rows) % every == 0)
        values = _matrix(batch, series.columns)[chosen]
        found.append((values, integral.put(batch, integrated, rows)[chosen]))
        rows += batch.rows
    empty = (np.empty((0, len(series.columns))), np.empty((0, len(integrated))))
    parts = list(zip(*(found or [empty]), strict=True))
    return np.concatenate(parts[0]), np.concatenate(parts[1])


class _Integral:
    """Integrals over time of columns, row by row; missing values count as zero."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._zero: float | int | None = None
        self._last: tuple[Array, Array] | None = None
        self._total: Array | float = 0.0

    def put(self, batch: Batch, columns: tuple[str, ...], rows: int) -> Array:
        """The integrals at the next rows, of which `rows` came before; shape (rows, columns)."""
        values = np.nan_to_num(_matrix(batch, columns), nan=0.0, posinf=0.0, neginf=0.0)
        if not batch.rows:
            return values
        t = self._times(batch, rows)
        before = self._last or (t[:1], values[:1])
        steps = np.diff(np.concatenate([before[0], t]))
        joined = np.concatenate([before[1], values])
        sums = np.cumsum(0.5 * (joined[1:] + joined[:-1]) * steps[:, None], axis=0) + self._total
        self._last, self._total = (t[-1:], values[-1:]), sums[-1]
        return np.asarray(sums, np.float64)

    def _times(self, batch: Batch, rows: int) -> Array:
        """Seconds; whole numbers are counted from the first, so that stamps of ns stay exact."""
        if self._clock.column is None:
            t = np.arange(rows, rows + batch.rows) * self._clock.unit_s
        else:
            raw = batch.columns[self._clock.column]
            self._zero = raw[0].item() if self._zero is None else self._zero
            t = (raw - self._zero) * self._clock.unit_s
        return np.asarray(t, np.float64)


def _matrix(batch: Batch, columns: tuple[str, ...]) -> Array:
    if not columns:
        return np.empty((batch.rows, 0))
    return np.column_stack([batch.columns[name] for name in columns]).astype(np.float64)


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
