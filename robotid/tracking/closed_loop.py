"""All cases through time at once: a case is one motion with one gain and one model.

At each step every model is called once, for all its gains and motions, and the robots of all cases
move on together.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.models.stepping import Stepper
from robotid.simulation.closed_loop import Clock, advanced
from robotid.simulation.plant import Plant
from robotid.tracking.bounds import Bounds
from robotid.tracking.encoders import Encoders
from robotid.tracking.law import Command, Law, Seen
from robotid.tracking.sums import Figures, FirstMotion, Samples, Sums
from robotid.tracking.watch import Stopped, Watch

Array = NDArray[np.float64]
_REPORT_EVERY = 500


class Rig(NamedTuple):
    """What moves and how it is watched.

    Args:
        plant: the robots of all cases.
        bounds: outside of which one is stopped.
        limit: largest torques, shape (n,); infinite where there are none.
        clock: steps of the controller and of the integration.
        sees_links: whether sensors sit behind the springs of elastic joints.
        warm_up: samples at the start posture that models see before.
    """

    plant: Plant
    bounds: Bounds
    limit: Array
    clock: Clock
    sees_links: bool
    warm_up: int


class Followed(NamedTuple):
    """What became of all cases; figures of those that were stopped mean nothing."""

    figures: Figures
    samples: Samples
    stopped: list[Stopped]


def follow(
    rig: Rig, law: Law, encoders: Encoders, models: Sequence[Stepper], held: Array, gains: int
) -> Followed:
    """Let all models drive the robot.

    Args:
        rig: what moves.
        law: the controller.
        encoders: what it sees.
        models: each for gains × motions and, behind them, the planned motions.
        held: torques that hold the links at the start, shape (motions, n).
        gains: how many there are.
    """
    motions, n = law.start.shape
    shape = len(models), gains, motions, n
    y = rig.plant.at_rest(*(_rows(np.broadcast_to(x, shape)) for x in (law.start, held)))
    _warm_up(models, law, rig.warm_up, gains)
    watch = Watch(rig.bounds, shape[:3])
    sums, first = Sums(law.steps), FirstMotion(law.steps, rig.clock.step_s)
    for step in range(law.steps):
        true = Seen(y[0].reshape(shape), y[1].reshape(shape))
        sensed = true if rig.sees_links else Seen(*(x.reshape(shape) for x in rig.plant.motor(y)))
        seen = encoders.seen(*sensed)
        command = law.command(step, seen, true)
        torque, feedback = _torques(models, seen, command, law.planned(step))
        tau = np.maximum(np.minimum(torque, rig.limit), -rig.limit)
        sums.add(command.error, torque, feedback, rig.limit)
        first.add(step, command, tau, watch.cases)
        with np.errstate(all="ignore"):  # what is no number stops its case
            pushed = _rows(tau)
            after = advanced(rig.plant, y, pushed, rig.plant.derivative(y, pushed), rig.clock)
        y = watch.moved(y, after, (step + 1) * rig.clock.step_s)
        if not watch.running.any():
            break
        if step % _REPORT_EVERY == 0:
            progress.report(step, law.steps, "following")
    return Followed(sums.figures(), first.samples(), watch.stopped)


def _torques(
    models: Sequence[Stepper],
    seen: Seen,
    command: Command,
    planned: tuple[Array, Array, Array] | None,
) -> tuple[Array, Array]:
    """Torques and what feedback is in them, shape (models, gains, motions, n) each."""
    torque, without = np.empty(command.qdd.shape), 0.0 * command.qdd[:, :1]
    for number, model in enumerate(models):
        given = [_rows(part[number]) for part in (seen.q, seen.qd, command.qdd)]
        if planned is not None:
            given = [np.concatenate(pair) for pair in zip(given, planned, strict=True)]
        found = model(*given)
        cases = len(found) - len(without[number, 0]) * (planned is not None)
        torque[number] = found[:cases].reshape(torque[number].shape)
        if planned is not None:
            without[number, 0] = found[cases:]
    if command.added is not None:
        return torque + command.added, command.added
    return torque, torque - without


def _warm_up(models: Sequence[Stepper], law: Law, samples: int, gains: int) -> None:
    """Let models see the start posture at rest for a while, so that they remember it."""
    copies = gains + (law.planned(0) is not None)
    for model in models:
        model.rest(np.tile(law.start, (copies, 1)), samples)


def _rows(values: Array) -> Array:
    """All cases one after the other, (..., n) to (cases, n)."""
    return np.ascontiguousarray(values).reshape(-1, values.shape[-1])
