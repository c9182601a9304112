"""Splits: what data are for."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Split = Literal["train", "val", "test"]


class Interval(BaseModel):
    """A stretch of time of a recording that was cut, from its `t` [s], and the split it is in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    split: Split
    start_s: float
    end_s: float
