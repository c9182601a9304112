"""Steps between the values of a column that may be times: usual step, rate, gaps, jitter."""

from typing import NamedTuple

import numpy as np

from robotid.ingestion.timeline import FIRST
from robotid.ingestion.units import TIME_UNITS
from robotid.inspection.column_words import read_name
from robotid.logs.log import Numbers

_RISING = 0.9  # the least share of steps forward in a column of times
_GAP_STEPS = 3.0
SLOWEST_HZ, FASTEST_HZ = 5.0, 10e3  # rates at which robots are logged
_USUAL_HZ = 300.0


class TimeFacts(NamedTuple):
    """Steps in a column that could be times, in its own unit.

    Args:
        step: the usual one.
        gaps: steps longer than three usual ones.
        longest: the longest step.
        back: steps back.
        same: steps of zero.
        jitter: standard deviation of steps between gaps, as a share of their mean.
    """

    step: float
    gaps: int
    longest: float
    back: int
    same: int
    jitter: float

    def rate_hz(self, unit: str) -> float:
        """Samples per second if the values are in this unit."""
        return 1e9 / (self.step * TIME_UNITS[unit])

    def plausible_units(self) -> list[str]:
        """Units that give a rate at which robots are logged, the likeliest first."""
        fits = [unit for unit in TIME_UNITS if SLOWEST_HZ <= self.rate_hz(unit) <= FASTEST_HZ]
        return sorted(fits, key=lambda unit: abs(np.log(self.rate_hz(unit) / _USUAL_HZ)))


class StepSurvey:
    """Counts steps of one column, as long as it rises or its name says time."""

    def __init__(self, name: str) -> None:
        self._named = read_name(name).signal == "time"
        self._alive = True
        self._waiting: list[Numbers] = []  # until there are enough to know the usual step
        self._waiting_rows = 0
        self._last: float | int | None = None
        self._step = 0.0
        self._gaps = self._back = self._same = self._count = 0
        self._longest = self._sum = self._squares = 0.0

    def put(self, values: Numbers) -> None:
        """Look at the next values."""
        if not self._alive or not values.size:
            return
        if self._step:
            self._look(values)
            return
        if not self._named and values.size > 2 and not _rises(values):
            self._alive, self._waiting = False, []
            return
        self._waiting.append(values)
        self._waiting_rows += values.size
        if self._waiting_rows >= FIRST:
            self._start()

    def facts(self) -> TimeFacts | None:
        """What was seen; None if it cannot be a column of times."""
        if self._alive and not self._step:
            self._start()
        if not self._alive or not self._count:
            return None
        mean = self._sum / self._count
        jitter = float(np.sqrt(max(0.0, self._squares / self._count - mean * mean)) / mean)
        if not np.isfinite([self._step, self._longest, jitter]).all():
            return None
        return TimeFacts(self._step, self._gaps, self._longest, self._back, self._same, jitter)

    def _start(self) -> None:
        values: Numbers = np.concatenate(self._waiting or [np.empty(0)])  # type: ignore[assignment]
        self._waiting = []
        steps = np.diff(values[np.isfinite(values)])
        forward = steps[steps > 0]
        self._alive = forward.size > 0 and (self._named or _rises(values))
        if self._alive:
            self._step = float(np.median(forward))
            self._look(values)

    def _look(self, values: Numbers) -> None:
        values = values[np.isfinite(values)]
        if not values.size:
            return
        if self._last is None:
            steps = np.diff(values).astype(np.float64)
        else:
            steps = np.diff(values, prepend=values.dtype.type(self._last)).astype(np.float64)
        self._last = values[-1].item()
        if not steps.size:
            return
        gap = steps > _GAP_STEPS * self._step
        usual = steps[(steps > 0) & ~gap]
        self._gaps += int(gap.sum())
        self._back += int((steps < 0).sum())
        self._same += int((steps == 0).sum())
        self._longest = max(self._longest, float(steps.max()))
        self._count += usual.size
        self._sum += float(usual.sum())
        self._squares += float((usual**2).sum())
        if not self._named and self._back > 0.05 * (self._count + self._back):
            self._alive = False


def _rises(values: Numbers) -> bool:
    steps = np.diff(values[np.isfinite(values)])
    return bool(steps.size and (steps > 0).mean() >= _RISING)
