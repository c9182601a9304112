"""The comparison in sentences and tables, for page, Markdown and terminals alike."""

from collections.abc import Callable
from math import sqrt

from robotid.contracts.comparison import Cell, Column, ForwardComparison, Row, Spread
from robotid.reporting.energy import PROMISES
from robotid.reporting.numbers import number, percent
from robotid.reporting.summary import Statement, Summary, Table
from robotid.reporting.words import counted

_HOLDS = {True: "holds", False: "does not hold", None: "cannot be told"}
_NOTES = {
    "horizon": "mean squared error of positions and velocities over the squared training range; "
    "a dash where motions of a fit diverged.",
    "one_step": "mean squared error of held-out accelerations over their variance.",
    "inertia": "norm of what is wrong with the mass matrix over that of the true one.",
    "growth": "largest rise of the energy of a motion with nobody driving, over the range of "
    "energies; a dash for models without energy.",
}


def summary(found: ForwardComparison) -> Summary:
    """What holds, and what the models are worth."""
    return Summary(statements(found), [horizon_table(found)], [])


def statements(found: ForwardComparison) -> list[Statement]:
    """What holds of these models, and the best of each robot and data set."""
    said = [
        Statement(one.holds, f"{one.claim}: {_HOLDS[one.holds]}. {one.found}")
        for one in found.conclusions
    ]
    for column, place in zip(found.columns, found.best, strict=True):
        if place is not None:
            cell = found.rows[place].cells[found.columns.index(column)]
            share = percent(sqrt(cell.horizon.median)) if cell and cell.horizon else number(None)
            named = title(column)
            said.append(
                Statement(
                    None,
                    f"{named}: {name(found.rows[place])} is nearest after {found.horizon_s:g} s, "
                    f"{share} of the training range away.",
                )
            )
    return said


def name(row: Row) -> str:
    """A model in a few words."""
    if row.model in ("nea", "ffnn"):
        return row.model
    return " ".join([row.model, row.actuator, row.kinematics, row.init or ""]).rstrip()


def title(column: Column) -> str:
    """Robot and data."""
    return f"{column.robot}, {column.label}" if column.label else column.robot


def tables(found: ForwardComparison) -> list[Table]:
    """All that is known of the cells, a table for each kind of value."""
    return [
        horizon_table(found),
        _table(found, "One-step error", lambda c: _value(c.one_step), _NOTES["one_step"]),
        _table(found, "Diverged motions", lambda c: f"{c.diverged} of {c.motions}"),
        _table(found, "Growth of energy", lambda c: number(c.energy_growth), _NOTES["growth"]),
        _table(
            found, "Error of the mass matrix", lambda c: _value(c.inertia_error), _NOTES["inertia"]
        ),
        _table(found, "Masses of the links [kg], true ones in brackets", _masses),
        _table(found, "Usable by their own verdict", lambda c: f"{c.usable} of {c.fits}"),
    ]


def horizon_table(found: ForwardComparison) -> Table:
    """Errors at the end of the motions."""
    heading = (
        f"Error after {found.horizon_s:g} s, {counted(found.starts, 'start')} of each fit; "
        "range over seeds in brackets"
    )
    return _table(found, heading, lambda cell: _value(cell.horizon), _NOTES["horizon"])


def _table(
    found: ForwardComparison, heading: str, cell: Callable[[Cell], str], note: str = ""
) -> Table:
    rows = []
    for row in found.rows:
        said = (number(None) if one is None else cell(one) for one in row.cells)
        rows.append([name(row), PROMISES[row.energy].short, *said])
    header = ["model", "energy is", *map(title, found.columns)]
    return Table(heading, header, rows, [], notes=(note,) if note else ())


def _value(spread: Spread | None) -> str:
    if spread is None:
        return number(None)
    middle = f"{spread.median:.2g}"
    if spread.least == spread.largest:
        return middle
    return f"{middle} ({spread.least:.2g} to {spread.largest:.2g})"


def _masses(cell: Cell) -> str:
    said = [
        f"{one.link} {one.value:.3g}" + ("" if one.true is None else f" ({one.true:.3g})")
        for one in cell.masses
    ]
    return ", ".join(said) or number(None)
