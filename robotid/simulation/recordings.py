"""Which recordings a simulation makes: of random trajectories, or of the plays of a design."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from robotid.contracts.excitation import Excitation
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.signals.planned import motions
from robotid.simulation.options import SimulationOptions
from robotid.simulation.trajectory import Trajectory, make_trajectory

# What a design decides, so that nobody may ask for something else beside it.
DECIDED = (
    "recordings",
    "duration_s",
    "trajectory",
    "period_s",
    "harmonics",
    "sine_periods_s",
    "sine_amplitudes",
    "position_share",
    "speeds",
    "ramp_s",
)


class Recording(NamedTuple):
    """A recording to be made.

    Args:
        name: of its log.
        trajectory: what the robot is told to follow.
        speed: share of the joints' velocity limits that it may use.
        samples: of its log.
    """

    name: str
    trajectory: Trajectory
    speed: float
    samples: int


def random_recordings(
    robot: RobotTree, options: SimulationOptions, random: Callable[[int], np.random.Generator]
) -> list[Recording]:
    """Random trajectories inside the limits of a robot; `random` is the stream of each."""
    samples = round(options.duration_s * options.rate_hz)
    if samples < 2:
        raise ConfigError("bad-value", "duration_s: fewer than two samples")
    speeds = [options.speeds[i % len(options.speeds)] for i in range(options.recordings)]
    return [
        Recording(name, make_trajectory(robot, options, speed, random(i)), speed, samples)
        for i, (name, speed) in enumerate(zip(_names(options.recordings), speeds, strict=True))
    ]


def planned_recordings(
    robot: RobotTree, options: SimulationOptions, design: Excitation
) -> list[Recording]:
    """Every play of a design, each for as long as it takes, until the robot is at rest again."""
    if list(robot.joint_names) != design.joints:
        raise ConfigError(
            "other-joints",
            f"the design is for robot {design.robot}, whose joints robot {robot.name} has not",
            hint=f"{', '.join(design.joints)}; {', '.join(robot.joint_names)}",
        )
    asked = [key for key in DECIDED if getattr(options, key) != _default(key)]
    if asked:
        raise ConfigError(
            "design-decides",
            f"{asked[0]}: a design says what is run, and for how long",
            hint=f"leave out {', '.join(asked)}, or ask for it in excite",
        )
    return [
        Recording(name, motion, play.speed, motion.samples(options.rate_hz))
        for name, (play, motion) in motions(design).items()
    ]


def longest(recordings: Sequence[Recording]) -> int:
    """The samples of the longest recording."""
    return max(recording.samples for recording in recordings)


def _default(key: str) -> object:
    return SimulationOptions.model_fields[key].get_default()


def _names(count: int) -> list[str]:
    """run1, run2, …; with zeros in front where there are more than nine, so that they sort."""
    return [f"run{number:0{len(str(count))}d}" for number in range(1, count + 1)]
