"""What the motion shows of the parameters: rank, condition number, and which of each joint."""

from math import log10
from typing import NamedTuple

from robotid.contracts.fit import Identifiability
from robotid.reporting.sections.owners import owners
from robotid.reporting.sections.statuses import STATUSES, Count, Sign, counts
from robotid.reporting.view import FitView

_HIGH, _VERY_HIGH = 1e2, 1e4  # condition numbers, as the fit judges them
_MOST = 1e6  # the scale ends here
GAUGE = 480  # width of a scale or bar [px]

WORDS = {
    "good": "Good: small errors of the data stay small in all that they determine.",
    "high": "High: some sums of parameters are far less certain than others. "
    "A motion that excites the worst one helps.",
    "very high": "Very high: the worst sum is next to undetermined, and noise decides its value. "
    "Record another motion, or use a prior.",
}


class Row(NamedTuple):
    """A joint and the link it moves: a sign or None for each column, and how many there are."""

    joint: str
    link: str
    cells: list[Sign | None]
    counts: list[Count]


class Zone(NamedTuple):
    """A stretch of the scale of condition numbers [px]."""

    name: str
    begin: float
    end: float


class Share(NamedTuple):
    """A part of the bar of all parameters [px]."""

    of: Count
    begin: float
    width: float


class Excited(NamedTuple):
    """The section.

    Args:
        found: rank, condition number, worst sum, silent ones.
        title: how many base parameters are determined; above a very high condition number all
            may be so by the rank, and some of them only just.
        grade: a key of `WORDS`, None without a condition number.
        words: about it.
        zones: of the scale.
        at: where the condition number stands on it.
        shares: of all parameters by status.
        columns: of the table.
        of_links: how many of them belong to links.
        rows: by joint.
        signs: those that occur.
    """

    found: Identifiability
    title: str
    grade: str | None
    words: str
    zones: list[Zone]
    at: float | None
    shares: list[Share]
    columns: list[str]
    of_links: int
    rows: list[Row]
    signs: list[Sign]
    width: int = GAUGE


def section(view: FitView) -> Excited:
    """What the template shows."""
    found = view.fit.identifiability
    grade = None if found.condition is None else grade_of(found.condition)
    edges = {"good": (1.0, _HIGH), "high": (_HIGH, _VERY_HIGH), "very high": (_VERY_HIGH, _MOST)}
    columns, of_links, rows = _matrix(view)
    total = counts(parameter.status for parameter in view.fit.parameters)
    return Excited(
        found=found,
        title=determined(found),
        grade=grade,
        words="" if grade is None else WORDS[grade],
        zones=[Zone(name, _place(low), _place(high)) for name, (low, high) in edges.items()],
        at=None if found.condition is None else _place(found.condition),
        shares=_shares(total),
        columns=columns,
        of_links=of_links,
        rows=rows,
        signs=[count.sign for count in total],
    )


def determined(found: Identifiability) -> str:
    """How many base parameters are determined, in words that the condition number bears out."""
    count = f"{found.rank} of {found.structural_rank} base parameters"
    return f"{count} show, some only just" if only_just(found) else f"{count} are determined"


def only_just(found: Identifiability) -> bool:
    """Whether the rank says more than the data: noise decides the worst of the sums it counts."""
    return found.condition is not None and grade_of(found.condition) == "very high"


def grade_of(condition: float) -> str:
    """How good a condition number of the scaled regressor is."""
    if condition <= _HIGH:
        return "good"
    return "high" if condition <= _VERY_HIGH else "very high"


def _place(condition: float) -> float:
    share = log10(min(max(condition, 1.0), _MOST)) / log10(_MOST)
    return round(share * GAUGE, 1)


def _shares(total: list[Count]) -> list[Share]:
    every, begin, found = sum(count.number for count in total), 0.0, []
    for count in total:
        width = GAUGE * count.number / every
        found.append(Share(count, round(begin, 1), round(width, 1)))
        begin += width
    return found


def _matrix(view: FitView) -> tuple[list[str], int, list[Row]]:
    """Columns of the table, how many are of links, and a row for each joint."""
    by_owner = owners(view)
    link_labels = [label for label, _ in by_owner.links[0].parameters]
    terms = list(dict.fromkeys(label for o in by_owner.joints for label, _ in o.parameters))
    of_joints = {owned.owner: owned.parameters for owned in by_owner.joints}
    robot = view.fitted.robot.tree
    rows = []
    pairs = [(joint.name, owned) for joint, owned in zip(robot.joints, by_owner.links, strict=True)]
    coupled = [name for name in of_joints if name not in robot.joint_names]
    for joint, owned in [*pairs, *((name, None) for name in coupled)]:
        own = {} if joint not in of_joints else dict(of_joints[joint])
        link = [None] * len(link_labels) if owned is None else [p for _, p in owned.parameters]
        cells = [*link, *(own.get(term) for term in terms)]
        rows.append(
            Row(
                joint=joint,
                link="" if owned is None else owned.owner,
                cells=[None if p is None else STATUSES[p.status] for p in cells],
                counts=counts(p.status for p in cells if p is not None),
            )
        )
    return [*link_labels, *terms], len(link_labels), rows
