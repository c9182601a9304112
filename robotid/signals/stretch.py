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
        place = {name: row for row, name in enumerate(signals.columns)}
        self.channels = [place[name] for name in signals.channels]
        # Rows of position (of velocity where there is none), velocity and acceleration.
        self.motion = [
            (
                place.get(f"q.{joint}", place[f"qd.{joint}"]),
                place[f"qd.{joint}"],
                place[f"qdd.{joint}"],
            )
            for joint in signals.joints
        ]
        self._slow = np.zeros(len(signals.joints), dtype=np.int64)
        self._counted = np.zeros(len(signals.joints), dtype=np.int64)
        self.samples = 0
        self.first_s = self.last_s = 0.0

    def count_slow(self, speed: Array, joint: int) -> None:
        """Count the samples of a joint that are slow."""
        kernel.count_slow(speed, self._low_speed, self._slow, joint)
        self._counted[joint] += speed.size

    def write(self, t: NDArray[np.int64], segment: int, rows: Array) -> None:
        """Pass on samples, shape (columns, n)."""
        if not t.size:
            return
        self.first_s = self.first_s if self.samples else float(t[0]) / 1e9
        self.last_s = float(t[-1]) / 1e9
        self.samples += t.size
        named = dict(zip(self._signals.columns, rows, strict=True))
        self._sink({"t": t, "segment": np.full(t.size, segment, dtype=np.int64), **named})

    def low_speed(self) -> dict[str, float]:
        """Share of slow samples by joint."""
        shares = (self._slow / np.maximum(1, self._counted)).tolist()
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
        height = len(signals.columns)
        self._filter = ZeroPhase(low_pass, signals.halo, threads, outlet.channels, height)
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
        """All columns of the result for grid samples begin...end, in the memory of the window."""
        signals, m = self._signals, self._signals.taps.size
        start = begin - (window.begin - window.before)  # in the window
        stop = start + end - begin
        taps = signals.taps * self._rates.grid_hz

        def differentiate(number: int) -> None:
            q, qd, qdd = (window.values[row] for row in self._outlet.motion[number])
            if signals.velocity[number] is None:
                reach = slice(start - 2 * m, stop + 2 * m)
                kernel.differentiate(q[reach], taps, qd[start - m : stop + m])
            kernel.differentiate(qd[start - m : stop + m], taps, qdd[start:stop])
            self._outlet.count_slow(qd[start:stop], number)

        self._threads.share(differentiate, len(signals.joints))
        return window.values[:, start:stop]
