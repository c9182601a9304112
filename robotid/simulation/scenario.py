"""A simulation from what a user asks for: trajectories, controller, plant, sensors, truth."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.contracts.excitation import Excitation
from robotid.contracts.truth import Truth
from robotid.dynamics.rnea import rnea
from robotid.errors import ConfigError, Notice
from robotid.memory import must_fit
from robotid.robot.tree import RobotTree
from robotid.simulation.account import Made, findings, truth_of
from robotid.simulation.closed_loop import Clock, Motion, follow
from robotid.simulation.controller import (
    Controller,
    JointFeedback,
    ModelFeedback,
    Reference,
    gains,
)
from robotid.simulation.drives import make_drives, moved_inertias, rotor_inertias, substeps_for
from robotid.simulation.engine import make_engine
from robotid.simulation.options import SimulationOptions
from robotid.simulation.perturbation import robot_of_seed
from robotid.simulation.plant import Plant
from robotid.simulation.recordings import (
    SENSORS,
    TRAJECTORY,
    Recording,
    longest,
    planned_recordings,
    random_recordings,
    random_stream,
    refuse_keys,
)
from robotid.simulation.robots import check_held, check_robots
from robotid.simulation.sensors import Measured, measure, sensors_of
from robotid.simulation.swing_up import SwingUp, SwingUpController

Array = NDArray[np.float64]
_PIECE = 2000  # control steps
_PER_STEP = 10  # numbers that are held per joint and step: reference, torque, motion, logs


class Simulated(NamedTuple):
    """Logs by name, what really happened, and what it was made from.

    `t` has shape (samples,) [s], without jitter; recording i of `motion` belongs to the i-th log.
    All motions go on until the longest is over: `clocks` say how long each log is.
    """

    t: Array
    logs: dict[str, Measured]
    motion: Motion
    clock: Clock
    clocks: dict[str, Clock]
    truth: Truth
    notices: list[Notice]


def simulate(
    nominal: RobotTree,
    true: RobotTree,
    options: SimulationOptions,
    design: Excitation | None = None,
    design_sha256: str = "",
) -> Simulated:
    """Simulate all recordings.

    Args:
        nominal: what the controller knows of the robot.
        true: what it really is, before `options.perturb` changes it further.
        options: the configuration.
        design: trajectories to run; without, random ones.
        design_sha256: digest of it, for the record.
    """
    check_robots(nominal, true)
    check_held(nominal)
    true = robot_of_seed(true, options.perturb, options.seed)
    recordings = (
        random_recordings(nominal, options, lambda i: random_stream(options, TRAJECTORY, i))
        if design is None
        else planned_recordings(nominal, options, design)
    )
    clock = clock_of(options, longest(recordings))
    names = [recording.name for recording in recordings]
    numbers = clock.steps * len(names) * true.n * _PER_STEP
    hint = "simulate less at a time: fewer recordings, shorter, or at a lower control_hz"
    must_fit(8 * numbers, f"{len(names)} recordings of {clock.steps} steps", hint)
    controller, scale = _controller(nominal, options, recordings, clock)
    drives = make_drives(true, options, scale)
    if options.substeps == 0:
        clock = clock._replace(substeps=substeps_for(true, drives, controller.kd, clock.step_s))
    stiff = drives.elasticity is None
    engine = make_engine(options.engine, true, drives.rotor_inertia if stiff else np.zeros(true.n))
    plant = Plant(engine, drives.friction, drives.rotor_inertia, drives.elasticity)
    q, still = controller.start, np.zeros_like(controller.start)
    start = plant.at_rest(q, _torque(true, q, still, still, drives.rotor_inertia))
    motion = follow(plant, controller, clock, start, true.joint_names, names)
    sensors = sensors_of(true, options, scale)
    clocks = {one.name: clock._replace(samples=one.samples) for one in recordings}
    logs = {
        name: measure(motion.during(own), i, own, sensors, random_stream(options, SENSORS, i))
        for i, (name, own) in enumerate(clocks.items())
    }
    made = Made(
        nominal, true, options, recordings, controller, drives, sensors, scale, clock, design_sha256
    )
    t = np.arange(clock.samples) / options.rate_hz
    truth = truth_of(made, motion, logs)
    return Simulated(t, logs, motion, clock, clocks, truth, findings(made, motion))


def clock_of(options: SimulationOptions, samples: int) -> Clock:
    """How often things happen in a simulation of so many samples."""
    every = options.control_hz / options.rate_hz
    if every < 1 or abs(every - round(every)) > 1e-9 * every:
        raise ConfigError(
            "bad-value",
            f"control_hz: {options.control_hz:g} is not a multiple of rate_hz {options.rate_hz:g}",
        )
    return Clock(samples, round(every), 1 / options.control_hz, max(1, options.substeps))


def _controller(
    nominal: RobotTree,
    options: SimulationOptions,
    recordings: list[Recording],
    clock: Clock,
) -> tuple[Controller, Array]:
    """The controller, and what shares of torque are of, shape (n,)."""
    if options.trajectory == "swing-up":
        return _swing_up(nominal, options, recordings)
    times = np.arange(clock.steps, dtype=np.float64) * clock.step_s
    followed = [one.trajectory for one in recordings if not isinstance(one.trajectory, SwingUp)]
    references = [trajectory.at(times) for trajectory in followed]
    reference = Reference(*(np.stack(parts, 1) for parts in zip(*references, strict=True)))
    rotor = rotor_inertias(nominal, options)
    needed = _torque(nominal, *reference, rotor)
    effort = nominal.bound("effort")
    scale = np.where(np.isfinite(effort), effort, 2 * np.abs(needed).max((0, 1)))
    moved, how = moved_inertias(nominal) + rotor, (options.bandwidth_hz, options.damping_ratio)
    if options.feedback == "model":
        said = "feedback through the model has it already"
        refuse_keys(("feedforward",), options, "key-without-effect", said)
        return ModelFeedback(reference, nominal, rotor, moved, *how), scale
    feedforward = needed if options.feedforward else np.zeros_like(needed)
    return JointFeedback(reference, feedforward, *gains(moved, *how), effort), scale


def _swing_up(
    nominal: RobotTree, options: SimulationOptions, recordings: list[Recording]
) -> tuple[Controller, Array]:
    """The same for swinging up."""
    starts = [one.trajectory.start for one in recordings if isinstance(one.trajectory, SwingUp)]
    rotor = rotor_inertias(nominal, options)
    controller = SwingUpController(nominal, options, rotor, np.array(starts))
    return controller, controller.limit


def _torque(robot: RobotTree, q: Array, qd: Array, qdd: Array, rotor: Array) -> Array:
    """Inverse dynamics of motions of shape (steps, ..., n), in pieces that fit into memory."""
    parts = []
    with torch.no_grad():
        for start in range(0, len(q), _PIECE):
            piece = (torch.from_numpy(x[start : start + _PIECE]) for x in (q, qd, qdd))
            parts.append(rnea(robot, *piece, rotor_inertia=torch.from_numpy(rotor)).numpy())
    return np.concatenate(parts)
