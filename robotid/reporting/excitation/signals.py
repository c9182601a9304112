"""Positions, their derivatives and torques of the joints against their limits."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import Excitation, JointLimits, PlannedTrajectory
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.thinning import thinned
from robotid.signals.planned import Moving, PlannedMotion

Array = NDArray[np.float64]
Torques = Callable[[Moving], Array]
"""Torques of the nominal model for a motion, shape (samples, n)."""

_SAMPLES = 4001  # of a motion; lines are drawn with fewer
_POINTS = 400
_TITLES = {
    "position": "Positions",
    "velocity": "Velocities",
    "acceleration": "Accelerations",
    "jerk": "Jerks",
    "torque": "Torques of the nominal model",
}
_UNITS = {"position": "", "velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}


class Signal(NamedTuple):
    """A kind of signal: charts of all joints."""

    title: str
    drawings: list[Drawing]


class Shown(NamedTuple):
    """A trajectory as designed, ramps included."""

    name: str
    signals: list[Signal]


def shown(
    design: Excitation, trajectory: PlannedTrajectory, torques: Torques | None = None
) -> Shown:
    """Charts of a trajectory, not slowed down.

    Jerks are drawn where they have limits, torques where they can be computed.
    """
    motion = PlannedMotion(trajectory, tuple(design.joints))
    t = np.linspace(0.0, motion.duration_s, _SAMPLES)
    moving = motion.at(t)
    signals = dict(zip(("position", "velocity", "acceleration"), moving, strict=True))
    if any(limits.jerk is not None for limits in design.limits.values()):
        signals["jerk"] = motion.jerk(t)
    if torques is not None:
        signals["torque"] = torques(moving)
    before, during, after = motion.lengths_s
    marks = [at for at, ramp in ((before, before), (before + during, after)) if ramp]
    found = []
    for name, values in signals.items():
        charts = [
            _chart(joint, design, name, t, values[:, place], marks)
            for place, joint in enumerate(design.joints)
        ]
        found.append(Signal(_TITLES[name], [d for c in charts if (d := drawn(c)) is not None]))
    return Shown(trajectory.name, found)


def _chart(
    joint: str, design: Excitation, name: str, t: Array, y: Array, marks: Sequence[float]
) -> Chart:
    unit = design.units[joint]
    if name == "torque":
        unit = "N" if unit == "m" else "N m"
    else:
        unit += _UNITS[name]
    ends = np.array([t[0], t[-1]])
    limits = [
        Series("limit", ends, np.full(2, at), "dashed", None)
        for at in _limits(design.limits[joint], name)
    ]
    return Chart(
        title=joint,
        across=Axis("time [s]"),
        upward=Axis(f"{name} [{unit}]"),
        series=[Series(name, *thinned(t, y, _POINTS)), *limits],
        marks=marks,
        width=340,
        height=200,
    )


def _limits(given: JointLimits, name: str) -> tuple[float, ...]:
    if name == "position":
        return given.lower, given.upper
    bound: float | None = getattr(given, name)
    return () if bound is None else (-bound, bound)
