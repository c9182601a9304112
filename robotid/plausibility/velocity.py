"""Whether qd is the derivative of q: unit, sign, joint, delay."""

from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array, Block
from robotid.plausibility.channels import moves
from robotid.plausibility.finding import duration
from robotid.plausibility.report import Report
from robotid.plausibility.signals import Setup
from robotid.plausibility.statistics import Statistics

_WINDOW_NS = 50_000_000  # over which positions and integrated velocities are compared
_ROWS = 20_000
_SAME = 0.9  # correlation of a quantity with itself, measured twice
_OTHER = 0.5  # correlation below which it is another quantity
_OFF = 0.2  # of a ratio of 1
_LAG_NS, _LAG_SAMPLES = 8_000_000, 2
_LONGEST_LAG_NS, _LAGS = 500_000_000, 200

# Change of q over integrated qd, and what that ratio tells.
_UNITS = {
    "revolute": (
        (180 / np.pi, "q is in degrees", 'q: "deg"'),
        (np.pi / 180, "qd is in degrees per second", 'qd: "deg/s"'),
        (np.pi / 30, "qd is in revolutions per minute", 'qd: "rpm"'),
        (6.0, "q is in degrees and qd in revolutions per minute", 'q: "deg", qd: "rpm"'),
        (1 / (2 * np.pi), "q is in turns", 'q: "turns"'),
        (2 * np.pi, "qd is in turns per second", 'qd: "turns/s"'),
        (1000.0, "q is in milliradians", 'q: "mrad"'),
        (0.001, "qd is in milliradians per second, or time is in other units", 'qd: "mrad/s"'),
    ),
    "prismatic": (
        (1000.0, "q is in millimetres", 'q: "mm"'),
        (0.001, "qd is in millimetres per second", 'qd: "mm/s"'),
        (1 / 60, "qd is in metres per minute", 'qd: "m/min"'),
        (1000 / 60, "q is in millimetres and qd in metres per minute", 'q: "mm", qd: "m/min"'),
    ),
}


class Steps(NamedTuple):
    """Changes over short windows, each of shape (windows, joints).

    Args:
        way: of q.
        speed: integrals of qd.
        rise: changes of qd.
        area: integrals of q.
        lag_ns: time between rows.
    """

    way: Array
    speed: Array
    rise: Array
    area: Array
    lag_ns: float


def check_velocity(setup: Setup, known: Statistics, kept: list[Block], report: Report) -> None:
    """Compare velocities with positions."""
    q, qd = setup.columns("q"), setup.columns("qd")
    if q is None or qd is None:
        return
    steps = _steps(kept, q, qd)
    if steps is None:
        return
    joints = [j for j in range(len(q)) if moves(setup, known, j) and not known.constant(qd[j])]
    same = _correlations(steps.way, steps.speed)
    for joint in joints:
        if np.isnan(same[joint]).all():
            continue  # too little of it to say anything
        other = int(np.nanargmax(np.abs(same[joint])))
        if abs(same[joint, joint]) >= _SAME:
            _check_ratio(setup, known, steps, joint, report)
        elif _is_swapped(steps, joint):
            report.add(
                "q-and-qd-swapped",
                "the column of qd changes as the column of q says, not the other way round",
                "q and qd are mixed up; exchange them in the map",
                joint=joint,
                t=known.start,
                refused=True,
            )
        elif abs(same[joint, joint]) < _OTHER and abs(same[joint, other]) >= _SAME:
            report.add(
                "velocity-of-other-joint",
                f"qd is the velocity of {setup.joints[other].name}, not of "
                f"{setup.joints[joint].name}: correlation with changes of q "
                f"{same[joint, other]:.3f} and {same[joint, joint]:.3f}",
                "joints are in another order in velocities than in positions; correct the map",
                joint=joint,
                t=known.start,
                refused=True,
            )
        _check_lag(known, steps, joint, report)


def _check_ratio(setup: Setup, known: Statistics, steps: Steps, joint: int, report: Report) -> None:
    way, speed = steps.way[:, joint], steps.speed[:, joint]
    both = np.isfinite(way) & np.isfinite(speed)
    ratio = _slope(way[both], speed[both])
    if abs(ratio - 1) <= _OFF:
        return
    if ratio < 0 and abs(ratio + 1) <= _OFF:
        report.add(
            "velocity-sign",
            "qd has the opposite sign of the change of q",
            "flip the sign of q or of qd in the map, whichever is wrong",
            joint=joint,
            t=known.start,
            refused=True,
        )
        return
    kind = setup.joints[joint].kind
    likely = min(_UNITS[kind], key=lambda unit: abs(np.log(abs(ratio) / unit[0])))
    said, hint = f"gear ratio 1 : {max(abs(ratio), 1 / abs(ratio)):.3g}?", "correct unit or scale"
    if abs(np.log(abs(ratio) / likely[0])) < 0.05:
        said, hint = likely[1], f"set the unit in the map: {likely[2]}"
    else:
        hint += " in the map; one of them may be measured on the motor's side of the gear"
    report.add(
        "velocity-unit",
        f"q changes {ratio:.4g} times as fast as qd says: {said}",
        hint,
        joint=joint,
        t=known.start,
        refused=True,
    )


