"""Tables of many results, on standard error."""

from pathlib import Path

from robotid.cli.console import Console
from robotid.cli.report_text import show_summary
from robotid.contracts.table import read_table
from robotid.reporting.tabulated.summary import summary


def show_table(console: Console, folder: Path) -> None:
    """What holds, and the figures, unless the console is quiet."""
    show_summary(console, summary(read_table(folder)))
