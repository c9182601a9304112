"""What a user may ask of the filter: the configuration keys of `filter`.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class FilterOptions(BaseModel):
    """Low-pass, differentiation, rate and averaging."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    cutoff_hz: float | Literal["auto"] = Field(
        default=5.0,
        description="Cut-off of the Butterworth low-pass [Hz], or auto: the one with the least "
        "predicted error of acceleration.",
    )
    cutoff_is: Literal["design", "effective"] = Field(
        default="design",
        description="What cutoff_hz is: design, -3 dB of one pass and -6 dB of both, as where "
        "scripts and papers say filtfilt; or effective, -3 dB of both.",
    )
    order: int = Field(default=4, ge=1, le=12, description="Order of the Butterworth low-pass.")
    signal_cutoff: tuple[str, ...] = Field(
        default=(),
        description="Another cut-off for some signals, as SIGNAL=HZ or SIGNAL.JOINT=HZ.",
    )
    velocity: Literal["log", "from-position"] = Field(
        default="log",
        description="Take velocities from the log where it has them, or always from positions.",
    )
    acceleration: Literal["central", "savitzky-golay", "spectral"] = Field(
        default="central", description="How filtered velocities are differentiated."
    )
    window: int = Field(
        default=11, ge=3, le=501, description="Samples of a Savitzky-Golay polynomial, odd."
    )
    polynomial: int = Field(
        default=3, ge=1, le=8, description="Degree of the Savitzky-Golay polynomial."
    )
    decimate: int = Field(
        default=1, ge=1, le=100_000, description="Keep every n-th of the filtered samples."
    )
    rate_hz: float | None = Field(
        default=None, gt=0, description="Samples per second of the result, instead of decimate."
    )
    gap_steps: float = Field(
        default=3.0, ge=1.5, le=1e6, description="A step longer than this many usual ones is a gap."
    )
    low_speed: float = Field(
        default=0.02,
        ge=0,
        description="The share of samples slower than this is recorded [rad/s or m/s].",
    )
    average_periods: bool = Field(
        default=False, description="Average over the periods of a periodic motion, then filter."
    )
    period_s: float | None = Field(
        default=None, gt=0, description="Period of the motion [s]; found from the data by default."
    )

    @field_validator("cutoff_hz", mode="before")
    @classmethod
    def _cutoff(cls, given: Any) -> Any:
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if not number and given != "auto":
            raise ValueError("a number or 'auto'")
        if number and not given > 0:
            raise ValueError("greater than 0")
        return given

    @field_validator("signal_cutoff")
    @classmethod
    def _cutoffs(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for text in given:
            _signal_cutoff(text)
        return given

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.window % 2 == 0:
            raise ValueError(f"window must be odd, not {self.window}")
        if self.polynomial >= self.window:
            raise ValueError(f"polynomial {self.polynomial} needs a window of more samples")
        if self.decimate > 1 and self.rate_hz is not None:
            raise ValueError("decimate and rate_hz say the same thing; give one of them")
        if self.period_s is not None and not self.average_periods:
            raise ValueError("period_s is for average_periods")
        return self

    def signal_cutoffs(self) -> dict[str, float]:
        """Cut-offs of their own by signal or column [Hz]."""
        return dict(_signal_cutoff(text) for text in self.signal_cutoff)


def _signal_cutoff(text: str) -> tuple[str, float]:
    name, equals, number = text.rpartition("=")
    try:
        cutoff_hz = float(number)
    except ValueError:
        cutoff_hz = 0.0
    if not (name and equals and 0 < cutoff_hz < float("inf")):
        raise ValueError(f"{text!r} is not SIGNAL=HZ")
    return name, cutoff_hz
