"""What joints should do: minimum-jerk moves between random postures, or sines."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import Truth
from robotid.errors import BadDataError
from robotid.robot.tree import RobotTree
from robotid.simulation.trajectory import FourierTrajectory, per_joint
from robotid.tracking.bounds import Room
from robotid.tracking.options import TrackOptions

Array = NDArray[np.float64]
PEAK = 1.875  # speed of a minimum-jerk move at its middle, over its mean speed
_MOTION = 10  # of the numbers that a seed gives: not those of simulations
_PERIODS_S = (23.0, 19.0, 17.0, 13.0, 11.0, 7.0, 5.0)
_AMPLITUDES = (0.7, 0.5, 0.5, 0.5, 0.65, 0.65, 0.7)  # of the largest |q|
_WIDEST = 0.95  # of the half range
_RAMP_S = 1.0  # from rest


class Reference(NamedTuple):
    """Positions, velocities and accelerations at every step, shape (steps, motions, n) each."""

    q: Array
    qd: Array
    qdd: Array


class Postures(NamedTuple):
    """Where moves go from and to, shape (motions, n) each."""

    start: Array
    goal: Array


def stream(options: TrackOptions, motion: int) -> np.random.Generator:
    """The random numbers of a motion: more motions do not change those there are."""
    return np.random.default_rng([options.seed, _MOTION, motion])


def random_postures(
    room: Room, options: TrackOptions, count: int, shortest_s: float
) -> list[Postures]:
    """Random moves one after the other, each from where the last one ended.

    All lengths of time share them, so that they differ in speed alone: a goal comes as much nearer
    as the shortest time asks for.

    Args:
        room: that they keep to.
        options: seed and number of motions.
        count: how many follow each other.
        shortest_s: in which they have to be made.
    """
    streams = [stream(options, motion) for motion in range(options.motions)]
    shape = count + 1, room.half.size
    drawn = np.stack([random.uniform(-1, 1, shape) for random in streams], axis=1)
    farthest = room.speed * shortest_s / PEAK
    postures = [room.middle + drawn[0] * room.half]
    for to in drawn[1:]:
        way = room.middle + to * room.half - postures[-1]
        postures.append(postures[-1] + np.clip(way, -farthest, farthest))
    return [Postures(*pair) for pair in pairwise(postures)]


def minimum_jerk(
    moves: Sequence[Postures], duration_s: float, hold_s: float, hz: float
) -> Reference:
    """Move after move, then the last goal held.

    Of each move q = q₀ + (q₁ − q₀)(10 x³ − 15 x⁴ + 6 x⁵) with x = t/duration.

    Args:
        moves: postures between which to move.
        duration_s: of each move.
        hold_s: how long the last goal is held.
        hz: steps per second.
    """
    steps = round((len(moves) * duration_s + hold_s) * hz) + 1
    t = np.arange(steps) / hz
    number = np.minimum((t / duration_s).astype(int), len(moves) - 1)
    x = np.clip(t / duration_s - number, 0.0, 1.0)[:, None, None]
    start = np.stack([move.start for move in moves])[number]
    way = np.stack([move.goal for move in moves])[number] - start
    return Reference(
        start + way * (x**3 * (10 - 15 * x + 6 * x**2)),
        way * (30 * x**2 * (1 - x) ** 2 / duration_s),
        way * (60 * x * (1 - x) * (1 - 2 * x) / duration_s**2),
    )


def sines(robot: RobotTree, room: Room, options: TrackOptions, duration_s: float) -> Reference:
    """A sine of its own period per joint about the middle of its range, with random phases.

    Amplitudes are shares of the limit that is farthest from zero, as far as range and speed allow.
    The motion comes up to speed from rest within a second.
    """
    n = robot.n
    periods = per_joint(options.sine_periods_s or _cycled(_PERIODS_S, n), robot, "sine_periods_s")
    shares = per_joint(options.sine_amplitudes or _cycled(_AMPLITUDES, n), robot, "sine_amplitudes")
    omega, half = 2 * np.pi / periods, room.half / options.position_share
    farthest = np.abs(room.middle) + half
    amplitude = np.minimum(np.minimum(shares * farthest, _WIDEST * half), room.speed / omega)
    phase = np.stack([stream(options, k).uniform(0, 2 * np.pi, n) for k in range(options.motions)])
    t = np.arange(round(duration_s * options.control_hz) + 1) / options.control_hz
    speed = amplitude * omega
    parts = []
    for own in phase:
        a, b = (speed * np.cos(own))[:, None], (-speed * np.sin(own))[:, None]
        parts.append(FourierTrajectory(room.middle, a, b, omega, _RAMP_S).at(t))
    return Reference(*(np.stack(values, 1) for values in zip(*parts, strict=True)))


def recorded(truth: Truth, most: int, duration_s: float, hz: float) -> Reference:
    """What the robot of a simulation was told to follow, the first so many recordings of it.

    Every motion comes up to speed from rest, as it did there.
    """
    found = []
    t = np.arange(round(duration_s * hz) + 1) / hz
    for name, recording in list(truth.recordings.items())[:most]:
        own = [recording.reference.get(joint.name) for joint in truth.joints]
        if any(series is None for series in own):
            said = f"recording {name} of the simulation followed nothing that could be repeated"
            raise BadDataError("no-reference", said, hint="take another task")
        known = [series for series in own if series is not None]
        centre, omega = (np.array([getattr(x, key) for x in known]) for key in ("centre", "omega"))
        a, b = (np.array([getattr(x, key) for x in known]) for key in ("a", "b"))
        found.append(FourierTrajectory(centre, a, b, omega, _RAMP_S).at(t))
    return Reference(*(np.stack(values, 1) for values in zip(*found, strict=True)))


def _cycled(values: Sequence[float], n: int) -> list[float]:
    return [values[joint % len(values)] for joint in range(n)]
