"""Where in a result a figure stands: `metrics.test.rmse.mean`, `outcomes[gain=soft].rmse.mean`.

With a pattern of names before it, `arm*: metrics.test.rmse.mean`, other results do not count.
Names are separated by dots; what holds one may be in quotes. Of a list, `[key=value]` picks the
entries with that value (several can stand one after the other), and a figure of several is their
mean, or, with `median of` before the path, their median. Without brackets all entries count. `*`
stands for every name: `recordings.*.errors.*.rmse`. `A or B` is B where a result has no A.
"""

import re
import statistics
from typing import Any, NamedTuple

_STEP = re.compile(r"""(?:"([^"]*)"|([^."\[\]]+))((?:\[[^\[\]=]+=[^\[\]]*\])*)(?:\.|$)""")
_OF = re.compile(r"(?:(?P<names>[^:\"]+):\s+)?(?P<median>median\s+of\s+)?(?P<path>.+)")
_OR = re.compile(r"\s+or\s+")
_CHOICE = re.compile(r"\[([^\[\]=]+)=([^\[\]]*)\]")


class Step(NamedTuple):
    """A name, and which entries of a list are meant."""

    name: str
    chosen: tuple[tuple[str, str], ...]


class Column(NamedTuple):
    """Which results count, as a pattern of their names, where their figure stands, and how.

    Of several paths, the first counts that a result has.
    """

    names: str
    paths: tuple[tuple[Step, ...], ...]
    median: bool = False


def column(text: str) -> Column:
    """A column from its text."""
    found = _OF.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no path such as metrics.test.rmse.mean")
    paths = tuple(parse(path) for path in _OR.split(found["path"]))
    return Column(found["names"] or "*", paths, bool(found["median"]))


def parse(text: str) -> tuple[Step, ...]:
    """The steps of a path."""
    steps, at = [], 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise ValueError(f"{text!r} is no path such as metrics.test.rmse.mean")
        chosen = tuple((key, value) for key, value in _CHOICE.findall(found[3]))
        steps.append(Step(found[1] if found[1] is not None else found[2], chosen))
        at = found.end()
    if not steps or text.endswith("."):
        raise ValueError(f"{text!r} is no path such as metrics.test.rmse.mean")
    return tuple(steps)


def figure(facts: Any, of: Column) -> float | None:
    """The figure of a column; None where a result has none there."""
    found = (_figure(facts, path, median=of.median) for path in of.paths)
    return next((one for one in found if one is not None), None)


def _figure(facts: Any, path: tuple[Step, ...], *, median: bool) -> float | None:
    found = [facts]
    for step in path:
        found = [
            entry
            for one in found
            if isinstance(one, dict)
            for value in _named(one, step.name)
            for entry in _entries(value)
            if all(_same(entry, key, value) for key, value in step.chosen)
        ]
    known = [x for x in found if x is not None]
    if not known or len(known) < len(found):  # of several one that is missing spoils the mean
        return None
    numbers = [float(x) for x in known if isinstance(x, int | float)]
    if len(numbers) < len(known):
        return None
    return statistics.median(numbers) if median else sum(numbers) / len(numbers)


def _named(facts: dict[str, Any], name: str) -> list[Any]:
    if name == "*":
        return list(facts.values())
    return [facts[name]] if name in facts else []


def _entries(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _same(entry: Any, key: str, wanted: str) -> bool:
    """Numbers are compared as such; what is true or false is written as in JSON."""
    if not isinstance(entry, dict) or key not in entry:
        return False
    value = entry[key]
    if isinstance(value, bool):
        return wanted == ("true" if value else "false")
    if isinstance(value, int | float):
        try:
            return float(value) == float(wanted)
        except ValueError:
            return False
    return str(value) == wanted
