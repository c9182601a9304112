"""One fit left to run from all starts: driven by recorded commands, and by nobody."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.contracts.rollout import FitRollout, Kind, Trajectory
from robotid.models.forward_from_fit import FittedForward
from robotid.rollouts.integrate import Command, Integration, integrate
from robotid.rollouts.measured import Energies, Spans, energies, error_curve, moved
from robotid.rollouts.recorded import Recorded
from robotid.rollouts.states import States

Array = NDArray[np.float64]


class LeftToRun(NamedTuple):
    """What became of a fit, and the motions that are shown."""

    found: FitRollout
    trajectories: list[Trajectory]


def left_to_run(
    name: str,
    fitted: FittedForward,
    starts: States,
    recorded: Recorded | None,
    how: Integration,
    shown: list[int],
) -> LeftToRun:
    """Let a fit run.

    Args:
        name: of the fit.
        fitted: the fit.
        starts: of the motions.
        recorded: commands and truth, where starts are recorded ones.
        how: steps and tolerance.
        shown: starts whose motions are kept.
    """
    fit, model, robot = fitted.fit, fitted.model, fitted.robot.tree
    spans, count = Spans.of(fit.ranges, robot.joint_names), len(starts.q)
    scales = tuple(torch.from_numpy(np.nan_to_num(one, nan=1.0)) for one in spans)
    commands = None if recorded is None else recorded.commands[fit.torque]
    # Driven motions and free ones in one batch: it costs little more than one of them.
    times = 1 if commands is None else 2
    q, qd = (torch.from_numpy(np.tile(one, (times, 1))) for one in starts)
    done = integrate(model.fixed(), q, qd, (scales[0], scales[1]), how, _held(commands, how.step_s))
    every = {"q": done.q.numpy(), "qd": done.qd.numpy()}
    free = {signal: values[:, -count:] for signal, values in every.items()}
    energy = energies(model, free["q"], free["qd"])
    gone = done.diverged_s.numpy()
    result = FitRollout(
        model=fit.model,
        actuator=fit.actuator,
        energy=fit.energy,
        usable=fit.verdict.usable,
        halved=done.halved,
        most_halvings=done.most_halvings,
        driven=None,
        uncontrolled=moved(free["q"], gone[-count:], robot, how.step_s),
        energy_growth=None if energy is None else energy.growth,
    )
    trajectories = _kept(name, "uncontrolled", free, how.step_s, shown, energy)
    if recorded is not None:
        driven = {signal: values[:, :count] for signal, values in every.items()}
        error = error_curve(
            (driven["q"], driven["qd"]), (recorded.q, recorded.qd), spans, robot, how.step_s
        )
        result = result.model_copy(
            update={
                "driven": moved(driven["q"], gone[:count], robot, how.step_s),
                "error": error,
                "error_at_horizon": error.mean[-1],
                "median_at_horizon": error.median[-1],
            }
        )
        kept = _kept(name, "driven", driven, how.step_s, shown)
        trajectories = [
            one._replace(true_q=recorded.q[:, one.start], true_qd=recorded.qd[:, one.start])
            for one in kept
        ] + trajectories
    return LeftToRun(result, trajectories)


def _held(commands: Array | None, step_s: float) -> Command:
    """Recorded commands (steps, starts, n), and none for the rest of the batch."""
    given = None if commands is None else torch.from_numpy(commands)

    def command(time_s: float, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG001 - a Command
        held = torch.zeros_like(q)
        if given is not None:
            held[: given.shape[1]] = given[round(time_s / step_s)]
        return held

    return command


def _kept(
    name: str,
    kind: Kind,
    motion: dict[str, Array],
    step_s: float,
    shown: list[int],
    energy: Energies | None = None,
) -> list[Trajectory]:
    t: Array = step_s * np.arange(len(motion["q"]), dtype=np.float64)
    return [
        Trajectory(
            fit=name,
            start=start,
            motion=kind,
            t=t,
            q=motion["q"][:, start],
            qd=motion["qd"][:, start],
            energy=None if energy is None else energy.total[:, start],
        )
        for start in shown
    ]
