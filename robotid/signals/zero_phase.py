"""Zero-phase filtering as a stream: the same as filtering a whole stretch at once.

Forward, the filter goes on from where it was. Backward, each piece begins far enough behind its end
that the filter has forgotten (to 1e-15) that it did not begin at the end of the stretch. The ends
of a stretch are continued by their point reflection, as scipy's `sosfiltfilt` does by default.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError
from robotid.signals import kernel
from robotid.signals.butterworth import FORGOTTEN, design, memory
from robotid.signals.threads import Threads

Array = NDArray[np.float64]

_PIECE = 65536  # samples given back at a time, at least
_MOST = 2_000_000  # samples held at a time, at most


class LowPass:
    """Butterworth low-passes for a number of channels at one rate.

    Args:
        cutoffs_hz: design value for each channel.
        order: of one pass.
        rate_hz: of the grid.
    """

    def __init__(self, cutoffs_hz: Sequence[float], order: int, rate_hz: float) -> None:
        slowest = min(cutoffs_hz)
        self.channels = len(cutoffs_hz)
        self.settled = memory(slowest, order, rate_hz)
        self.ahead = memory(slowest, order, rate_hz, FORGOTTEN)
        if self.ahead > _MOST:
            raise ConfigError(
                "cutoff-too-low",
                f"a cut-off of {slowest:g} Hz at {rate_hz:g} samples per second has a memory of "
                f"{self.ahead} samples; at most {_MOST} are held",
            )
        self.piece = max(_PIECE, 2 * self.ahead)
        own = np.array([design(cutoff, order, rate_hz) for cutoff in cutoffs_hz])
        nothing = np.broadcast_to([1.0, 0, 0, 1, 0, 0], (self.channels, own.shape[1] % 2, 6))
        own = np.concatenate([own, nothing], axis=1)  # the kernel takes two at a time
        b0, b1, b2, _, a1, a2 = np.moveaxis(own, -1, 0)
        sections = np.stack([b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2], axis=-1)
        self.sections: Array = sections.reshape(self.channels, -1)
        # Every section has gain 1 at rest, so a constant 1 is what all of them get and give.
        resting = np.stack([np.ones_like(b0), 1 - b0, 1 - b0], axis=-1)
        self._resting: Array = resting.reshape(self.channels, -1)

    def at_rest(self, channel: int, level: float) -> Array:
        """The state of a channel that has been at some level for long."""
        state: Array = self._resting[channel] * level
        return state


class Window(NamedTuple):
    """Filtered samples [begin - before, end + after) of a stretch, shape (rows, n).

    The values stay what they are until the next window is asked for.
    """

    begin: int
    end: int
    before: int
    after: int
    values: Array


class ZeroPhase:
    """Filters one stretch that comes in pieces.

    Args:
        low_pass: the filters.
        halo: how many samples more than asked for to give on both sides, where there are any.
        threads: to share channels among.
        rows: where channels go in the windows, if not one after the other.
        height: rows of the windows; those of no channel are for the caller to fill.
    """

    def __init__(
        self,
        low_pass: LowPass,
        halo: int,
        threads: Threads,
        rows: Sequence[int] | None = None,
        height: int | None = None,
    ) -> None:
        self._filter, self._halo, self._threads = low_pass, halo, threads
        self._state: list[Array] = [np.empty(0)] * low_pass.channels
        # Filtered forward, for samples self._from, self._from + 1, ...; `_held` of them, the last
        # of which wait to be filtered.
        self._forward = np.empty((low_pass.channels, low_pass.piece + 2 * halo + low_pass.ahead))
        self._from = self._held = self._begin = 0
        self._waiting: list[Array] = []
        # One place for all windows: fresh memory for each would cost as much as filtering.
        self._rows = range(low_pass.channels) if rows is None else rows
        self._out = np.empty((height or low_pass.channels, low_pass.piece + 2 * halo))
        self._beyond = np.empty((low_pass.channels, low_pass.ahead + 2 * halo))
        self._tail: Array | None = None  # the last samples as they came, to be reflected
        self._head: list[Array] = []  # what came before there was enough to be reflected

    def push(self, values: Array) -> Iterator[Window]:
        """Take samples, shape (channels, n), that stay; give what no later one can change."""
        low_pass = self._filter
        if self._tail is None:
            self._head.append(values)
            if sum(part.shape[1] for part in self._head) <= low_pass.settled:
                return
            values = np.hstack(self._head) if len(self._head) > 1 else values
            self._head = []
            self._begin_with(values)
        recent = values[:, -low_pass.settled - 1 :]
        if self._tail is not None and recent.shape[1] <= low_pass.settled:
            recent = np.hstack([self._tail, recent])[:, -low_pass.settled - 1 :]
        self._tail = recent.copy()
        yield from self._advance(values)

    def close(self) -> Iterator[Window]:
        """The windows that are left; none when the stretch was too short to be reflected."""
        if self._tail is None:
            return
        end = self._from + self._held
        reflected = 2 * self._tail[:, -1:] - self._tail[:, -2::-1]
        yield from self._advance(reflected)  # ends before the reflection
        while self._begin < end:
            stop = min(self._begin + self._filter.piece, end)
            after = min(self._halo, end - stop)
            yield self._window(stop, after)

    def _begin_with(self, values: Array) -> None:
        """Start at rest, as far before the first sample as the filter needs to settle."""
        self._tail = None
        reflected = 2 * values[:, :1] - values[:, self._filter.settled : 0 : -1]
        for channel, row in enumerate(reflected):
            state = self._filter.at_rest(channel, row[0])
            kernel.low_pass(row, self._filter.sections[channel], state, np.empty(row.size))
            self._state[channel] = state

    def _advance(self, values: Array) -> Iterator[Window]:
        """Take samples; filter whenever there is enough for a whole piece."""
        low_pass, used = self._filter, 0
        needed = low_pass.piece + self._halo + low_pass.ahead
        while used < values.shape[1]:
            wanted = self._begin + needed - self._from - self._held
            take = min(wanted, values.shape[1] - used)
            self._waiting.append(values[:, used : used + take])
            self._held, used = self._held + take, used + take
            if take == wanted:
                yield self._window(self._begin + low_pass.piece, self._halo)
                self._forget()

    def _window(self, stop: int, after: int) -> Window:
        """Samples [self._begin, stop) and what lies around them."""
        before = min(self._halo, self._begin - self._from)
        first = self._begin - before - self._from
        keep = stop + after - self._from - first
        backward = self._forward[:, first : self._held][:, ::-1]
        beyond = backward.shape[1] - keep
        sections, filtered = self._filter.sections, self._held - self._unfiltered()

        def work(channel: int) -> None:
            own, state = sections[channel], self._state[channel]
            at = filtered
            for values in self._waiting:
                out = self._forward[channel, at : at + values.shape[1]]
                kernel.low_pass(values[channel], own, state, out)
                at += values.shape[1]
            given, kept = backward[channel], self._out[self._rows[channel], :keep]
            state = self._filter.at_rest(channel, given[0])
            kernel.low_pass(given[:beyond], own, state, self._beyond[channel, :beyond])
            kernel.low_pass(given[beyond:], own, state, kept[::-1])
            kernel.clear_tiny(kept)

        self._threads.share(work, self._filter.channels)
        self._waiting = []
        window = Window(self._begin, stop, before, after, self._out[:, :keep])
        self._begin = stop
        return window

    def _unfiltered(self) -> int:
        return sum(values.shape[1] for values in self._waiting)

    def _forget(self) -> None:
        """Drop what no window needs any more."""
        keep = max(self._from, self._begin - self._halo)
        gone = keep - self._from
        rest = self._forward[:, gone : self._held].copy()
        self._forward[:, : rest.shape[1]] = rest
        self._from, self._held = keep, self._held - gone
