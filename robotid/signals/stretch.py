"""One stretch through filter, differentiation, trimming and decimation, in pieces."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from robotid.signals import kernel
from robotid.signals.plan import Rates, Signals
from robotid.signals.spectrum import Welch
from robotid.signals.threads import Threads
from robotid.signals.zero_phase import LowPass, Window, ZeroPhase
from robotid.types import Columns

Array = NDArray[np.float64]
Sink = Callable[[Columns], None]
"""Takes rows of the result; their memory is used again once it returns."""


class Outlet:
    """Where filtered samples go, and what is counted of them on the way."""

    def __init__(self, signals: Signals, welch: Welch | None, sink: Sink, low_speed: float) -> None:
        self._signals, self.welch, self._sink = signals, welch, sink
        self._low_speed = low_speed
        self._speeds = [signals.columns.index(f"qd.{joint}") for joint in signals.joints]
        self._slow = np.zeros(len(self._speeds), dtype=np.int64)
        self.samples = 0
        self.first_s = self.last_s = 0.0
        self._rows = np.empty((len(signals.columns), 0))

    def rows(self, count: int) -> Array:
        """Room for samples, the same for all windows: fresh memory each time would be slow."""
        if self._rows.shape[1] < count:
            self._rows = np.empty((self._rows.shape[0], count))
        return self._rows[:, :count]

    def write(self, t: NDArray[np.int64], segment: int, rows: Array) -> None:
        """Pass on samples, shape (columns, n)."""
        if not t.size:
            return
        self.first_s = self.first_s if self.samples else float(t[0]) / 1e9
        self.last_s = float(t[-1]) / 1e9
        self.samples += t.size
        self._slow += (np.abs(rows[self._speeds]) < self._low_speed).sum(axis=1)
        named = dict(zip(self._signals.columns, rows, strict=True))
        self._sink({"t": t, "segment": np.full(t.size, segment, dtype=np.int64), **named})

    def low_speed(self) -> dict[str, float]:
        """Share of slow samples by joint."""
        shares = (self._slow / max(1, self.samples)).tolist()
        return dict(zip(self._signals.joints, shares, strict=True))


class StretchFilter:
    """Filters one stretch; `trim` samples at both ends are not given out.

    Args:
        number: of the stretch.
        zero: time of grid sample 0 [ns].
        first: number of the first grid sample that will be pushed.
        signals: what is differentiated.
        low_pass: the filters.
        rates: of the grid and of the result.
        trim: samples at both ends that are not settled; at least `signals.halo`.
        threads: to share channels among.
        outlet: where the result goes.
    """

    def __init__(
        self,
        number: int,
        zero: int,
        first: int,
        signals: Signals,
        low_pass: LowPass,
        rates: Rates,
        trim: int,
        threads: Threads,
        outlet: Outlet,
    ) -> None:
        self._number, self._zero, self._first = number, zero, first
        self._signals, self._rates, self._trim = signals, rates, trim
        self._threads, self._outlet = threads, outlet
        self._filter = ZeroPhase(low_pass, signals.halo, threads)
        self.samples = 0

    def push(self, values: Array) -> None:
        """Take grid samples, shape (channels, n)."""
        self.samples += values.shape[1]
        for window in self._filter.push(values):
            self._give_out(window, window.end)

    def close(self) -> None:
        """Give out what is left."""
        for window in self._filter.close():
            self._give_out(window, self.samples - self._trim)
        if self._outlet.welch:
            self._outlet.welch.end_stretch()

    def _give_out(self, window: Window, limit: int) -> None:
        begin, end = max(window.begin, self._trim), min(window.end, limit)
        if end <= begin:
            return
        rows = self._rows(window, begin, end)
        if self._outlet.welch:
            self._outlet.welch.push(rows)
        every = self._rates.decimate
        skip = -(begin - self._trim) % every
        k = self._first + np.arange(begin + skip, end, every)
        t = self._zero + np.round(k * (self._rates.step_s * 1e9)).astype(np.int64)
        self._outlet.write(t, self._number, rows[:, skip::every])

    def _rows(self, window: Window, begin: int, end: int) -> Array:
        """All columns of the result for grid samples begin...end."""
        signals, m = self._signals, self._signals.taps.size
        start = begin - (window.begin - window.before)  # in the window
        count = end - begin
        place = {name: row for row, name in enumerate(signals.columns)}
        rows = self._outlet.rows(count)
        taps = signals.taps * self._rates.grid_hz

        def copy(first: int, last: int) -> None:
            for channel in range(first, last):
                given = window.values[channel, start : start + count]
                rows[place[signals.channels[channel]]] = given

        def differentiate(first: int, last: int) -> None:
            for number in range(first, last):
                joint, qd = signals.joints[number], signals.velocity[number]
                if qd is None:
                    q = window.values[signals.position[number] or 0]
                    speed = np.empty(count + 2 * m)
                    kernel.differentiate(q[start - 2 * m : start + count + 2 * m], taps, speed)
                    rows[place[f"qd.{joint}"]] = speed[m : m + count]
                else:
                    speed = window.values[qd, start - m : start + count + m]
                kernel.differentiate(speed, taps, rows[place[f"qdd.{joint}"]])

        self._threads.share(copy, len(signals.channels))
        self._threads.share(differentiate, len(signals.joints))
        return rows
