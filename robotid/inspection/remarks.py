"""What there is to say of a proposed map: why something was chosen, and what a user must check."""

from typing import NamedTuple


class Remark(NamedTuple):
    """One thing to say of a table of a map.

    Args:
        table: `time`, `q`, `tau`, …; `joints` for what stands at the top.
        text: in words.
        check: whether a user has to look at it, because it is a guess or is missing.
        line: a line of TOML that would settle it, to be shown as a comment.
    """

    table: str
    text: str
    check: bool = False
    line: str | None = None


class Passed(NamedTuple):
    """Columns that were not chosen for a signal, and why."""

    table: str
    columns: str
    reason: str
