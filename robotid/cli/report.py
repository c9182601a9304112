"""`robotid report`: the path of the report, or the report itself, on standard output."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from robotid.cli.options import keyword
from robotid.cli.stage_command import stage_command

if TYPE_CHECKING:
    from robotid.runner.result import StageResult

_FORMAT = typer.Option("--format", help="What to print: the path, or the report in short or whole.")


def _printed(stage: "StageResult", values: dict[str, Any]) -> list[str] | None:
    """Lines for standard output; None for the path."""
    from robotid.reporting.facts import MARKDOWN, REPORT

    files = {"md": MARKDOWN, "json": REPORT}
    if stage.path is None or values["format"] not in files:
        return None
    text = (stage.path / files[values["format"]]).read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n")


command = stage_command(
    "report",
    own=[keyword("format", Annotated[Literal["path", "md", "json"], _FORMAT], "path")],
    printed=_printed,
)
