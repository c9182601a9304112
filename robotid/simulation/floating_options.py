"""What can be said of a simulated robot whose base floats: configuration keys.

Light to import: pipeline files and help are read without numpy.
"""

from pydantic import BaseModel, ConfigDict, Field

OF_FLOATING = "of a floating robot"


class FloatingOptions(BaseModel):
    """Its feet, how its base moves, and what is seen of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    feet: tuple[str, ...] = Field(
        default=(),
        description=f"Links that contacts act on, {OF_FLOATING}; by default those whose names end "
        "with foot.",
    )
    base_shift: float | None = Field(
        default=None,
        ge=0,
        description=f"How far the base goes along each axis at most, {OF_FLOATING} [m]; by default "
        "0.25, on a floor a twentieth of its height.",
    )
    base_tilt: float | None = Field(
        default=None,
        ge=0,
        le=1.5,
        description=f"How far the base rolls and pitches at most, {OF_FLOATING} [rad], and half as "
        "far as it turns; by default 0.5, on a floor 0.05.",
    )
    step_hz: float | None = Field(
        default=None,
        gt=0,
        le=10,
        description="How often each foot is lifted when stepping [Hz]; by default 1.5, of a robot "
        "with two feet 0.5.",
    )
    step_height: float = Field(
        default=0.04, gt=0, description="How far feet are lifted when stepping [m]."
    )
    noise_pose: float = Field(
        default=1e-5,
        ge=0,
        description=f"Noise of the pose of the base, {OF_FLOATING}, std [m, rad].",
    )
    noise_twist: float = Field(
        default=1e-3,
        ge=0,
        description=f"Noise of the velocity of the base, {OF_FLOATING}, std [m/s, rad/s].",
    )
    noise_contact: float = Field(
        default=0.002,
        ge=0,
        description=f"Noise of contact forces, {OF_FLOATING}, std, share of its weight; of moments "
        "with an arm of 0.1 m.",
    )
