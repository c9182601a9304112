"""A recording, filtered: uniform grid, zero-phase low-pass, velocities, accelerations.

Everything is a stream: memory depends on the filter and the number of signals, not on how long a
recording is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid import progress
from robotid.errors import BadDataError, ConfigError
from robotid.signals.butterworth import effective_cutoff, gain
from robotid.signals.columns import Conditioner, Held, first_values, treatment_of
from robotid.signals.cutoff import Choice, acceleration_snr_db, choose_cutoff
from robotid.signals.grid import Gridder, Piece
from robotid.signals.options import FilterOptions
from robotid.signals.periods import Averaged, average, fewer_than_two_periods, find_period
from robotid.signals.plan import (
    Rates,
    Signals,
    check_decimation,
    design_cutoffs,
    design_value,
    rates_of,
    signals_of,
)
from robotid.signals.spectrum import Noise, Spectrum, Welch, in_bins, noise_of
from robotid.signals.stretch import Outlet, Segment, Sink, StretchFilter
from robotid.signals.threads import Threads
from robotid.signals.timing import Timing, survey
from robotid.signals.zero_phase import LowPass
from robotid.types import Columns

Array = NDArray[np.float64]
Source = Callable[[Sequence[str]], Iterable[Columns]]

NEEDED = 4  # a stretch must have this many times the filter's memory


class Stretch(NamedTuple):
    """Samples between two gaps that were left out: start [s] and number."""

    start_s: float
    samples: int


class Period(NamedTuple):
    """What was averaged: the period [s], whether it was found from the data, and the noise."""

    period_s: float
    found: bool
    periods: int
    left_out: list[int]
    noise_std: dict[str, float]


class Filtered(NamedTuple):
    """What became of a recording.

    `settled` is the filter's memory in grid samples, `needed` how many a stretch must have,
    `on_grid` how many all stretches have that were not left out, and `trimmed` how many of these
    were cut off at the ends of stretches because the filter was not settled.
    Spectra are None where no stretch was long enough for one. `held` are columns of slow sensors
    whose last value was held, `without_values` those that were left out.
    """

    timing: Timing
    signals: Signals
    rates: Rates
    cutoff_hz: float
    effective_hz: float
    cutoffs_hz: list[float]
    settled: int
    needed: int
    on_grid: int
    trimmed: int
    stretches: int
    left_out: list[Stretch]
    not_finite: dict[str, int]
    first_not_finite_s: float | None
    dropped: int
    held: dict[str, Held]
    without_values: list[str]
    samples: int
    segments: list[Segment]
    low_speed: dict[str, float]
    before: Spectrum | None
    after: Spectrum | None
    snr_db: dict[str, float | None]
    choice: Choice | None
    period: Period | None


class RecordingFilter:
    """Filters one recording.

    Args:
        source: gives columns of the recording by name, from the beginning, in pieces.
        names: all its columns.
        joints: its joints.
        options: what to do.
        threads: shared by all steps.
    """

    def __init__(
        self,
        source: Source,
        names: Sequence[str],
        joints: Sequence[str],
        options: FilterOptions,
        threads: Threads,
    ) -> None:
        self._source, self._names = source, names
        self._options, self._threads = options, threads
        held = [name for name in names if treatment_of(name) == "held"]
        self._first = first_values(source(held), held) if held else {}
        self._without = [name for name in held if name not in self._first]
        there = [name for name in names if name not in self._without]
        self._signals = signals_of(there, joints, options)
        self._conditioner = Conditioner(there, self._first)
        self._timing = survey(
            lambda: (b["t"].astype(np.int64) for b in source(["t"])), options.gap_steps
        )
        self._rates = rates_of(self._timing, options)
        self._period: Period | None = None

    def run(self, sink: Sink) -> Filtered:
        """Filter everything; rows of the result go to `sink`."""
        options, signals, timing = self._options, self._signals, self._timing
        averaged = self._average() if options.average_periods else None
        rate_hz = self._rates.grid_hz
        before: Spectrum | None = None
        choice: Choice | None = None
        if options.cutoff_hz == "auto":
            before = self._spectrum()
            choice = self._choose(before)
            cutoff_hz = choice.cutoff_hz
        else:
            cutoff_hz = design_value(options.cutoff_hz, options, rate_hz)
        cutoffs = design_cutoffs(signals, options, cutoff_hz, rate_hz)
        check_decimation(self._rates, cutoffs, options.order)
        low_pass = LowPass(cutoffs, options.order, rate_hz)
        settled = max(low_pass.settled, signals.halo)
        self._check_length(settled)
        welch, after_welch = self._welch(signals.channels), self._welch(signals.columns)
        outlet = Outlet(signals, after_welch, sink, options.low_speed)
        gridder = self._gridder()
        if averaged is None:
            on_grid, trimmed, left_out = self._stretches(gridder, welch, low_pass, settled, outlet)
        else:
            on_grid, trimmed, left_out = 0, 0, []
            for piece in gridder.pieces(self._columns()):
                _look(welch, piece)
                on_grid += piece.values.shape[1]
            self._periodic(averaged, low_pass, outlet)
        before, after = before or welch.spectrum(), after_welch.spectrum()
        gains = (
            [gain(before.frequency_hz, c, options.order, rate_hz) for c in cutoffs]
            if before
            else []
        )
        return Filtered(
            timing=timing,
            signals=signals,
            rates=self._rates,
            cutoff_hz=cutoff_hz,
            effective_hz=effective_cutoff(cutoff_hz, options.order, rate_hz),
            cutoffs_hz=cutoffs,
            settled=settled,
            needed=NEEDED * settled,
            on_grid=on_grid,
            trimmed=trimmed,
            stretches=gridder.stretches,
            left_out=left_out,
            not_finite=gridder.not_finite,
            first_not_finite_s=gridder.first_not_finite,
            dropped=gridder.dropped,
            held=self._conditioner.held,
            without_values=self._without,
            samples=outlet.samples,
            segments=outlet.segments,
            low_speed=outlet.low_speed(),
            before=in_bins(before) if before else None,
            after=in_bins(after) if after else None,
            snr_db=self._snr(before, gains) if before else {},
            choice=choice,
            period=self._period,
        )

    def _columns(self) -> Iterator[Columns]:
        """All channels, fit for the filter, with progress."""
        self._conditioner = Conditioner(self._signals.channels, self._first)
        extra = ["segment"] if "segment" in self._names else []
        done = 0
        for batch in self._source(["t", *extra, *self._signals.channels]):
            yield self._conditioner(batch)
            done += len(batch["t"])
            progress.report(done, self._timing.samples, "filtering")

    def _gridder(self, zero: int | None = None) -> Gridder:
        timing, rates = self._timing, self._rates
        return Gridder(self._signals.channels, rates.step_s, timing.gap_s, self._threads, zero)

    def _welch(self, names: Sequence[str]) -> Welch:
        """For spectra before and after filtering, at the same frequencies."""
        longest = self._timing.longest
        if self._period:
            longest = 2 * round(self._period.period_s * self._rates.grid_hz)
        return Welch(len(names), self._rates.grid_hz, self._grid_samples(), longest)

    def _grid_samples(self) -> int:
        return int(self._timing.samples * self._timing.step_s * self._rates.grid_hz)

    def _check_length(self, settled: int) -> None:
        """Refuse at once what cannot be long enough."""
        longest = self._timing.longest * self._timing.largest * self._timing.step_s
        needed = NEEDED * settled
        if not self._options.average_periods and longest * self._rates.grid_hz < needed - 1:
            raise too_short(needed, self._rates.grid_hz)

    def _stretches(
        self, gridder: Gridder, welch: Welch, low_pass: LowPass, trim: int, outlet: Outlet
    ) -> tuple[int, int, list[Stretch]]:
        """Filter stretch by stretch; samples that were filtered, and trimmed; what was left out."""
        on_grid, trimmed, left_out = 0, 0, []
        stretch: StretchFilter | None = None
        for piece in gridder.pieces(self._columns()):
            _look(welch, piece)
            if stretch is None:
                stretch = StretchFilter(
                    piece.stretch,
                    piece.zero,
                    piece.first,
                    self._signals,
                    low_pass,
                    self._rates,
                    trim,
                    self._threads,
                    outlet,
                )
            stretch.push(piece.values)
            if piece.last:
                if stretch.samples < NEEDED * trim:
                    left_out.append(Stretch(piece.zero / 1e9, piece.samples))
                else:
                    stretch.close()
                    on_grid, trimmed = on_grid + stretch.samples, trimmed + 2 * trim
                stretch = None
        return on_grid, trimmed, left_out

    def _average(self) -> Averaged:
        """The mean period; from here on the grid divides the period evenly."""
        options, signals = self._options, self._signals
        zero = int(next(iter(self._source(["t"])))["t"][0])
        period_s = options.period_s
        if period_s is None:
            rows = [
                v if v is not None else q or 0
                for q, v in zip(signals.position, signals.velocity, strict=True)
            ]
            pieces = self._gridder(zero).pieces(self._columns())
            period_s = find_period(pieces, rows, self._grid_samples(), self._rates.step_s)
        every = self._rates.decimate
        samples = period_s * self._rates.grid_hz
        if samples < 2:
            said = f"period_s: {period_s:g} is shorter than two samples"
            raise ConfigError("bad-value", said)
        if samples > self._grid_samples():
            raise fewer_than_two_periods(samples)
        length = max(2, round(period_s * self._rates.grid_hz / every)) * every
        self._rates = Rates(length / period_s, every)
        found = average(
            lambda: self._gridder(zero).pieces(self._columns()), len(signals.channels), length
        )
        self._period = Period(
            period_s=period_s,
            found=options.period_s is None,
            periods=found.periods,
            left_out=found.left_out,
            noise_std=dict(zip(signals.channels, found.noise_std.tolist(), strict=True)),
        )
        return found

    def _periodic(self, averaged: Averaged, low_pass: LowPass, outlet: Outlet) -> None:
        """Filter one period among its like; what is trimmed are the others."""
        around = low_pass.ahead + self._signals.halo
        length = averaged.mean.shape[1]
        one = StretchFilter(
            0,
            0,
            -around,
            self._signals,
            low_pass,
            self._rates,
            around,
            self._threads,
            outlet,
        )
        one.push(averaged.mean[:, np.arange(-around, length + around) % length])
        one.close()

    def _spectrum(self) -> Spectrum:
        """Of all channels, in a pass of its own."""
        welch = self._welch(self._signals.channels)
        for piece in self._gridder().pieces(self._columns()):
            _look(welch, piece)
        found = welch.spectrum()
        if found is None:
            raise BadDataError(
                "too-short", "no stretch is long enough to choose a cut-off", hint="give cutoff_hz"
            )
        return found

    def _noise(self, spectrum: Spectrum) -> Noise:
        """Noise in what is filtered: averaging has made it smaller."""
        density, slope = noise_of(spectrum)
        return Noise(density / (self._period.periods if self._period else 1), slope)

    def _choose(self, spectrum: Spectrum) -> Choice:
        rate_hz = self._rates.grid_hz
        motions = self._signals.motions(spectrum.frequency_hz, rate_hz)
        return choose_cutoff(spectrum, self._noise(spectrum), motions, self._options.order, rate_hz)

    def _snr(self, spectrum: Spectrum, gains: Sequence[Array]) -> dict[str, float | None]:
        motions = self._signals.motions(spectrum.frequency_hz, self._rates.grid_hz)
        return acceleration_snr_db(spectrum, self._noise(spectrum), motions, gains)


def _look(welch: Welch, piece: Piece) -> None:
    welch.push(piece.values)
    if piece.last:
        welch.end_stretch()


def too_short(needed: int, rate_hz: float) -> BadDataError:
    """The error for a recording without a stretch of the length the filter needs."""
    return BadDataError(
        "too-short",
        f"no stretch without a gap has {needed} samples ({needed / rate_hz:.2f} s)",
        hint="a higher cutoff_hz has a shorter memory",
    )
