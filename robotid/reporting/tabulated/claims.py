"""What is said to hold between rows of a table: `A < B in column`, `A ~ B in column`.

`<` is less, `<<` less than half, `~` within a tenth (or `within` another share). `A < B, C` is a
claim on each pair, `A < 0.05` one on a number. Figures are means over seeds. A row some of whose
results lack the figure, such as motions that were stopped, counts as worst. A difference of less
than two standard errors of the means is said to be one that chance may have made.
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
_ERRORS = 2.0  # standard errors of a difference
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
    close = []
    for a in claim.left:
        for b in claim.right:
            left, right = (_side(name, rows, claim) for name in (a, b))
            own.append(_holds(claim, left.mean, right.mean))
            if own[-1] and claim.sign != "~" and not _apart(claim, left, right):
                close.append(f"{a} and {b}")
            theirs.append(_holds(claim, *(_published(name, rows, claim) for name in (a, b))))
    names = [name for name in (*claim.left, *claim.right) if name in rows]
    said = "Here " + ", ".join(_said(rows[name], claim.column) for name in names)
    if close:
        said += f" ({', '.join(close)} differ by less than two standard errors)"
    printed = [
        f"{name} {rows[name].published[claim.column]:.3g}"
        for name in names
        if claim.column in rows[name].published
    ]
    if printed:
        verdict = {True: "held", False: "did not hold", None: ""}[_all(theirs)]
        said += f"; published {', '.join(printed)}" + (f" ({verdict})" if verdict else "")
    holds = _all(own)
    return Conclusion(claim=claim.text, holds=holds, close=bool(holds and close), found=f"{said}.")


class _Side(NamedTuple):
    """One side of a claim: the mean, infinite where a figure is missing, and its error."""

    mean: float | None
    error: float = 0.0


def number(name: str) -> float | None:
    """A limit that stands in place of a row; None for the name of one."""
    try:
        return float(name)
    except ValueError:
        return None


def _side(name: str, rows: Mapping[str, Row], claim: Claim) -> _Side:
    limit = number(name)
    if name not in rows and limit is not None:
        return _Side(limit)
    row = rows[name]
    cell = row.cells.get(claim.column)
    if cell is None or cell.missing:
        return _Side(math.inf if row.results and claim.sign != "~" else None)
    return _Side(cell.mean, (cell.std or 0.0) / cell.count**0.5)


def _published(name: str, rows: Mapping[str, Row], claim: Claim) -> float | None:
    return rows[name].published.get(claim.column) if name in rows else number(name)


def _apart(claim: Claim, left: _Side, right: _Side) -> bool:
    """Whether the difference that a claim is about is more than chance makes of such spreads."""
    if left.mean is None or right.mean is None or math.isinf(right.mean):
        return True
    factor = _factor(claim)
    error = math.hypot(left.error, factor * right.error)
    return factor * right.mean - left.mean >= _ERRORS * error


def _factor(claim: Claim) -> float:
    return _HALF if claim.sign == "<<" else 1.0


def _holds(claim: Claim, a: float | None, b: float | None) -> bool | None:
    if a is None or b is None:
        return None
    if claim.sign == "~":
        return abs(a - b) <= claim.within / 100 * max(abs(a), abs(b))
    return a < _factor(claim) * b


def _all(found: list[bool | None]) -> bool | None:
    """False if one is; else unknown if one is; else true."""
    if any(one is False for one in found):
        return False
    return None if any(one is None for one in found) else True


def _said(row: Row, column: str) -> str:
    cell = row.cells.get(column)
    if cell is None:
        return f"{row.name} none"
    return f"{row.name} {shown(cell)}" + (f" of {cell.count}" if cell.missing else "")


def shown(figure: Figure) -> str:
    """A figure with its spread."""
    if figure.std is None or figure.std == 0:
        return f"{figure.mean:.3g}"
    return f"{figure.mean:.3g} ± {figure.std:.2g}"
