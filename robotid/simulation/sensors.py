"""What sensors make of a motion: jitter, quantisation, noise, delay, offset and drift."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.simulation.closed_loop import Clock, Motion
from robotid.simulation.options import SimulationOptions, VelocitySource
from robotid.simulation.plant_options import Side

Array = NDArray[np.float64]


class Sensors(NamedTuple):
    """How good the sensors are; arrays have shape (n,).

    Args:
        encoder_step: of the position sensors [rad or m]; 0 for one without steps.
        noise_q, noise_qd: standard deviations [rad, rad/s; or m, m/s].
        noise_tau: standard deviation [N m].
        jitter_s: standard deviation of the times of samples about those they should have.
        delay_s: how long after position and velocity a torque is seen.
        offset: standard deviation of the torque sensors' zero, drawn once [N m].
        walk: standard deviation of their random walk after a minute [N m].
        warming, warming_s: where their zero goes as they warm up [N m], and how fast.
        position, torque: on which side of the gears positions, and torques, are measured.
        velocity: by a sensor, as the difference of positions, or not at all.
    """

    encoder_step: Array
    noise_q: float
    noise_qd: float
    noise_tau: Array
    jitter_s: float
    delay_s: float
    offset: Array
    walk: Array
    warming: Array
    warming_s: float
    position: Side
    torque: Side
    velocity: VelocitySource


def sensors_of(robot: RobotTree, options: SimulationOptions, scale: Array) -> Sensors:
    """The sensors that are asked for; `scale` is what shares of torque are of, shape (n,)."""
    turn = np.array([1.0 if joint.kind == "prismatic" else 2 * np.pi for joint in robot.driven])
    return Sensors(
        encoder_step=turn / options.encoder_counts if options.encoder_counts else 0 * turn,
        noise_q=options.noise_q,
        noise_qd=options.noise_qd,
        noise_tau=options.noise_tau * scale,
        jitter_s=options.jitter / options.rate_hz,
        delay_s=options.delay_s,
        offset=options.torque_offset * scale,
        walk=options.torque_walk * scale,
        warming=options.torque_warming * scale,
        warming_s=options.warming_s,
        position=options.position_sensor,
        torque=options.torque_sensor,
        velocity=options.velocity,
    )


class Measured(NamedTuple):
    """The log of one recording, each of shape (samples, n); `qd` is None when not measured.

    `t` are the times of its samples [s], shape (samples,); `bias` is what drift and offset added
    to the torque.
    """

    t: Array
    q: Array
    qd: Array | None
    tau: Array
    bias: Array


def measure(
    motion: Motion, recording: int, clock: Clock, sensors: Sensors, random: np.random.Generator
) -> Measured:
    """What the log of one recording says."""
    step = clock.every * clock.step_s
    t = np.arange(clock.samples, dtype=np.float64) * step
    on_motor = sensors.position == "motor"
    q = (motion.theta if on_motor else motion.q)[:, recording]
    qd = (motion.thetad if on_motor else motion.qd)[:, recording]
    noise = random.standard_normal((3, *q.shape))
    bias = torque_bias(t, sensors, random)
    late = _late(t, sensors, random)
    if late.any():
        shift, qdd = late[:, None], np.gradient(qd, step, axis=0)
        q, qd = q + qd * shift + qdd * shift**2 / 2, qd + qdd * shift
    seen = q + sensors.noise_q * noise[0]
    if sensors.encoder_step.any():
        seen = np.round(seen / sensors.encoder_step) * sensors.encoder_step
    rate: Array | None = qd + sensors.noise_qd * noise[1]
    if sensors.velocity == "difference":
        moved = np.diff(seen, axis=0, prepend=seen[:1])
        rate = moved / np.diff(t + late, prepend=-step)[:, None]
    elif sensors.velocity == "none":
        rate = None
    tau = _torque(motion, recording, clock, sensors, late)
    return Measured(t + late, seen, rate, tau + bias + sensors.noise_tau * noise[2], bias)


def _late(t: Array, sensors: Sensors, random: np.random.Generator) -> Array:
    """How much too late each sample is taken [s]; never so much that their order changes."""
    if not sensors.jitter_s:
        return np.zeros_like(t)
    late: Array = sensors.jitter_s * np.clip(random.standard_normal(t.size), -2, 2)
    late[0] = 0.0  # it starts the clock
    return late


def _torque(motion: Motion, recording: int, clock: Clock, sensors: Sensors, late: Array) -> Array:
    """The torque that was there `delay_s` ago, linear between the times it is known at."""
    if sensors.torque == "motor":
        known, every = motion.tau[:, recording], 1
    else:
        known, every = motion.tau_link[:, recording], clock.every
    when = np.arange(clock.samples) * (clock.every / every)
    when = np.maximum(when + (late - sensors.delay_s) / (clock.step_s * every), 0.0)
    before = np.minimum(when.astype(np.int64), len(known) - 1)
    after = np.minimum(before + 1, len(known) - 1)
    share = (when - before)[:, None]
    seen: Array = (1 - share) * known[before] + share * known[after]
    return seen


def torque_bias(t: Array, sensors: Sensors, random: np.random.Generator) -> Array:
    """Offset, random walk and warming up, shape (samples, n) [N m]."""
    n = sensors.offset.size
    offset = sensors.offset * random.standard_normal(n)
    steps = random.standard_normal((t.size, n)) * np.sqrt(np.diff(t, prepend=0.0) / 60.0)[:, None]
    towards = sensors.warming * np.sign(random.standard_normal(n))
    warm = 1 - np.exp(-t / sensors.warming_s)
    bias: Array = offset + sensors.walk * np.cumsum(steps, 0) + np.outer(warm, towards)
    return bias
