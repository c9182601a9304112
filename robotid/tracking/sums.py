"""What is kept of cases as they go through time: sums of squares, and one motion to look at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.tracking.law import Command

Array = NDArray[np.float64]
_SHOWN = 500  # samples that are kept of a motion


class Figures(NamedTuple):
    """Of all cases; arrays begin with (models, gains, motions).

    Args:
        squares: mean squared errors, shape (..., figures).
        last: errors at the end, likewise.
        feedback: mean square of what feedback adds to torques, shape (..., n).
        torque: mean square of torques, likewise.
        at_limit: share of the steps at the torque limit, likewise.
    """

    squares: Array
    last: Array
    feedback: Array
    torque: Array
    at_limit: Array


class Sums:
    """Sums from which the figures follow, however long the motions are."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._sums: list[Array] | None = None
        self._last = np.empty(0)

    def add(self, error: Array, torque: Array, feedback: Array, limit: Array) -> None:
        """Take in a step; all but the limit, of shape (n,), begin with (models, gains, motions)."""
        at_limit = (np.abs(torque) >= limit).astype(np.float64)
        with np.errstate(all="ignore"):  # of cases that were stopped: nobody asks for them
            parts = [error**2, feedback**2, torque**2, at_limit]
            self._sums = (
                parts
                if self._sums is None
                else [total + part for total, part in zip(self._sums, parts, strict=True)]
            )
        self._last = error

    def figures(self) -> Figures:
        """What is known at the end."""
        squares, feedback, torque, at_limit = (x / self._steps for x in self._sums or [])
        return Figures(squares, self._last, feedback, torque, at_limit)


class Samples(NamedTuple):
    """The first motion of every model and gain, at some of its steps.

    Args:
        t: [s], shape (samples,).
        desired: shape (samples, axes).
        actual: shape (samples, models, gains, axes); not a number once it was stopped.
        tau: shape (samples, models, gains, n).
    """

    t: Array
    desired: Array
    actual: Array
    tau: Array


class FirstMotion:
    """Keeps samples of the first motion, evenly spaced and with its end."""

    def __init__(self, steps: int, step_s: float) -> None:
        self._step_s = step_s
        self._every = max(1, -(-(steps - 1) // _SHOWN))
        self._end = steps - 1
        self._rows: list[tuple[float, Array, Array, Array]] = []

    def add(self, step: int, command: Command, tau: Array, running: NDArray[np.bool_]) -> None:
        """Take in a step; torques and whether cases still run begin with their shape."""
        if step % self._every and step != self._end:
            return
        here = running[:, :, 0, None]
        actual = np.where(here, command.actual[:, :, 0], np.nan)
        torque = np.where(here, tau[:, :, 0], np.nan)
        self._rows.append((step * self._step_s, command.desired[0].copy(), actual, torque))

    def samples(self) -> Samples:
        """What was kept."""
        t, desired, actual, tau = zip(*self._rows, strict=True)
        return Samples(np.array(t), np.stack(desired), np.stack(actual), np.stack(tau))
