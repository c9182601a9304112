"""`report`: fits into a page people can read and facts a program can."""

from pathlib import Path

from robotid.errors import Effect, Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class ReportConfig(StageConfig):
    """Nothing to choose yet."""


def run(config: ReportConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `report.html` and `report.json`."""
    del config
    from robotid.contracts.fit import read_fit
    from robotid.reporting.facts import ReportFacts
    from robotid.reporting.page import render

    facts = ReportFacts(fits={source.name: read_fit(source.path) for source in inputs["fits"]})
    (out_dir / "report.json").write_text(facts.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / "report.html").write_text(render(facts), encoding="utf-8")
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
    uses=("robotid.contracts.fit", "robotid.contracts.splits", "robotid.reporting"),
    libraries=("jinja2", "pydantic"),
    run=run,
)
