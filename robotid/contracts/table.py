"""`table.json`: figures of many results in one table, beside published ones, and what holds.

Beside it lie `table.html` and `table.md`.
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.conclusion import Conclusion
from robotid.contracts.versions import first_fault
from robotid.errors import BadDataError

TABLE = "table.json"
MARKDOWN = "table.md"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Figure(_Part):
    """A figure over several results of one row, such as those of several seeds.

    Args:
        mean: of those that have it.
        std: standard deviation; null of one result.
        least: of them.
        largest: of them.
        count: of results that have it.
        missing: results that do not, such as motions that were stopped.
    """

    mean: float
    std: float | None
    least: float
    largest: float
    count: int
    missing: int = 0


class Row(_Part):
    """A kind of model: how many results there are of it, and its figures by column."""

    name: str
    results: int
    cells: dict[str, Figure | None]
    published: dict[str, float] = {}


class TableFacts(_Part):
    """The content of `table.json`.

    Args:
        title: what it is about.
        source: where published figures are from; empty without any.
        columns: names of the figures, and where in a result each stands.
        rows: in order.
        over: axes of a sweep that results of one row differ in.
        claims: what was to be seen, and whether it holds here.
    """

    format: Literal[1] = 1
    title: str
    source: str = ""
    columns: dict[str, str]
    rows: list[Row]
    over: list[str] = []
    claims: list[Conclusion]


def read_table(folder: Path) -> TableFacts:
    """Read `table.json`."""
    path = folder / TABLE
    try:
        return TableFacts.model_validate_json(path.read_bytes())
    except ValidationError as error:
        said = f"not a table as robotid writes it: {first_fault(error)}"
        raise BadDataError("bad-table", said, file=str(path), hint="tabulate again") from error
