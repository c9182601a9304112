"""A whole campaign: trajectories one after the other, each adding to what is known by then."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import (
    Excitation,
    JointLimits,
    JointSeries,
    PlannedTrajectory,
    Ramp,
)
from robotid.contracts.information import Information
from robotid.errors import BadDataError, Notice
from robotid.excitation.criteria import GOALS, about, figures
from robotid.excitation.expectation import Forecaster, expected_parameters
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.ramps import Polynomials
from robotid.excitation.safe import Checker, Safe
from robotid.excitation.search import Attempt, Searches
from robotid.excitation.setting import Setting, setting_of
from robotid.information.layout import Layout, geometry_digest
from robotid.robot.shapes import Shapes
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Designed(NamedTuple):
    """A campaign, and what the user should know of it."""

    design: Excitation
    notices: list[Notice]


def design(
    robot: RobotTree,
    layout: Layout,
    options: ExcitationOptions,
    *,
    given: Information | None = None,
    given_sha256: str = "",
    shapes: Shapes | None = None,
    warm: Excitation | None = None,
) -> Designed:
    """Design trajectories.

    Args:
        robot: with its nominal parameters and limits, on a fixed base.
        layout: its parameters.
        options: what is asked for.
        given: what a fit says already.
        given_sha256: digest of that fit.
        shapes: collision geometry of the robot file.
        warm: an earlier design; the first search for each trajectory starts with its own.
    """
    setting = setting_of(robot, layout, options, given=given, shapes=shapes)
    checker, forecaster = Checker(setting), Forecaster(setting)
    known, faster = setting.given, setting.given
    trajectories, after = [], []
    with Searches(setting.recipe, options) as searches:
        for number in range(options.trajectories):
            name = f"t{number + 1:0{len(str(options.trajectories))}d}"
            attempts = searches.attempts(known, number, _warm(robot, warm, number))
            best = min(attempts, key=lambda attempt: (attempt.value, attempt.number))
            safe = checker.made_safe(name, best.x, best.start)
            expected = forecaster.of(safe.x, safe.plays)
            known, faster = known + expected.information, faster + expected.faster
            setting.unknowns.target.check_told(known)
            after.append(known)
            trajectories.append(_planned(setting, name, safe, attempts, best, known))
    found = Excitation(
        robot=robot.name,
        geometry_sha256=geometry_digest(robot),
        joints=list(robot.joint_names),
        units={j.name: "m" if j.kind == "prismatic" else "rad" for j in robot.driven},
        limits=_joint_limits(setting),
        noise=dict(zip(robot.joint_names, map(float, setting.noise), strict=True)),
        rate_hz=options.rate_hz,
        ros_hz=options.ros_hz,
        criterion=options.criterion,
        goal=GOALS[options.criterion],
        given=given_sha256,
        trajectories=trajectories,
        parameters=expected_parameters(setting, after, faster),
        options=options.model_dump(mode="json", exclude_defaults=True),
    )
    return Designed(found, list(setting.notices))


def _warm(robot: RobotTree, warm: Excitation | None, number: int) -> tuple[JointSeries, ...] | None:
    """Series of an earlier design of the same joints, if it has as many trajectories."""
    if warm is None:
        return None
    if tuple(warm.joints) != robot.joint_names:
        said = f"the design to start from is for joints {', '.join(warm.joints)}"
        raise BadDataError("other-robot", said, hint="start without it")
    if number >= len(warm.trajectories):
        return None
    return tuple(warm.trajectories[number].series[name] for name in robot.joint_names)


def _planned(
    setting: Setting, name: str, safe: Safe, attempts: list[Attempt], best: Attempt, known: Array
) -> PlannedTrajectory:
    options, robot = setting.options, setting.robot
    return PlannedTrajectory(
        name=name,
        period_s=options.period_s,
        periods=options.periods,
        series=_series(setting, safe.x),
        ramp_in=_ramp(robot, safe.ramp_in),
        ramp_out=_ramp(robot, safe.ramp_out),
        plays=safe.plays,
        certificate=safe.lines,
        criteria=figures(about(known, setting.unknowns.target.wanted).A),
        seed=best.number,
        iterations=best.iterations,
        evaluations=sum(attempt.evaluations for attempt in attempts),
        starts=[attempt.value for attempt in attempts],
    )


def _series(setting: Setting, x: Array) -> dict[str, JointSeries]:
    result = {}
    space = setting.space
    named = zip(setting.robot.joint_names, space.joints, space.coefficients(x), strict=True)
    for name, joint, y in named:
        count = len(joint.harmonics)
        result[name] = JointSeries(
            centre=float(y[0]),
            harmonics=list(joint.harmonics),
            a=y[1 : 1 + count].tolist(),
            b=y[1 + count :].tolist(),
        )
    return result


def _ramp(robot: RobotTree, found: Polynomials | None) -> Ramp | None:
    if found is None:
        return None
    rows = found.coefficients.T.tolist()
    return Ramp(
        duration_s=found.duration_s,
        coefficients=dict(zip(robot.joint_names, rows, strict=True)),
    )


def _joint_limits(setting: Setting) -> dict[str, JointLimits]:
    limits = setting.limits

    def known(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    return {
        name: JointLimits(
            lower=float(limits.lower[i]),
            upper=float(limits.upper[i]),
            velocity=float(limits.velocity[i]),
            acceleration=known(limits.acceleration[i]),
            jerk=known(limits.jerk[i]),
            torque=known(limits.torque[i]),
        )
        for i, name in enumerate(limits.joints)
    }
