"""Base parameters in words: `L2xx - L2zz + L3zz + 79/125 l3y + 372199/4000000 (m3 + m4)`.

Coefficients are computed in floating point, accurate to about 1e-14. Where the robot's measures are
decimal numbers and its axes at right angles they are short decimal numbers or simple fractions
themselves, and are recognised as such.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from robotid.dynamics.base_parameters import BaseParameters, base_parameters
from robotid.robot.tree import RobotTree

# A coefficient is taken for an exact number that it agrees with to this, relative to its size where
# that is above 1. An arbitrary real number passes for one of nine decimals in 1 of 250 cases; it is
# then changed by less than the tolerance.
EXACT_TO = 2e-12
DECIMALS = 9
DENOMINATOR = 1000

_KINDS = ("L", "l", "m")  # the order of terms: inertias, first moments, masses, then joint terms

Coefficient = Fraction | float


class Term(NamedTuple):
    """A coefficient and the parameter it multiplies."""

    coefficient: Coefficient
    name: str


class Grouping(NamedTuple):
    """A base parameter: the one that stays with coefficient 1, then those grouped with it."""

    terms: tuple[Term, ...]

    @property
    def name(self) -> str:
        """The parameter that it is called after."""
        return self.terms[0].name

    @property
    def exact(self) -> bool:
        """Whether all coefficients are recognised as exact numbers."""
        return all(isinstance(term.coefficient, Fraction) for term in self.terms)

    def text(self) -> str:
        """The sum in words; neighbours with the same coefficient share it."""
        result = ""
        for size, group in groupby(self.terms, key=_size):
            members = list(group)
            if size == "1" or len(members) == 1:
                factor = "" if size == "1" else f"{size} "
                for term in members:
                    result += f"{_sign(term)}{factor}{term.name}"
                continue
            turn = 1 if members[0].coefficient > 0 else -1
            inner = "".join(_sign(term, turn) + term.name for term in members)
            result += f"{_sign(members[0])}{size} ({inner.removeprefix(' + ')})"
        return result.removeprefix(" + ")


def exact_number(value: float) -> Fraction | None:
    """The simple fraction or short decimal number that a coefficient stands for, if any."""
    tolerance = EXACT_TO * max(1.0, abs(value))
    for candidate in (
        Fraction(value).limit_denominator(DENOMINATOR),
        Fraction(round(value * 10**DECIMALS), 10**DECIMALS),
    ):
        if candidate != 0 and abs(candidate - Fraction(value)) <= tolerance:
            return candidate
    return None


def groupings(base: BaseParameters) -> tuple[Grouping, ...]:
    """All base parameters, in the order of β."""
    return tuple(
        _grouping(base, row, base.names[column]) for row, column in enumerate(base.independent)
    )


def describe(robot: RobotTree, terms: Sequence[str] = ()) -> str:
    """The base parameters of a robot in its own frames, one on a line, and what has no effect."""
    base = base_parameters(robot, terms)
    first = 0 if robot.floating else 1
    numbers = (f"{first + body} {link}" for body, link in enumerate(robot.links))
    lines = [
        f"{robot.name}: {base.rank} base parameters of {len(base.names)}",
        f"bodies: {', '.join(numbers)}",
        *(f"{row:4d}  {grouping.text()}" for row, grouping in enumerate(groupings(base), 1)),
    ]
    if base.unidentifiable:
        never = ", ".join(base.names[column] for column in base.unidentifiable)
        lines.append(f"without effect: {never}")
    return "\n".join(lines) + "\n"


def _grouping(base: BaseParameters, row: int, name: str) -> Grouping:
    rest = []
    for value, column in zip(base.K[row].tolist(), base.dependent, strict=True):
        if value != 0:
            number = exact_number(value)
            rest.append((column, Term(value if number is None else number, base.names[column])))
    rest.sort(key=lambda item: (_kind(item[1].name), item[0]))
    return Grouping((Term(Fraction(1), name), *(term for _, term in rest)))


def _kind(name: str) -> int:
    letter = name.rstrip("xyz").rstrip("0123456789")
    return _KINDS.index(letter) if letter in _KINDS else len(_KINDS)


def _sign(term: Term, turn: int = 1) -> str:
    return " + " if turn * term.coefficient > 0 else " - "


def _size(term: Term) -> str:
    number = abs(term.coefficient)
    return str(number) if isinstance(number, Fraction) else f"{number:.6g}"
