"""What a check has to say."""

from typing import NamedTuple

from robotid.errors import Notice


class Finding(NamedTuple):
    """A notice, and whether the recording is refused unless the user accepts its code."""

    notice: Notice
    refused: bool


class Interval(NamedTuple):
    """Samples of a column not to be trusted: from `first` to `last`, both included [ns]."""

    code: str
    column: str
    first: int
    last: int


def seconds(t: int) -> float:
    """Nanoseconds as they stand in a notice."""
    return t / 1e9


def percent(share: float) -> str:
    """A share in words, never rounded to nothing."""
    return f"{100 * share:.2g} %" if share < 0.995 or share == 1 else f"{100 * share:.4g} %"


def duration(t: int) -> str:
    """A time span in words."""
    s = t / 1e9
    return f"{s:.3g} s" if s >= 1 else f"{1e3 * s:.3g} ms"
