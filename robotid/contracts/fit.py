"""`fit.json`: what a fit found, how well it predicts, and what of it to trust."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robotid.errors import BadDataError

FIT = "fit.json"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Metric(_Part):
    """A metric, averaged over the joints and for each; null where it has no value."""

    mean: float | None
    joints: dict[str, float | None]


Metrics = dict[str, dict[str, Metric]]  # by split, by metric


class Parameter(_Part):
    """An identified parameter; `std` is null where the data do not determine it."""

    name: str
    joint: str
    unit: str
    value: float
    std: float | None
    status: Literal["identified", "uncertain", "not excited"]


class Identifiability(_Part):
    """Rank of the data against the number of parameters, and the scaled condition number."""

    rank: int
    structural_rank: int
    condition: float | None


class Status(_Part):
    """How the fit ended, and what to do if it did not end well."""

    converged: bool
    message: str
    remedy: str | None = None


class Reason(_Part):
    """Why a fit should not be used, and what to do about it."""

    code: str
    message: str
    hint: str | None


class Verdict(_Part):
    """Whether a fit can be used, in one sentence, and the reasons if not."""

    usable: bool
    sentence: str
    reasons: list[Reason]


class FilteredData(_Part):
    """How a recording was filtered: cut-off, and power densities before and after.

    `cutoff_hz` is the design value of one pass, `effective_hz` where both passes have -3 dB;
    densities [unit²/Hz] are by column, at `frequency_hz`.
    """

    rate_hz: float
    cutoff_hz: float
    effective_hz: float | None
    frequency_hz: list[float]
    before: dict[str, list[float]]
    after: dict[str, list[float]]


class FitResult(_Part):
    """The content of `fit.json`."""

    format: Literal[1] = 1
    model: str
    joints: list[str]
    samples: dict[str, int]
    split_by: Literal["recording", "segment"]
    status: Status
    verdict: Verdict
    metrics: Metrics
    baselines: dict[str, Metrics]
    identifiability: Identifiability
    parameters: list[Parameter] = Field(min_length=1)
    filtered: dict[str, FilteredData] = {}


def read_fit(folder: Path) -> FitResult:
    """Read `fit.json`."""
    path = folder / FIT
    try:
        return FitResult.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"{error.error_count()} fields are not as expected: {error.errors()[0]['msg']}"
        raise BadDataError("bad-fit", said, file=str(path)) from error
