"""Starts from recordings: spread over held-out data, with commands and what became of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.dataset import DatasetIndex, read_index
from robotid.contracts.recording import (
    GAP_STEPS,
    RecordingFacts,
    inspect_recording,
    iterate_recording,
    read_stretches,
)
from robotid.contracts.splits import Interval, Split
from robotid.errors import BadDataError
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_SPLITS: tuple[Split, ...] = ("test", "val", "train")


class Place(NamedTuple):
    """A start: recording, rows of the stretch that is read for it, and its time [s]."""

    recording: str
    begin: int
    end: int
    time_s: float


class Recorded(NamedTuple):
    """Recorded motions, from their starts on.

    Args:
        split: that they are from.
        places: of the starts.
        q: positions at every step, shape (steps + 1, starts, n).
        qd: velocities, likewise.
        commands: in the middle of every step, shape (steps, starts, n), by signal.
    """

    split: Split
    places: list[Place]
    q: Array
    qd: Array
    commands: Mapping[str, Array]


class _Stretch(NamedTuple):
    """Rows without a gap: times are those of the recording [s]."""

    recording: str
    begin: int
    times: Array


def recorded_starts(
    folder: Path, robot: RobotTree, torques: Sequence[str], steps: int, step_s: float, count: int
) -> Recorded:
    """Starts that are spread evenly over what was held out.

    Args:
        folder: of the filtered dataset.
        robot: of the models.
        torques: signals that stand for commands.
        steps: of the motions.
        step_s: of each.
        count: of the starts; fewer where there are fewer samples to start from.
    """
    index = read_index(folder)
    split, wanted = _held_out(index)
    stretches = []
    for name, intervals in wanted.items():
        path = folder / f"{name}.parquet"
        names, facts = inspect_recording(path)
        if facts.independent:
            said = "samples are states one by one and no motion: there is nothing to follow"
            hint = "start from states (--state), or from recorded motions"
            raise BadDataError("independent-samples", said, file=str(path), hint=hint)
        _check_recording(robot, names, facts, path, ("q", "qd", *torques))
        stretches += list(_stretches(path, facts.rate_hz, intervals))
    places = _spread(stretches, steps * step_s, count, split, folder)
    t: Array = step_s * np.arange(steps + 1, dtype=np.float64)
    middles: Array = t[:-1] + 0.5 * step_s
    signals = [_read(folder, place, robot, ("q", "qd", *torques)) for place in places]

    def at(signal: str, times: Array) -> Array:
        return np.stack([_interpolated(own, signal, times) for own in signals], 1)

    commands = {torque: at(torque, middles) for torque in torques}
    return Recorded(split, places, at("q", t), at("qd", t), commands)


def _check_recording(
    robot: RobotTree,
    names: Sequence[str],
    facts: RecordingFacts,
    path: Path,
    signals: Sequence[str],
) -> None:
    """Refuse a recording that lacks a joint or a signal of one; other joints are no concern."""
    file = str(path)
    if robot.floating:
        said = f"robot {robot.name} floats: only robots with a fixed base are left to run"
        raise BadDataError("floating-robot", said, file=file, hint="give a robot with a fixed base")
    recorded = [joint.name for joint in facts.joints]
    for joint in robot.joint_names:
        if joint not in recorded:
            said = f"joint {joint!r} of robot {robot.name} is not in the recording"
            hint = f"recorded: {', '.join(recorded)}"
            raise BadDataError("joint-missing", said, file=file, joint=joint, hint=hint)
        for signal in signals:
            if f"{signal}.{joint}" not in names:
                said = f"the recording has no {signal}.{joint}"
                hint = "filter the dataset first" if signal in ("q", "qd") else "map that signal"
                raise BadDataError("signal-missing", said, file=file, joint=joint, hint=hint)


def _held_out(index: DatasetIndex) -> tuple[Split, dict[str, list[Interval]]]:
    """The data to start from: recordings, with their stretches where they were cut."""
    for split in _SPLITS:
        found = {
            name: [one for one in index.intervals.get(name, []) if one.split == split]
            for name, own in index.splits.items()
            if name in index.intervals or own == split
        }
        found = {n: cut for n, cut in found.items() if cut or n not in index.intervals}
        if found:
            return split, found
    raise BadDataError("no-recordings", "the dataset has no recordings")


def _stretches(path: Path, rate_hz: float, intervals: Sequence[Interval]) -> Iterator[_Stretch]:
    """Rows without a gap, inside the intervals where there are any."""
    t = np.concatenate([batch["t"] for batch in iterate_recording(path, ["t"])]) / 1e9
    inside = np.ones(len(t), dtype=bool)
    if intervals:
        inside = np.logical_or.reduce([(one.start_s <= t) & (t <= one.end_s) for one in intervals])
    kept = np.flatnonzero(inside)
    apart = (np.diff(kept) > 1) | (np.diff(t[kept]) > GAP_STEPS / rate_hz)
    for rows in np.split(kept, np.flatnonzero(apart) + 1):
        if len(rows):
            yield _Stretch(path.stem, int(rows[0]), t[rows])


def _spread(
    stretches: Sequence[_Stretch], horizon_s: float, count: int, split: Split, folder: Path
) -> list[Place]:
    """Evenly over all samples that have a whole horizon behind them."""
    slack = 1e-9  # times are whole nanoseconds
    free = [
        int(np.searchsorted(s.times, s.times[-1] - horizon_s + slack, "right")) for s in stretches
    ]
    if not sum(free):
        longest = max((float(np.ptp(s.times)) for s in stretches), default=0.0)
        said = (
            f"no start in the {split} data has {horizon_s:g} s without a gap behind it; the "
            f"longest stretch has {longest:.4g} s"
        )
        hint = f"ask for a horizon_s of at most {longest:.4g}"
        raise BadDataError("horizon-too-long", said, file=str(folder), hint=hint)
    ends = np.cumsum(free)
    places = []
    for chosen in np.unique(np.linspace(0, ends[-1] - 1, min(count, ends[-1])).round().astype(int)):
        number = int(np.searchsorted(ends, chosen, "right"))
        own = stretches[number]
        row = int(chosen - (ends[number] - free[number]))
        last = int(np.searchsorted(own.times, own.times[row] + horizon_s - slack))
        last = min(last, len(own.times) - 1)
        time_s = float(own.times[row])
        places.append(Place(own.recording, own.begin + row, own.begin + last + 1, time_s))
    return places


def _read(folder: Path, place: Place, robot: RobotTree, signals: Sequence[str]) -> dict[str, Array]:
    """`t` since the start [s] and signals, shape (samples, n) each."""
    path = folder / f"{place.recording}.parquet"
    columns = [f"{signal}.{joint}" for signal in signals for joint in robot.joint_names]
    (rows,) = read_stretches(path, ["t", *columns], [(place.begin, place.end)])
    for name in columns:
        if not np.isfinite(rows[name]).all():
            said = f"{name} has a value that is not finite"
            raise BadDataError("not-finite", said, file=str(path), time=place.time_s)
    found = {"t": rows["t"] / 1e9 - place.time_s}
    for signal in signals:
        own = [rows[f"{signal}.{joint}"] for joint in robot.joint_names]
        found[signal] = np.column_stack(own).astype(np.float64)
    return found


def _interpolated(rows: Mapping[str, Array], signal: str, times: Array) -> Array:
    """Shape (times, n)."""
    return np.column_stack([np.interp(times, rows["t"], own) for own in rows[signal].T])
