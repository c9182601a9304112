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
from robotid.signals.butterworth import FORGOTTEN, design, memory, resting_state
from robotid.signals.kernel import LANES, SECTION
from robotid.signals.threads import Threads

Array = NDArray[np.float64]

_PIECE = 16384  # samples given back at a time, at least
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
        sections = np.array([design(cutoff, order, rate_hz) for cutoff in cutoffs_hz])
        lanes = -(-self.channels // LANES) * LANES
        rows = np.zeros((lanes, sections.shape[1], SECTION))  # lanes without a channel stay zero
        rows[: self.channels, :, :2] = [resting_state(own) for own in sections]
        rows[: self.channels, :, 2:] = sections[:, :, [0, 1, 2, 4, 5]]
        grouped = rows.reshape(-1, LANES, *rows.shape[1:])
        # The rows of `kernel.run_sections` for each group of channels, with the state that a
        # constant 1 leaves: shape (groups, sections, SECTION, LANES).
        self.sections = np.ascontiguousarray(np.moveaxis(grouped, 1, -1))

    def at_rest(self, group: int, level: Array) -> Array:
        """The rows of a group of channels that have been at some level for long."""
        sections: Array = self.sections[group].copy()
        sections[:, :2] *= level
        return sections.ravel()


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
        self._groups = low_pass.sections.shape[0]
        self._sections: list[Array] = []  # with their state
        # Filtered forward, for samples self._from, self._from + 1, ...; `_held` of them.
        room = low_pass.piece + 2 * halo + low_pass.ahead
        self._forward = np.empty((self._groups, room * LANES))
        self._from = self._held = self._begin = 0
        # One place for all windows: fresh memory for each would cost as much as filtering.
        self._rows = np.arange(low_pass.channels) if rows is None else np.array(rows)
        self._out = np.empty((height or low_pass.channels, low_pass.piece + 2 * halo))
        self._tail: Array | None = None  # the last samples as they came, to be reflected
        self._head: list[Array] = []  # what came before there was enough to be reflected

    def push(self, values: Array) -> Iterator[Window]:
        """Take samples, shape (channels, n); give what no later one can change."""
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
        yield from self._advance(np.ascontiguousarray(reflected))  # ends before the reflection
        while self._begin < end:
            stop = min(self._begin + self._filter.piece, end)
            after = min(self._halo, end - stop)
            yield self._window(stop, after, self._held)

    def _begin_with(self, values: Array) -> None:
        """Start at rest, as far before the first sample as the filter needs to settle."""
        self._tail = None
        reflected = 2 * values[:, :1] - values[:, self._filter.settled : 0 : -1]
        reflected = np.ascontiguousarray(reflected)
        level = np.zeros((self._groups, LANES))
        level.ravel()[: self._filter.channels] = reflected[:, 0]
        self._sections = [self._filter.at_rest(g, level[g]) for g in range(self._groups)]
        self._run_forward(reflected, np.empty((self._groups, reflected.shape[1] * LANES)))

    def _advance(self, values: Array) -> Iterator[Window]:
        """Filter forward, and backward whenever there is enough for a whole piece."""
        low_pass, used = self._filter, 0
        needed = low_pass.piece + self._halo + low_pass.ahead
        while used < values.shape[1]:
            wanted = self._begin + needed - self._from - self._held
            take = min(wanted, values.shape[1] - used)
            part = values[:, used : used + take]
            room = slice(self._held * LANES, (self._held + take) * LANES)
            self._run_forward(part, self._forward[:, room])
            self._held, used = self._held + take, used + take
            if take == wanted:
                yield self._window(self._begin + low_pass.piece, self._halo, self._held)
                self._forget()

    def _run_forward(self, values: Array, out: Array) -> None:
        def work(begin: int, end: int) -> None:
            for group in range(begin, end):
                kernel.forward(values, group * LANES, self._sections[group], out[group])

        self._threads.share(work, self._groups)

    def _window(self, stop: int, after: int, upto: int) -> Window:
        """Samples [self._begin, stop) and what lies around them, from the first `upto` held."""
        before = min(self._halo, self._begin - self._from)
        first = self._begin - before - self._from
        keep = stop + after - self._from - first

        def work(begin: int, end: int) -> None:
            for group in range(begin, end):
                given = self._forward[group, first * LANES : upto * LANES]
                sections = self._filter.at_rest(group, given[-LANES:])
                rows = self._rows[group * LANES : (group + 1) * LANES]
                kernel.backward(given, keep, rows, sections, self._out)

        self._threads.share(work, self._groups)
        window = Window(self._begin, stop, before, after, self._out[:, :keep])
        self._begin = stop
        return window

    def _forget(self) -> None:
        """Drop what no window needs any more."""
        keep = max(self._from, self._begin - self._halo)
        gone = keep - self._from
        rest = self._forward[:, gone * LANES : self._held * LANES].copy()
        self._forward[:, : rest.shape[1]] = rest
        self._from, self._held = keep, self._held - gone
