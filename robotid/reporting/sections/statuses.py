"""What can be said of a parameter: a symbol that needs no colour, and words."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from robotid.contracts.fit import ParameterStatus


class Sign(NamedTuple):
    """The symbol of a status and what it means; `style` names it in the style sheet."""

    symbol: str
    words: str
    meaning: str
    style: str


STATUSES: dict[ParameterStatus, Sign] = {
    "identified": Sign("●", "identified", "known by itself", "identified"),
    "uncertain": Sign("▲", "uncertain", "known by itself, but by no better than 30 %", "uncertain"),
    "not vouched for": Sign(
        "△", "not vouched for", "known by itself, were this a fit to be used", "uncertain"
    ),
    "in combination": Sign("◐", "in combination", "known only in a sum with others", "combined"),
    "from prior": Sign("◇", "from prior", "the data add little to the prior", "prior"),
    "held by a bound": Sign(
        "◨", "held by a bound", "a constraint keeps it from what the data say", "held"
    ),
    "not excited": Sign("○", "not excited", "the data do not show it", "silent"),
}


class Count(NamedTuple):
    """How many parameters have a status."""

    sign: Sign
    number: int


def counts(statuses: Iterable[ParameterStatus]) -> list[Count]:
    """How often each status occurs, in the order of the table; those that do not are left out."""
    found = Counter(statuses)
    return [Count(sign, found[status]) for status, sign in STATUSES.items() if found[status]]
