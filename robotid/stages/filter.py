"""`filter`: recordings on a uniform grid, smooth, with velocities and accelerations."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from robotid.errors import BadDataError, Notice
from robotid.signals.options import FilterOptions
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.recording import FilterFacts, RecordingFacts
    from robotid.signals.low_pass import Filtered


class FilterConfig(FilterOptions, StageConfig):
    """Low-pass, differentiation, rate, averaging, and what is held out of a single recording."""

    hold_out: float = Field(
        default=0.2,
        ge=0,
        le=0.5,
        description="Where no recording is for the test: the share at the end of the last training "
        "recording that is held out, behind a gap; 0 for none.",
    )


def run(config: FilterConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Filter one recording, stretch by stretch; the filter's transients are cut off."""
    from robotid.contracts.recording import RecordingWriter, inspect_recording, iterate_recording
    from robotid.signals.findings import findings_of
    from robotid.signals.low_pass import RecordingFilter, too_short
    from robotid.signals.threads import Threads

    path = inputs["dataset"][0].path
    names, facts = inspect_recording(path)
    if facts.independent:
        said = "samples are states one by one and no motion: there is nothing to filter in time"
        hint = "give it to fit or factors as it is; it has accelerations"
        raise BadDataError("independent-samples", said, file=str(path), hint=hint)
    if facts.filter is not None:
        said = f"this recording is filtered already, at {facts.filter.cutoff_hz:g} Hz"
        raise BadDataError(
            "already-filtered", said, file=str(path), hint="filter what ingest wrote"
        )
    joints = [joint.name for joint in facts.joints]
    with Threads() as threads, RecordingWriter(out_dir) as writer:
        work = RecordingFilter(
            lambda columns: iterate_recording(path, columns), names, joints, config, threads
        )
        done = work.run(writer.write)
        if not done.samples:
            raise too_short(done.needed, done.rates.grid_hz)
        notices = findings_of(done)
        writer.finish(_facts(facts, done, config, notices))
    return notices


def _facts(
    facts: "RecordingFacts", done: "Filtered", config: FilterConfig, notices: Sequence[Notice]
) -> "RecordingFacts":
    from robotid.contracts.finding import as_findings

    lost = sum(stretch.samples for stretch in done.left_out)
    dropped = {"too-short": lost, "not-finite": done.dropped}
    update = {
        "samples": done.samples,
        "duration_s": done.segments[-1].end_s - done.segments[0].start_s,
        "rate_hz": done.rates.grid_hz / done.rates.decimate,
        "dropped": {**facts.dropped, **{code: n for code, n in dropped.items() if n}},
        "findings": [*facts.findings, *as_findings(notices)],
        "filter": _filter_facts(done, config),
    }
    return facts.model_copy(update=update)


def _filter_facts(done: "Filtered", config: FilterConfig) -> "FilterFacts":
    from robotid.contracts.recording import (
        Averaging,
        CutoffChoice,
        FilterFacts,
        Grid,
        Segment,
        Spectra,
    )
    from robotid.signals.grid import METHOD

    signals, timing = done.signals, done.timing
    own = {
        name: cutoff
        for name, cutoff in zip(signals.channels, done.cutoffs_hz, strict=True)
        if cutoff != done.cutoff_hz
    }
    choice, period, spectra = None, None, None
    if done.choice:
        choice = CutoffChoice(
            candidates_hz=_rounded(done.choice.candidates_hz),
            error=_rounded(done.choice.error),
            by_joint_hz=done.choice.by_joint,
            residual=done.choice.residual,
        )
    if done.period:
        period = Averaging(**done.period._asdict())
    if done.before and done.after:
        before = dict(zip(signals.channels, done.before.density, strict=True))
        after = dict(zip(signals.columns, done.after.density, strict=True))
        spectra = Spectra(
            frequency_hz=_rounded(done.before.frequency_hz),
            before={name: _rounded(density) for name, density in before.items()},
            after={name: _rounded(density) for name, density in after.items()},
        )
    return FilterFacts(
        cutoff_hz=done.cutoff_hz,
        effective_hz=done.effective_hz,
        signal_cutoffs_hz=own,
        order=config.order,
        memory_s=done.settled / done.rates.grid_hz,
        trimmed=done.trimmed,
        acceleration=config.acceleration,
        velocity_from_position=signals.derived,
        decimated_by=done.rates.decimate,
        segments=[
            Segment(start_s=s.start_s, end_s=s.end_s, samples=s.samples) for s in done.segments
        ],
        grid=Grid(
            rate_hz=done.rates.grid_hz,
            method=METHOD,
            jitter=timing.jitter,
            largest_step=timing.largest,
            late_samples=timing.late,
            gaps=timing.gaps,
            stretches=done.stretches,
            samples=done.on_grid,
        ),
        acceleration_snr_db=done.snr_db,
        low_speed_below=config.low_speed,
        low_speed=done.low_speed,
        choice=choice,
        averaging=period,
        spectra=spectra,
    )


def _rounded(values: Iterable[float]) -> list[float]:
    """Four digits are enough for a picture, and keep the facts small."""
    return [float(f"{value:.4g}") for value in values]


def gather(
    config: FilterConfig, inputs: Inputs, parts: Iterable[Source], out_dir: Path
) -> list[Notice]:
    """Write the index; splits stay as they were, a recording is cut if none is for the test."""
    from robotid.contracts.dataset import MadeBy, read_index, write_index
    from robotid.contracts.recording import read_facts
    from robotid.signals.splits import hold_out

    before = read_index(inputs["dataset"][0].path)
    splits = before.splits
    made = MadeBy(stage="filter", options=config.model_dump(mode="json", exclude_defaults=True))
    recordings = {part.name: read_facts(part.path) for part in parts}
    # Spectra are for a picture. Every recording has its own; an index of hundreds needs a few.
    shown = {splits.get(name): name for name in reversed(recordings)}.values()
    recordings |= {n: r.without_spectra() for n, r in recordings.items() if n not in shown}
    intervals = hold_out(recordings, splits, config.hold_out)
    write_index(out_dir, recordings, splits, intervals, made_by=[*before.made_by, made])
    return [
        Notice(
            code="split-within-recording",
            message=f"no recording is for the test: {name} is for training up to "
            f"{train.end_s:.4g} s and for the test from {test.start_s:.4g} s on, which says less "
            "than another recording would",
            hint="record another, or set hold_out",
        )
        for name, (train, test) in intervals.items()
    ]


STAGE = Stage(
    name="filter",
    config=FilterConfig,
    inputs={"dataset": Input("dataset", "DATASET", "what ingest wrote", each="*.parquet")},
    output="dataset",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts.dataset",
        "robotid.contracts.finding",
        "robotid.contracts.recording",
        "robotid.contracts.repair",
        "robotid.contracts.splits",
        "robotid.cores",
        "robotid.signals",
        "robotid.spatial.quaternions",
    ),
    libraries=("numba", "numpy", "pyarrow.parquet", "pydantic"),
    run=run,
    gather=gather,
    part_file="recording.parquet",
    gather_keys=("hold_out",),
)
