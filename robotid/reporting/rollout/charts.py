"""Charts of models left to run: motions, errors, energies, divergence."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.rollout import Rollout, Start, Trajectory
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned

Array = NDArray[np.float64]
_POINTS = 300  # of a line
_SMALL = 340, 200  # width and height of charts that stand side by side [px]
_LARGE = 680, 240


class StartShown(NamedTuple):
    """Motions from one start: of the joints, and the energy of the uncontrolled ones."""

    title: str
    drawings: list[Drawing]


def motions(found: Rollout, trajectories: Sequence[Trajectory]) -> list[StartShown]:
    """Positions and velocities from each start, beside what was recorded where it was."""
    kind = "driven" if found.split is not None else "uncontrolled"
    return [
        StartShown(
            _title(found, start),
            _drawn(
                _motion(found, [t for t in trajectories if t.start == start and t.motion == kind],
                        joint, signal)
                for signal in ("q", "qd")
                for joint in range(len(found.joints))
            ),
        )
        for start in found.shown
    ]  # fmt: skip


def errors(found: Rollout) -> Drawing | None:
    """Errors of all fits over the horizon: mean, and median dashed."""
    series = []
    for place, (name, one) in enumerate(found.fits.items()):
        if one.error is not None:
            t = np.array(one.error.t_s)
            series.append(Series(name, t, _values(one.error.mean), "line", place))
            series.append(Series("", t, _values(one.error.median), "dashed", place))
    return _error_chart(
        "Error over the horizon, mean and (dashed) median of starts", series, _LARGE
    )


def joint_errors(found: Rollout) -> list[Drawing]:
    """The same by joint."""
    charts = []
    for signal, word in (("q", "position"), ("qd", "velocity")):
        for joint in found.joints:
            series = [
                Series(name, np.array(one.error.t_s), _values(getattr(one.error, signal)[joint]),
                       "line", place)
                for place, (name, one) in enumerate(found.fits.items())
                if one.error is not None
            ]  # fmt: skip
            charts.append(_error_chart(f"{joint}, {word}", series, _SMALL))
    return [chart for chart in charts if chart is not None]


def energies(found: Rollout, trajectories: Sequence[Trajectory]) -> list[Drawing]:
    """Energy of uncontrolled motions over time, a chart for each start, all at one scale."""
    order = list(found.fits)
    shown = [(one, e) for one in trajectories
             if one.motion == "uncontrolled" and (e := one.energy) is not None]  # fmt: skip
    if not shown:
        return []
    values = np.concatenate([energy for _, energy in shown])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    # Energy that is kept is a level line, not the rounding of its last digits.
    room = max(0.05 * (high - low), 0.01 * max(abs(low), abs(high)))
    upward = Axis("energy [J]", low - room, high + room)
    charts = []
    for start in found.shown:
        series = [
            Series(one.fit, *thinned(one.t, energy, _POINTS), "line", order.index(one.fit))
            for one, energy in shown
            if one.start == start
        ]
        charts.append(_chart(_title(found, start), "time [s]", upward, series, _SMALL))
    return _drawn(charts)


def divergence(found: Rollout) -> Drawing | None:
    """When motions diverged, a column for each fit; None where none did."""
    kinds = {"driven": "under recorded commands", "uncontrolled": "without a command"}
    series = []
    for colour, (kind, name) in enumerate(kinds.items()):
        moved = [getattr(one, kind) for one in found.fits.values()]
        points = [
            (place, time)
            for place, own in enumerate(moved)
            if own is not None
            for time in own.diverged_s
            if time is not None
        ]
        if points:
            x, y = np.array(points, dtype=np.float64).T
            series.append(Series(name, x + 0.1 * (2 * colour - 1), y, "dots", colour))
    names = Axis("fit", names=list(found.fits))
    upward = Axis("time [s]", low=0.0, high=found.horizon_s)
    return drawn(Chart("When motions diverged", names, upward, series))


def _motion(found: Rollout, own: Sequence[Trajectory], joint: int, signal: str) -> Chart:
    name, order = found.joints[joint], list(found.fits)
    per, word = ("", "position") if signal == "q" else ("/s", "velocity")
    series = [
        Series(one.fit, *thinned(one.t, getattr(one, signal)[:, joint], _POINTS), "line",
               order.index(one.fit))
        for one in own
    ]  # fmt: skip
    true = getattr(own[0], f"true_{signal}") if own else None
    if true is not None:
        series.append(
            Series("recorded", *thinned(own[0].t, true[:, joint], _POINTS), "dashed", None)
        )
    upward = Axis(f"{word} [{found.units[name]}{per}]", *_window(own, joint, signal))
    return _chart(name, "time [s]", upward, series, _SMALL)


def _window(
    own: Sequence[Trajectory], joint: int, signal: str
) -> tuple[float | None, float | None]:
    """Ends of an axis on which what was recorded can be seen beside a motion that diverges."""
    true = getattr(own[0], f"true_{signal}") if own else None
    if true is None:
        return None, None
    low, high = float(true[:, joint].min()), float(true[:, joint].max())
    room = 2 * (high - low) or 1.0
    values = np.concatenate([getattr(one, signal)[:, joint] for one in own])
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    return (low - room if least < low - room else None), (
        high + room if most > high + room else None
    )


def _error_chart(title: str, series: list[Series], size: tuple[int, int]) -> Drawing | None:
    upward = Axis("error [squared range]", log=True)
    return drawn(_chart(title, "time since the start [s]", upward, series, size))


def _title(found: Rollout, start: int) -> str:
    own: Start = found.starts[start]
    if own.recording is not None:
        return f"start {start}: {own.recording}, {own.time_s:.2f} s"
    return f"start {start}"


def _values(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])


def _chart(
    title: str, across: str, upward: Axis, series: list[Series], size: tuple[int, int]
) -> Chart:
    width, height = size
    return Chart(title, Axis(across), upward, series, width=width, height=height)


def _drawn(charts: Iterable[Chart]) -> list[Drawing]:
    return [drawing for chart in charts if (drawing := drawn(chart)) is not None]
