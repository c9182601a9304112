"""What a user should know about a filtered recording."""

from collections.abc import Iterator

from robotid.errors import Effect, Notice
from robotid.signals.low_pass import Filtered

_SHOWN = 5
_JITTER = 0.05  # of a step
_NOISY_DB = 10.0


def findings_of(done: Filtered) -> list[Notice]:
    """Everything that was left out, repaired, chosen, or is doubtful."""
    return [*_left_out(done), *_time(done), *_filters(done), *_averaging(done)]


def _left_out(done: Filtered) -> Iterator[Notice]:
    if done.dropped:
        named = ", ".join(f"{name} ({n})" for name, n in list(done.not_finite.items())[:_SHOWN])
        yield Notice(
            code="not-finite",
            message=f"{done.dropped} samples without a finite value were left out, and nothing was "
            f"filtered across them: {named}",
            time=done.first_not_finite_s,
            effect=Effect.DATA_LOST,
        )
    for name, held in done.held.items():
        yield Notice(
            code="values-held",
            message=f"{name} has no value in {held.samples} samples; the one before was held",
            time=held.first_s,
        )
    for name in done.without_values:
        yield Notice(code="no-values", message=f"{name} holds no values and is left out")
    for start_s, samples in done.left_out[:_SHOWN]:
        yield Notice(
            code="segment-too-short",
            message=f"{samples} samples between two gaps were left out; {done.needed} are needed",
            time=start_s,
            effect=Effect.DATA_LOST,
        )
    more = done.left_out[_SHOWN:]
    if more:
        yield Notice(
            code="segment-too-short",
            message=f"{len(more)} more stretches, {sum(s.samples for s in more)} samples, were "
            "left out",
            time=more[0].start_s,
            effect=Effect.DATA_LOST,
        )


def _time(done: Filtered) -> Iterator[Notice]:
    timing = done.timing
    if timing.jitter > _JITTER or timing.late:
        yield Notice(
            code="jitter",
            message=f"steps vary by {timing.jitter:.1%} of {timing.step_s * 1e3:.4g} ms, the "
            f"longest is {timing.largest:.2g} steps, {timing.late} samples are missing between "
            f"gaps; all was resampled at {done.rates.grid_hz:.6g} Hz",
        )


def _filters(done: Filtered) -> Iterator[Notice]:
    alike = {
        cutoff
        for name, cutoff in zip(done.signals.channels, done.cutoffs_hz, strict=True)
        if name.partition(".")[0] in ("q", "qd", "tau")
    }
    if len(alike) > 1:
        yield Notice(
            code="filters-differ",
            message=f"motion and torque are filtered at {min(alike):g} to {max(alike):g} Hz: a fit "
            "compares signals that were not treated alike, which biases it",
            hint="filter all of them at the lowest of these",
        )
    if done.choice:
        choice = done.choice
        yield Notice(
            code="cutoff-chosen",
            message=f"cutoff_hz {choice.cutoff_hz:.3g} has the least predicted error of "
            f"acceleration ({min(choice.error):.2g} of its power)",
            hint=f"noise of {', '.join(choice.filtered_before)} was filtered before it was logged: "
            "the choice says little"
            if choice.filtered_before
            else None,
        )
    noisy = {j: db for j, db in done.snr_db.items() if db is not None and db < _NOISY_DB}
    if noisy:
        named = ", ".join(f"{joint} {db:.0f} dB" for joint, db in list(noisy.items())[:_SHOWN])
        yield Notice(
            code="noisy-acceleration",
            message=f"accelerations have little signal over noise: {named}",
            hint="lower cutoff_hz, average_periods, or record faster motion",
        )


def _averaging(done: Filtered) -> Iterator[Notice]:
    if done.period is None:
        return
    if done.period.found:
        yield Notice(
            code="period-found",
            message=f"the motion repeats itself every {done.period.period_s:.6g} s",
            hint="give period_s if you know it exactly",
        )
    if done.period.left_out:
        left = ", ".join(str(number) for number in sorted(done.period.left_out)[:_SHOWN])
        yield Notice(
            code="period-left-out",
            message=f"{len(done.period.left_out)} periods at the ends differ from the others and "
            f"were left out of the mean (numbers from 0: {left})",
        )
