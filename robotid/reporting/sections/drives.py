"""What lies between a command and the links: values beside the robot file, and the curve."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.contracts.fit_data import JointRange
from robotid.contracts.forward import ActuatorValue
from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.table import ActuatorModel, actuator_model
from robotid.models.forward_models import RigidForward
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.samples import Units, units
from robotid.reporting.view import ForwardView
from robotid.robot.tree import Joint

Array = NDArray[np.float64]

_CURVE = 241  # points
_SLOW = 8  # widths of the sign around zero that get as many points again
_PLACES = 9  # positions within the training data


class Row(NamedTuple):
    """A value of an actuator, and how far it is from the robot file where that has one."""

    found: ActuatorValue
    change: float | None
    percent: float | None


class Drives(NamedTuple):
    """The section.

    Args:
        actuator: the model of it.
        rows: values that have a meaning of their own.
        curves: torque that is lost over velocity, joint by joint.
    """

    actuator: ActuatorModel
    rows: list[Row]
    curves: list[Drawing]


def section(view: ForwardView) -> Drives | None:
    """What the template shows; None for a network without links, which has no actuator."""
    model = view.fitted.model
    if not isinstance(model, RigidForward):
        return None
    charts = []
    if view.fit.ranges.keys() >= set(view.fit.joints):
        lost = _Lost(model.actuator, [view.fit.ranges[joint] for joint in view.fit.joints])
        of = units(view)
        charts = [
            curve(lost, place, joint, of[joint.name])
            for place, joint in enumerate(view.robot.driven)
        ]
    return Drives(
        actuator=actuator_model(view.fit.actuator),
        rows=[_row(one) for one in view.fit.actuator_values],
        curves=[found for chart in charts if chart is not None and (found := drawn(chart))],
    )


class _Lost(NamedTuple):
    """Torque that is lost while nobody commands anything, within what joints did in training."""

    actuator: Actuator
    ranges: list[JointRange]

    def torque(self, place: int, speeds: Array) -> Array:
        """Of one joint while the others rest, (places, speeds); all joints go through positions."""
        low, high = np.array([did.q for did in self.ranges]).T
        q = low + np.linspace(0, 1, _PLACES)[:, None, None] * (high - low)
        qd = np.zeros((speeds.size, len(self.ranges)))
        qd[:, place] = speeds
        q, qd = (np.broadcast_to(x, (_PLACES, *qd.shape)).copy() for x in (q, qd))
        given = [torch.from_numpy(x) for x in (np.zeros_like(qd), q, qd)]
        with torch.no_grad():
            reached: Tensor = self.actuator(*given)
        return -reached[..., place].numpy()


def curve(lost: _Lost, place: int, joint: Joint, unit: Units) -> Chart | None:
    """Torque that a joint loses over its velocity; None where it loses none."""
    speeds = _speeds(lost.ranges[place].qd, float(lost.actuator.scales.width[place]))
    found = lost.torque(place, speeds)
    file = joint.damping * speeds + abs(joint.friction) * np.sign(speeds)
    if not np.isfinite(found).all() or not (found.any() or file.any()):
        return None
    low, high = found.min(axis=0), found.max(axis=0)
    series = [
        Series("robot file", speeds, file, "dashed", None),
        Series("this model", speeds, found[_PLACES // 2], "line", 0),
    ]
    if (high > low).any():
        series.insert(0, Series("at other positions", speeds, high, "band", 0, low=low))
    return Chart(
        title=joint.name,
        across=Axis(f"velocity [{unit.velocity}]"),
        upward=Axis(f"lost [{unit.torque}]"),
        series=series,
        width=340,
        height=220,
    )


def _speeds(ends: tuple[float, float], width: float) -> Array:
    """Speeds of the training data, close to each other where the sign changes."""
    slow = np.linspace(-_SLOW * width, _SLOW * width, _CURVE)
    every = np.unique(np.concatenate([np.linspace(*ends, _CURVE), slow]))
    return every[(every >= ends[0]) & (every <= ends[1])]


def _row(one: ActuatorValue) -> Row:
    if one.nominal is None:
        return Row(one, None, None)
    change = one.value - one.nominal
    return Row(one, change, 100 * change / abs(one.nominal) if one.nominal else None)
