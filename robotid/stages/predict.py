"""`predict`: torques that a fitted model gives for the motions of recordings."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from robotid.errors import Effect, Notice
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.contracts.fit import AnyFit

_SAME_RATE = 0.01  # share of a rate that makes no difference


class PredictConfig(StageConfig):
    """Nothing to choose: model, robot and terms are those of the fit."""


def run(config: PredictConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Predict the torques of one recording, in constant memory."""
    del config
    from robotid.contracts.predictions import PredictedRecording, write_recording_errors
    from robotid.contracts.recording import RecordingWriter
    from robotid.models.prediction import Predictor
    from robotid.models.torque_models import read_torque_model

    fitted = read_torque_model(inputs["fit"][0].path)
    gains = {gain.joint: gain.value for gain in fitted.fit.gains}
    path = inputs["dataset"][0].path
    predictor = Predictor(fitted.model, path, fitted.fit.torque, gains, fitted.fit.ranges)
    with RecordingWriter(out_dir) as writer:
        for batch in predictor.batches():
            writer.write(batch, reused=False)
        writer.finish(predictor.facts)
    facts = predictor.facts
    found = PredictedRecording(
        samples=facts.samples,
        rate_hz=facts.rate_hz,
        duration_s=facts.duration_s,
        errors=predictor.errors(),
        outside=predictor.outside(),
    )
    write_recording_errors(out_dir, found)
    return [*predictor.notices(), *_other_rate(fitted.fit, facts.rate_hz, str(path))]


def _other_rate(fit: "AnyFit", rate_hz: float, file: str) -> list[Notice]:
    """What a network remembers lasts for samples: at another rate it is another time."""
    from robotid.contracts.learned import LearnedResult

    if not isinstance(fit, LearnedResult) or fit.learning.length == 1:
        return []
    own = fit.learning.rate_hz
    if abs(rate_hz - own) <= _SAME_RATE * own:
        return []
    said = f"{rate_hz:g} samples per second, but the memory of the model was trained with {own:g}"
    hint = "filter to that rate (rate_hz)"
    return [Notice(code="other-rate", message=said, file=file, hint=hint)]


def gather(
    config: PredictConfig, inputs: Inputs, parts: Iterable[Source], out_dir: Path
) -> list[Notice]:
    """Write the index; what there is to say of the fit is said once."""
    del config
    from robotid.contracts.any_fit import read_any_fit
    from robotid.contracts.dataset import read_index
    from robotid.contracts.predictions import (
        PredictionIndex,
        read_recording_errors,
        write_predictions,
    )

    source = inputs["fit"][0]
    fit = read_any_fit(source.path)
    splits = read_index(inputs["dataset"][0].path).splits
    recordings = {part.name: read_recording_errors(part.path) for part in parts}
    index = PredictionIndex(
        fit_sha256=source.digest,
        model=fit.model,
        robot=fit.robot.name,
        joints=fit.joints,
        recordings=recordings,
        splits={name: splits[name] for name in recordings},
    )
    write_predictions(out_dir, index)
    if fit.verdict.usable:
        return []
    return [Notice(code="fit-not-usable", message=fit.verdict.sentence, effect=Effect.QUALITY)]


STAGE = Stage(
    name="predict",
    config=PredictConfig,
    inputs={
        "fit": Input("fit", "FIT", "what fit wrote"),
        "dataset": Input(
            "dataset", "DATASET", "what filter wrote", each="*.parquet", argument=True
        ),
    },
    output="predictions",
    origin=__name__,
    uses=(
        "robotid.contracts.any_fit",
        "robotid.contracts.dataset",
        "robotid.contracts.fit",
        "robotid.contracts.fit_sums",
        "robotid.contracts.fit_text",
        "robotid.contracts.finding",
        "robotid.contracts.fit_data",
        "robotid.contracts.forces",
        "robotid.contracts.forward",
        "robotid.contracts.learned",
        "robotid.contracts.repair",
        "robotid.contracts.predictions",
        "robotid.contracts.recording",
        "robotid.contracts.splits",
        "robotid.contracts.versions",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.information.projection",
        "robotid.information.samples",
        "robotid.models",
        "robotid.robot",
        "robotid.spatial",
        "robotid.types",
    ),
    libraries=("numpy", "pyarrow.parquet", "pydantic", "safetensors.torch", "torch"),
    extras=("mujoco",),
    run=run,
    gather=gather,
    part_file="recording.parquet",
)
