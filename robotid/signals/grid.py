"""Samples onto a uniform grid, stretch by stretch, as a stream."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.signals import kernel
from robotid.signals.threads import Threads
from robotid.types import Columns

Array = NDArray[np.float64]

METHOD = "cubic through the four nearest samples; a line where samples crowd"
_FEWEST = 4  # samples that make a cubic
_SNAP = 1e-6  # a grid sample this close to a sample, in steps, takes its value


class Piece(NamedTuple):
    """Some grid samples of a stretch, shape (channels, n).

    Grid sample k of a stretch lies at `zero` + k step [ns]; `first` is k of the first one here. The
    last piece of a stretch says so, and how many samples of the log the stretch had.
    """

    stretch: int
    zero: int
    first: int
    values: Array
    last: bool
    samples: int


class Gridder:
    """Cuts a stream of samples at gaps and holes and brings each stretch onto a grid.

    A sample in which any channel is not finite is left out, and nothing is interpolated across it.
    How the samples come in batches changes no bit.

    Args:
        channels: columns to take.
        step_s: of the grid.
        gap_s: a step of the log longer than this is a gap.
        threads: to share channels among.
        zero: where the grid of all stretches has a sample [ns]; by default each stretch has its own
            grid, which begins with its first sample.
    """

    def __init__(
        self,
        channels: Sequence[str],
        step_s: float,
        gap_s: float,
        threads: Threads,
        zero: int | None = None,
    ) -> None:
        self._channels, self._step, self._gap = tuple(channels), step_s, gap_s
        self._zero = zero
        self._threads = threads
        self.not_finite: dict[str, int] = {}
        self.first_not_finite: float | None = None
        self.dropped = 0
        self.stretches = 0
        self._break = True  # nothing goes on from before
        self._last_time, self._last_part = 0, 0
        self._open: _Stretch | None = None

    def pieces(self, batches: Iterable[Columns]) -> Iterator[Piece]:
        """Grid samples of all stretches, in order; stretches of under four samples give none."""
        for batch in batches:
            yield from self._batch(batch)
        yield from self._close()

    def _batch(self, batch: Columns) -> Iterator[Piece]:
        t = np.asarray(batch["t"], dtype=np.int64)
        values = np.empty((len(self._channels), t.size))
        for row, name in zip(values, self._channels, strict=True):
            row[:] = batch[name]
        starts = np.zeros(t.size, dtype=np.bool_)
        starts[1:] = np.diff(t) > self._gap * 1e9
        if t.size:
            starts[0] = self._break or t[0] - self._last_time > self._gap * 1e9
        if "segment" in batch and t.size:
            part = np.asarray(batch["segment"])
            starts[1:] |= np.diff(part) != 0
            starts[0] |= part[0] != self._last_part
            self._last_part = int(part[-1])
        good = np.isfinite(values.sum(axis=0))  # quick; sums of finite numbers may overflow
        if not good.all():
            good = np.isfinite(values).all(axis=0)
        self._break = bool(t.size and not good[-1])
        if t.size:
            self._last_time = int(t[-1])
        if not good.all():
            self._note(t, values, good)
            starts[1:] |= ~good[:-1]
            starts, t, values = starts[good], t[good], values[:, good]
        bounds = [0, *np.flatnonzero(starts).tolist(), t.size]
        for begin, end in itertools.pairwise(bounds):
            if end > begin and starts[begin]:
                yield from self._close()
                start = int(t[begin])
                zero = start if self._zero is None else self._zero
                self._open = _Stretch(self.stretches, zero, start, self._step, self._threads)
                self.stretches += 1
            if end > begin and self._open is not None:
                yield from self._open.push(t[begin:end], values[:, begin:end])

    def _note(self, t: NDArray[np.int64], values: Array, good: NDArray[np.bool_]) -> None:
        bad = np.flatnonzero(~good)
        self.dropped += bad.size
        if self.first_not_finite is None:
            self.first_not_finite = float(t[bad[0]]) / 1e9
        for name, row in zip(self._channels, values[:, bad], strict=True):
            count = int((~np.isfinite(row)).sum())
            if count:
                self.not_finite[name] = self.not_finite.get(name, 0) + count

    def _close(self) -> Iterator[Piece]:
        if self._open is not None:
            yield self._open.close()
            self._open = None


class _Stretch:
    """Samples between two gaps on their way to the grid."""

    def __init__(self, number: int, zero: int, start: int, step: float, threads: Threads) -> None:
        self._number, self._zero, self._step = number, zero, step
        self._threads = threads
        self._t, self._values = np.empty(0), np.empty((0, 0))
        # k of the next grid sample
        self._next = int(np.ceil((start - zero) / 1e9 / step - _SNAP))
        self._samples = 0

    def push(self, t: NDArray[np.int64], values: Array) -> Iterator[Piece]:
        """Take samples; give the grid samples that no later one can change."""
        seconds = (t - self._zero) / 1e9
        self._samples += t.size
        self._t = np.concatenate([self._t, seconds])
        self._values = np.hstack([self._values, values]) if self._values.size else values
        if self._t.size < _FEWEST:
            return
        # A grid sample needs two samples behind it.
        count = int(np.ceil(self._t[-2] / self._step - _SNAP)) - self._next
        if count > 0:
            yield self._piece(count, last=False)
            behind = int(np.searchsorted(self._t, self._next * self._step, side="right"))
            keep = max(0, min(behind - 2, self._t.size - _FEWEST))
            self._t, self._values = self._t[keep:], self._values[:, keep:]

    def close(self) -> Piece:
        """The grid samples that are left, once the stretch is at its end."""
        if self._t.size < _FEWEST:
            nothing = np.empty((self._values.shape[0], 0))
            return Piece(self._number, self._zero, self._next, nothing, True, self._samples)
        count = int(np.floor(self._t[-1] / self._step + _SNAP)) + 1 - self._next
        return self._piece(max(0, count), last=True)

    def _piece(self, count: int, *, last: bool) -> Piece:
        out = self._as_they_are(count)
        if out is None:
            base, weights = np.empty(count, dtype=np.int64), np.empty((4, count))
            kernel.stencils(self._t, self._next, self._step, _SNAP * self._step, base, weights)
            out = np.empty((self._values.shape[0], count))
            self._threads.share(
                lambda row: kernel.interpolate(self._values[row], base, weights, out[row]),
                out.shape[0],
            )
        self._next += count
        return Piece(self._number, self._zero, self._next - count, out, last, self._samples)

    def _as_they_are(self, count: int) -> Array | None:
        """The next grid samples, if each of them is a sample of the log."""
        wanted = np.arange(self._next, self._next + count) * self._step
        begin = int(np.searchsorted(self._t, wanted[0] - _SNAP * self._step)) if count else 0
        there = self._t[begin : begin + count]
        if there.size < count or np.any(np.abs(there - wanted) > _SNAP * self._step):
            return None
        return self._values[:, begin : begin + count]
