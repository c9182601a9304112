"""An error beside those of baselines: in words which is better, and by how much."""

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

_EQUAL = 0.02  # errors that differ by less are about as large
_EXACT = 1e-12  # in SI units: smaller errors are rounding, and no ratio of them means anything


class Compared(NamedTuple):
    """An error beside that of the best baseline.

    Args:
        better: true, false, or None where there is no telling.
        said: that in words.
    """

    better: bool | None
    said: str


class Beside(NamedTuple):
    """The same for a table in which the baselines stand beside it.

    Args:
        better: as above.
        amount: such as "5 times less".
        than: the best baseline in words, such as "than the robot file".
        best: its short name; None without one.
    """

    better: bool | None
    amount: str
    than: str = ""
    best: str | None = None


def compared(
    own: float | None, baselines: Mapping[str, float | None], names: Mapping[str, str]
) -> Compared:
    """An error beside the least of its baselines; `names` are those in words."""
    found = beside(own, baselines, names)
    return Compared(found.better, " ".join(filter(None, (found.amount, found.than))))


def beside(
    own: float | None, baselines: Mapping[str, float | None], names: Mapping[str, str]
) -> Beside:
    """An error beside the least of its baselines, amount and baseline apart."""
    known = {name: value for name, value in baselines.items() if value is not None}
    if own is None or not known:
        return Beside(None, "–")
    name = min(known, key=lambda key: known[key])
    best, called = known[name], names.get(name, name)
    if best <= _EXACT < own:
        return Beside(False, "more", f"than {called}, which has none", name)
    if best <= _EXACT or abs(own - best) <= _EQUAL * best:
        return Beside(None if own <= best else False, "about as much", f"as {called}", name)
    if own > best:
        return Beside(False, f"{_times(own / best)} as much", f"as {called}", name)
    return Beside(True, f"{_times(best / own if own else inf)} less", f"than {called}", name)


def _times(ratio: float) -> str:
    if ratio > 1000:
        return "over 1000 times"
    return f"{ratio:.0f} times" if ratio >= 10 else f"{ratio:.2g} times"
