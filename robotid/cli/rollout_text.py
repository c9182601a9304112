"""Models left to run, on standard error."""

from pathlib import Path

from robotid.cli.console import Console
from robotid.cli.report_text import show_summary
from robotid.contracts.comparison import read_comparison
from robotid.contracts.rollout import read_rollout
from robotid.reporting.grid.summary import summary as summary_of_grid
from robotid.reporting.rollout.summary import summary


def show_rollout(console: Console, folder: Path) -> None:
    """Say what became of the models, in short, unless the console is quiet."""
    show_summary(console, summary(read_rollout(folder)))


def show_comparison(console: Console, folder: Path) -> None:
    """Say what holds of many models, unless the console is quiet."""
    show_summary(console, summary_of_grid(read_comparison(folder)))
