"""Times as they are in the file: whether they can be times at all, and in which unit."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.ingestion.units import TIME_UNITS
from robotid.logs.findings import Findings

Raw = NDArray[np.float64] | NDArray[np.int64]
Where = Callable[[int], str]

DAY = 86400 * 10**9  # ns
_FARTHEST = 2.0**62  # ns
_SLOWEST_HZ, _FASTEST_HZ = 4.0, 100e3


def must_be_finite(raw: Raw, where: Where, file: str) -> None:
    """Refuse times that are no numbers."""
    if raw.dtype.kind == "f" and not np.isfinite(raw.sum()):
        bad = np.flatnonzero(~np.isfinite(raw))
        if bad.size:
            place = where(int(bad[0]))
            said = f"{place}: the time is {raw[bad[0]]}"
            raise BadDataError("time-not-finite", said, file=file, line=line_of(place))


def must_be_near(raw: Raw, zero: float, unit_ns: float, where: Where, file: str) -> None:
    """Refuse times that are centuries from the first: damage, and too many ns to count."""
    if not raw.size:
        return
    ends = (float(raw.min()), float(raw.max()))
    if max(abs(end - zero) for end in ends) * unit_ns <= _FARTHEST:
        return
    row = int(np.argmax(np.abs(raw.astype(np.float64) - zero)))
    raise BadDataError(
        "time-not-finite",
        f"{where(row)}: the time is {raw[row]:g}, the first is {zero:g}",
        file=file,
        line=line_of(where(row)),
        hint="is the unit of time right (--time-unit)? else take that sample out",
    )


def check_rate(step_ns: int, unit_ns: float, file: str) -> None:
    """A rate no robot is logged at is a mistaken unit (B53)."""
    rate = 1e9 / step_ns
    if _SLOWEST_HZ <= rate <= _FASTEST_HZ:
        return
    step = step_ns / unit_ns
    fits = [name for name, ns in TIME_UNITS.items() if 20 <= 1e9 / (step * ns) <= 10e3]
    counted = not isinstance(unit_ns, int)  # no column of times that could have a unit
    unit = f"are the times in {' or '.join(fits)}? then say so: --time-unit; "
    raise BadDataError(
        "odd-rate",
        f"{rate:.3g} samples per second",
        file=file,
        hint=("" if counted or not fits else unit) + "if the rate is right: --accept odd-rate",
    )


def check_resolution(raw: Raw, step_ns: int, unit_ns: float, file: str, findings: Findings) -> None:
    """Times of float64 that are far from zero have lost digits (B62)."""
    if raw.dtype.kind != "f":
        return
    resolution = float(np.spacing(np.abs(raw).max())) * unit_ns
    if step_ns < 10 * resolution:
        raise BadDataError(
            "time-resolution",
            f"times have a resolution of {resolution:.3g} ns, steps are {step_ns} ns",
            file=file,
            hint="log times as whole numbers, or since the start",
        )
    if resolution > 1e-5 * step_ns:
        said = f"times have a resolution of {resolution:.0f} ns: they are far from zero"
        findings.add("time-resolution", said)


def before_clock(raw: Raw, unit: float) -> int:
    """How many samples at the front have a time from before the clock was set (B64)."""
    with np.errstate(over="ignore"):
        leaps = np.flatnonzero(np.diff(raw) * unit > DAY)
    if not leaps.size:
        return 0
    count = int(leaps[0]) + 1
    front = raw[:count]
    return count if (front <= 0).all() or (front == front[0]).all() else 0


def line_of(place: str) -> int | None:
    """The line that a place names; None where files have no lines."""
    kind, _, number = place.partition(" ")
    return int(number) if kind == "line" else None
