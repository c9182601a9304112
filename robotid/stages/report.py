"""`report`: fits into a page people can read and facts a program can."""

from pathlib import Path

from robotid.errors import Notice
from robotid.stages.contract import Input, Inputs, Stage, StageConfig


class ReportConfig(StageConfig):
    """Nothing to choose yet."""


def run(config: ReportConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `report.html` and `report.json`."""
    del config
    from robotid.contracts.fit import read_fit
    from robotid.fitting.verdict import verdict
    from robotid.reporting.facts import report_facts
    from robotid.reporting.page import render

    fits = {source.name: read_fit(source.path) for source in inputs["fits"]}
    facts = report_facts(fits)
    (out_dir / "report.json").write_text(facts.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / "report.html").write_text(render(facts), encoding="utf-8")
    return [notice for fit in fits.values() for notice in verdict(fit)]


STAGE = Stage(
    name="report",
    summary="Write a report on one or more fits.",
    config=ReportConfig,
    inputs={"fits": Input("fit", "FIT", "what fit wrote", many=True, named=True)},
    output="report",
    origin=__name__,
    uses=("robotid.contracts.fit", "robotid.fitting.verdict", "robotid.reporting"),
    libraries=("jinja2", "pydantic"),
    run=run,
)
