"""Limits that a user sets: a fit beyond one of them is not to be used."""

from pydantic import BaseModel, ConfigDict, Field


class GateOptions(BaseModel):
    """Part of a stage's configuration; a limit that is not given is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_rmse: float | None = Field(
        default=None,
        gt=0,
        description="Largest error on held-out data of any joint [N m, or N]; more is exit code 4.",
    )
    max_relative: float | None = Field(
        default=None,
        gt=0,
        description="Largest error on held-out data of any joint, as a share of its torque; more "
        "is exit code 4.",
    )
    max_condition: float | None = Field(
        default=None,
        ge=1,
        description="Largest condition number of the data, columns normed to one; more is exit "
        "code 4.",
    )
    max_overfit: float | None = Field(
        default=None,
        ge=1,
        description="Largest error on held-out data over that on training data, of any joint; more "
        "is exit code 4.",
    )
    full_rank: bool = Field(
        default=False,
        description="Exit code 4 when the motion does not show all base parameters.",
    )
