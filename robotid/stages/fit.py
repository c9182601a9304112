"""`fit`: parameters of a model from filtered data, with their uncertainty."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from robotid.errors import BadDataError, Effect, Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.dataset import DatasetIndex
    from robotid.contracts.fit import FilteredData


class FitConfig(StageConfig):
    """Which model, and how it is fitted."""

    model: Literal["ols"] = Field(default="ols", description="ols: ordinary least squares.")


def run(config: FitConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Fit one revolute joint under gravity with friction by least squares."""
    del config  # there is one model so far
    import numpy as np

    from robotid.contracts.dataset import read_index
    from robotid.contracts.fit import FIT
    from robotid.contracts.recording import read_recording
    from robotid.fitting.pendulum import Motion, fit_pendulum
    from robotid.signals.splits import by_split

    folder = inputs["dataset"][0].path
    index = read_index(folder)
    if len(index.joints) != 1:
        said = f"the dataset has {len(index.joints)} joints; this model is for one"
        raise BadDataError("one-joint-only", said)
    joint = index.joints[0].name
    recordings = {name: read_recording(folder / f"{name}.parquet")[0] for name in index.recordings}
    for name, columns in recordings.items():
        for signal, hint in (("qdd", "filter the dataset first"), ("tau", "torque is needed")):
            if f"{signal}.{joint}" not in columns:
                said = f"recording {name} has no {signal}.{joint}"
                raise BadDataError("signal-missing", said, joint=joint, hint=hint)
    splits = by_split(recordings, index.splits, index.intervals)
    motions = {
        split: Motion(*(np.concatenate([c[f"{s}.{joint}"] for c in parts]) for s in Motion._fields))
        for split, parts in splits.items()
        if parts
    }
    for split, purpose in (("train", "training"), ("test", "the test")):
        if split not in motions or motions[split].tau.size == 0:
            said = f"no data are left for {purpose}"
            raise BadDataError(
                "no-data", said, hint="record more, choose other splits, or filter with hold_out"
            )
    independent = [
        2 * facts.filter.cutoff_hz / facts.rate_hz if facts.filter else 1.0
        for facts in index.recordings.values()
    ]
    result = fit_pendulum(
        joint,
        motions,
        independent=min([1.0, *independent]),
        split_by="segment" if index.intervals else "recording",
    )
    result = result.model_copy(update={"filtered": _filtered(index)})
    (out_dir / FIT).write_text(result.model_dump_json(indent=1), encoding="utf-8")
    notices = [
        Notice(code=reason.code, message=reason.message, hint=reason.hint, effect=Effect.QUALITY)
        for reason in result.verdict.reasons
    ]
    if index.intervals:
        said = "the test is the end of a training recording, which says less than another would"
        notices.append(Notice(code="split-within-recording", message=said, hint="record another"))
    return notices


def _filtered(index: "DatasetIndex") -> "dict[str, FilteredData]":
    """How the first recording of each split was filtered, for the report."""
    from robotid.contracts.fit import FilteredData

    first = {split: name for name, split in reversed(index.splits.items())}
    found = {}
    for name in sorted(first.values()):
        facts = index.recordings[name]
        if facts.filter is not None and facts.filter.spectra is not None:
            found[name] = FilteredData(
                rate_hz=facts.rate_hz,
                cutoff_hz=facts.filter.cutoff_hz,
                effective_hz=facts.filter.effective_hz,
                **facts.filter.spectra.model_dump(),
            )
    return found


STAGE = Stage(
    name="fit",
    config=FitConfig,
    inputs={"dataset": Input("dataset", "DATASET", "what filter wrote")},
    output="fit",
    origin=__name__,
    uses=("robotid.contracts", "robotid.dynamics", "robotid.fitting", "robotid.signals.splits"),
    libraries=("numpy", "pyarrow.parquet", "pydantic", "scipy.linalg"),
    run=run,
)
