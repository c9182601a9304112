"""What robots were told to follow, as `truth.json` states it."""

from collections.abc import Sequence

import numpy as np

from robotid.contracts.truth import TruePlay, TrueSeries
from robotid.signals.planned import PlannedMotion
from robotid.simulation.swing_up import SwingUp
from robotid.simulation.trajectory import FourierTrajectory, Trajectory


def references(trajectory: Trajectory | SwingUp, joints: Sequence[str]) -> dict[str, TrueSeries]:
    """The series of each joint; of a play, as slow as it is run; none of swinging up."""
    if isinstance(trajectory, SwingUp):
        return {}
    if isinstance(trajectory, FourierTrajectory):
        return {
            name: TrueSeries(
                centre=float(trajectory.centre[index]),
                a=trajectory.a[index].tolist(),
                b=trajectory.b[index].tolist(),
                omega=float(trajectory.omega[index]),
            )
            for index, name in enumerate(joints)
        }
    if isinstance(trajectory, PlannedMotion):
        return {name: _slowed(trajectory, name) for name in joints}
    raise TypeError(f"nothing is known of {type(trajectory).__name__}")


def play_of(trajectory: Trajectory | SwingUp) -> TruePlay | None:
    """Which play of a design it is; None if it is none."""
    if not isinstance(trajectory, PlannedMotion):
        return None
    before, during, _ = (length * trajectory.slower for length in trajectory.lengths_s)
    return TruePlay(
        trajectory=trajectory.trajectory.name,
        slower=trajectory.slower,
        begins_s=before,
        ends_s=before + during,
    )


def _slowed(motion: PlannedMotion, joint: str) -> TrueSeries:
    """All harmonics up to the last, those that the series does not have as zeros."""
    designed = motion.trajectory.series[joint]
    a, b = np.zeros((2, max(designed.harmonics)))
    places = np.array(designed.harmonics) - 1
    a[places], b[places] = designed.a, designed.b
    return TrueSeries(
        centre=designed.centre,
        a=(a / motion.slower).tolist(),
        b=(b / motion.slower).tolist(),
        omega=2 * np.pi / (motion.trajectory.period_s * motion.slower),
    )
