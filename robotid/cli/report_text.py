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


def show_report(console: Console, folder: Path) -> None:
    """Say what a report says, in short, unless the console is quiet."""
    show_summary(console, summary(read_report(folder)))


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
    lines = [f"{'ok' if s.good else 'NOT OK'}: {s.text}" for s in found.statements]
    for table in found.tables:
        header = list(table.header)
        if table.best is not None:
            header[table.best] += " *"
        lines += ["", f"{table.title}:", *table.remarks, *aligned(header, table.rows)]
    return lines


def _draw(found: Summary) -> None:
    from rich.console import Console as RichConsole
    from rich.text import Text

    screen = RichConsole(stderr=True, highlight=False)
    for statement in found.statements:
        mark, style = ("✓", "green") if statement.good else ("✗", "bold red")
        screen.print(Text(f"{mark} ", style), Text(visible(statement.text)), sep="")
    for table in found.tables:
        screen.print()
        screen.print(Text(visible(table.title), "bold"))
        for remark in table.remarks:
            screen.print(Text(visible(remark)))
        screen.print(_drawn(table))


def _drawn(table: Table) -> "RichTable":
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD)
    for place, name in enumerate(table.header):
        justify: Literal["left", "right"] = "left" if table.words or not place else "right"
        shown = visible(name) + (" ★" if place == table.best else "")
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
