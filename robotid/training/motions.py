"""Torques of motions to be learned: samples in any order, or sequences where there is a memory.

The gradient of a step is the sum of those of shares of it, four of them in threads of their own
where there are cores for it. As the shares are always the same, results do not depend on the cores.
"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.cores import available
from robotid.models.learned.inverse import InverseModel, Motion, TorqueParts
from robotid.models.learning import normalised_error

Array = NDArray[np.float64]
_THREADS, _LEAST = 4, 16  # units that a share has at least
# Samples that a share has at most: the memory of one serves the next. That of larger ones goes back
# to the system and has to be asked for anew, which takes a third of the time of a step.
_MOST = 4000
_BATCH = 4096  # samples at a time where nothing is learned
_STEPS = 512  # of time at once, with a memory


class Stretch(NamedTuple):
    """Samples of a recording without a gap.

    Args:
        recording: its name.
        t: times, shape (T,) [s].
        motion: (T, ...) each.
        tau: measured torques, shape (T, n).
    """

    recording: str
    t: Tensor
    motion: Motion
    tau: Tensor


class _Units(NamedTuple):
    """What one epoch passes: samples (U, ...), or sequences (U, L, ...)."""

    motion: Motion
    tau: Tensor
    known: Tensor | None

    def at(self, chosen: Tensor) -> "_Units":
        known = None if self.known is None else self.known[chosen]
        return _Units(self.motion.at(chosen), self.tau[chosen], known)


class MotionTask:
    """Squared errors of torques, each joint in units of its own.

    Args:
        model: to be trained.
        train: stretches to learn from.
        validation: stretches that tell when to stop.
        units: what errors are counted in, shape (n,) [N m or N].
        length: of sequences, for a model with a memory.
        body_weight: with which errors of a body without its network count beside those of all.
        names: of the joints, for messages.
    """

    def __init__(
        self,
        model: InverseModel,
        train: Sequence[Stretch],
        validation: Sequence[Stretch],
        units: Tensor,
        length: int = 1,
        body_weight: float = 0.0,
        names: Sequence[str] = (),
    ) -> None:
        self._names = names
        self.model, self._train, self._validation = model, train, validation
        self._weights, self._body_weight = 1.0 / units, body_weight
        self.length = length if model.remembers else 1
        self._learned = [p for p in model.parameters() if p.requires_grad]
        self._begins = [
            (number, begin)
            for number, own in enumerate(train)
            for begin in range(0, len(own.tau) - self.length + 1, self.length)
        ]
        self._frozen = not model.learns_formulas() and model.residual is not None
        self._data = self._units()
        self._threads = ThreadPoolExecutor(min(_THREADS, available()))

    @property
    def units(self) -> int:
        """Samples, or sequences, to choose from."""
        return len(self._begins)

    @property
    def left_out(self) -> int:
        """Samples in no sequence."""
        return sum(len(own.tau) for own in self._train) - self.units * self.length

    def backward(self, chosen: Tensor) -> float:
        """Gradients of the mean squared error of some units into the parameters; that error."""
        shares = self._shares(len(chosen))
        count = len(chosen) * self.length * len(self._weights)

        def share(part: Tensor) -> tuple[float, tuple[Tensor | None, ...]]:
            error, short = self._errors(self._data.at(part))
            loss = (error**2).sum() / count
            if short is not None:
                loss = loss + short.sum() / (len(chosen) * self.length)
            slopes = torch.autograd.grad(loss, self._learned, allow_unused=True)
            return loss.item(), slopes

        found = list(self._threads.map(share, chosen.tensor_split(shares)))
        for number, values in enumerate(self._learned):
            own = [slopes[number] for _, slopes in found]
            given = [slope for slope in own if slope is not None]
            values.grad = torch.stack(given).sum(0) if given else None
        return sum(loss for loss, _ in found)

    def _shares(self, units: int) -> int:
        """Into how many a batch is split, whatever the cores."""
        for_threads = min(_THREADS, units // _LEAST)
        for_memory = math.ceil(units * self.length / _MOST)
        return max(1, for_threads, min(for_memory, units))

    def losses(self) -> tuple[float, float]:
        """Of training and of validation data, as whole stretches."""
        return self._loss(self._train), self.validation_loss()

    def validation_loss(self) -> float:
        """Of validation data, as whole stretches."""
        return self._loss(self._validation)

    def formulas_loss(self) -> float | None:
        """Of validation data, without the network; None where nothing else is there, or learns."""
        if self.model.body is None or self.model.residual is None or self._frozen:
            return None
        total = count = 0.0
        with torch.no_grad():
            for own in self._validation:
                error = (_formulas(self.model, own.motion) - own.tau) * self._weights
                total += float((error**2).sum())
                count += own.tau.numel()
        return total / count

    def where(self, chosen: Tensor) -> str:
        """The recording, time and joint of the first unit without a finite error.

        Where no unit has one it is not the data: what was learned so far is no number any more.
        """
        with torch.no_grad():
            found = torch.cat([self._errors(self._data.at(one))[0] for one in chosen.split(_LEAST)])
        lost = ~torch.isfinite(found).reshape(len(chosen), self.length, -1)
        units = lost.any(2).any(1)
        if bool(units.all()):
            return "every sample"
        place = int(units.int().argmax())
        step, joint = (int(lost[place].any(axis).int().argmax()) for axis in (1, 0))
        number, begin = self._begins[int(chosen[place])]
        own = self._train[number]
        name = self._names[joint] if self._names else f"joint {joint + 1}"
        return f"{name} in {own.recording} at {float(own.t[begin + step]):.3f} s"

    def _errors(self, units: _Units) -> tuple[Tensor, Tensor | None]:
        """In units of the loss, (..., n), and what counts beside them; see `judged`."""
        short = None
        if units.known is None:
            parts, short = self.model.judged(units.motion)
            found = parts.total()
            if self._body_weight > 0:
                alone = (parts._replace(residual=None).total() - units.tau) * self._weights
                own = self._body_weight * (alone**2).mean(-1)
                short = own if short is None else short + own
        else:
            found = units.known + self.model.added(units.motion)[0]
        return (found - units.tau) * self._weights, short

    def _loss(self, stretches: Sequence[Stretch]) -> float:
        total = count = 0.0
        for own, parts in zip(stretches, torque_of(self.model, stretches), strict=True):
            total += float((((parts.total() - own.tau) * self._weights) ** 2).sum())
            count += own.tau.numel()
        return total / count

    def _units(self) -> _Units:
        signals = zip(*(own.motion for own in self._train), strict=True)
        motion = Motion(*(self._cut(values) for values in signals))
        tau = self._cut([own.tau for own in self._train])
        if not self._frozen:
            return _Units(motion, tau, None)
        with torch.no_grad():
            pieces = [
                _formulas(self.model, motion.at(slice(at, at + _BATCH // self.length + 1)))
                for at in range(0, len(tau), _BATCH // self.length + 1)
            ]
        return _Units(motion, tau, torch.cat(pieces) if pieces else tau)

    def _cut(self, values: Sequence[Tensor]) -> Tensor:
        """Of all stretches together, samples (U, ...) or sequences (U, L, ...)."""
        if self.length == 1:
            return torch.cat(list(values))
        pieces = [values[number][begin : begin + self.length] for number, begin in self._begins]
        width = values[0].shape[1:]
        return torch.stack(pieces) if pieces else values[0].new_zeros(0, self.length, *width)


def _formulas(model: InverseModel, motion: Motion) -> Tensor:
    found = [part for part in model.formulas(motion) if part is not None]
    return torch.stack(found).sum(0) if found else torch.zeros_like(motion.qd)


def torque_of(model: InverseModel, stretches: Sequence[Stretch]) -> list[TorqueParts]:
    """Torques of whole stretches in parts, (T, n) each; a memory begins each of them at rest."""
    with torch.no_grad():
        if not model.remembers:
            return [_by_samples(model, own.motion) for own in stretches]
        formulas = [_by_samples(model, own.motion, residual=False) for own in stretches]
        added = _by_time(model, [own.motion for own in stretches])
    return [f._replace(residual=r) for f, r in zip(formulas, added, strict=True)]


def errors_by_joint(model: InverseModel, stretches: Sequence[Stretch]) -> Array:
    """`nmse_var` of each joint on whole stretches, shape (n,)."""
    found = torch.cat([parts.total() for parts in torque_of(model, stretches)])
    return normalised_error(torch.cat([own.tau for own in stretches]).numpy(), found.numpy())


def _by_samples(model: InverseModel, motion: Motion, *, residual: bool = True) -> TorqueParts:
    pieces = []
    for at in range(0, max(1, len(motion.q)), _BATCH):
        part = motion.at(slice(at, at + _BATCH))
        pieces.append(model.parts(part)[0] if residual else model.formulas(part))
    by_part = zip(*pieces, strict=True)
    return TorqueParts(*(None if own[0] is None else torch.cat(own) for own in by_part))


def _by_time(model: InverseModel, motions: Sequence[Motion]) -> list[Tensor]:
    """What a memory adds, all stretches side by side; shorter ones wait at their end."""
    if not motions:
        return []
    lengths = [len(motion.q) for motion in motions]
    whole = Motion(
        *(torch.nn.utils.rnn.pad_sequence(list(own), batch_first=True)
          for own in zip(*motions, strict=True))
    )  # fmt: skip
    memory, pieces = None, []
    for at in range(0, max(lengths), _STEPS):
        part = Motion(*(values[:, at : at + _STEPS] for values in whole))
        found, memory = model.added(part, memory)
        pieces.append(found)
    together = torch.cat(pieces, 1)
    return [together[number, :length] for number, length in enumerate(lengths)]
