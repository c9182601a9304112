"""What writers of formats are given and what they give back."""

from typing import NamedTuple

from robotid.contracts.fit import AnyFit
from robotid.errors import Notice
from robotid.models.from_fit import FittedRobot
from robotid.models.learned_from_fit import FittedLearned


class Request(NamedTuple):
    """A fit, and how to export it.

    Args:
        fitted: the fit, its robot and its model.
        fit_sha256: digest of the fit folder.
        allow_infeasible: write links that are no rigid bodies.
        payload_frame: the link in whose frame a payload is wanted; None for that of the fit.
        allow_unidentified: write a payload whose mass or centre the data do not show.
    """

    fitted: FittedRobot
    fit_sha256: str
    allow_infeasible: bool = False
    payload_frame: str | None = None
    allow_unidentified: bool = False

    @property
    def origin(self) -> list[str]:
        """Where a generated file comes from, in lines for a comment."""
        return origin_of(self.fitted.fit, self.fit_sha256)


class LearnedRequest(NamedTuple):
    """A learned model, and the digest of its fit folder."""

    fitted: FittedLearned
    fit_sha256: str

    @property
    def origin(self) -> list[str]:
        """Where a generated file comes from, in lines for a comment."""
        return origin_of(self.fitted.fit, self.fit_sha256)


def origin_of(fit: AnyFit, fit_sha256: str) -> list[str]:
    """The fit, its model and its verdict."""
    verdict = "usable" if fit.verdict.usable else "NOT USABLE"
    return [
        f"Written by robotid from the fit with digest {fit_sha256};",
        f"robot {fit.robot.name}, model {fit.model}, verdict: {verdict}.",
    ]


class Written(NamedTuple):
    """The content of a file, compared with the model already.

    Args:
        file: its name.
        content: its bytes.
        checked: what was compared; empty if nothing could be.
        difference: the largest one, relative.
        notices: findings.
    """

    file: str
    content: bytes
    checked: str
    difference: float | None = None
    notices: tuple[Notice, ...] = ()
