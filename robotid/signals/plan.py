"""Which columns are filtered how, on which grid: decided before any sample is touched."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError, ConfigError, nearest
from robotid.signals.base_motion import RATES, TWIST, Origin, origin_of
from robotid.signals.butterworth import check_cutoff, design_cutoff, gain
from robotid.signals.columns import QUATERNION, treatment_of
from robotid.signals.cutoff import Motion
from robotid.signals.derivative import response, taps_of
from robotid.signals.options import FilterOptions
from robotid.signals.timing import Timing

Array = NDArray[np.float64]

_FOLDED = 1e-3  # what may be left of a signal above half the new rate
_SAME_RATE = 0.01


class Signals(NamedTuple):
    """Columns to filter, where velocities come from, and the columns of the result.

    `velocity` is for each joint the channel of its velocity, or None when it comes from `position`,
    the channel of its position. `base` is what the acceleration of a floating base comes from;
    None where nothing is made of it.
    """

    channels: list[str]
    joints: list[str]
    position: list[int | None]
    velocity: list[int | None]
    columns: list[str]
    taps: Array
    base: Origin | None = None

    @property
    def derived(self) -> list[str]:
        """Joints whose velocities come from positions, and `base` where that of a base does."""
        joints = [j for j, v in zip(self.joints, self.velocity, strict=True) if v is None]
        return [*joints, *(["base"] if self.base == "pose" else [])]

    @property
    def halo(self) -> int:
        """Samples that differentiation needs on both sides."""
        return self.taps.size * (2 if self.derived else 1)

    def motions(self, frequency_hz: Array, rate_hz: float) -> dict[str, Motion]:
        """What the accelerations come from, for predictions."""
        once = response(self.taps, frequency_hz, rate_hz) ** 2
        found = {}
        for joint, q, qd in zip(self.joints, self.position, self.velocity, strict=True):
            found[joint] = Motion(qd, once) if qd is not None else Motion(q or 0, once**2)
        return found


def signals_of(names: Sequence[str], joints: Sequence[str], options: FilterOptions) -> Signals:
    """Sort the columns of a recording.

    Args:
        names: its columns.
        joints: its joints.
        options: what the user asked for.
    """
    from_position = options.velocity == "from-position"
    base = origin_of(names, from_position=from_position)
    gone = (*(["qd."] if from_position else []), *(["base.acc."] if base else []))
    gone = (*gone, *(["base.vel."] if base == "pose" else []))
    channels = [
        name
        for name in sorted(names)
        if treatment_of(name) not in ("kept", "dropped") and not name.startswith(gone)
    ]
    absent = [name for name in QUATERNION if name not in channels]
    if 0 < len(absent) < len(QUATERNION):
        said = f"base.quat has no {', '.join(name.rpartition('.')[2] for name in absent)}"
        raise BadDataError("signal-missing", said, hint="all of x, y, z, w, or none of them")
    place = {name: number for number, name in enumerate(channels)}
    position = [place.get(f"q.{joint}") for joint in joints]
    velocity = [place.get(f"qd.{joint}") for joint in joints]
    for joint, q, qd in zip(joints, position, velocity, strict=True):
        if q is None and qd is None:
            said = f"joint {joint!r} has no position" + ("" if from_position else " or velocity")
            raise BadDataError("signal-missing", said, joint=joint)
    made = [f"{signal}.{joint}" for signal in ("qd", "qdd") for joint in joints]
    taps = taps_of(options.acceleration, options.window, options.polynomial)
    of_base = (*TWIST, *RATES) if base else ()
    columns = sorted({*channels, *made, *of_base})
    return Signals(channels, list(joints), position, velocity, columns, taps, base)


def design_cutoffs(
    signals: Signals, options: FilterOptions, general_hz: float, rate_hz: float
) -> list[float]:
    """The design value of each channel's cut-off [Hz].

    Args:
        signals: the channels.
        options: with cut-offs of their own for some.
        general_hz: the design value for the others.
        rate_hz: of the grid.
    """
    own = options.signal_cutoffs()
    known = {part for name in signals.channels for part in _names_for(name)}
    for name in own:
        if name not in known:
            said = f"signal_cutoff: no signal {name!r} is filtered"
            raise ConfigError("no-such-signal", said, hint=nearest(name, known))
    cutoffs = []
    for name in signals.channels:
        asked = next((own[part] for part in _names_for(name) if part in own), None)
        cutoffs.append(general_hz if asked is None else design_value(asked, options, rate_hz))
    return cutoffs


def _names_for(column: str) -> list[str]:
    """All names by which a user may mean a column: itself, then what it is a part of."""
    parts = column.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def design_value(cutoff_hz: float, options: FilterOptions, rate_hz: float) -> float:
    """The design value of a cut-off that the user gave in the way `cutoff_is` says."""
    check_cutoff(cutoff_hz, rate_hz)
    if options.cutoff_is == "design":
        return cutoff_hz
    return design_cutoff(cutoff_hz, options.order, rate_hz)


class Rates(NamedTuple):
    """Rate of the grid, and how many of its samples make one of the result."""

    grid_hz: float
    decimate: int

    @property
    def step_s(self) -> float:
        """Time between grid samples."""
        return 1.0 / self.grid_hz


def rates_of(timing: Timing, options: FilterOptions) -> Rates:
    """The grid: at the rate of the log, or a multiple of the asked rate close above it."""
    log_hz = 1.0 / timing.step_s
    if options.rate_hz is None:
        return Rates(log_hz, options.decimate)
    if options.rate_hz > log_hz * (1 + _SAME_RATE):
        raise ConfigError(
            "rate-beyond-log",
            f"rate_hz {options.rate_hz:g} is more than the recording has, {log_hz:g} Hz",
        )
    decimate = max(1, int(np.ceil(log_hz / options.rate_hz * (1 - _SAME_RATE))))
    return Rates(options.rate_hz * decimate, decimate)


def check_decimation(rates: Rates, cutoffs_hz: Sequence[float], order: int) -> None:
    """Refuse to keep so few samples that what the filter leaves folds back onto the signal."""
    half = rates.grid_hz / rates.decimate / 2
    left = float(gain(np.array([half]), max(cutoffs_hz), order, rates.grid_hz)[0])
    if rates.decimate > 1 and left > _FOLDED:
        most = max(
            (
                n
                for n in range(1, rates.decimate)
                if gain(np.array([rates.grid_hz / n / 2]), max(cutoffs_hz), order, rates.grid_hz)[0]
                <= _FOLDED
            ),
            default=1,
        )
        raise ConfigError(
            "decimation-folds",
            f"at {2 * half:g} samples per second, what is above {half:g} Hz folds back, and the "
            f"low-pass at {max(cutoffs_hz):g} Hz leaves {left:.2g} of it (at most {_FOLDED:g})",
            hint=f"decimate by {most} at most, or lower the cut-off",
        )
