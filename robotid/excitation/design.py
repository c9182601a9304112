"""A whole campaign: trajectories one after the other, each adding to what is known by then."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.excitation import (
    Caution,
    Excitation,
    JointLimits,
    JointSeries,
    PlannedTrajectory,
    Ramp,
)
from robotid.contracts.information import Information
from robotid.errors import BadDataError, ConfigError, Notice
from robotid.excitation.attempts import Attempt
from robotid.excitation.criteria import GOALS, about, figures
from robotid.excitation.expectation import can_be_faster, expected_parameters
from robotid.excitation.forecast import Forecaster
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.ramps import LONGEST_S, Polynomials
from robotid.excitation.safe import Checked
from robotid.excitation.search import Searches
from robotid.excitation.setting import Setting, setting_of
from robotid.excitation.unguarded import left_out
from robotid.information.layout import Layout, geometry_digest
from robotid.robot.shapes import Shapes
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_STAGES = {"infeasible-limits": 0, "not-told": 1}  # how far a start came; all else is further


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
    forecaster = Forecaster(setting.recipe)
    known, faster = setting.given, setting.given
    trajectories, after, notices = [], [], list(setting.notices)
    with Searches(setting.recipe, options) as searches:
        for number in range(options.trajectories):
            series = _warm(robot, warm, number)
            attempts = searches.attempts(known, number, series)
            best = _best(attempts)
            expected = forecaster.of(best.checked.x, best.checked.plays)
            known, faster = known + expected.information, faster + expected.faster
            after.append(known)
            trajectories.append(_planned(setting, best, attempts, known))
            notices += _remarks(setting, trajectories[-1].name, best, attempts, series is not None)
    could_be = can_be_faster(options, [line for t in trajectories for line in t.certificate])
    found = Excitation(
        robot=robot.name,
        geometry_sha256=geometry_digest(robot),
        joints=list(robot.joint_names),
        units={j.name: "m" if j.kind == "prismatic" else "rad" for j in robot.driven},
        limits=_joint_limits(setting),
        cautions=[
            Caution(code=n.code, message=n.message, hint=n.hint or "")
            for n in (*left_out(setting.unguarded), *notices)
        ],
        noise=dict(zip(robot.joint_names, map(float, setting.noise), strict=True)),
        noise_hz=options.noise_hz,
        rate_hz=options.rate_hz,
        ros_hz=options.ros_hz,
        criterion=options.criterion,
        goal=GOALS[options.criterion],
        given=given_sha256,
        trajectories=trajectories,
        parameters=expected_parameters(setting, after, faster if could_be else None),
        options=options.model_dump(mode="json", exclude_defaults=True),
    )
    return Designed(found, notices)


class _Best(NamedTuple):
    """The best start: its number, steps and trajectory."""

    number: int
    iterations: int
    checked: Checked


def _best(attempts: Sequence[Attempt]) -> _Best:
    """The start with the least criterion; if all fail, the error of the one that came furthest."""
    good = [(a.value, a.number, a.iterations, a.checked) for a in attempts if a.checked is not None]
    if good:
        _, number, iterations, checked = min(good, key=lambda one: one[:2])
        return _Best(number, iterations, checked)
    reasons = [attempt.why for attempt in attempts if attempt.why is not None]
    why = max(reasons, key=lambda reason: _STAGES.get(reason.code, len(_STAGES)))
    said = why.message
    if len(attempts) > 1:
        said = f"none of {len(attempts)} starts leads to a trajectory: {said}"
    raise ConfigError(why.code, said, joint=why.joint, hint=why.hint)


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


def _remarks(
    setting: Setting, name: str, best: _Best, attempts: Sequence[Attempt], warm: bool
) -> Iterator[Notice]:
    """What was not done as asked."""
    left_out = attempts[0].why
    if warm and left_out is not None:
        said = f"{name} was designed without the earlier design: {left_out.message}"
        yield Notice(code="warm-start-left-out", message=said, hint=left_out.hint)
    options, ramps = setting.options, (best.checked.ramp_in, best.checked.ramp_out)
    used = max((ramp.share(setting.limits) for ramp in ramps if ramp is not None), default=0.0)
    if options.ramp_s is None and used > options.ramp_share * (1 + 1e-6):
        said = (
            f"ramps of {name} use {used:.3g} of the limits, ramp_share is {options.ramp_share:g}: "
            f"less would take longer than {LONGEST_S:g} s, or than the motion that they lead to"
        )
        yield Notice(code="ramp-share", message=said)


def _planned(
    setting: Setting, best: _Best, attempts: Sequence[Attempt], known: Array
) -> PlannedTrajectory:
    options, robot, checked = setting.options, setting.robot, best.checked
    return PlannedTrajectory(
        name=checked.name,
        period_s=options.period_s,
        periods=options.periods,
        series=_series(setting, checked.x),
        ramp_in=_ramp(robot, checked.ramp_in),
        ramp_out=_ramp(robot, checked.ramp_out),
        plays=checked.plays,
        certificate=checked.lines,
        criteria=figures(about(known, setting.unknowns.target.wanted).A),
        seed=options.seed,
        start=best.number,
        iterations=best.iterations,
        evaluations=sum(attempt.evaluations for attempt in attempts),
        starts=[attempt.value if attempt.checked else None for attempt in attempts],
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
