"""`ingest`: raw logs into a dataset."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from robotid.errors import BadDataError, Notice
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig

_LONGEST_S = 100 * 86400.0  # what is longer is a mistaken unit of time


class IngestConfig(StageConfig):
    """Which recordings are held out."""

    val: tuple[str, ...] = Field(
        default=(), description="Recordings for validation: names or patterns."
    )
    test: tuple[str, ...] = Field(
        default=(),
        description="Recordings held out for the test: names or patterns. "
        "Without any, the last of several recordings is held out.",
    )


def run(config: IngestConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Read one log into one recording."""
    del config  # only `gather` looks at it
    import numpy as np

    from robotid.contracts.recording import Joint, RecordingFacts, Repair, write_recording
    from robotid.logs.csv import read_csv

    _, path, digest = inputs["logs"][0]
    log = read_csv(path)
    if log.t.size < 2:
        raise BadDataError("no-samples", "fewer than two samples", file=str(path))
    t = log.t - log.t[0]
    if t[-1] > _LONGEST_S:
        raise BadDataError(
            "too-long",
            f"the recording lasts {t[-1] / 86400:.3g} days",
            file=str(path),
            hint="t is in seconds; is it in ms, µs or ns here?",
        )
    facts = RecordingFacts(
        joints=[Joint(name=name) for name in log.joints],
        source_sha256=digest,
        rate_hz=float(1.0 / np.median(np.diff(t))),
        duration_s=float(t[-1]),
        samples=int(t.size),
        dropped={notice.code: 1 for notice in log.notices},
        repairs=[
            Repair(code=notice.code, count=1, first=[f"line {notice.line}"])
            for notice in log.notices
        ],
    )
    columns = {"t": np.round(t * 1e9).astype(np.int64), **log.columns}
    write_recording(out_dir, columns, facts)
    return log.notices


def gather(
    config: IngestConfig, inputs: Inputs, parts: Sequence[Source], out_dir: Path
) -> list[Notice]:
    """Write the index: which recordings there are, and which are held out."""
    del inputs
    from robotid.contracts.dataset import assign_splits, write_index
    from robotid.contracts.recording import read_facts

    recordings = {part.name: read_facts(part.path) for part in parts}
    seen: dict[str, str] = {}
    for name, facts in recordings.items():
        other = seen.setdefault(facts.source_sha256, name)
        if other != name:
            raise BadDataError(
                "same-recording",
                f"{other} and {name} are the same recording: it would count twice",
                hint="leave one of them out",
            )
    write_index(out_dir, recordings, assign_splits(list(recordings), config.val, config.test))
    return []


STAGE = Stage(
    name="ingest",
    config=IngestConfig,
    inputs={"logs": Input("file", "LOG", "raw logs, one recording each", many=True, each="")},
    output="dataset",
    origin=__name__,
    uses=("robotid.contracts.dataset", "robotid.contracts.recording", "robotid.logs"),
    libraries=("numpy", "polars", "pyarrow.parquet", "pydantic"),
    run=run,
    gather=gather,
    part_file="recording.parquet",
    gather_keys=("val", "test"),
)
