"""Parts of `fit.json`: sums of parameters that data determine."""

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TotalMass(_Part):
    """Mass of all links of a floating robot [kg]: found, its deviation, and of the robot file.

    `std` holds how far bounds or a prior have moved the value from what the data say.
    """

    value: float
    std: float
    nominal: float


class ReducedParameter(_Part):
    """An essential base parameter, found again with those that are not left out."""

    name: str
    grouping: str
    unit: str
    value: float
    std: float
