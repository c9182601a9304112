"""`filter`: recordings on a uniform grid, smooth, with velocities and accelerations."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from robotid import progress
from robotid.errors import BadDataError, Effect, Notice
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig


class FilterConfig(StageConfig):
    """The low-pass filter."""

    cutoff_hz: float = Field(
        default=5.0, gt=0, description="Cut-off of the Butterworth low-pass [Hz], design value."
    )
    order: int = Field(default=4, ge=1, le=12, description="Order of the Butterworth low-pass.")


def run(config: FilterConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Filter one recording, segment by segment; the filter's transients are cut off."""
    import numpy as np

    from robotid.contracts.recording import FilterFacts, read_recording, write_recording
    from robotid.signals.butterworth import derivative, design, memory, smooth
    from robotid.signals.grid import resample, segments

    path = inputs["dataset"][0].path
    columns, facts = read_recording(path)
    joints = [joint.name for joint in facts.joints]
    t = columns["t"] / 1e9
    step, pieces = segments(t)
    sections = design(config.cutoff_hz, config.order, 1.0 / step)
    trim = memory(sections)
    names = [name for name in columns if name != "t"]
    raw = np.column_stack([columns[name] for name in names]).astype(np.float64)
    kept: list[dict[str, np.ndarray]] = []
    notices, trimmed, short = [], 0, 0
    for number, piece in enumerate(pieces):
        progress.report(number, len(pieces), "filtering")
        if piece.stop - piece.start < 4 * trim:
            short += piece.stop - piece.start
            notices.append(_too_short(piece.stop - piece.start, 4 * trim, float(t[piece.start])))
            continue
        grid, values = resample(t[piece], raw[piece], step)
        filtered = dict(zip(names, smooth(values, sections).T, strict=True))
        for joint in joints:
            if f"qd.{joint}" not in filtered:
                position = filtered[f"q.{joint}"]
                filtered[f"qd.{joint}"] = derivative(position[:, None], step)[:, 0]
            velocity = filtered[f"qd.{joint}"]
            filtered[f"qdd.{joint}"] = derivative(velocity[:, None], step)[:, 0]
        inner = slice(trim, grid.size - trim)
        trimmed += 2 * trim
        kept.append(
            {
                "t": np.round(grid[inner] * 1e9).astype(np.int64),
                "segment": np.full(grid[inner].size, number, dtype=np.int64),
                **{name: signal[inner] for name, signal in sorted(filtered.items())},
            }
        )
    if not kept:
        raise BadDataError(
            "too-short",
            f"no stretch without a gap is longer than {4 * trim} samples ({4 * trim * step:.2f} s)",
            hint="a higher cutoff_hz has a shorter memory",
        )
    result = {name: np.concatenate([part[name] for part in kept]) for name in kept[0]}
    dropped = {**facts.dropped, **({"too-short": short} if short else {})}
    filter_facts = FilterFacts(cutoff_hz=config.cutoff_hz, order=config.order, trimmed=trimmed)
    update = {
        "samples": int(result["t"].size),
        "rate_hz": 1.0 / step,
        "dropped": dropped,
        "filter": filter_facts,
    }
    write_recording(out_dir, result, facts.model_copy(update=update))
    return notices


def _too_short(samples: int, needed: int, start: float) -> Notice:
    return Notice(
        code="segment-too-short",
        message=f"a stretch of {samples} samples between gaps was left out; {needed} are needed",
        time=start,
        effect=Effect.DATA_LOST,
    )


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
    summary="Low-pass the recordings of a dataset and estimate accelerations.",
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
