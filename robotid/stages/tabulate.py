"""`tabulate`: figures of many fits in one table, with their spread, beside published ones."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, field_validator, model_validator

from robotid.errors import ConfigError, Notice
from robotid.reporting.tabulated import claims as claim_text
from robotid.reporting.tabulated import paths
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.reporting.tabulated.gathered import Wanted

_USUAL = {
    "train": "metrics.train.nmse_range.mean",
    "test": "metrics.test.nmse_range.mean",
}


class TabulateConfig(StageConfig):
    """What the rows and columns are, and what is to be seen in them."""

    title: str = Field(default="Fits side by side", min_length=1, description="Of the table.")
    rows: dict[str, str] = Field(
        default={},
        description="By the name of a row: which results are in it, as a pattern of their names; "
        "by default each result is a row.",
    )
    over: tuple[str, ...] = Field(
        default=(),
        description="Axes of a sweep, such as seed: without rows, results that differ in nothing "
        "else are one row, with mean and spread.",
    )
    columns: dict[str, str] = Field(
        default=_USUAL,
        min_length=1,
        description="By the name of a column: where in a result its figure stands, such as "
        "metrics.test.rmse.mean; with a pattern of names before it, such as "
        "'arm*: metrics.test.rmse.mean', other results do not count.",
    )
    relative: dict[str, tuple[str, ...]] = Field(
        default={},
        description="By the name of a column: columns of which it is the mean of "
        "(figure - least of all rows) / largest of all rows.",
    )
    published: dict[str, dict[str, float]] = Field(
        default={}, description="Published figures by row and column, to stand beside ours."
    )
    source: str = Field(default="", description="Where they are published.")
    claims: tuple[str, ...] = Field(
        default=(),
        description="What is to be seen, such as 'hybrid < rigid in test', 'sdp ~ diffbary in "
        "test within 5 %' or 'cov << symm in epochs'.",
    )

    @model_validator(mode="after")
    def _rows_or_over(self) -> Self:
        if self.rows and self.over:
            raise ValueError("rows say which results are one row, and so does over: give one")
        return self

    @field_validator("columns")
    @classmethod
    def _paths(cls, given: dict[str, str]) -> dict[str, str]:
        for path in given.values():
            paths.column(path)
        return given

    @field_validator("claims")
    @classmethod
    def _claims(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for text in given:
            claim_text.parse(text)
        return given


def check(config: TabulateConfig, _: Collection[str]) -> None:
    """Claims and published figures are of rows and columns that there are."""
    from robotid.reporting.tabulated.gathered import check_names

    check_names(_wanted(config), config.rows or None)


def _wanted(config: TabulateConfig) -> "Wanted":
    from robotid.reporting.tabulated.gathered import Wanted

    return Wanted(**{key: getattr(config, key) for key in Wanted._fields})


def run(config: TabulateConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `table.json`, `table.html` and `table.md`."""
    from robotid.contracts.decomposition import DECOMPOSITION
    from robotid.contracts.fit import FIT
    from robotid.contracts.predictions import INDEX
    from robotid.contracts.table import MARKDOWN, TABLE
    from robotid.contracts.tracking import TRACKING
    from robotid.reporting.markdown import in_markdown
    from robotid.reporting.tabulated.gathered import facts_of, has_any, models_of, table
    from robotid.reporting.tabulated.summary import PAGE, own_table, render_table, statements

    folders = {
        role: {source.name: source.path for source in inputs.get(role, ())} for role in STAGE.inputs
    }
    entries = [
        *facts_of(folders["fits"], FIT),
        *facts_of(folders["predictions"], INDEX),
        *models_of(folders["trackings"], TRACKING),
        *models_of(folders["decompositions"], DECOMPOSITION),
    ]
    if not entries:
        said = "there are no results to tabulate"
        hint = "give fits, predictions, trackings or decompositions"
        raise ConfigError("no-results", said, hint=hint)
    found = table(entries, _wanted(config))
    (out_dir / TABLE).write_text(found.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / PAGE).write_text(render_table(found), encoding="utf-8")
    text = in_markdown(found.title, statements(found), [own_table(found)])
    (out_dir / MARKDOWN).write_text(text, encoding="utf-8")
    return [_empty(name, path) for name, path in config.columns.items() if not has_any(found, name)]


def _empty(name: str, path: str) -> Notice:
    """A column may be empty because nothing came out, or because its path is wrong."""
    said = f"no result has a figure for the column {name!r}, at {path}"
    return Notice(
        code="empty-column", message=said, hint="look for the figure in the JSON of a result"
    )


STAGE = Stage(
    name="tabulate",
    config=TabulateConfig,
    inputs={
        "fits": Input(
            "fit", "FIT", "what fit wrote", many=True, named=True, ordered=True, optional=True
        ),
        "predictions": Input(
            "predictions", "PREDICTIONS", "what predict wrote",
            many=True, named=True, ordered=True, optional=True,
        ),
        "trackings": Input(
            "tracking", "TRACKING", "what track wrote, each of whose models is a result",
            many=True, named=True, ordered=True, optional=True,
        ),
        "decompositions": Input(
            "decomposition", "DECOMPOSITION", "what decompose wrote, each of whose models is one",
            many=True, named=True, ordered=True, optional=True,
        ),
    },
    output="table",
    origin=__name__,
    uses=("robotid.contracts", "robotid.reporting"),
    libraries=("jinja2", "pydantic"),
    run=run,
    check=check,
)  # fmt: skip
