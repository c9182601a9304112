"""`compare`: many forward models on several robots and data, as one grid."""

from pathlib import Path

from robotid.errors import Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class CompareConfig(StageConfig):
    """Nothing to choose."""


def run(config: CompareConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:  # noqa: ARG001 - a stage
    """Write `comparison.json`, `comparison.html` and `comparison.md`; see docs/forward.md."""
    from robotid.contracts.comparison import COMPARISON, MARKDOWN
    from robotid.reporting.grid.gathered import gathered
    from robotid.reporting.grid.motions import runs
    from robotid.reporting.grid.page import PAGE, render_comparison
    from robotid.reporting.grid.summary import statements, tables
    from robotid.reporting.markdown import in_markdown

    every = runs({source.name: source.path for source in inputs["rollouts"]})
    found = gathered(every)
    (out_dir / COMPARISON).write_text(found.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / PAGE).write_text(render_comparison(found, every), encoding="utf-8")
    title = f"{len(found.rows)} forward models compared"
    text = in_markdown(title, statements(found), tables(found))
    (out_dir / MARKDOWN).write_text(text, encoding="utf-8")
    return []


STAGE = Stage(
    name="compare",
    config=CompareConfig,
    inputs={
        "rollouts": Input(
            "rollout", "ROLLOUT", "what rollout wrote", many=True, named=True, ordered=True
        ),
    },
    output="comparison",
    origin=__name__,
    uses=("robotid.contracts", "robotid.reporting"),
    libraries=("jinja2", "numpy", "pyarrow.parquet", "pydantic"),
    run=run,
)
