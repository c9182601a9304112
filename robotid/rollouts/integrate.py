"""Motions of a forward model from many starts at once.

Each step is done as one and as two halves: what they differ by tells the error. Where that is too
large (friction is stiff near standstill) the halves are halved again, for the starts that need it.
A motion that leaves all bounds, or of which nothing finite is left, has diverged: it is kept up to
then, its time is told, and the others go on.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

Acceleration = Callable[[Tensor, Tensor, Tensor], Tensor]  # command, q, qd to qdd, (B, n) each
Command = Callable[[float, Tensor, Tensor], Tensor]  # time [s], q, qd to command

_MOST_HALVINGS = 8
_FAR = 1e6  # in units of the scales: beyond it a motion has diverged


@dataclass(frozen=True)
class Integration:
    """How to integrate.

    Args:
        step_s: of the result.
        steps: how many.
        tolerance: of the error of a step, in units of the scales.
    """

    step_s: float = 1 / 250
    steps: int = 250
    tolerance: float = 1e-6


@dataclass(frozen=True, eq=False)
class Motions:
    """What became of B starts.

    Args:
        q: positions, shape (steps + 1, B, n); not a number once a motion has diverged.
        qd: velocities, likewise.
        diverged_s: when, shape (B,); infinite for those that did not.
        halved: share of the steps that were halved more than once.
        most_halvings: of any step.
    """

    q: Tensor
    qd: Tensor
    diverged_s: Tensor
    halved: float
    most_halvings: int


def no_command(time_s: float, q: Tensor, qd: Tensor) -> Tensor:  # noqa: ARG001 - a Command
    """Nobody drives."""
    return torch.zeros_like(q)


def integrate(
    acceleration: Acceleration,
    q: Tensor,
    qd: Tensor,
    scales: tuple[Tensor, Tensor],
    how: Integration,
    command: Command = no_command,
) -> Motions:
    """Motions from starts q, qd of shape (B, n).

    Args:
        acceleration: of the model.
        q: where they start.
        qd: how fast.
        scales: usual sizes of position and velocity, shape (n,) each.
        how: steps and tolerance.
        command: held for a step.
    """
    with torch.inference_mode():
        return _Run(acceleration, scales, how, command).done(q, qd)


class _Run:
    def __init__(
        self,
        acceleration: Acceleration,
        scales: tuple[Tensor, Tensor],
        how: Integration,
        command: Command,
    ) -> None:
        self.acceleration, self.how, self.command = acceleration, how, command
        self.scale = torch.cat(scales, -1)
        self.halved = self.most = 0

    def done(self, q: Tensor, qd: Tensor) -> Motions:
        how, n = self.how, q.shape[-1]
        state = torch.cat([q, qd], -1)
        kept = [state]
        diverged = torch.full((len(q),), torch.inf, dtype=q.dtype)
        for number in range(how.steps):
            command = self.command(number * how.step_s, state[:, :n], state[:, n:])
            going = torch.isinf(diverged).nonzero()[:, 0]
            after = torch.full_like(state, torch.nan)
            if len(going):
                after[going] = self._step(state[going], command[going], how.step_s)
            beyond = ~((after / self.scale).abs() < _FAR).all(-1)
            first = beyond & torch.isinf(diverged)
            diverged[first] = (number + 1) * how.step_s
            after[beyond] = torch.nan
            state = after
            kept.append(state)
        both = torch.stack(kept)
        share = self.halved / max(1, how.steps * len(q))
        return Motions(both[..., :n], both[..., n:], diverged, share, self.most)

    def _step(self, state: Tensor, command: Tensor, length: float) -> Tensor:
        """One step; members whose error is too large are done in ever smaller parts."""
        # The whole step and the first half begin alike, so one batch does both.
        lengths = torch.full((2 * len(state), 1), length, dtype=state.dtype)
        lengths[len(state) :] /= 2
        begun = self._rk4(state.repeat(2, 1), command.repeat(2, 1), lengths)
        coarse, fine = begun[: len(state)], begun[len(state) :]
        fine = self._rk4(fine, command, length / 2)
        result, open_ = state.clone(), torch.arange(len(state))
        for halvings in range(1, _MOST_HALVINGS + 1):
            if halvings > 1:
                fine = self._in_parts(state[open_], command[open_], length, 2**halvings)
                self.halved += len(open_) if halvings == 2 else 0
                self.most = max(self.most, halvings)
            error = ((fine - coarse) / self.scale).abs().amax(-1)
            result[open_] = fine
            bad = ~(error <= self.how.tolerance * 15)  # two halves are 15 times better than that
            open_, coarse = open_[bad], fine[bad]
            if not len(open_):
                break
        return result

    def _in_parts(self, state: Tensor, command: Tensor, length: float, parts: int) -> Tensor:
        for _ in range(parts):
            state = self._rk4(state, command, length / parts)
        return state

    def _rk4(self, state: Tensor, command: Tensor, length: float | Tensor) -> Tensor:
        n = state.shape[-1] // 2

        def rate(x: Tensor) -> Tensor:
            q, qd = x[:, :n], x[:, n:]
            return torch.cat([qd, self.acceleration(command, q, qd)], -1)

        first = rate(state)
        second = rate(state + 0.5 * length * first)
        third = rate(state + 0.5 * length * second)
        last = rate(state + length * third)
        return state + length / 6 * (first + 2 * second + 2 * third + last)
