"""Terms that joints add to the torque, in one table, and how they are written: `coulomb(0.02)`.

Every column of a term is one parameter times a function of the motor's motion, made of three parts:

    clip(gain x, low, high)     x is speed or acceleration; gain is 1, or one over a width
    exp(-(speed/width)²)        if the column fades (Stribeck)
    |torque of the links|       if it grows with the load, according to the robot file

or the sign of the last speed beyond a width (held). Light to import: numpy is not needed here.
"""

import math
from typing import Literal, NamedTuple

from robotid.errors import nearest

DEFAULT_TERMS = ("viscous", "coulomb", "offset", "rotor")
DEFAULT_COUPLED = ("viscous", "coulomb", "rotor")
WIDTH = 0.02  # rad/s or m/s: below it the sign of a velocity is not to be trusted

Kind = Literal["plain", "held", "fading", "loaded"]


class Form(NamedTuple):
    """A column: its label, what it is a function of, and between which bounds."""

    label: str
    kind: Kind = "plain"
    source: Literal["speed", "acceleration"] = "speed"
    low: float = -math.inf
    high: float = math.inf


class Term(NamedTuple):
    """A term of a joint.

    Args:
        forms: its columns.
        unit: of its parameters for a joint that turns.
        sliding_unit: for one that slides.
        positive: whether parameters cannot be negative.
        widths: widths where none is given [rad/s or m/s]; None for a term without one.
        nominal: field of `Joint` with the value of the robot file.
        summary: what it is.
        instead_of: a term that it contains as a special case.
    """

    forms: tuple[Form, ...]
    unit: str
    sliding_unit: str
    positive: bool
    widths: tuple[float, ...] | None
    nominal: str | None
    summary: str
    instead_of: str | None = None


_TORQUE = ("N m", "N")
_DAMPING = ("N m s/rad", "N s/m")

# In the order of the parameters of a joint.
TERMS: dict[str, Term] = {
    "viscous": Term(
        (Form("viscous"),), *_DAMPING, True, None, "damping", "friction in proportion to velocity"
    ),
    "viscous-asymmetric": Term(
        (Form("viscous+", low=0.0), Form("viscous-", high=0.0)),
        *_DAMPING, True, None, "damping", "the same, different in the two directions",
        instead_of="viscous",
    ),
    "coulomb": Term(
        (Form("coulomb", low=-1.0, high=1.0),),
        *_TORQUE, True, (WIDTH,), "friction",
        "friction of constant size against the motion; in proportion to velocity below a width",
    ),
    "coulomb-held": Term(
        (Form("coulomb-held", kind="held"),),
        *_TORQUE, True, (WIDTH,), "friction",
        "the same; below the width as it was before, and zero before the first motion",
    ),
    "coulomb-asymmetric": Term(
        (Form("coulomb+", low=0.0, high=1.0), Form("coulomb-", low=-1.0, high=0.0)),
        *_TORQUE, True, (WIDTH,), "friction", "different in the two directions",
        instead_of="coulomb",
    ),
    "stribeck": Term(
        (Form("stribeck", kind="fading", low=-1.0, high=1.0),),
        *_TORQUE, True, (0.02, 0.05, 0.1, 0.2, 0.5), None,
        "additional friction at low speed, which fades within a width",
    ),
    "load": Term(
        (Form("load", kind="loaded", low=-1.0, high=1.0),),
        "1", "1", True, (WIDTH,), None,
        "friction as a share of the torque that the links need according to the robot file",
    ),
    "offset": Term(
        (Form("offset", low=1.0, high=1.0),),
        *_TORQUE, False, None, None, "constant torque, such as that of a sensor's zero",
    ),
    "rotor": Term(
        (Form("rotor", source="acceleration"),),
        "kg m²", "kg", True, None, "rotor_inertia", "inertia of the rotor, seen from the joint",
    ),
}  # fmt: skip


class Spec(NamedTuple):
    """A term with its widths.

    Args:
        term: name in `TERMS`.
        widths: ascending; several are candidates of which one is to be chosen. Empty without one.
        saturation: of a Stribeck term, the width of the sign that it is multiplied with.
    """

    term: str
    widths: tuple[float, ...] = ()
    saturation: float = WIDTH

    def __str__(self) -> str:
        """As a user writes it; numbers that go without saying are left out."""
        said = list(map(repr, self.widths))
        if self.saturation != WIDTH:
            said.append(f"width={self.saturation!r}")
        elif self.widths == TERMS[self.term].widths:
            said = []
        return f"{self.term}({','.join(said)})" if said else self.term


def parse_spec(text: str) -> Spec:
    """A term from its text; a `ValueError` says what is wrong with it."""
    name, bracket, rest = text.strip().partition("(")
    if name not in TERMS:
        raise ValueError(f"no term {name!r}; {nearest(name, TERMS)}")
    widths, saturation = TERMS[name].widths, WIDTH
    if not bracket:
        return Spec(name, widths or ())
    if not rest.endswith(")"):
        raise ValueError(f"{text!r} has no closing bracket")
    if widths is None:
        raise ValueError(f"{name} has no width, but {text!r} gives it one")
    given = []
    for part in rest[:-1].split(","):
        key, equals, value = part.rpartition("=")
        number = _width(value, text)
        if not equals:
            given.append(number)
        elif key.strip() == "width" and name == "stribeck":
            saturation = number
        else:
            raise ValueError(f"{text!r}: no {key.strip()!r} in {name}; {nearest(key, ['width'])}")
    return Spec(name, tuple(sorted(set(given))) or widths, saturation)


def parse_specs(texts: list[str] | tuple[str, ...]) -> tuple[Spec, ...]:
    """A list of terms in the order of `TERMS`; texts may hold several, with commas between them."""
    specs = [parse_spec(part) for text in texts for part in _parts(text)]
    names = [spec.term for spec in specs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is given twice; several widths go into one bracket")
        if TERMS[name].instead_of in names:
            raise ValueError(f"{name} contains {TERMS[name].instead_of}; leave that out")
    return tuple(sorted(specs, key=lambda spec: list(TERMS).index(spec.term)))


def _parts(text: str) -> list[str]:
    """Cut at commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _width(text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{whole!r}: {text.strip()!r} is no number") from None
    if not 0 < number < math.inf:
        raise ValueError(f"{whole!r}: a width [rad/s or m/s] lies above zero")
    return number
