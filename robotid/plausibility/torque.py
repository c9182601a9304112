"""Torques against what the robot file makes of the motion: sign, joint, scale, gravity, delay."""

from typing import NamedTuple

import numpy as np

from robotid.plausibility.blocks import Array, Block
from robotid.plausibility.gravity import Tilt, tilt_of
from robotid.plausibility.lag import check_lag
from robotid.plausibility.model import Fit, Model, explained_by, fit_joint, torques
from robotid.plausibility.report import Report
from robotid.plausibility.samples import Samples, take_samples
from robotid.plausibility.signals import Setup
from robotid.plausibility.statistics import Statistics
from robotid.robot.tree import RobotTree

_SURE = 6.0  # standard deviations
_BY_GRAVITY = 0.6
_GOOD = 0.85  # share of a torque that must be explained before anything is said of it
_TRUSTED = (0.4, 3.0)  # usual scale of gravity, for what needs a robot file that fits
_SMALLEST, _LARGEST = 0.15, 5.0  # scale of gravity that masses and loads may explain
_LOAD = 0.2  # of the robot's largest gravity torque: more than that no unknown tool adds
_LIGHT = 0.02  # of it: what the file has of such a joint says little
_OTHER_JOINT = 0.85
_MARGIN = 0.3
_TILT = np.deg2rad(15)


class Compared(NamedTuple):
    """Measured and nominal torques; joints as in the robot, `joints` their place in the log."""

    robot: RobotTree
    joints: list[int]
    samples: Samples
    model: Model
    fits: list[Fit | None]
    start: int

    def signs(self) -> list[int]:
        """Joints whose torque goes against the model."""
        return [j for j, fit in enumerate(self.fits) if fit is not None and self._is_against(j)]

    def _is_against(self, joint: int) -> bool:
        fit = self.fits[joint]
        if fit is None or fit.explained < _GOOD:
            return False
        tau = np.nanstd(self.samples.tau[:, joint])
        heavy = np.std(self.model.gravity[:, joint]) > 0.1 * tau
        if heavy:
            return fit.gravity < -_SURE * fit.error and fit.by_gravity > _BY_GRAVITY
        if fit.whole < -_SURE * fit.whole_error and fit.by_whole > 0.5:
            return fit.power < 0
        return fit.power < 0 and fit.whole <= 2 * fit.whole_error


def compare(
    setup: Setup, known: Statistics, kept: list[Block], robot: RobotTree
) -> Compared | None:
    """Nominal torques of the recorded motion; None where robot and recording do not allow it."""
    position = {joint.name: index for index, joint in enumerate(setup.joints)}
    if robot.floating or any(name not in position for name in robot.joint_names):
        return None
    joints = [position[name] for name in robot.joint_names]
    q = [setup.column("q", joint) for joint in joints]
    tau = [_alive(setup, known, joint) for joint in joints]
    if None in q or all(column is None for column in tau):
        return None
    samples = take_samples(kept, [column for column in q if column is not None], tau)
    if samples is None:
        return None
    model = torques(robot, samples.q, samples.qd, samples.qdd)
    return Compared(robot, joints, samples, model, fits(samples, model), known.start)


def _alive(setup: Setup, known: Statistics, joint: int) -> int | None:
    column = setup.column("tau", joint)
    if column is None or known.constant(column) or known.finite[column] == 0:
        return None
    return column


def fits(samples: Samples, model: Model) -> list[Fit | None]:
    """The fit of every joint."""
    return [
        fit_joint(
            samples.tau[:, j],
            model.gravity[:, j],
            model.dynamic[:, j],
            samples.qd[:, j],
            samples.independent,
        )
        for j in range(samples.q.shape[1])
    ]


def check_torque(setup: Setup, at: Compared, report: Report) -> None:
    """The first thing that is wrong hides the others, so it is the only one said of its kind."""
    if _is_permuted(setup, at, report):
        return
    against = at.signs()
    tilt = tilt_of(at.samples, at.model, at.robot.gravity, at.fits)
    if tilt is not None and _is_tilted(at, tilt, against):
        x, y, z = tilt.gravity
        report.add(
            "gravity-direction",
            f"the torques fit gravity along ({x:.2f}, {y:.2f}, {z:.2f}) m/s², "
            f"{np.rad2deg(tilt.angle):.0f}° from the robot file's",
            "the robot is mounted in another way than the file says; give --mount or --gravity",
            t=at.start,
            refused=True,
        )
        return
    for joint in against:
        _say_sign(at, joint, report)
    if not against:
        check_lag(at.samples, at.model, at.start, report)
    _check_scale(at, report)


