"""What motions are worth: errors over the horizon, growth of energy, divergence, limits left."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.fit_data import JointRange
from robotid.contracts.rollout import ErrorCurve, LimitLeft, Moved
from robotid.models.forward_models import ForwardModel
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_TIMES = 50  # at which errors are stated


class Spans(NamedTuple):
    """Ranges that the joints had in training, shape (n,) each [rad or m, per s]."""

    q: Array
    qd: Array

    @classmethod
    def of(cls, ranges: Mapping[str, JointRange], joints: tuple[str, ...]) -> "Spans":
        """Ranges of these joints; not a number for one that did not move."""
        found = np.array([[np.ptp(ranges[j].q), np.ptp(ranges[j].qd)] for j in joints]).T
        return cls(*np.where(found > 0, found, np.nan))


def moved(q: Array, diverged_s: Array, robot: RobotTree, step_s: float) -> Moved:
    """What became of motions.

    Args:
        q: positions, shape (steps + 1, starts, n).
        diverged_s: when, shape (starts,); infinite for those that did not.
        robot: with its limits.
        step_s: between samples.
    """
    gone = np.isfinite(diverged_s)
    return Moved(
        diverged=int(gone.sum()),
        first_diverged_s=float(diverged_s.min()) if gone.any() else None,
        diverged_s=_known(diverged_s),
        limit_left=_limit_left(q, robot, step_s),
    )


def _limit_left(q: Array, robot: RobotTree, step_s: float) -> LimitLeft | None:
    outside = (q < robot.bound("lower")) | (q > robot.bound("upper"))
    if not outside.any():
        return None
    step, start, place = np.argwhere(outside)[0].tolist()
    return LimitLeft(joint=robot.joint_names[place], start=start, time_s=step * step_s)


def error_curve(
    found: tuple[Array, Array], true: tuple[Array, Array], spans: Spans, robot: RobotTree,
    step_s: float,
) -> ErrorCurve:  # fmt: skip
    """Errors of positions and velocities, shape (steps + 1, starts, n) each."""
    steps = len(true[0]) - 1
    at = np.unique(np.linspace(1, steps, min(_TIMES, steps)).round().astype(int))
    both = [
        ((own[at] - recorded[at]) / span) ** 2
        for own, recorded, span in zip(found, true, spans, strict=True)
    ]
    every = np.concatenate(both, -1)
    moving = np.isfinite(np.concatenate(spans))
    by_start = every[..., moving].mean(-1)
    median = np.median(np.where(np.isnan(by_start), np.inf, by_start), axis=1)
    q, qd = (
        {joint: _known(one) for joint, one in zip(robot.joint_names, own.mean(1).T, strict=True)}
        for own in both
    )
    return ErrorCurve(
        t_s=(at * step_s).tolist(), q=q, qd=qd, mean=_known(by_start.mean(1)), median=_known(median)
    )


class Energies(NamedTuple):
    """Energy of every motion [J], shape (steps + 1, starts), and its largest relative growth."""

    total: Array
    growth: float


def energies(model: ForwardModel, q: Array, qd: Array) -> Energies | None:
    """Energies along motions; None for a model that has none.

    Growth counts from the least energy until then, in units of the largest range that kinetic,
    potential or total energy has: one that is kept may have no range of its own.
    """
    with torch.no_grad():
        found = model.energy(torch.from_numpy(q), torch.from_numpy(qd))
    if found is None:
        return None
    kinetic, potential = found.kinetic.numpy(), found.potential.numpy()
    total = kinetic + potential
    # Once a motion has diverged there is no energy: it keeps the last least value.
    rise = np.fmax.reduce(total - np.fmin.accumulate(total, axis=0), axis=None)
    spans = [np.nanmax(one) - np.nanmin(one) for one in (kinetic, potential, total)]
    return Energies(total, float(rise / max(spans)) if max(spans) > 0 else 0.0)


def _known(values: Array) -> list[float | None]:
    """Values; null where there is none."""
    return [value if np.isfinite(value) else None for value in values.tolist()]
