"""What a user may say of logs on the command line or in a pipeline: the keys of `ingest`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from robotid.errors import nearest
from robotid.ingestion.column_map import Stretches

# Findings for which a recording is refused unless the user says that it is right all the same.
ACCEPTABLE = frozenset(
    {
        "ambiguous-wrap",
        "base-missing",
        "base-of-fixed-robot",
        "base-velocity-frame",
        "base-velocity-unit",
        "computed-torque",
        "contact-scale",
        "contact-sign",
        "dead-channel",
        "duplicate-times",
        "gravity-direction",
        "gravity-in-acceleration",
        "looks-like-degrees",
        "looks-like-millimetres",
        "missing-values",
        "odd-rate",
        "out-of-order",
        "q-and-qd-swapped",
        "torque-of-other-joint",
        "torque-scale",
        "torque-sign",
        "unsigned-torque",
        "velocity-of-other-joint",
        "velocity-sign",
        "velocity-unit",
    }
)


class IngestOptions(BaseModel):
    """Times, what to leave out, what to accept, and which recordings are held out."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    stream: str | None = Field(
        default=None, description="The topic or group to read, where a log has several."
    )
    time_column: str | None = Field(
        default=None, description="The column of times; stands above that of the map."
    )
    time_unit: str | None = Field(
        default=None, description="Unit of the times: s, ms, us or ns; stands above the map."
    )
    rate_hz: float | None = Field(
        default=None,
        ge=1e-3,
        le=1e9,
        description="Samples per second, where there is no column of times.",
    )
    gap_steps: float = Field(
        default=3.0, ge=1.5, le=1e6, description="A step longer than this many usual ones is a gap."
    )
    exclude: Stretches = Field(
        default=(), description="A stretch to leave out, as T0:T1 [s from the start]."
    )
    fill: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Interpolate where at most this many samples in a row have no value.",
    )
    accept: tuple[str, ...] = Field(
        default=(), description="The code of a finding that would be refused, to accept it."
    )
    mask: tuple[str, ...] = Field(
        default=(),
        description="Leave out samples that are saturated, stuck or spikes (lossy); repeat it.",
    )
    allow_loss: str = Field(
        default="0%", description="The share of samples that may be lost without exit code 3."
    )
    train: tuple[str, ...] = Field(
        default=(), description="Recordings for training: names, patterns, or a share as 0.6."
    )
    val: tuple[str, ...] = Field(
        default=(), description="Recordings for validation: names, patterns, or a share as 0.2."
    )
    test: tuple[str, ...] = Field(
        default=(),
        description="Recordings held out for the test: names, patterns, or a share as 0.2. "
        "Without any, the last of several recordings is held out.",
    )

    @model_validator(mode="after")
    def _column_or_rate(self) -> Self:
        if self.rate_hz is not None and self.time_column is not None:
            raise ValueError("either a column of times or a rate: --time-column or --rate-hz")
        return self

    @field_validator("accept")
    @classmethod
    def _acceptable(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for code in given:
            if code not in ACCEPTABLE:
                raise ValueError(
                    f"no finding {code!r} can be accepted; {nearest(code, ACCEPTABLE)}"
                )
        return given

    @field_validator("allow_loss")
    @classmethod
    def _percent(cls, given: str) -> str:
        percent(given)
        return given

    @field_validator("mask")
    @classmethod
    def _maskable(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for name in given:
            if name not in ("saturated", "stuck", "spike"):
                raise ValueError(f"{name!r} is not saturated, stuck or spike")
        return given


def percent(text: str) -> float:
    """A share from a text such as 2.5% or 2.5."""
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ValueError(f"{text!r} is not a percentage from 0% to 100%")
    return value / 100
