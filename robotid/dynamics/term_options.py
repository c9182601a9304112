"""Which terms joints have: configuration keys that stages share.

Light to import: pipeline files and help are read without numpy.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from robotid.dynamics.terms import DEFAULT_TERMS, TERMS, parse_specs


def _swapped(coupling: str) -> list[str]:
    """The same motor with its joints the other way round; names may have signs in them."""
    places = (at for at, letter in enumerate(coupling) if letter in "+-")
    found = (f"{coupling[at + 1 :]}{coupling[at]}{coupling[:at]}" for at in places)
    return [other for other in found if other != coupling]


class TermOptions(BaseModel):
    """Terms of all joints, of some of them, and motors that drive two joints."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: tuple[str, ...] = Field(
        default=DEFAULT_TERMS,
        description=f"What each joint has besides links: {', '.join(TERMS)}. A width [rad/s or "
        "m/s] goes in brackets, as in coulomb(0.05); of several the best is chosen.",
    )
    joint_terms: tuple[str, ...] = Field(
        default=(), description="What one joint has instead, as JOINT=TERM,TERM."
    )
    coupled: tuple[str, ...] = Field(
        default=(),
        description="A motor that drives two joints, with friction and a rotor of its own: J5+J6 "
        "if its speed is the sum of theirs, J5-J6 if it is the difference.",
    )

    @field_validator("terms")
    @classmethod
    def _known(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(str, parse_specs(given)))

    @field_validator("joint_terms")
    @classmethod
    def _of_joints(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        found: dict[str, str] = {}
        for text in given:
            joint, equals, terms = text.partition("=")
            if not equals or not joint.strip():
                raise ValueError(f"{text!r} is not JOINT=TERM,TERM")
            if joint.strip() in found:
                raise ValueError(f"joint {joint.strip()} is given twice")
            found[joint.strip()] = ",".join(map(str, parse_specs([terms])))
        return tuple(f"{joint}={terms}" for joint, terms in found.items())

    @field_validator("coupled")
    @classmethod
    def _couplings(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        texts = tuple(part.strip() for text in given for part in text.split(",") if part.strip())
        for text in texts:
            if texts.count(text) > 1:
                raise ValueError(f"{text} is given twice")
            if not any(sign in text[1:-1] for sign in "+-"):
                raise ValueError(f"{text!r} is not JOINT+JOINT or JOINT-JOINT")
            same = next((other for other in _swapped(text) if other in texts), None)
            if same is not None:
                raise ValueError(f"{text} and {same} are the same motor")
        return texts

    def layout_arguments(self) -> dict[str, Any]:
        """The same as arguments of `Layout`, besides the robot."""
        split = (text.partition("=") for text in self.joint_terms)
        return {
            "terms": self.terms,
            "joint_terms": {joint: (terms,) if terms else () for joint, _, terms in split},
            "coupled": self.coupled,
        }
