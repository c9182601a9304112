"""`filter`: recordings on a uniform grid, smooth, with velocities and accelerations."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from robotid.errors import BadDataError, Effect, Notice
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig


class FilterConfig(StageConfig):
    """The low-pass filter."""

    cutoff_hz: float = Field(
        default=5.0, gt=0, description="Cut-off of the Butterworth low-pass [Hz], design value."
    )
    order: int = Field(default=4, ge=1, le=12, description="Order of the Butterworth low-pass.")


def run(config: FilterConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Filter one recording, stretch by stretch; the filter's transients are cut off."""
    from robotid.contracts.recording import FilterFacts, read_recording, write_recording
    from robotid.signals.low_pass import low_pass

    path = inputs["dataset"][0].path
    columns, facts = read_recording(path)
    if facts.filter is not None:
        said = f"this recording is filtered already, at {facts.filter.cutoff_hz:g} Hz"
        raise BadDataError(
            "already-filtered", said, file=str(path), hint="filter what ingest wrote"
        )
    joints = [joint.name for joint in facts.joints]
    done = low_pass(columns, joints, config.cutoff_hz, config.order)
    if not done.columns:
        seconds = done.needed / done.rate_hz
        raise BadDataError(
            "too-short",
            f"no stretch without a gap has {done.needed} samples ({seconds:.2f} s)",
            hint="a higher cutoff_hz has a shorter memory",
        )
    lost = sum(stretch.samples for stretch in done.left_out)
    update = {
        "samples": int(done.columns["t"].size),
        "duration_s": float(done.columns["t"][-1] - done.columns["t"][0]) / 1e9,
        "rate_hz": done.rate_hz,
        "dropped": {**facts.dropped, **({"too-short": lost} if lost else {})},
        "filter": FilterFacts(
            cutoff_hz=config.cutoff_hz,
            order=config.order,
            memory_s=done.memory_s,
            trimmed=done.trimmed,
        ),
    }
    write_recording(out_dir, done.columns, facts.model_copy(update=update))
    return [
        Notice(
            code="segment-too-short",
            message=f"{samples} samples between two gaps were left out; {done.needed} are needed",
            time=start_s,
            effect=Effect.DATA_LOST,
        )
        for start_s, samples in done.left_out
    ]


def gather(
    config: FilterConfig, inputs: Inputs, parts: Sequence[Source], out_dir: Path
) -> list[Notice]:
    """Write the index of the filtered recordings; splits stay as they were."""
    del config
    from robotid.contracts.dataset import read_index, write_index
    from robotid.contracts.recording import read_facts

    splits = read_index(inputs["dataset"][0].path).splits
    write_index(out_dir, {part.name: read_facts(part.path) for part in parts}, splits)
    return []


STAGE = Stage(
    name="filter",
    config=FilterConfig,
    inputs={"dataset": Input("dataset", "DATASET", "what ingest wrote", each="*.parquet")},
    output="dataset",
    origin=__name__,
    uses=("robotid.contracts.dataset", "robotid.contracts.recording", "robotid.signals"),
    libraries=("numpy", "pyarrow.parquet", "pydantic", "scipy.signal"),
    run=run,
    gather=gather,
    part_file="recording.parquet",
)
