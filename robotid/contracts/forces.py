"""`Forces`: which generalised forces of a robot are compared with those of a model."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Forces(BaseModel):
    """All rows, those of a floating base alone, or what contacts cannot hide of all of them.

    With `projected`, contact forces are not known, only where they act: of all generalised forces
    the part counts that no force there can have. Row by row it is (1 - Jᵀ (Jᵀ)⁺) τ.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["all", "base", "projected"] = "all"
    links: tuple[str, ...] = Field(
        default=(), description="Links that contacts act on, where their forces are not known."
    )
    moments: bool = Field(
        default=False, description="Whether contacts also turn these links, as flat feet do."
    )
