"""Robots under control of models, on standard error."""

from pathlib import Path

from robotid.cli.console import Console
from robotid.cli.report_text import show_summary
from robotid.contracts.tracking import read_tracking
from robotid.reporting.tracking.summary import summary


def show_tracking(console: Console, folder: Path) -> None:
    """Say which model follows best, unless the console is quiet."""
    show_summary(console, summary(read_tracking(folder)))
