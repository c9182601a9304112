"""Torque per unit of a drive signal, from recordings without and with a load.

A signal such as current is proportional to torque: s_j = a_j W_j (phi + load), with a gain of 1/a_j
per joint. From one recording phi and a are known only up to a factor; a load of which at least the
mass is known sets the scale. Least squares in (phi, a, what is unknown of loads):

    min  sum over recordings and joints of |a_j W_j (phi + load) - s_j|² / noise_j²

Why not solve 1/a_j s_j = W_j (phi + load), which is linear in 1/a_j: the signal then is a column of
the regressor, its noise adds to the column's length but not to its product with the torque of the
load, and every gain comes out too small by a factor of about 1 + noise² / (signal of the load)².
What of the signal lies in the space of W_j is nearly free of noise: with that part alone the linear
problem is solved for the start (two-stage least squares).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import DriveGain
from robotid.dynamics.base_parameters import BaseParameters
from robotid.errors import BadDataError, UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.gain_problem import GainProblem, Session
from robotid.fitting.load import Load, columns_of_terms, load_frame
from robotid.information.factor import Factor
from robotid.information.layout import Layout
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

# Relative standard deviation above which a gain is not called known. In simulations intervals are
# right up to it; twice as much, and gains are biased by as much again.
WORST_GAIN = 0.1
_ROUNDS = 2  # how many times noise is found anew


@dataclass(frozen=True, eq=False)
class Gains:
    """Gains of all joints, and what else the same problem gives.

    Args:
        joints: their names.
        values: torque per unit of the signal, shape (n,).
        std: standard deviations, shape (n,).
        base: sums of parameters that are determined.
        beta: their values in units of torque, shape (rank,).
        covariance: of beta, with what gains add to it, shape (rank, rank).
        noise: standard deviation of errors of each joint in units of the signal, shape (n,).
        condition: of the problem at the solution, columns normed to one.
        iterations: how many it took.
        converged: whether gains stopped changing.
    """

    joints: tuple[str, ...]
    values: Array
    std: Array
    base: BaseParameters
    beta: Array
    covariance: Array
    noise: Array
    condition: float
    iterations: int
    converged: bool

    def found(self) -> list[DriveGain]:
        """As `fit.json` has them."""
        return [
            DriveGain(joint=joint, value=value, std=std)
            for joint, value, std in zip(
                self.joints, self.values.tolist(), self.std.tolist(), strict=True
            )
        ]

    def in_torque(self, factor: Factor) -> Factor:
        """A factor of the signal as one of torque [N m], for any other estimator.

        Its errors do not hold those of the gains, which are common to all samples of a joint.
        """
        return _scaled(factor, float(self.values[self.joints.index(factor.row)]))


def drive_gains(
    layout: Layout,
    unloaded: Evidence,
    loaded: Sequence[tuple[Evidence, Load]],
    *,
    frame: str | None = None,
    anew: Sequence[str] = (),
    given: Mapping[str, float] | None = None,
) -> Gains:
    """The gain of every joint, from signals that are proportional to torque.

    Args:
        layout: the robot and the terms of its joints.
        unloaded: recordings without a load, with signals in the place of torques.
        loaded: recordings with loads, and what is known of each load.
        frame: link the loads are tied to; the last one otherwise.
        anew: terms of joints that may differ from load to load, such as friction.
        given: gains that are known, by joint; one may do in the place of a load.
    """
    hint = "record the same robot with a load whose mass is known"
    if not loaded and not given:
        raise UsageError("no-load", "without a load gains are known up to a factor", hint=hint)
    if all(load.mass is None for _, load in loaded) and not given:
        said = "nothing is known of the load, so gains are known up to a factor"
        raise UsageError("load-unknown", said, hint="weigh the load and give its mass")
    place = load_frame(layout, frame)
    changes = columns_of_terms(layout, anew)
    sessions = [Session(unloaded, np.zeros(layout.parameters), np.zeros((layout.parameters, 0)))]
    for evidence, load in loaded:
        unknown = np.column_stack([place.columns @ load.open, changes])
        sessions.append(Session(evidence, place.columns @ load.known, unknown))
    problem = GainProblem(layout, sessions, _given(layout, given or {}))
    _refuse_silent(problem)
    tied = place.body if loaded else None
    try:
        with np.errstate(all="ignore"):  # where numbers run out, deviations are not finite either
            noise = problem.first_noise()
            a = problem.start(noise)
            _check(layout.robot, tied, np.where(a == 0, np.inf, 0.0))
            iterations = 0
            for _ in range(1 + _ROUNDS):
                found = problem.solve(a, noise)
                a, noise = found.a, problem.noise(found)
                iterations += found.iterations
    except np.linalg.LinAlgError:
        _check(layout.robot, tied, np.where(np.isnan(problem.given), np.inf, 0.0))
        raise
    _check(layout.robot, tied, found.relative)
    return Gains(
        joints=layout.rows,
        values=1.0 / a,
        std=found.relative / np.abs(a),
        base=problem.base,
        beta=found.x[: problem.base.rank],
        covariance=found.covariance[: problem.base.rank, : problem.base.rank],
        noise=noise,
        condition=found.condition,
        iterations=iterations,
        converged=found.converged,
    )


def _given(layout: Layout, gains: Mapping[str, float]) -> Array:
    """Signal per torque of joints whose gain is known, NaN for others, shape (n,)."""
    result = np.full(len(layout.rows), np.nan)
    for joint, gain in gains.items():
        if not np.isfinite(gain) or gain == 0:
            raise UsageError("bad-gain", f"{gain:g} is no gain", joint=joint)
        result[layout.robot.joint_index(joint)] = 1.0 / gain
    return result


def _refuse_silent(problem: GainProblem) -> None:
    """Refuse joints whose signal is zero throughout, such as an empty column."""
    loud = {rows.joint for rows in problem.rows if rows.s.any()}
    silent = [joint for number, joint in enumerate(problem.joints) if number not in loud]
    if silent:
        said = f"gains that cannot be known from these data: {', '.join(silent)}; "
        said += "the signal is zero throughout"
        hint = "check the column of the signal, and that the drive is on"
        raise BadDataError("gain-unknown", said, joint=silent[0], hint=hint)


def _scaled(factor: Factor, gain: float) -> Factor:
    R = factor.R.copy()
    R[:, -1] *= gain
    lowest, highest = sorted([gain * factor.lowest, gain * factor.highest])
    return replace(factor, R=R, total=gain * factor.total, lowest=lowest, highest=highest)


def _check(robot: RobotTree, body: int | None, relative: Array) -> None:
    """Refuse gains that are not known.

    Args:
        robot: the robot.
        body: that loads are tied to, if there are any.
        relative: standard deviations of gains, relative to them, shape (n,).
    """
    unknown = np.flatnonzero(~(relative <= WORST_GAIN)).tolist()
    if not unknown:
        return
    joint = unknown[0]
    names = ", ".join(robot.joint_names[number] for number in unknown)
    if body is None:
        why, hint = "joints of known gain hardly feel what it moves", "record with a load as well"
    elif not robot.ancestors[body, joint]:
        why, hint = "the load does not act on it", "tie the load to a link that it moves"
    elif _upright(robot)[joint]:
        why = "its axis is vertical, so the load acts on it by inertia alone"
        hint = "accelerate it more, with the load far from the axis"
    else:
        why = "the load hardly changes its signal"
        hint = "use a heavier load, move the joint more, or say more of the load"
    hint += "; or give the gain of this joint, if you know it"
    if np.isfinite(relative[joint]):
        why = f"{robot.joint_names[joint]} is uncertain by {100 * relative[joint]:.0f} %: {why}"
    said = f"gains that cannot be known from these data: {names}; {why}"
    raise BadDataError("gain-unknown", said, joint=robot.joint_names[joint], hint=hint)


def _upright(robot: RobotTree) -> list[bool]:
    """Whether the axis of each joint is vertical however the joints before it turn."""
    down = robot.gravity / max(float(np.linalg.norm(robot.gravity)), np.finfo(float).tiny)
    rotations: list[Array] = []
    upright: list[bool] = []
    for joint, parent, pose in zip(robot.joints, robot.parents, robot.placements, strict=True):
        before = np.eye(3) if parent < 0 else rotations[parent]
        rotations.append(before @ pose[:3, :3])
        along = abs(float(down @ rotations[-1] @ np.array(joint.axis))) > 1.0 - 1e-9
        turns = joint.kind in ("revolute", "continuous")
        upright.append(turns and along and (parent < 0 or upright[parent]))
    return upright
