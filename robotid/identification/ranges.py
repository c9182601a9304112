"""What joints did in the training data: a model knows little of what lies beyond."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from robotid.contracts.fit import DriveGain
from robotid.contracts.fit_data import JointRange
from robotid.identification.gathered import Gathered
from robotid.information.samples import MOTION
from robotid.robot.tree import Limits

Bounds = tuple[float, float]


def trained_ranges(data: Gathered, gains: Sequence[DriveGain]) -> dict[str, JointRange]:
    """Least and greatest motion and torque of each joint, over all training samples.

    Args:
        data: factors of all recordings.
        gains: of drives, where the signal that stands for torque is none.
    """
    robot = data.layout.robot
    own = np.array([data.recordings[b.recording].extremes[b.start_s] for b in data.of("train")])
    low, high = np.fmin.reduce(own[..., 0]), np.fmax.reduce(own[..., 1])
    found = np.stack([low, high], axis=-1).reshape(4, robot.nv, 2) + 0.0  # no -0
    gain = {one.joint: one.value for one in gains}
    limits = {joint.name: _limits(joint.limits) for joint in robot.driven}
    return {
        row: JointRange(
            **{s: _bounds(x) for s, x in zip(MOTION, motion, strict=True)},
            # Rows of a base alone need no torques of joints.
            tau=_bounds(gain.get(row, 1.0) * tau) if np.isfinite(tau).all() else None,
            **limits.get(row, {}),
        )
        for row, (*motion, tau) in zip(robot.rows, found.swapaxes(0, 1), strict=True)
    }


def widest(
    first: Mapping[str, JointRange], second: Mapping[str, JointRange]
) -> dict[str, JointRange]:
    """Ranges of two sets of data together; limits are those of the second."""
    signals = (*MOTION, "tau")
    return {
        joint: own.model_copy(
            update={
                s: _bounds([*getattr(own, s), *getattr(first[joint], s)])
                for s in signals
                if getattr(own, s) and getattr(first[joint], s)
            }
        )
        if joint in first
        else own
        for joint, own in second.items()
    }


def _bounds(values: Iterable[float]) -> Bounds:
    low, *_, high = sorted(map(float, values))
    return low, high


def _limits(given: Limits) -> dict[str, Bounds | float | None]:
    """Limits of the robot file; those that are infinite are none."""
    both = np.isfinite([given.lower, given.upper]).all()
    return {
        "position_limits": (given.lower, given.upper) if both else None,
        "velocity_limit": given.velocity if np.isfinite(given.velocity) else None,
        "effort_limit": given.effort if np.isfinite(given.effort) else None,
    }