def _is_tilted(at: Compared, tilt: Tilt, against: list[int]) -> bool:
    """Whether another gravity explains the torques, and better than torques of the wrong sign."""
    length = np.linalg.norm(tilt.gravity) / np.linalg.norm(at.robot.gravity)
    if tilt.angle < _TILT or not tilt.left < min(0.6 * tilt.nominal, 1 - _GOOD):
        return False
    if not _TRUSTED[0] < length < _TRUSTED[1]:
        return False
    if not against:
        return True
    flipped = [at.fits[joint] for joint in against]
    wrong_friction = sum(fit.power < 0 for fit in flipped if fit is not None)
    return tilt.left < 0.8 * tilt.any_sign or (
        tilt.left < 1.2 * tilt.any_sign and wrong_friction < len(against) / 2
    )


def _say_sign(at: Compared, joint: int, report: Report) -> None:
    fit = at.fits[joint]
    if fit is None:
        return
    evidence = f"{fit.whole:.3g} times the model's torque fits best"
    if fit.power < 0:
        evidence += f", friction would give {-fit.power:.2g} W instead of taking it"
    report.add(
        "torque-sign",
        f"tau has the opposite sign of what the motion needs: {evidence}",
        "flip the sign of this torque in the map",
        joint=at.joints[joint],
        t=at.start,
        refused=True,
    )


def _check_scale(at: Compared, report: Report) -> None:
    heaviest = float(np.std(at.model.gravity, 0).max())
    for joint, fit in enumerate(at.fits):
        if fit is None:
            continue
        scale, heavy = abs(fit.gravity), float(np.std(at.model.gravity[:, joint]))
        sure = scale > _SURE * fit.error and fit.by_gravity > _BY_GRAVITY
        large = scale > _LARGEST and (scale - 1) * heavy > _LOAD * heaviest
        small = scale < _SMALLEST and heavy > _LIGHT * heaviest
        if not sure or not (small or large):
            continue
        said = "a motor current, or a torque on the motor's side of the gear?"
        hint = "give the torque constant and the gear ratio in the map"
        if abs(np.log(scale / 1000)) < 0.3:
            said, hint = "it looks like mN m", 'set the unit "mNm" in the map'
        report.add(
            "torque-scale",
            f"tau shows {scale:.3g} times the weight that the robot file has "
            f"(1 : {1 / scale:.3g}): {said}",
            hint,
            joint=at.joints[joint],
            t=at.start,
            refused=True,
        )


def _is_permuted(setup: Setup, at: Compared, report: Report) -> bool:
    """Torques that belong to other joints: each fits another joint's motion far better."""
    explained, scale = explained_by(at.samples.tau, at.model, at.samples.qd)
    own = np.diag(explained).copy()  # of either sign: that is another finding
    explained = np.where(scale > 0, explained, -np.inf)
    best = explained.argmax(1)
    reached = explained.max(1)
    wrong = [
        i
        for i in range(len(own))
        if reached[i] > _OTHER_JOINT
        and 1 - reached[i] < _MARGIN * (1 - own[i])
        and (scale[i, i] < 0 or reached[i] > own[i] + _MARGIN)
    ]
    if not wrong or sorted(best[i] for i in wrong) != wrong:
        return False
    names = [setup.joints[joint].name for joint in at.joints]
    for i in wrong:
        report.add(
            "torque-of-other-joint",
            f"tau belongs to {names[best[i]]}: its motion explains {100 * reached[i]:.0f} % of it, "
            f"that of {names[i]} {100 * own[i]:.0f} %",
            "joints are in another order in torques than in positions; correct the map",
            joint=at.joints[i],
            t=at.start,
            refused=True,
        )
    return True


def nominal(at: Compared) -> Array:
    """The model's torques, shape (N, n)."""
    return at.model.gravity + at.model.dynamic