def _check_lag(known: Statistics, steps: Steps, joint: int, report: Report) -> None:
    """How much later qd is than the change of q, where both agree but for that."""
    way, speed = steps.way[:, joint], steps.speed[:, joint]
    longest = int(min(_LONGEST_LAG_NS / steps.lag_ns, _LAGS, len(way) / 4))
    if longest < 1:
        return
    way, speed = _usual(way), _usual(speed)
    least = max(_LAG_NS, _LAG_SAMPLES * steps.lag_ns)
    near = min(longest, int(np.ceil(least / steps.lag_ns)))
    still = cosine(way, speed)
    if all(still >= cosine(*shifted(way, speed, lag)) for lag in (-near, near)):
        return  # the usual case: any shift makes it worse
    found = [cosine(*shifted(way, speed, lag)) for lag in range(-longest, longest + 1)]
    best = int(np.nanargmax(found)) if np.isfinite(found).any() else longest
    if best in (0, 2 * longest):
        return
    lag = (best - longest) * steps.lag_ns
    better = 1 - found[longest] > 2 * (1 - found[best])
    if abs(lag) < least or found[best] < _SAME or not better:
        return
    report.add(
        "velocity-lag",
        f"qd is {duration(int(abs(lag)))} {'later' if lag > 0 else 'earlier'} than q "
        f"(correlation {found[best]:.4f}, without shift {found[longest]:.4f})",
        "derive velocity from position, or shift them (lag_s in the map)",
        joint=joint,
        t=known.start,
    )


def shifted(way: Array, speed: Array, lag: int) -> tuple[Array, Array]:
    """Rows of `way` beside rows of `speed` that come `lag` rows later."""
    if lag >= 0:
        return way[: len(way) - lag], speed[lag:]
    return way[-lag:], speed[: len(speed) + lag]


def _is_swapped(steps: Steps, joint: int) -> bool:
    rise, area = steps.rise[:, joint], steps.area[:, joint]
    if not _correlation(rise, area) >= _SAME:
        return False
    both = np.isfinite(rise) & np.isfinite(area)
    return abs(_slope(rise[both], area[both]) - 1) <= _OFF


def _steps(kept: list[Block], q: list[int], qd: list[int]) -> Steps | None:
    """Changes over windows of 50 ms, or of two samples where that is longer."""
    long = [block for block in kept if len(block.t) >= 16]
    if not long:
        return None
    dt = float(np.median(np.concatenate([np.diff(block.t) for block in long])))
    if dt <= 0:
        return None
    width = max(2, round(_WINDOW_NS / dt))
    parts: list[list[Array]] = [[], [], [], []]
    rows = 0
    for block in long:
        if len(block.t) <= 2 * width or rows > _ROWS:
            continue
        time = block.t / 1e9
        x, v = block.values[q], block.values[qd]
        for part, values in zip(parts, (x, _integral(v, time), v, _integral(x, time)), strict=True):
            part.append((values[:, width:] - values[:, :-width]).T)
        rows += len(block.t)
    if not parts[0]:
        return None
    way, speed, rise, area = (np.concatenate(part) for part in parts)
    return Steps(way, speed, rise, area, dt)


def _integral(values: Array, time: Array) -> Array:
    """Cumulated trapezia; what follows a missing value has no defined difference across it."""
    steps = 0.5 * (values[:, 1:] + values[:, :-1]) * np.diff(time)
    gaps = np.isnan(steps)
    total = np.cumsum(np.where(gaps, 0.0, steps), 1)
    total = np.concatenate([np.zeros((len(values), 1)), total], 1)
    total[:, 1:][gaps] = np.nan
    return total


def _correlations(a: Array, b: Array) -> Array:
    """Correlation of every column of a with every one of b."""
    return np.array([[_correlation(x, y) for y in b.T] for x in a.T])


def _correlation(x: Array, y: Array) -> float:
    """About zero, without the largest hundredth of either; NaN if still."""
    return cosine(_usual(x), _usual(y))


def _usual(x: Array) -> Array:
    """NaN in place of the largest hundredth, which may be spikes."""
    size = np.abs(x)
    limit = np.nanquantile(size, 0.99) if np.isfinite(size).any() else 0.0
    return np.where(size <= limit, x, np.nan)


def cosine(x: Array, y: Array) -> float:
    """Correlation about zero, where both are finite; NaN if still."""
    both = np.isfinite(x) & np.isfinite(y)
    if np.count_nonzero(both) < 16:
        return np.nan
    x, y = x[both], y[both]
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else np.nan


def _slope(x: Array, y: Array) -> float:
    """The slope of x over y by least squares, without the largest hundredth."""
    usual = np.abs(y) <= np.quantile(np.abs(y), 0.99)
    usual &= np.abs(x) <= np.quantile(np.abs(x), 0.99)
    return float((x[usual] @ y[usual]) / (y[usual] @ y[usual]))
