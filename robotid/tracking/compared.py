"""Several models as inverse dynamics of one robot, and what there is to say of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracked_motions import TrackedMotion
from robotid.contracts.tracking import MovedRobot, Outcome, TrackedModel, Tracking
from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.errors import ConfigError
from robotid.memory import must_fit
from robotid.robot.tree import RobotTree
from robotid.simulation.closed_loop import Clock
from robotid.simulation.drives import substeps_for
from robotid.tracking.bounds import bounds_of
from robotid.tracking.closed_loop import Followed, Rig, follow
from robotid.tracking.contenders import Contender, contenders, inertias
from robotid.tracking.encoders import Encoders
from robotid.tracking.law import Law
from robotid.tracking.moved import Moved, moved_robot
from robotid.tracking.options import TrackOptions
from robotid.tracking.outcomes import outcomes, units_of
from robotid.tracking.ranking import ranked
from robotid.tracking.remarks import remarks_of
from robotid.tracking.tasks import assigned, hand_name

Array = NDArray[np.float64]
_NUMBERS = 9  # that are held per joint, motion and step: a reference, and a path with its speeds


class Compared(NamedTuple):
    """How all models did, and the motions that are shown."""

    tracking: Tracking
    motions: list[TrackedMotion]


def compared(
    folders: Mapping[str, Path],
    nominal: RobotTree,
    options: TrackOptions,
    simulation: Path | None = None,
) -> Compared:
    """Let all models drive the same robot along the same motions.

    Args:
        folders: of the fits, by name.
        nominal: the robot file.
        options: the configuration.
        simulation: that the data of the fits are from, if they are from one.
    """
    moved = moved_robot(nominal, options, simulation)
    if options.task == "recorded" and moved.truth is not None:
        count = min(options.motions, len(moved.truth.recordings))
        options = options.model_copy(update={"motions": count})
    inertia = inertias(nominal)
    models = contenders(folders, nominal, moved, inertia, options)
    K = gains_of(nominal, options)
    moves = options.targets if options.task == "reaching" else 1
    steps = (max(options.lengths_s) * moves + options.hold_s) * options.control_hz
    hint = "ask for fewer motions, shorter ones, or a lower control_hz"
    must_fit(8 * _NUMBERS * steps * options.motions * nominal.n, "the motions to follow", hint)
    rig = _rig(nominal, moved, options)
    found: list[list[Outcome]] = [[] for _ in models]
    shown: list[TrackedMotion] = []
    names = [gain.name for gain in options.parsed_gains]
    for duration_s in options.lengths_s:
        law = assigned(nominal, options, duration_s, K, inertia, moved.truth)
        followed = _followed(rig, law, models, moved, options, nominal)
        hand = options.task == "reaching"
        own = outcomes(followed, nominal, names, duration_s, law.variances, hand=hand)
        for place, some in enumerate(own):
            found[place] += some
        shown += _motions(followed, models, names, duration_s)
    tracked = {
        model.name: TrackedModel(
            kind=model.kind, model=model.model, usable=model.usable, outcomes=own
        )
        for model, own in zip(models, found, strict=True)
    }
    tracking = _tracking(nominal, moved, options, K, rig, tracked)
    return Compared(tracking, shown)


def gains_of(robot: RobotTree, options: TrackOptions) -> Array:
    """K of all gains and joints, shape (gains, n) [1/s²]."""
    rows = []
    for gain in options.parsed_gains:
        values = gain.of_joints(robot.n)
        if values is None:
            count = len(gain.values)
            said = f"gains: {gain.name} has {count} values, {robot.name} has {robot.n} joints"
            hint = f"give one value, or one for each of {', '.join(robot.joint_names)}"
            raise ConfigError("wrong-count", said, hint=hint)
        rows.append(values)
    return np.array(rows)


def _rig(nominal: RobotTree, moved: Moved, options: TrackOptions) -> Rig:
    step_s = 1 / options.control_hz
    # Torques are held for a step, so that gains do not make it stiff; friction and springs may.
    no_gain = np.zeros(nominal.n)
    substeps = options.substeps or substeps_for(moved.robot, moved.drives, no_gain, step_s)
    limit = nominal.bound("effort") if options.saturate else np.full(nominal.n, np.inf)
    return Rig(
        plant=moved.plant(options.engine),
        bounds=bounds_of(nominal, options),
        limit=limit,
        clock=Clock(samples=0, every=1, step_s=step_s, substeps=substeps),
        sees_links=options.position_sensor == "link",
        warm_up=options.warm_up,
    )


def _followed(
    rig: Rig,
    law: Law,
    models: list[Contender],
    moved: Moved,
    options: TrackOptions,
    nominal: RobotTree,
) -> Followed:
    """One length of motions, with all models and gains."""
    gains = len(options.gains)
    batch = options.motions * (gains + (law.planned(0) is not None))
    still = np.zeros_like(law.start)
    held = CompiledRnea(moved.robot)(law.start, still, still)
    steppers = [model.stepper(batch) for model in models]
    return follow(rig, law, Encoders(nominal, options), steppers, held, gains)


def _motions(
    followed: Followed, models: list[Contender], gains: list[str], duration_s: float
) -> list[TrackedMotion]:
    own = followed.samples
    return [
        TrackedMotion(
            model.name, gain, duration_s, own.t, own.desired, own.actual[:, m, g], own.tau[:, m, g]
        )
        for m, model in enumerate(models)
        for g, gain in enumerate(gains)
    ]


def _tracking(
    nominal: RobotTree,
    moved: Moved,
    options: TrackOptions,
    K: Array,
    rig: Rig,
    models: dict[str, TrackedModel],
) -> Tracking:
    names, units = nominal.joint_names, units_of(nominal)
    gains = [gain.name for gain in options.parsed_gains]
    by_joint = [dict(zip(names, row, strict=True)) for row in K.tolist()]
    limits = [x if np.isfinite(x) else None for x in rig.limit.tolist()]
    return Tracking(
        robot=nominal.name,
        task=options.task,
        feedback=options.feedback,
        joints=list(names),
        units=units,
        gains=dict(zip(gains, by_joint, strict=True)),
        durations_s=list(options.lengths_s),
        motions=options.motions,
        seed=options.seed,
        control_hz=options.control_hz,
        warm_up=options.warm_up,
        hold_s=options.hold_s,
        link=hand_name(nominal, options),
        moved=MovedRobot(
            from_truth=moved.truth is not None,
            engine=options.engine,
            substeps=rig.clock.substeps,
            friction=moved.drives.friction.kind,
            elastic=moved.drives.elasticity is not None,
            position_sensor=options.position_sensor,
            encoder_counts=options.encoder_counts,
            noise_q=options.noise_q,
            noise_qd=options.noise_qd,
            torque_limits=dict(zip(names, limits, strict=True)),
        ),
        models=models,
        ranked=ranked(models, options.task, "deg" if "deg" in units.values() else "m"),
        published=options.published,
        remarks=remarks_of(models),
    )
