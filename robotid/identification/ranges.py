"""What joints did in the training data: a model knows little of what lies beyond."""

from collections.abc import Mapping, Sequence

import numpy as np

from robotid.contracts.fit import DriveGain
from robotid.contracts.fit_data import JointRange
from robotid.identification.gathered import Gathered
from robotid.robot.tree import Limits

Bounds = tuple[float, float]
_MOTION = ("q", "qd", "qdd")


def trained_ranges(data: Gathered, gains: Sequence[DriveGain]) -> dict[str, JointRange]:
    """Least and greatest motion and torque of each joint, over all training samples.

    Args:
        data: factors of all recordings.
        gains: of drives, where the signal that stands for torque is none.
    """
    robot, torque = data.layout.robot, "tau"
    columns = [f"{signal}.{name}" for signal in (*_MOTION, torque) for name in robot.joint_names]
    own = np.array([data.recordings[b.recording].extremes[b.start_s] for b in data.of("train")])
    bounds = zip(own[..., 0].min(axis=0).tolist(), own[..., 1].max(axis=0).tolist(), strict=True)
    found = dict(zip(columns, bounds, strict=True))
    gain = dict.fromkeys(robot.joint_names, 1.0) | {one.joint: one.value for one in gains}
    return {
        joint.name: JointRange(
            **{signal: _bounds(found[f"{signal}.{joint.name}"]) for signal in _MOTION},
            tau=_bounds([gain[joint.name] * x for x in found[f"{torque}.{joint.name}"]]),
            **_limits(joint.limits),
        )
        for joint in robot.driven
    }


def widest(
    first: Mapping[str, JointRange], second: Mapping[str, JointRange]
) -> dict[str, JointRange]:
    """Ranges of two sets of data together; limits are those of the second."""
    signals = (*_MOTION, "tau")
    return {
        joint: own.model_copy(
            update={s: _bounds([*getattr(own, s), *getattr(first[joint], s)]) for s in signals}
        )
        if joint in first
        else own
        for joint, own in second.items()
    }


def _bounds(values: Sequence[float]) -> Bounds:
    return min(values), max(values)


def _limits(given: Limits) -> dict[str, Bounds | float | None]:
    """Limits of the robot file; those that are infinite are none."""
    both = np.isfinite([given.lower, given.upper]).all()
    return {
        "position_limits": (given.lower, given.upper) if both else None,
        "velocity_limit": given.velocity if np.isfinite(given.velocity) else None,
        "effort_limit": given.effort if np.isfinite(given.effort) else None,
    }
