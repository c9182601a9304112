"""Which cases still run: one that leaves all bounds is stopped, and said to be unstable."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.tracking import Reason
from robotid.tracking.bounds import Bounds

Array = NDArray[np.float64]


class Stopped(NamedTuple):
    """A case that was stopped: its place (model, gain, motion), joint, time [s] and reason."""

    case: tuple[int, int, int]
    joint: int
    time_s: float
    reason: Reason


class Watch:
    """Watches all cases.

    Args:
        bounds: that they have to stay within.
        shape: models, gains, motions.
    """

    def __init__(self, bounds: Bounds, shape: tuple[int, int, int]) -> None:
        self._bounds, self._shape = bounds, shape
        self.running = np.ones(int(np.prod(shape)), dtype=bool)
        self.stopped: list[Stopped] = []

    @property
    def cases(self) -> NDArray[np.bool_]:
        """Which still run, shape (models, gains, motions)."""
        return self.running.reshape(self._shape)

    def moved(self, before: Array, after: Array, time_s: float) -> Array:
        """States to go on from: those after a step, or before it where a case was stopped.

        Args:
            before: shape (blocks, cases, n).
            after: likewise; what is no number stops its case.
            time_s: at the end of the step.
        """
        left = self._bounds.left(after[0], after[1])
        left[~np.isfinite(after).all(0)] = True
        broken = left.any(1) & self.running
        if broken.any():
            for case in np.flatnonzero(broken):
                joint = int(np.argmax(left[case]))
                model, gain, motion = (int(i) for i in np.unravel_index(case, self._shape))
                reason = self._bounds.reason(after[:, case, joint], joint)
                self.stopped.append(Stopped((model, gain, motion), joint, time_s, reason))
            self.running &= ~broken
        return after if self.running.all() else np.where(self.running[:, None], after, before)
