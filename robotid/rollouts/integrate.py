"""Motions of a forward model from many starts at once.

Steps are of fourth order (Runge-Kutta); one of fifth order from the same slopes tells their error
(Fehlberg). Where that is too large (friction is stiff near standstill) steps are halved, for the
starts that need it, until it is not.
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

# Fehlberg's pair: where each slope is taken, from those before; the step, and fifth less fourth.
_SLOPES = (
    (),
    (1 / 4,),
    (3 / 32, 9 / 32),
    (1932 / 2197, -7200 / 2197, 7296 / 2197),
    (439 / 216, -8.0, 3680 / 513, -845 / 4104),
    (-8 / 27, 2.0, -3544 / 2565, 1859 / 4104, -11 / 40),
)
_STEP = (25 / 216, 0.0, 1408 / 2565, 2197 / 4104, -1 / 5, 0.0)
_ERROR = (1 / 360, 0.0, -128 / 4275, -2197 / 75240, 1 / 50, 2 / 55)


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
        halved: share of the steps that were halved.
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
        self.slopes = [self.scale.new_tensor(weights) for weights in _SLOPES]
        self.both = self.scale.new_tensor([_STEP, _ERROR])
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
        result, error = self._part(state, command, length)
        open_ = self._too_large(error).nonzero()[:, 0]
        self.halved += len(open_)
        halvings = 0
        while len(open_) and halvings < _MOST_HALVINGS:
            halvings += 1
            fine, largest = self._in_parts(state[open_], command[open_], length, 2**halvings)
            result[open_] = fine
            open_ = open_[self._too_large(largest)]
        self.most = max(self.most, halvings)
        return result

    def _too_large(self, error: Tensor) -> Tensor:
        return ~(error <= self.how.tolerance)  # also where it is no number

    def _in_parts(
        self, state: Tensor, command: Tensor, length: float, parts: int
    ) -> tuple[Tensor, Tensor]:
        """The state after all parts, and the largest error of one."""
        errors = []
        for _ in range(parts):
            state, error = self._part(state, command, length / parts)
            errors.append(error)
        return state, torch.stack(errors).amax(0)

    def _part(self, state: Tensor, command: Tensor, length: float) -> tuple[Tensor, Tensor]:
        """The state after a length of time, and its error in units of the scales."""
        n = state.shape[-1] // 2
        slopes = state.new_empty(len(self.slopes), *state.shape)
        flat = slopes.flatten(1)
        at = state
        for number, weights in enumerate(self.slopes):
            if number:
                at = torch.add(state, (weights @ flat[:number]).view_as(state), alpha=length)
            q, qd = at[:, :n], at[:, n:]
            slopes[number, :, :n] = qd
            slopes[number, :, n:] = self.acceleration(command, q, qd)
        step, error = (self.both @ flat).view(2, *state.shape)
        return torch.add(state, step, alpha=length), (length * error / self.scale).abs().amax(-1)
