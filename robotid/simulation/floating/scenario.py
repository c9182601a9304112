"""A simulation of a floating robot from what a user asks for: motions, forces, sensors, truth."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.contracts.truth import TrueRecording, TrueSeries, Truth
from robotid.errors import ConfigError, Notice
from robotid.memory import must_fit
from robotid.robot.tree import RobotTree
from robotid.simulation.account import by_joint, true_joints, true_links
from robotid.simulation.closed_loop import Clock
from robotid.simulation.drives import Drives, make_drives
from robotid.simulation.engine import ENGINE_PACKAGE, must_have_mujoco
from robotid.simulation.floating.feet import Foot, feet_of
from robotid.simulation.floating.motion import FloatingMotion
from robotid.simulation.floating.prescribed import held_at_feet, prescribed
from robotid.simulation.floating.sensors import BaseSensors, FloatingLog, logged
from robotid.simulation.floating.stance import stance
from robotid.simulation.options import SimulationOptions
from robotid.simulation.perturbation import robot_of_seed
from robotid.simulation.recordings import (
    SENSORS,
    TRAJECTORY,
    names_of,
    random_stream,
    refuse_keys,
)
from robotid.simulation.references import references
from robotid.simulation.robots import check_robots
from robotid.simulation.scenario import clock_of
from robotid.simulation.sensors import sensors_of

Array = NDArray[np.float64]
_FLOOR = ("sway", "step")
_PER_SAMPLE = 20  # numbers that are held per row and sample
_KNOTS_HZ = 200.0  # at which a stance is worked out
_FULL = 0.05  # rad: errors of joints at which a controller on a floor uses all of its effort
_OFTEN = 0.01  # share of the time at the torque limit that is worth a word
# What a floating robot does not have here, what a motion that is followed exactly does not have,
# and what matters on a floor only.
_OF_ARMS = (
    *("elastic_hz", "position_sensor", "torque_sensor", "jitter", "delay_s"),
    *("same_paths", "bandwidth_hz", "feedback"),
)
_OF_CONTROL = ("control_hz", "substeps", "feedforward", "damping_ratio")
_OF_STEPS = ("step_hz", "step_height")
_AXES = ("base.x", "base.y", "base.z", "base.roll", "base.pitch", "base.yaw")


class FloatingSimulated(NamedTuple):
    """Logs by name, what really happened in each, and what it was made from."""

    robot: RobotTree
    logs: dict[str, FloatingLog]
    motions: dict[str, FloatingMotion]
    truth: Truth
    notices: list[Notice]


class _Made(NamedTuple):
    """One recording: series that were to be followed, and what happened."""

    speed: float
    reference: dict[str, TrueSeries]
    motion: FloatingMotion
    at_limit: Array


class _Cast(NamedTuple):
    """What all recordings share; `nominal` is what a controller knows of the robot."""

    nominal: RobotTree
    true: RobotTree
    options: SimulationOptions
    feet: Sequence[Foot]
    drives: Drives
    clock: Clock
    scale: Array

    def gains(self) -> tuple[Array, Array]:
        """Of the controller, shape (n,) each; zero where there is none."""
        if self.options.trajectory not in _FLOOR:
            return np.zeros(self.true.n), np.zeros(self.true.n)
        kp = self.scale / _FULL
        inertia = self.drives.moved + self.drives.rotor_inertia
        return kp, 2 * self.options.damping_ratio * np.sqrt(kp * inertia)


def simulate_floating(
    nominal: RobotTree, true: RobotTree, options: SimulationOptions
) -> FloatingSimulated:
    """Simulate all recordings.

    Args:
        nominal: what a controller knows of the robot.
        true: what it really is, before `options.perturb` changes it further.
        options: the configuration.
    """
    check_robots(nominal, true)
    _check(options)
    true = robot_of_seed(true, options.perturb, options.seed)
    samples = round(options.duration_s * options.rate_hz)
    if samples < 2:
        raise ConfigError("bad-value", "duration_s: fewer than two samples")
    names = names_of(options.recordings)
    size = 8 * _PER_SAMPLE * true.nv * samples * len(names)
    hint = "simulate less at a time: fewer recordings, or shorter"
    must_fit(size, f"{len(names)} recordings of {samples} samples", hint)
    effort, weight = true.bound("effort"), _weight(true)
    scale = np.where(np.isfinite(effort), effort, weight)
    drives = make_drives(true, options, scale)
    on_floor = options.trajectory in _FLOOR
    clock = clock_of(options, samples) if on_floor else Clock(samples, 1, 1 / options.rate_hz, 0)
    feet = feet_of(true, options.feet)
    cast = _Cast(nominal, true, options, feet, drives, clock, scale)
    made = {}
    for number, name in enumerate(names):
        progress.report(number, len(names), "recordings")
        made[name] = (_on_floor if on_floor else _prescribed)(cast, number)
    sensors = sensors_of(true, options, scale)
    noise = options.noise_pose, options.noise_twist, options.noise_contact * weight
    logs = {
        name: logged(
            true,
            one.motion,
            options.rate_hz,
            sensors,
            BaseSensors(*noise),
            random_stream(options, SENSORS, number),
        )
        for number, (name, one) in enumerate(made.items())
    }
    truth = Truth(
        robot=true.name,
        gravity=true.gravity.tolist(),
        links=true_links(nominal, true),
        joints=true_joints(true, drives, sensors, scale, *cast.gains()),
        friction=drives.friction.kind,
        recordings={
            name: TrueRecording(
                speed=one.speed,
                reference=one.reference,
                bias=by_joint(true, logs[name].bias.mean(0)),
                at_limit=by_joint(true, one.at_limit),
            )
            for name, one in made.items()
        },
        engine=options.engine,
        versions={name: version(name) for name in ("numpy", ENGINE_PACKAGE[options.engine])},
        substeps=clock.substeps,
        options=options.model_dump(mode="json"),
        feet=[foot.link for foot in feet],
    )
    motions = {name: one.motion for name, one in made.items()}
    return FloatingSimulated(true, logs, motions, truth, _findings(true, made))


def _weight(robot: RobotTree) -> float:
    """Its mass times gravity [N]."""
    return float(robot.phi[:, 0].sum() * np.linalg.norm(robot.gravity))


def _check(options: SimulationOptions) -> None:
    """Refuse what a floating robot cannot do, and keys that would do nothing."""
    if options.trajectory == "swing-up":
        said = "trajectory: a floating robot has no pendulum to swing up"
        raise ConfigError("bad-value", said, hint="use fourier, sines, sway or step")
    if options.friction == "stick-slip":
        said = "friction: stick-slip is not there for robots with a floating base"
        raise ConfigError("bad-value", said, hint="use coulomb or stribeck")
    refuse_keys(_OF_ARMS, options, "key-without-effect", "not of robots with a floating base")
    if options.trajectory not in _FLOOR:
        said = "the motion is followed exactly, without a controller"
        refuse_keys(_OF_CONTROL, options, "key-without-effect", said)
    elif options.engine != "mujoco":
        said = "engine: only mujoco has a floor"
        raise ConfigError("bad-value", said, hint="use trajectory fourier with engine own")
    else:
        must_have_mujoco()
    if options.trajectory != "step":
        refuse_keys(_OF_STEPS, options, "key-without-effect", "nothing steps")


def _prescribed(cast: _Cast, number: int) -> _Made:
    """A motion that is followed exactly."""
    options = cast.options
    speed = options.speeds[number % len(options.speeds)]
    random = random_stream(options, TRAJECTORY, number)
    plan = prescribed(cast.nominal, options, cast.feet, speed, random)
    t = np.arange(cast.clock.samples) / options.rate_hz
    motion = held_at_feet(cast.true, options, cast.feet, cast.drives, plan.at(t))
    series = references(plan.base, _AXES) | references(plan.joints, cast.true.joint_names)
    return _Made(speed, series, motion, np.zeros(cast.true.n))


def _on_floor(cast: _Cast, number: int) -> _Made:
    """A motion that a controller tries to follow on a floor."""
    from robotid.simulation.floating.floor import Followed, on_floor

    options, clock = cast.options, cast.clock
    random = random_stream(options, TRAJECTORY, number)
    count = int(np.ceil(clock.steps * clock.step_s * _KNOTS_HZ)) + 2
    plan = stance(cast.nominal, options, cast.feet, np.arange(count) / _KNOTS_HZ, random)
    reference = plan.reference
    ahead = held_at_feet(cast.nominal, options, cast.feet, cast.drives, reference, plan.shares).tau
    followed = Followed(
        reference.base.pose[0],
        1 / _KNOTS_HZ,
        reference.q,
        reference.qd,
        ahead if options.feedforward else np.zeros_like(ahead),
        *cast.gains(),
        cast.nominal.bound("effort"),
    )
    found = on_floor(cast.true, cast.feet, cast.drives, followed, clock)
    speed = options.speeds[number % len(options.speeds)]
    return _Made(speed, {}, found.motion, found.at_limit)


def _findings(robot: RobotTree, made: dict[str, _Made]) -> list[Notice]:
    """What a user should know of the motion: limits that were met."""
    return [
        Notice(
            code="at-torque-limit",
            message=f"{name}: {share:.0%} of the time at the torque limit",
            joint=joint,
            hint="lower base_shift, base_tilt or speeds",
        )
        for name, one in made.items()
        for joint, share in by_joint(robot, one.at_limit).items()
        if share > _OFTEN
    ]
