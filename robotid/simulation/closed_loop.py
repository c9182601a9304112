"""The robot under control, integrated by the classical Runge-Kutta method.

The controller sees the motors and sets a torque that is held until its next step.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.errors import ConfigError
from robotid.simulation.controller import Controller
from robotid.simulation.plant import Plant

Array = NDArray[np.float64]
_RUNAWAY = 1e3  # times the fastest reference: not a motion any more
_REPORT_EVERY = 1000


class Motion(NamedTuple):
    """What happened, each of shape (samples, recordings, n); `tau` at every control step.

    Args:
        q, qd, qdd: of the links.
        theta, thetad: of the motors; the same as q, qd where joints are stiff.
        tau: of the motors, shape (steps, recordings, n).
        friction: what the motors lose.
        tau_link: what reaches the links.
    """

    q: Array
    qd: Array
    qdd: Array
    theta: Array
    thetad: Array
    tau: Array
    friction: Array
    tau_link: Array

    def during(self, clock: "Clock") -> "Motion":
        """The beginning, as long as a clock runs."""
        parts = {name: values[: clock.samples] for name, values in self._asdict().items()}
        return Motion(**{**parts, "tau": self.tau[: clock.steps]})


class Clock(NamedTuple):
    """How often things happen: a log sample every `every` control steps of `step_s` seconds.

    `substeps` are the steps of the integration in one control step.
    """

    samples: int
    every: int
    step_s: float
    substeps: int

    @property
    def steps(self) -> int:
        """How many control steps there are."""
        return (self.samples - 1) * self.every + 1


def follow(
    plant: Plant,
    controller: Controller,
    clock: Clock,
    start: Array,
    joints: Sequence[str],
    recordings: Sequence[str],
) -> Motion:
    """Let the controller move the robot.

    Args:
        plant: the robot, or rather one for each recording.
        controller: what drives them.
        clock: for how long and how finely.
        start: the plant's state at first, shape (blocks, recordings, n).
        joints: names, for messages.
        recordings: names, for messages.
    """
    shape = (len(recordings), len(joints))
    y = start
    states = np.empty((len(y), clock.samples, *shape))
    qdd, tau = np.empty((clock.samples, *shape)), np.empty((clock.steps, *shape))
    runaway = _RUNAWAY * (1.0 + controller.fastest)
    for step in range(clock.steps):
        held = controller.torque(step, *plant.motor(y))
        first = plant.derivative(y, held)
        tau[step] = held
        if step % clock.every == 0:
            sample = step // clock.every
            states[:, sample], qdd[sample] = y, first[1]
        y = advanced(plant, y, held, first, clock)
        if not math.isfinite(y.sum()) or (np.abs(y[1]) > runaway).any():
            raise _diverged(y, runaway, step * clock.step_s, joints, recordings)
        if step % _REPORT_EVERY == 0:
            progress.report(step, clock.steps, "simulating")
    friction, tau_link = plant.torques(states, tau[:: clock.every], qdd)
    theta, thetad = plant.motor(states)
    return Motion(states[0], states[1], qdd, theta, thetad, tau, friction, tau_link)


def advanced(plant: Plant, y: Array, tau: Array, first: Array, clock: Clock) -> Array:
    """The state one control step later; `first` is its derivative now."""
    h = clock.step_s / clock.substeps
    for substep in range(clock.substeps):
        k1 = plant.derivative(y, tau) if substep else first
        k2 = plant.derivative(y + (h / 2) * k1, tau)
        k3 = plant.derivative(y + (h / 2) * k2, tau)
        k4 = plant.derivative(y + h * k3, tau)
        y = y + (h / 6) * (k1 + 2 * (k2 + k3) + k4)
    return y


def _diverged(
    y: Array, runaway: Array, t: float, joints: Sequence[str], recordings: Sequence[str]
) -> ConfigError:
    bad = ~np.isfinite(y).all(0) | (np.abs(y[1]) > runaway)
    recording, joint = (int(index) for index in np.argwhere(bad)[0])
    return ConfigError(
        "diverged",
        f"the simulation of {recordings[recording]} runs away",
        joint=joints[joint],
        time=t,
        hint="raise substeps, or lower bandwidth_hz; is the inertia of the links physical?",
    )
