"""Something that was noticed while a log was read."""

from pydantic import BaseModel, ConfigDict


class Repair(BaseModel):
    """Something that was noticed while a log was read: how often, and where first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    count: int
    first: list[str]
