"""Which recordings a simulation makes: of random trajectories, or of the plays of a design."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from robotid.contracts.excitation import Excitation
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.signals.planned import motions
from robotid.simulation.floating_options import FloatingOptions
from robotid.simulation.options import SimulationOptions
from robotid.simulation.swing_up import SwingUp, hanging_down
from robotid.simulation.trajectory import Trajectory, make_trajectory

# What is random, each from a stream of its own: more noise does not change the trajectory.
TRAJECTORY, SENSORS = range(2)  # beside the robot itself
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
    "same_paths",
    "ramp_s",
)


# What a robot with a fixed base has no use for.
OF_FLOATING = tuple(FloatingOptions.model_fields)

# What swinging up has no use for.
FOLLOWED = (
    *("period_s", "harmonics", "sine_periods_s", "sine_amplitudes", "position_share", "speeds"),
    *("same_paths", "ramp_s", "feedback", "feedforward", "bandwidth_hz", "damping_ratio"),
)


class Recording(NamedTuple):
    """A recording to be made.

    Args:
        name: of its log.
        trajectory: what the robot is told to follow, or where swinging up begins.
        speed: share of the joints' velocity limits that it may use.
        samples: of its log.
    """

    name: str
    trajectory: Trajectory | SwingUp
    speed: float
    samples: int


def random_recordings(
    robot: RobotTree, options: SimulationOptions, random: Callable[[int], np.random.Generator]
) -> list[Recording]:
    """Random trajectories inside the limits of a robot, or random starts of swinging up.

    `random` is the stream of each.
    """
    samples = round(options.duration_s * options.rate_hz)
    if samples < 2:
        raise ConfigError("bad-value", "duration_s: fewer than two samples")
    names = enumerate(names_of(options.recordings))
    if options.trajectory in ("sway", "step"):
        said = f"trajectory: robot {robot.name} has a fixed base and stands on no floor"
        raise ConfigError("bad-value", said, hint="use fourier or sines")
    if options.trajectory == "swing-up":
        refuse_keys(FOLLOWED, options, "key-without-effect", "swinging up follows no trajectory")
        return [Recording(name, hanging_down(robot, random(i)), 1.0, samples) for i, name in names]
    turns, fastest = len(options.speeds), max(options.speeds)
    found = []
    for i, name in names:
        speed = options.speeds[i % turns]
        if options.same_paths:
            path = make_trajectory(robot, options, fastest, random(i // turns))
            found.append(Recording(name, path.slowed(fastest / speed), speed, samples))
        else:
            path = make_trajectory(robot, options, speed, random(i))
            found.append(Recording(name, path, speed, samples))
    return found


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
    said = "a design says what is run, and for how long"
    refuse_keys(DECIDED, options, "design-decides", said, ", or ask for it in excite")
    return [
        Recording(name, motion, play.speed, motion.samples(options.rate_hz))
        for name, (play, motion) in motions(design).items()
    ]


def random_stream(options: SimulationOptions, what: int, recording: int = 0) -> np.random.Generator:
    """The random numbers of one thing in one recording."""
    return np.random.default_rng([options.seed, what, recording])


def longest(recordings: Sequence[Recording]) -> int:
    """The samples of the longest recording."""
    return max(recording.samples for recording in recordings)


def refuse_keys(
    keys: Sequence[str], options: SimulationOptions, code: str, said: str, instead: str = ""
) -> None:
    """Refuse keys that differ from their defaults and would do nothing."""
    asked = [key for key in keys if getattr(options, key) != _default(key)]
    if asked:
        hint = f"leave out {', '.join(asked)}{instead}"
        raise ConfigError(code, f"{asked[0]}: {said}", hint=hint)


def _default(key: str) -> object:
    return SimulationOptions.model_fields[key].get_default()


def names_of(count: int) -> list[str]:
    """run1, run2, …; with zeros in front where there are more than nine, so that they sort."""
    return [f"run{number:0{len(str(count))}d}" for number in range(1, count + 1)]
