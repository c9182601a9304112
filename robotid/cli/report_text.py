"""A report on standard error: tables with rich on a terminal, aligned text elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from robotid.cli.alignment import aligned
from robotid.cli.console import Console
from robotid.cli.text import visible
from robotid.reporting.facts import read_report
from robotid.reporting.summary import FAILED, Summary, Table, summary

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_OK = {True: "ok", False: "NOT OK", None: "--"}
_DRAWN = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}
_REMARKS = "What to know"


def show_report(console: Console, folder: Path, *, remarks: bool = True) -> None:
    """Say what a report says, in short, unless the console is quiet.

    Args:
        console: to say it on.
        folder: of the report.
        remarks: whether to say what was found about its fits; not where that was said already.
    """
    found = summary(read_report(folder))
    show_summary(console, found if remarks else found._replace(remarks=[]))


def show_summary(console: Console, found: Summary) -> None:
    """Say sentences and tables, unless the console is quiet."""
    if console.quiet:
        return
    if console.on_terminal:
        _draw(found)
    else:
        for line in _lines(found):
            console.say(line)


def _lines(found: Summary) -> list[str]:
    lines = []
    if found.advice is not None:
        lines.append(f"{_OK[found.advice.use is not None]}: {found.advice.title}")
        lines += [*(f"  {said}" for said in found.advice.said), ""]
    lines += [f"{_OK[s.good]}: {s.text}" for s in found.statements]
    for table in found.tables:
        header = list(table.header)
        if table.best is not None:
            header[table.best] += " *"
        lines += ["", f"{table.title}:", *table.remarks, *aligned(header, table.rows)]
        lines += table.notes
    if found.remarks:
        lines += ["", f"{_REMARKS}:", *(f"- {remark}" for remark in found.first_remarks)]
    return lines


def _draw(found: Summary) -> None:
    from rich.console import Console as RichConsole
    from rich.text import Text

    screen = RichConsole(stderr=True, highlight=False)

    def say(text: str, style: str = "") -> None:
        screen.print(Text(visible(text), style))

    def state(good: bool | None, text: str) -> None:
        mark, style = _DRAWN[good]
        screen.print(Text(f"{mark} ", style), Text(visible(text)), sep="")

    if found.advice is not None:
        state(found.advice.use is not None, found.advice.title)
        for said in found.advice.said:
            say(f"  {said}")
        screen.print()
    for statement in found.statements:
        state(statement.good, statement.text)
    for table in found.tables:
        screen.print()
        say(table.title, "bold")
        for remark in table.remarks:
            say(remark)
        screen.print(_drawn(table))
        for note in table.notes:
            say(note, "dim")
    if found.remarks:
        screen.print()
        say(_REMARKS, "bold")
        for remark in found.first_remarks:
            say(f"- {remark}")


def _drawn(table: Table) -> "RichTable":
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD)
    for place, name in enumerate(table.header):
        justify: Literal["left", "right"] = "left" if table.words or not place else "right"
        shown = visible(name) + (f" {table.mark}" if place == table.best else "")
        drawn.add_column(Text(shown), justify=justify, overflow="fold")
    for row in table.rows:
        drawn.add_row(
            *(Text(visible(cell), _style(table, place, cell)) for place, cell in enumerate(row))
        )
    return drawn


def _style(table: Table, place: int, cell: str) -> str:
    if place == table.result:
        return "bold red" if cell == FAILED else "green"
    return "bold" if place == table.best else ""
