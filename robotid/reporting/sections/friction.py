"""Friction over velocity: what measured torques leave for it, and the fitted curve."""

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import Parameter
from robotid.contracts.residuals import Window
from robotid.dynamics.friction import column_values, motor_motion
from robotid.dynamics.joint_columns import JointColumn, Motor, motors_of
from robotid.models.rigid_body import RigidBodyModel
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.numbers import fixed, is_zero
from robotid.reporting.samples import binned, padded, windows_of
from robotid.reporting.sections.owners import owners
from robotid.reporting.view import FitView

Array = NDArray[np.float64]

_CURVE = 241  # points
_SLOW = 8  # widths around zero that get half of the points


class Friction(NamedTuple):
    """Friction of one motor (of a joint, or of two coupled ones).

    Args:
        motor: whose friction it is.
        drawing: over the velocity.
        values: its fitted parameters, such as "viscous 0.474 ± 0.012 N m s/rad".
        loaded: whether a part depends on the load as well, which is not in the curve.
    """

    motor: str
    drawing: Drawing | None
    values: list[str]
    loaded: bool


class Terms(NamedTuple):
    """Columns of one motor that depend on the speed alone, with their parameters."""

    motor: Motor
    columns: tuple[JointColumn, ...]
    values: tuple[float, ...]

    def torque(self, qd: Array) -> Array:
        """What they add up to, (T, n) to (T,); samples in the order of time."""
        parts = (
            value * column_values(column, qd, np.zeros_like(qd))
            for column, value in zip(self.columns, self.values, strict=True)
        )
        return np.asarray(sum(parts, start=np.zeros(len(qd))))


def section(view: FitView) -> list[Friction] | None:
    """All motors with friction."""
    windows = windows_of(view, "train")  # whose offsets are those of the curve
    if not windows:
        return None
    model = view.fitted.model
    own = {owned.owner: owned.parameters for owned in owners(view).joints}
    found = []
    for terms in friction_terms(model):
        name = terms.motor.name
        values = [said(label, one) for label, one in own[name] if label != "rotor"]
        loaded = any(
            column.form.kind == "loaded" and column.owner == name for column in model.layout.own
        )
        chart = friction_chart(terms, windows)
        if chart is not None:
            found.append(Friction(name, drawn(chart), values, loaded))
    return found or None


def said(name: str, parameter: Parameter) -> str:
    """A parameter to two digits of its standard deviation."""
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    if not parameter.std:
        value = 0.0 if is_zero(parameter.value, None) else parameter.value
        return f"{name} {value:.3g}{unit}"
    decimals = min(9, max(0, 1 - floor(log10(parameter.std))))
    return f"{name} {fixed(parameter.value, decimals)} ± {fixed(parameter.std, decimals)}{unit}"


def friction_terms(model: RigidBodyModel) -> list[Terms]:
    """Terms of each motor that depend on its speed alone; motors without friction are left out."""
    found = []
    for motor in motors_of(model.layout.robot, model.layout.coupled):
        own = [
            (column, value)
            for column, value in zip(model.layout.own, model.own.tolist(), strict=True)
            if column.owner == motor.name
            and column.form.source == "speed"
            and column.form.kind != "loaded"
        ]
        if any(column.term != "offset" for column, _ in own):
            columns, values = zip(*own, strict=True)
            found.append(Terms(motor, columns, values))
    return found


def friction_points(terms: Terms, windows: Sequence[Window]) -> tuple[Array, Array]:
    """Speeds of a motor, and measured torque minus all of the model but these terms.

    That is their own torque plus the error; two coupled joints each show the error of their
    motor, and the mean of both is taken.
    """
    speeds, torques = [], []
    for window in windows:
        errors = [
            sign * (window.tau[:, joint] - window.predicted[:, joint])
            for joint, sign in terms.motor.members
        ]
        speeds.append(motor_motion(terms.motor, window.qd))
        torques.append(terms.torque(window.qd) + np.mean(errors, axis=0))
    return np.concatenate(speeds), np.concatenate(torques)


def friction_curve(terms: Terms, low: float, high: float) -> list[tuple[Array, Array]]:
    """The fitted curve between two speeds; twice where friction remembers, rising and falling."""
    narrow = max((column.saturation or 0.0 for column in terms.columns), default=0.0)
    slow = np.linspace(-_SLOW * narrow, _SLOW * narrow, _CURVE)
    speeds = np.unique(np.concatenate([np.linspace(low, high, _CURVE), slow]))
    speeds = speeds[(speeds >= low) & (speeds <= high)]
    remembers = any(column.form.kind == "held" for column in terms.columns)
    result = []
    for ordered in (speeds, speeds[::-1]) if remembers else (speeds,):
        first = terms.motor.members[0][0]
        width = 1 + max(joint for joint, _ in terms.motor.members)
        qd = np.zeros((ordered.size, width))
        qd[:, first] = ordered  # the other one of two coupled joints rests
        result.append((ordered, terms.torque(qd)))
    return result


def friction_chart(terms: Terms, windows: Sequence[Window]) -> Chart | None:
    """A cloud of samples, medians of bins with the middle half, and the curve."""
    speed, torque = friction_points(terms, windows)
    good = np.isfinite(speed) & np.isfinite(torque)
    if not good.any():
        return None
    speed, torque = speed[good], torque[good]
    bins = binned(speed, torque)
    curves = friction_curve(terms, float(speed.min()), float(speed.max()))
    # not by single samples: outliers must not flatten the curve
    shown = np.concatenate([bins.low, bins.high, *(y for _, y in curves)])
    room = 0.15 * float(np.ptp(shown)) or 1.0
    unit = ("m/s", "N") if terms.motor.sliding else ("rad/s", "N m")
    return Chart(
        title=terms.motor.name,
        across=padded(f"velocity [{unit[0]}]", speed),
        upward=Axis(
            f"friction [{unit[1]}]",
            low=float(shown.min()) - room,
            high=float(shown.max()) + room,
        ),
        series=[
            Series("samples", speed, torque, "points", None),
            Series("middle half of samples", bins.x, bins.high, "band", 0, low=bins.low),
            *(Series("fitted", x, y, "line", 1) for x, y in curves),
            Series("median", bins.x, bins.median, "dots", 0),
        ],
        width=340,
        height=220,
    )
