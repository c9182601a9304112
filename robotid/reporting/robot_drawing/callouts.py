"""Labels beside a drawing that do not cover each other, each with a line to what it names."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_STEP = 15.0  # from one label to the next [px]
_GAP = 4.0  # between text and its line
_LONGEST = 16  # letters of a label
_LETTER = 8.8  # pixels of a letter, on small screens with wide letters
_MARGIN = 6.0  # between a label and the edge of the drawing [px]
_SIGN = 2  # letters that the sign before a label with a note is wide


class Anchor(NamedTuple):
    """What a label names and where that is [px]; `text` is followed by `note` in other words."""

    text: str
    x: float
    y: float
    note: str = ""


class Callout(NamedTuple):
    """A label on paper: its text and end, and the line to its anchor as an SVG path."""

    text: str
    whole: str
    note: str
    x: float
    y: float
    left: bool
    line: str


def callouts(
    anchors: Sequence[Anchor], left: float, right: float, top: float, bottom: float
) -> list[Callout]:
    """Labels in two columns, in the order of their anchors from above.

    Args:
        anchors: what to label.
        left: where labels of the left column end [px].
        right: where those of the right one begin.
        top: the highest a label may be.
        bottom: the lowest.
    """
    across = sorted(anchors, key=lambda anchor: (round(anchor.x), round(anchor.y)))
    half = len(across) // 2
    found = []
    for column, at, is_left in ((across[:half], left, True), (across[half:], right, False)):
        ordered = sorted(column, key=lambda anchor: anchor.y)
        heights = spread([anchor.y for anchor in ordered], top, bottom)
        for anchor, height in zip(ordered, heights, strict=True):
            start = at + _GAP if is_left else at - _GAP
            found.append(
                Callout(
                    text=shortened(anchor.text),
                    whole=anchor.text,
                    note=anchor.note,
                    x=at,
                    y=round(height, 1),
                    left=is_left,
                    line=f"M{start:.1f} {height:.1f}L{anchor.x:.1f} {anchor.y:.1f}",
                )
            )
    return found


def width_for(anchors: Iterable[tuple[str, str]]) -> float:
    """The width that a column of labels needs, of texts with their notes [px]."""
    letters = [len(shortened(text)) + (_SIGN if note else 0) for text, note in anchors]
    return _LETTER * max(letters, default=0) + _MARGIN


def room_for(labels: int) -> float:
    """The height that two columns of so many labels need [px]."""
    return _STEP * ((labels + 1) // 2)


def spread(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Heights near those wanted (ascending), a label apart, between top and bottom."""
    heights: list[float] = []
    for height in wanted:
        heights.append(max(height, heights[-1] + _STEP if heights else top))
    lowest = bottom
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], lowest)
        lowest = heights[place] - _STEP
    return heights


def shortened(text: str) -> str:
    """A text of at most so many letters as there is room for; the end tells links apart."""
    if len(text) <= _LONGEST:
        return text
    keep = _LONGEST - 1
    return f"{text[: keep // 2]}…{text[-(keep - keep // 2) :]}"
