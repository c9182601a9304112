"""A design in a few tables of plain text, for terminals."""

from collections.abc import Sequence

from robotid.contracts.excitation import Criteria, Excitation
from robotid.reporting.excitation.certificate import Line, closest_first, kept
from robotid.reporting.excitation.criteria import CRITERIA
from robotid.reporting.excitation.expected import Expected, expected, in_words
from robotid.reporting.numbers import number, percent
from robotid.reporting.summary import Statement, Summary, Table

_CLOSEST = 5
_EACH = 4  # parameters from either end


def summary(design: Excitation) -> Summary:
    """The design, in short."""
    lines, parameters = closest_first(design), expected(design)
    tables = [
        criteria_table(design),
        limits_table(lines[:_CLOSEST]),
        *_parameter_tables(parameters),
        plays_table(design),
    ]
    statements = [Statement(*kept(lines)), Statement(True, in_words(parameters))]
    return Summary(statements, [table for table in tables if table.rows], [])


def criteria_table(design: Excitation) -> Table:
    """All criteria after each trajectory."""
    header = ["after", *CRITERIA]
    rows = [[t.name, *values(t.criteria)] for t in design.trajectories]
    best = header.index(design.criterion)
    return Table("Criteria (the starred one was improved)", header, rows, [], best)


def values(criteria: Criteria) -> list[str]:
    """The criteria as text, in the order of `CRITERIA`."""
    return [number(getattr(criteria, field)) for field, _ in CRITERIA.values()]


def limits_table(lines: Sequence[Line]) -> Table:
    """Limits and what is left of them."""
    rows = [
        [
            f"{one.line.quantity} of {one.line.about}",
            " ".join(filter(None, (one.trajectory, one.line.part, one.line.play))),
            number(one.line.limit),
            number(one.line.reached),
            f"{number(one.line.margin)} {one.line.unit}",
            one.line.proof,
        ]
        for one in lines
    ]
    header = ["limit", "where", "allowed", "reached", "left", "proof"]
    return Table("Closest limits", header, rows, [], words=True)


def plays_table(design: Excitation) -> Table:
    """What is to be run."""
    rows = [
        [play.name, percent(play.speed), f"{play.duration_s:.4g} s", f"{play.name}.csv"]
        for trajectory in design.trajectories
        for play in trajectory.plays
    ]
    header = ["play", "of the velocity limits", "takes", "file"]
    remark = (
        "beside each CSV file: .parquet, .joint_trajectory.yaml (ROS); the page: excitation.html"
    )
    return Table("Plays", header, rows, [remark], words=True)


def _parameter_tables(found: Sequence[Expected]) -> list[Table]:
    header = ["parameter", "std", "unit", "share of scale", "grade", "what would help"]
    worst, best = list(found[:_EACH]), list(found[max(_EACH, len(found) - _EACH) :])
    return [
        Table(title, header, [_row(one) for one in part], [], words=True)
        for title, part in (("Worst known", worst), ("Best known", best[::-1]))
    ]


def _row(one: Expected) -> list[str]:
    p = one.parameter
    return [p.name, number(p.std), p.unit, percent(one.share), one.grade, p.advice]
