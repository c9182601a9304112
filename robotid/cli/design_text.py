"""A design of trajectories on standard error."""

from pathlib import Path

from robotid.cli.console import Console
from robotid.cli.report_text import show_summary
from robotid.contracts.excitation import read_excitation
from robotid.reporting.excitation.summary import summary


def show_design(console: Console, folder: Path) -> None:
    """Say what a design is worth, in short, unless the console is quiet."""
    show_summary(console, summary(read_excitation(folder)))
