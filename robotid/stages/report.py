"""`report`: fits into a page people can read and facts a program can."""

from pathlib import Path

from robotid.errors import Effect, Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class ReportConfig(StageConfig):
    """Nothing to choose yet."""


def run(config: ReportConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `report.html` and `report.json`."""
    del config
    from robotid.reporting.facts import ReportFacts
    from robotid.reporting.page import render
    from robotid.reporting.view import FitView

    views = [FitView.read(source.name, source.path) for source in inputs["fits"]]
    facts = ReportFacts(fits={view.name: view.fit for view in views})
    (out_dir / "report.json").write_text(facts.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / "report.html").write_text(render(views), encoding="utf-8")
    return [
        Notice(
            code="fit-not-usable",
            message=f"{name}: {fit.verdict.sentence}",
            effect=Effect.QUALITY,
        )
        for name, fit in facts.fits.items()
        if not fit.verdict.usable
    ]


STAGE = Stage(
    name="report",
    config=ReportConfig,
    inputs={"fits": Input("fit", "FIT", "what fit wrote", many=True, named=True)},
    output="report",
    origin=__name__,
    uses=(
        "robotid.contracts",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.models.from_fit",
        "robotid.models.rigid_body",
        "robotid.reporting",
        "robotid.robot",
    ),
    libraries=("jinja2", "numpy", "pyarrow.parquet", "pydantic", "torch"),
    extras=("mujoco",),
    run=run,
)
