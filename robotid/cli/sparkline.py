"""A signal as a line of blocks."""

import os
from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_PLAIN = "_.-=+*#@"


def sparkline(means: Sequence[float | None], low: float, high: float, *, plain: bool) -> str:
    """One character per stretch, from the lowest value to the highest; blank where there is none.

    Args:
        means: of the stretches.
        low: what the lowest block stands for.
        high: what the highest stands for.
        plain: use ASCII.
    """
    marks = _PLAIN if plain else _BLOCKS
    # Halves, so that the span of the largest numbers is still finite.
    span = high / 2 - low / 2
    top = len(marks) - 1
    return "".join(
        " "
        if mean is None
        else marks[0 if not span > 0 else min(top, int((mean / 2 - low / 2) / span * len(marks)))]
        for mean in means
    )


def plain_terminal() -> bool:
    """Whether blocks may not be shown: a dumb terminal, or a locale that is not UTF-8."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "utf-8")
    return os.environ.get("TERM") == "dumb" or "utf" not in locale.lower()
