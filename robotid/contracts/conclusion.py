"""Something that is said of models, and whether it holds."""

from pydantic import BaseModel, ConfigDict


class Conclusion(BaseModel):
    """Something that is said of such models, and whether it holds here.

    Args:
        claim: in words.
        holds: null where these models and data cannot tell.
        close: it holds, by less than two standard errors of a difference.
        found: what was found, in words and numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: str
    holds: bool | None
    close: bool = False
    found: str
