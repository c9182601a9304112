"""What is said to hold between rows of a table: `A < B in column`, `A ~ B in column`.

`<` is less, `<<` less than half, `~` within a tenth (or `within` another share). `A < B, C` is a
claim on each pair. Figures are means over seeds; a row without a figure, such as motions
that were all stopped, counts as worst.
"""

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from robotid.contracts.conclusion import Conclusion
from robotid.contracts.table import Figure, Row

_FORM = re.compile(
    r"(?P<left>.+?)\s*(?P<sign><<|<|~)\s*(?P<right>.+?)\s+in\s+(?P<column>.+?)"
    r"(?:\s+within\s+(?P<within>[0-9.]+)\s*%)?"
)
_HALF = 0.5
_ALIKE = 10.0  # per cent


class Claim(NamedTuple):
    """Rows to the left have less (`<`, `<<`) of a column than each to the right, or as much."""

    text: str
    left: tuple[str, ...]
    sign: str
    right: tuple[str, ...]
    column: str
    within: float


def parse(text: str) -> Claim:
    """A claim from its text."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no claim such as 'hybrid < rigid in test'")
    left, right = (tuple(name.strip() for name in found[side].split(",")) for side in
                   ("left", "right"))  # fmt: skip
    within = float(found["within"]) if found["within"] else _ALIKE
    return Claim(text.strip(), left, found["sign"], right, found["column"].strip(), within)


def concluded(claim: Claim, rows: Mapping[str, Row]) -> Conclusion:
    """Whether a claim holds of these rows, and of the published figures."""
    own: list[bool | None] = []
    theirs: list[bool | None] = []
    for a in claim.left:
        for b in claim.right:
            own.append(_holds(claim, _mean(rows[a], claim), _mean(rows[b], claim)))
            given = (rows[name].published.get(claim.column) for name in (a, b))
            theirs.append(_holds(claim, *given))
    names = (*claim.left, *claim.right)
    said = "Here " + ", ".join(_said(rows[name], claim.column) for name in names)
    printed = [
        f"{name} {rows[name].published[claim.column]:.3g}"
        for name in names
        if claim.column in rows[name].published
    ]
    if printed:
        verdict = {True: "held", False: "did not hold", None: ""}[_all(theirs)]
        said += f"; published {', '.join(printed)}" + (f" ({verdict})" if verdict else "")
    return Conclusion(claim=claim.text, holds=_all(own), found=f"{said}.")


def _holds(claim: Claim, a: float | None, b: float | None) -> bool | None:
    if a is None or b is None:
        return None
    if claim.sign == "~":
        return abs(a - b) <= claim.within / 100 * max(abs(a), abs(b))
    return a < (_HALF if claim.sign == "<<" else 1.0) * b


def _all(found: list[bool | None]) -> bool | None:
    """False if one is; else unknown if one is; else true."""
    if any(one is False for one in found):
        return False
    return None if any(one is None for one in found) else True


def _mean(row: Row, claim: Claim) -> float | None:
    """Infinite where results have no such figure: they failed to have one."""
    cell = row.cells.get(claim.column)
    if cell is not None:
        return cell.mean
    return math.inf if row.results and claim.sign != "~" else None


def _said(row: Row, column: str) -> str:
    cell = row.cells.get(column)
    return f"{row.name} {'none' if cell is None else shown(cell)}"


def shown(figure: Figure) -> str:
    """A figure with its spread."""
    if figure.std is None or figure.std == 0:
        return f"{figure.mean:.3g}"
    return f"{figure.mean:.3g} ± {figure.std:.2g}"
