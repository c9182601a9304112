"""One stretch through filter, differentiation, trimming and decimation, in pieces."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.signals import kernel
from robotid.signals.base_motion import BaseMotion
from robotid.signals.columns import QUATERNION
from robotid.signals.plan import Rates, Signals
from robotid.signals.spectrum import Welch
from robotid.signals.threads import Threads
from robotid.signals.zero_phase import LowPass, Window, ZeroPhase
from robotid.types import Columns

Array = NDArray[np.float64]
Sink = Callable[[Columns], None]
"""Takes rows of the result; their memory is used again once it returns."""

_SHORTEST = 0.5  # length of a filtered quaternion: that of one that turns by 120 degrees and back


class Segment(NamedTuple):
    """Samples of the result without a gap: number, first and last time [s], how many."""

    number: int
    start_s: float
    end_s: float
    samples: int


class Outlet:
    """Where filtered samples go, and what is counted of them on the way."""

    def __init__(self, signals: Signals, welch: Welch | None, sink: Sink, low_speed: float) -> None:
        self._signals, self.welch, self._sink = signals, welch, sink
        self.slower_than = low_speed
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
        self.base = BaseMotion(signals.base, place) if signals.base else None
        self.quaternion = [place[name] for name in QUATERNION if name in place]
        self._slow = np.zeros(len(signals.joints), dtype=np.int64)
        self.segments: list[Segment] = []

    @property
    def samples(self) -> int:
        """How many were passed on."""
        return sum(segment.samples for segment in self.segments)

    def write(
        self, t: NDArray[np.int64], segment: int, rows: Array, slow: NDArray[np.bool_]
    ) -> None:
        """Pass on samples, shape (columns, n), and which of each joint are slow, (joints, n)."""
        if not t.size:
            return
        start_s, end_s = float(t[0]) / 1e9, float(t[-1]) / 1e9
        if not self.segments or self.segments[-1].number != segment:
            self.segments.append(Segment(segment, start_s, end_s, 0))
        last = self.segments[-1]
        self.segments[-1] = last._replace(end_s=end_s, samples=last.samples + t.size)
        self._slow += np.count_nonzero(slow, axis=1)
        named = dict(zip(self._signals.columns, rows, strict=True))
        marks = {f"slow.{j}": row for j, row in zip(self._signals.joints, slow, strict=True)}
        numbers = np.full(t.size, segment, dtype=np.int64)
        self._sink({"t": t, "segment": numbers, **named, **marks})

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
        rows, slow = self._rows(window, begin, end)
        if self._outlet.welch:
            self._outlet.welch.push(rows)
        every = self._rates.decimate
        skip = -(begin - self._trim) % every
        k = self._first + np.arange(begin + skip, end, every)
        t = self._zero + np.round(k * (self._rates.step_s * 1e9)).astype(np.int64)
        self._outlet.write(t, self._number, rows[:, skip::every], slow[:, skip::every])

    def _rows(self, window: Window, begin: int, end: int) -> tuple[Array, NDArray[np.bool_]]:
        """All columns for grid samples begin...end, in the memory of the window; what is slow."""
        signals, m = self._signals, self._signals.taps.size
        start = begin - (window.begin - window.before)  # in the window
        stop = start + end - begin
        taps = signals.taps * self._rates.grid_hz
        slow = np.empty((len(signals.joints), end - begin), dtype=np.bool_)

        def differentiate(number: int) -> None:
            q, qd, qdd = (window.values[row] for row in self._outlet.motion[number])
            if signals.velocity[number] is None:
                reach = slice(start - 2 * m, stop + 2 * m)
                kernel.differentiate(q[reach], taps, qd[start - m : stop + m])
            kernel.differentiate(qd[start - m : stop + m], taps, qdd[start:stop])
            kernel.mark_slow(qd[start:stop], self._outlet.slower_than, slow[number])

        self._threads.share(differentiate, len(signals.joints))
        if self._outlet.base:
            self._outlet.base.fill(window.values, start, stop, taps)
        rows = window.values[:, start:stop]
        if self._outlet.quaternion:
            self._normalise(rows, self._outlet.quaternion, begin)
        return rows, slow

    def _normalise(self, rows: Array, quaternion: list[int], begin: int) -> None:
        """Give quaternions the length 1 that filtering takes from them."""
        values = rows[quaternion]
        length = np.sqrt(np.sum(values**2, axis=0))
        if length.min() < _SHORTEST:
            k = self._first + begin + int(np.argmin(length))
            raise BadDataError(
                "turns-too-fast",
                "the base turns so fast that nothing is left of its orientation by the filter",
                time=self._zero / 1e9 + k * self._rates.step_s,
                hint="a higher cutoff_hz, or signal_cutoff = ['base.quat=HZ']",
            )
        rows[quaternion] = values / length
