"""Held signs while a recording is read: what each motor's speed was before the next samples."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.friction import motor_motion
from robotid.information.layout import Layout

Array = NDArray[np.float64]
_PIECE = 4096  # samples that are looked at together, from the last one backwards


class HeldSigns:
    """The sign of the last speed beyond the width of each held column, by name of parameter."""

    def __init__(self, layout: Layout) -> None:
        robot = layout.robot
        self.signs: Mapping[str, float] = {}
        self._held = [column for column in layout.own if column.form.kind == "held"]
        end = robot.nq + robot.nv
        self._speeds = slice(end - robot.n, end)

    def advance(self, signals: Array) -> None:
        """Go past some samples, given as the kernel reads them: shape (signals, T)."""
        found = dict(self.signs)
        for column in self._held:
            for end in range(signals.shape[1], 0, -_PIECE):
                speeds = signals[self._speeds, max(0, end - _PIECE) : end]
                speed = motor_motion(column.motor, speeds.T)
                moving = np.flatnonzero(np.abs(speed) >= (column.width or 0.0))
                if moving.size:
                    found[column.name] = float(np.sign(speed[moving[-1]]))
                    break
        self.signs = found
