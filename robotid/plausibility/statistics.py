"""Running statistics of all columns over the whole recording, in constant memory."""

import numpy as np
from numpy.typing import NDArray

from robotid.plausibility.blocks import BLOCK_ROWS, Array, Block
from robotid.plausibility.runs import Runs, changes_of
from robotid.plausibility.signals import Setup
from robotid.plausibility.spikes import Spikes

NEVER = np.iinfo(np.int64).max
_BEYOND = 1.05  # rounded limits and noise are no finding


class Statistics:
    """What is known of each column, arrays of shape (columns,).

    Args:
        setup: the columns.
    """

    def __init__(self, setup: Setup) -> None:
        n = len(setup.signals)
        self.rows = 0
        self.finite: NDArray[np.int64] = np.zeros(n, np.int64)
        self.minimum: Array = np.full(n, np.inf)
        self.maximum: Array = np.full(n, -np.inf)
        self.first_missing: NDArray[np.int64] = np.full(n, NEVER)
        self.beyond: NDArray[np.int64] = np.zeros(n, np.int64)
        self.first_beyond: NDArray[np.int64] = np.full(n, NEVER)
        self.start, self.end = 0, 0
        self.runs = [Runs() for _ in range(n)]
        self.spikes = Spikes(n)
        self.lower, self.upper = _bounds(setup)
        self._q = [setup.column("q", signal.joint) for signal in setup.signals]
        self._qd = [
            setup.column("qd", signal.joint) if signal.kind == "q" else None
            for signal in setup.signals
        ]
        self._way: Array = np.zeros(n)
        self._before: tuple[Array, int] | None = None
        self._last: int | None = None
        self._nowhere: Array = np.full(BLOCK_ROWS, np.nan)

    def add(self, block: Block) -> None:
        """Go on through a block."""
        values = block.values
        if self.rows == 0:
            self.start = int(block.t[0])
        self.end = int(block.t[-1])
        self.rows += len(block.t)
        missing = np.isnan(values)
        self.finite += values.shape[1] - missing.sum(1)
        _first(self.first_missing, missing, block)
        low, high = np.fmin.reduce(values, 1), np.fmax.reduce(values, 1)
        self.minimum = np.fmin(self.minimum, low)
        self.maximum = np.fmax(self.maximum, high)
        self._look_beyond(block, low, high)
        changes = changes_of(block, self._before)
        usual = 2 * np.median(np.diff(block.t)) if len(block.t) > 1 else 0.0
        steps = np.minimum(np.diff(block.t, prepend=self._end(block)), usual) / 1e9
        for column, runs in enumerate(self.runs):
            witness = self._witness(block, column, steps)
            ends = float(low[column]), float(high[column])
            runs.add(block, values[column], changes[column], witness, ends)
        self._last = int(block.t[-1])
        self.spikes.add(block)
        self._before = values[:, -1].copy(), int(block.segment[-1])

    def _end(self, block: Block) -> int:
        """Time of the row before the block."""
        return int(block.t[0]) if self._last is None else self._last

    def _look_beyond(self, block: Block, low: Array, high: Array) -> None:
        for column in np.flatnonzero((low < self.lower) | (high > self.upper)):
            values = block.values[column]
            outside = (values < self.lower[column]) | (values > self.upper[column])
            self.beyond[column] += outside.sum()
            first = int(block.t[np.argmax(outside)])
            self.first_beyond[column] = min(self.first_beyond[column], first)

    def _witness(self, block: Block, column: int, steps: Array) -> Array:
        """Where the joint is, as another column than this one has it, shape (rows,)."""
        q, qd = self._q[column], self._qd[column]
        if q is not None and q != column:
            seen: Array = block.values[q]
            return seen
        if qd is None:
            return self._nowhere[: len(block.t)]
        speed = block.values[qd]
        if np.isnan(speed).any():
            speed = np.nan_to_num(speed)
        way: Array = np.cumsum(speed * steps)
        way += self._way[column]
        self._way[column] = way[-1]
        return way

    def finish(self) -> None:
        """The recording ends."""
        for runs in self.runs:
            runs.finish()

    def constant(self, column: int) -> bool:
        """Whether a column never changes."""
        return bool(self.minimum[column] == self.maximum[column])


def _first(first: NDArray[np.int64], there: NDArray[np.bool_], block: Block) -> None:
    """Note when something was there for the first time, in place."""
    for column in np.flatnonzero(there.any(1) & (first == NEVER)):
        first[column] = block.t[np.argmax(there[column])]


def _bounds(setup: Setup) -> tuple[Array, Array]:
    """The robot's limits of each column, with some room; infinite where there are none."""
    lower, upper = np.full((2, len(setup.signals)), np.inf) * [[-1], [1]]
    for index, signal in enumerate(setup.signals):
        limit = {which: bound[signal.joint] for which, bound in setup.limits.items()}
        if signal.kind == "q" and limit["lower"] < limit["upper"]:
            span = limit["upper"] - limit["lower"]
            room = (_BEYOND - 1) * span if np.isfinite(span) else 0.0
            lower[index], upper[index] = limit["lower"] - room, limit["upper"] + room
        elif signal.kind in ("qd", "tau", "tau_cmd"):
            which = "velocity" if signal.kind == "qd" else "effort"
            if limit[which] > 0:
                upper[index] = _BEYOND * limit[which]
                lower[index] = -upper[index]
    return lower, upper
