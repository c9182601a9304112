"""Something that was mended in a recording."""

from pydantic import BaseModel, ConfigDict


class Repair(BaseModel):
    """Something that was mended in a recording: how often, and where first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    count: int
    first: list[str]
