"""`report.json`: what a report says, before it is laid out."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from robotid.contracts.fit import FitResult


class ReportFacts(BaseModel):
    """The fits by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    fits: dict[str, FitResult]
