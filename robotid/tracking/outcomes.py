"""Figures of all motions with one model, gain and length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracking import HandFigures, JointFigures, Outcome, Spread, Unstable
from robotid.robot.tree import RobotTree
from robotid.tracking.closed_loop import Followed
from robotid.tracking.sums import Figures

Array = NDArray[np.float64]


def units_of(robot: RobotTree) -> dict[str, str]:
    """Units of errors by joint."""
    return {joint.name: "m" if joint.kind == "prismatic" else "deg" for joint in robot.driven}


def outcomes(
    followed: Followed,
    robot: RobotTree,
    gains: Sequence[str],
    duration_s: float,
    velocity_variance: Array | None = None,
) -> list[list[Outcome]]:
    """For each model, the outcome with each gain.

    Args:
        followed: what became of all cases.
        robot: whose joints they are.
        gains: names of the gains.
        duration_s: length of the motions.
        velocity_variance: of the desired velocity of a hand, shape (motions,); None for joints.
    """
    unstable: dict[tuple[int, int], list[Unstable]] = {}
    for (model, gain, motion), joint, time_s, reason in followed.stopped:
        name = robot.joint_names[joint]
        said = Unstable(motion=motion, joint=name, time_s=time_s, reason=reason)
        unstable.setdefault((model, gain), []).append(said)

    def outcome(model: int, gain: int) -> Outcome:
        lost = sorted(unstable.get((model, gain), []), key=lambda one: one.motion)
        own = Figures(*(part[model, gain] for part in followed.figures))
        score = _scores(own, robot, velocity_variance)
        for one in lost:
            score[one.motion] = np.nan
        return Outcome(
            gain=gains[gain],
            duration_s=duration_s,
            by_motion=[None if np.isnan(x) else x for x in score.tolist()],
            unstable=lost,
            **({} if lost else _fields(own, robot, velocity_variance)),
        )

    models = len(followed.figures.squares)
    return [[outcome(model, gain) for gain in range(len(gains))] for model in range(models)]


def _scores(own: Figures, robot: RobotTree, velocity_variance: Array | None) -> Array:
    """What models are ranked by, motion by motion, shape (motions,)."""
    if velocity_variance is not None:
        nmse: Array = own.squares[:, 3:].sum(-1) / velocity_variance
        return nmse
    return _mean(_in_units(np.sqrt(own.squares), robot), robot)


def _fields(own: Figures, robot: RobotTree, velocity_variance: Array | None) -> dict[str, Any]:
    """Figures of an outcome without instability."""
    total = own.torque.sum(-1)
    share = np.sqrt(np.divide(own.feedback.sum(-1), total, np.zeros_like(total), where=total > 0))
    fields: dict[str, Any] = {
        "feedback_share": _spread(share),
        "saturated": float(own.at_limit.mean()),
    }
    if velocity_variance is None:
        fields["rmse"] = _joint_figures(np.sqrt(own.squares), robot)
        fields["final_offset"] = _joint_figures(np.abs(own.last), robot)
    else:
        fields["hand"] = HandFigures(
            velocity_nmse=_spread(_scores(own, robot, velocity_variance)),
            position_rmse=_spread(np.sqrt(own.squares[:, :3].sum(-1))),
            final_offset=_spread(np.linalg.norm(own.last[:, :3], axis=-1)),
        )
    return fields


def _joint_figures(values: Array, robot: RobotTree) -> JointFigures:
    """Of values in rad or m, shape (motions, n)."""
    shown = _in_units(values, robot)
    return JointFigures(
        mean=_spread(_mean(shown, robot)),
        joints={name: _spread(shown[:, at]) for at, name in enumerate(robot.joint_names)},
    )


def _in_units(values: Array, robot: RobotTree) -> Array:
    turns = np.array([joint.kind != "prismatic" for joint in robot.driven])
    shown: Array = np.where(turns, np.rad2deg(values), values)
    return shown


def _mean(values: Array, robot: RobotTree) -> Array:
    """Over the joints that turn, or over all where none does; (motions, n) to (motions,)."""
    turns = np.array([joint.kind != "prismatic" for joint in robot.driven])
    mean: Array = values[:, turns if turns.any() else ~turns].mean(-1)
    return mean


def _spread(values: Array) -> Spread:
    std = float(values.std(ddof=1)) if values.size > 1 else None
    return Spread(mean=float(values.mean()), std=std)
