"""What trainings of all kinds share: order of samples, errors by joint, a pass in order of time.

Errors are `nmse_var`: mean squared error over the variance of the torque, joint by joint.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]
Order = Literal["shuffled", "time"]
LossUnits = Literal["noise", "range", "spread", "si"]

_ROUNDING = 1e-12  # of the mean square: a variance below is that of a constant
_POINTS = 200  # of an online curve, besides the first and the last


def batches(units: int, size: int, order: Order, generator: torch.Generator) -> Sequence[Tensor]:
    """The units of each step of an epoch; only a shuffled order draws from the generator."""
    in_time = order == "time"
    units_in_order = torch.arange(units) if in_time else torch.randperm(units, generator=generator)
    found: Sequence[Tensor] = units_in_order.split(size)
    return found


def error_units(tau: Array, units: LossUnits) -> Array:
    """What errors of each row of torque are counted in, shape (n,) [N m or N]; 1 of a constant row.

    Args:
        tau: torques of the training data, shape (T, n).
        units: `range`, `spread` or `si`.
    """
    if units == "si":
        return np.ones(tau.shape[1])
    found = np.ptp(tau, axis=0) if units == "range" else np.std(tau, axis=0)
    return np.where(found > 0, found, 1.0)


def normalised_error(tau: Array, predicted: Array) -> Array:
    """`nmse_var` of each row of torque, shape (n,); nan where the torque is constant.

    Args:
        tau: measured, shape (T, n) [N m or N].
        predicted: same shape; where it is no finite number, the error is infinite.
    """
    mse, variance = np.mean((tau - predicted) ** 2, axis=0), np.var(tau, axis=0)
    varies = variance > _ROUNDING * np.mean(tau**2, axis=0)
    known = np.where(np.isfinite(mse), mse, np.inf) / np.where(varies, variance, 1.0)
    return np.where(varies, known, np.nan)


def all_within(errors: Array, limit: float) -> bool:
    """Whether every error that has a value is at or below a limit, and one has."""
    known = errors[~np.isnan(errors)]
    return bool(known.size) and bool((known <= limit).all())


class Seen(NamedTuple):
    """A point of an online curve: samples learned from so far, and `nmse_var`, shape (n,)."""

    samples: int
    errors: Array


class Pass(NamedTuple):
    """One pass over the data in the order of time.

    Args:
        curve: errors on all data, before the first step and after some of them, up to the last.
        converged: whether it came to the end, and to a lower error than at the beginning.
        message: how it ended, and what to do if that is not well.
    """

    curve: tuple[Seen, ...]
    converged: bool
    message: str


def one_pass(
    units: int, size: int, step: Callable[[Tensor], float], errors: Callable[[], Array]
) -> Pass:
    """Learn from each sample once, as they come.

    Args:
        units: samples there are.
        size: of a batch.
        step: learns from some units and gives the loss before; without a finite one it learns
            nothing, and takes back what led there.
        errors: of the model as it is, on all data, shape (n,).
    """
    steps = torch.arange(units).split(size)
    every = max(1, math.ceil(len(steps) / _POINTS))
    curve = [Seen(0, errors())]
    for number, chosen in enumerate(steps, 1):
        if not math.isfinite(step(chosen)):
            said = f"diverged in step {number} of {len(steps)}; use a lower learning rate"
            return Pass(tuple(curve), False, said)
        if number % every == 0 or number == len(steps):
            curve.append(Seen(int(chosen[-1]) + 1, errors()))
    said = f"passed {units} samples once in the order of time, in {len(steps)} steps"
    better = np.nanmean(curve[-1].errors) < np.nanmean(curve[0].errors)
    if not better:
        said = f"{said}, without a lower error than at the start; use a lower learning rate"
    return Pass(tuple(curve), bool(better), said)


def evenly(count: int, most: int) -> Tensor:
    """At most so many places among `count`, evenly spread."""
    if count <= most:
        return torch.arange(count)
    return torch.linspace(0, count - 1, most, dtype=torch.float64).round().long()
