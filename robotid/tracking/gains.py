"""How stiff the feedback is: gains by name or by value. Light to import: help needs no numpy."""

from typing import NamedTuple

from robotid.errors import nearest

# K of the first two joints and of the others [1/s²]; D = 2 √K.
NAMED: dict[str, tuple[float, float]] = {
    "soft": (1.0, 1.0),
    "medium": (50.0, 50.0),
    "stiff": (400.0, 200.0),
}
FORM = f"{', '.join(NAMED)}, K or K1,K2,… [1/s²], or such values with a name, NAME=K1,K2,…"


class Gain(NamedTuple):
    """A name, and values of K as they were given: one, or one per joint [1/s²]."""

    name: str
    values: tuple[float, ...]

    def of_joints(self, n: int) -> tuple[float, ...] | None:
        """K of each joint, n of them; None where as many values were not given."""
        if not self.values:
            first, others = NAMED[self.name]
            return ((first,) * 2 + (others,) * n)[:n]
        values = self.values * n if len(self.values) == 1 else self.values
        return values if len(values) == n else None


def parse_gain(text: str) -> Gain:
    """A gain from its text; a `ValueError` says what is wrong with it."""
    given = text.strip()
    if given in NAMED:
        return Gain(given, ())
    name, equals, values = given.rpartition("=")
    if equals and (not name.strip() or name.strip() in NAMED):
        raise ValueError(f"{text!r}: {name.strip()!r} cannot be the name of a gain of your own")
    try:
        numbers = tuple(float(part) for part in values.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is not {FORM}; {nearest(given, NAMED)}") from None
    # Written so that what is not a number is refused as well.
    if not all(0 < value < 1e9 for value in numbers):
        raise ValueError(f"{text!r}: gains lie above zero")
    return Gain(name.strip() or given, numbers)
