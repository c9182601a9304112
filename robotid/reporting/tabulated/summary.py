"""A table in sentences and rows, for page, Markdown and terminals alike."""

from robotid.contracts.table import Row, TableFacts
from robotid.reporting.environment import environment, policy
from robotid.reporting.numbers import number
from robotid.reporting.summary import Statement, Summary, Table
from robotid.reporting.tabulated.claims import shown
from robotid.reporting.words import listed

PAGE = "table.html"
_CLOSE = "holds in means, not beyond chance"
_HOLDS = {True: "holds", False: "does not hold", None: "cannot be told"}


def summary(found: TableFacts) -> Summary:
    """What holds, and the table."""
    return Summary(statements(found), [own_table(found)], [])


def statements(found: TableFacts) -> list[Statement]:
    """What was claimed, and whether it holds here; by chance, maybe, is neither."""
    return [
        Statement(
            None if one.close else one.holds,
            f"{one.claim}: {_CLOSE if one.close else _HOLDS[one.holds]}. {one.found}",
        )
        for one in found.claims
    ]


def own_table(found: TableFacts) -> Table:
    """Figures, with published ones in brackets."""
    rows = [
        [row.name, str(row.results), *(_cell(row, column) for column in found.columns)]
        for row in found.rows
    ]
    notes = [f"{name}: {path}." for name, path in found.columns.items()]
    begin = "Mean ± standard deviation over the results of a row"
    if found.over:
        begin += f", which differ in {listed(found.over)}"
    notes.insert(0, f"{begin}; published figures in brackets." if found.source else f"{begin}.")
    if found.source:
        notes.append(f"Published: {found.source}.")
    header = ["model", "results", *found.columns]
    return Table(found.title, header, rows, [], notes=tuple(notes))


def _cell(row: Row, column: str) -> str:
    cell = row.cells[column]
    said = number(None) if cell is None else shown(cell)
    if cell is not None and cell.missing:
        said += f", {cell.missing} without"
    given = row.published.get(column)
    return said if given is None else f"{said} [{given:.3g}]"


def render_table(found: TableFacts) -> str:
    """The page as one HTML document."""
    return (
        environment()
        .get_template("table_page.html.j2")
        .render(
            found=found,
            policy=policy(),
            statements=statements(found),
            tables=[own_table(found)],
        )
    )
