"""Figures of all motions with one model, gain and length."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracking import HandFigures, JointFigures, Outcome, Spread, Unstable
from robotid.robot.tree import RobotTree
from robotid.tracking.closed_loop import Followed
from robotid.tracking.law import Variances
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
    variances: Variances,
    *,
    hand: bool,
) -> list[list[Outcome]]:
    """For each model, the outcome with each gain.

    Args:
        followed: what became of all cases.
        robot: whose joints they are.
        gains: names of the gains.
        duration_s: length of the motions.
        variances: of what was to be followed.
        hand: whether that is the path of a hand, not a motion of joints.
    """
    unstable: dict[tuple[int, int], list[Unstable]] = {}
    for (model, gain, motion), joint, time_s, reason in followed.stopped:
        name = robot.joint_names[joint]
        said = Unstable(motion=motion, joint=name, time_s=time_s, reason=reason)
        unstable.setdefault((model, gain), []).append(said)

    def outcome(model: int, gain: int) -> Outcome:
        lost = sorted(unstable.get((model, gain), []), key=lambda one: one.motion)
        own = Figures(*(part[model, gain] for part in followed.figures))
        nmse = _normalised(own, variances)
        rmse = np.sqrt(_halves(own.squares)[0])
        score = nmse[1] if hand else _mean(_in_units(rmse, robot), robot)
        for one in lost:
            score[one.motion] = np.nan
        return Outcome(
            gain=gains[gain],
            duration_s=duration_s,
            by_motion=[None if np.isnan(x) else x for x in score.tolist()],
            unstable=lost,
            **({} if lost else _fields(own, robot, nmse, hand=hand)),
        )

    models = len(followed.figures.squares)
    return [[outcome(model, gain) for gain in range(len(gains))] for model in range(models)]


def _halves(figures: Array) -> tuple[Array, Array]:
    """Those of positions and of velocities, (..., 2 axes) to (..., axes) each."""
    axes = figures.shape[-1] // 2
    return figures[..., :axes], figures[..., axes:]


def _normalised(own: Figures, variances: Variances) -> tuple[Array, Array]:
    """Squared errors of positions and velocities over variances, shape (motions,) each.

    Of joints it is their mean; one that is to stand still says nothing.
    """
    found = []
    for squares, variance in zip(_halves(own.squares), variances, strict=True):
        axes = variance.shape[-1]
        together = squares.reshape(*squares.shape[:-1], axes, -1).sum(-1)
        moves = variance > 0
        shares = np.divide(together, variance, np.zeros_like(together), where=moves)
        found.append(shares.sum(-1) / np.maximum(moves.sum(-1), 1))
    return found[0], found[1]


def _fields(
    own: Figures, robot: RobotTree, nmse: tuple[Array, Array], *, hand: bool
) -> dict[str, Any]:
    """Figures of an outcome without instability."""
    total = own.torque.sum(-1)
    share = np.sqrt(np.divide(own.feedback.sum(-1), total, np.zeros_like(total), where=total > 0))
    position, last = _halves(own.squares)[0], _halves(own.last)[0]
    fields: dict[str, Any] = {
        "position_nmse": _spread(nmse[0]),
        "velocity_nmse": _spread(nmse[1]),
        "feedback_share": _spread(share),
        "saturated": float(own.at_limit.mean()),
    }
    if hand:
        fields["hand"] = HandFigures(
            position_rmse=_spread(np.sqrt(position.sum(-1))),
            final_offset=_spread(np.linalg.norm(last, axis=-1)),
        )
    else:
        fields["rmse"] = _joint_figures(np.sqrt(position), robot)
        fields["final_offset"] = _joint_figures(np.abs(last), robot)
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
