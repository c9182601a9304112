"""`predictions.json`: torques that a fitted model predicts for recordings, and their errors.

Beside it lies a Parquet file per recording with `t`, `tau_pred.<joint>`, and `tau.<joint>` where
that was measured.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robotid.contracts.splits import Split
from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

INDEX = "predictions.json"
ERRORS = "errors.json"  # of one recording, before they are gathered


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JointErrors(_Part):
    """Errors e = tau - tau_pred of a joint; null where a figure has no value.

    Args:
        rmse: root mean square [N m, or N].
        mean: what is left of it on average.
        largest: the largest absolute one.
        largest_at_s: when that was.
        relative: |e| / |tau|.
        r2: 1 - nmse_var.
        nmse_var: mean(e²) / var(tau).
        nmse_range: mean(e²) over the square of the range of torque in the training data.
    """

    rmse: float
    mean: float
    largest: float
    largest_at_s: float
    relative: float | None
    r2: float | None
    nmse_var: float | None
    nmse_range: float | None


class Outside(_Part):
    """A motion that left the range of the training data, by more than a small part of that.

    Args:
        share: of the samples that lie outside.
        beyond: how far at most [rad or m, per s, per s²].
    """

    share: float
    beyond: float


class PredictedRecording(_Part):
    """What was predicted of a recording; joints without measured torque have no errors.

    `outside` is by joint and signal (q, qd, qdd), for those that left the range of the training.
    """

    samples: int
    rate_hz: float
    duration_s: float
    errors: dict[str, JointErrors | None]
    outside: dict[str, dict[str, Outside]] = {}


class PredictionIndex(_Part):
    """The content of `predictions.json`."""

    format: Literal[1] = 1
    fit_sha256: str = Field(description="Digest of the fit folder.")
    model: str
    robot: str
    joints: list[str]
    recordings: dict[str, PredictedRecording]
    splits: dict[str, Split] = Field(description="Of the dataset, not of the fit.")


def write_recording_errors(folder: Path, found: PredictedRecording) -> None:
    """Write the errors of one recording."""
    (folder / ERRORS).write_text(found.model_dump_json(), encoding="utf-8")


def read_recording_errors(folder: Path) -> PredictedRecording:
    """Read the errors of one recording."""
    return PredictedRecording.model_validate_json((folder / ERRORS).read_bytes())


def write_predictions(folder: Path, index: PredictionIndex) -> None:
    """Write `predictions.json`."""
    (folder / INDEX).write_text(index.model_dump_json(indent=1), encoding="utf-8")


def read_predictions(folder: Path) -> PredictionIndex:
    """Read `predictions.json`."""
    path = folder / INDEX
    try:
        return PredictionIndex.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not predictions as robotid writes them: {first_fault(error)}"
        raise BadDataError("bad-predictions", said, file=str(path)) from error
