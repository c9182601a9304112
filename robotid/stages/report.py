"""`report`: fits into a page people can read and facts a program can."""

import re
from pathlib import Path

from pydantic import Field, field_validator

from robotid.errors import ConfigError, Effect, Notice
from robotid.reporting.facts import Published, ReportFacts
from robotid.reporting.gates.expression import parse
from robotid.stages.contract import Input, Inputs, Stage, StageConfig

_PERCENT = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s?%")


class ReportConfig(StageConfig):
    """What must not hold of the fits, and what to show beside them."""

    fail_if: tuple[str, ...] = Field(
        default=(),
        description="A condition that must not hold, such as 'test.rmse[joint3] > 0.5'; exit "
        "code 4 if it does.",
    )
    max_regression: str | None = Field(
        default=None,
        description="By how much held-out errors may grow beside --baseline, such as 5%; more is "
        "exit code 4.",
    )
    published: dict[str, Published] = Field(
        default={}, description="Published figures by name, to stand beside the fits."
    )

    @field_validator("fail_if")
    @classmethod
    def _gates_can_be_read(cls, gates: tuple[str, ...]) -> tuple[str, ...]:
        for gate in gates:
            parse(gate)
        return gates

    @field_validator("max_regression")
    @classmethod
    def _is_percentage(cls, text: str | None) -> str | None:
        if text is not None and not _PERCENT.fullmatch(text):
            raise ValueError("a percentage such as 5%")
        return text

    @property
    def limit(self) -> float | None:
        """The share that errors may grow by."""
        found = _PERCENT.fullmatch(self.max_regression or "")
        return float(found[1]) / 100 if found else None


def run(config: ReportConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Write `report.html`, `report.json` and `report.md`."""
    from robotid.reporting.advice import advice
    from robotid.reporting.baseline import check_baseline, read_baseline
    from robotid.reporting.comparison import compare
    from robotid.reporting.facts import MARKDOWN, PAGE, REPORT
    from robotid.reporting.gates.outcomes import outcomes
    from robotid.reporting.markdown import markdown
    from robotid.reporting.page import render
    from robotid.reporting.summary import comparison_table, gate_tables, gates_in_short
    from robotid.reporting.view import read_views

    older = inputs.get("baseline", ())
    if config.limit is not None and not older:
        said = "max_regression: there is no older report to compare with"
        raise ConfigError("no-baseline", said, hint="give one with --baseline (inputs.baseline)")
    views = read_views({source.name: source.path for source in inputs["fits"]})
    fits = {view.name: view.fit for view in views}
    facts = ReportFacts(
        fits=fits,
        units=views[0].units,
        comparison=compare(fits, config.published),
        gates=outcomes(config.fail_if, fits),
        baseline=check_baseline(
            fits, read_baseline(older[0].path), config.limit, str(older[0].path)
        )
        if older
        else None,
    )
    (out_dir / REPORT).write_text(facts.model_dump_json(indent=1), encoding="utf-8")
    (out_dir / MARKDOWN).write_text(markdown(facts), encoding="utf-8")
    page = render(
        views,
        comparison=comparison_table(facts.comparison, facts.quantity, facts.unit)
        if facts.comparison
        else None,
        gates=gate_tables(facts),
        advice=advice(facts),
        passed=gates_in_short(facts),
    )
    (out_dir / PAGE).write_text(page, encoding="utf-8")
    return _notices(facts)


def _notices(facts: ReportFacts) -> list[Notice]:
    found = [
        Notice(
            code="fit-not-usable",
            message=f"{name}: {fit.verdict.sentence}",
            effect=Effect.QUALITY,
        )
        for name, fit in facts.fits.items()
        if not fit.verdict.usable
    ]
    found += [
        Notice(
            code="gate-failed",
            message=f"{gate.fit}: {gate.expression}: {gate.said}",
            joint=gate.joints[0] if len(gate.joints) == 1 else None,
            hint="better data or another model, or another limit",
            effect=Effect.QUALITY,
        )
        for gate in facts.gates
        if not gate.passed
    ]
    if facts.baseline is None:
        return found
    found += [Notice(code="baseline-differs", message=remark) for remark in facts.baseline.remarks]
    found += [
        Notice(
            code="regression",
            message=f"{check.fit}: error on {check.split} data was {change.before:.4g}, now is "
            + ("without a value" if change.now is None else f"{change.now:.4g}")
            + ("" if change.change is None else f", {100 * change.change:+.1f} %")
            + f"; {100 * (facts.baseline.limit or 0):.4g} % more is allowed",
            joint=change.joint,
            effect=Effect.QUALITY,
        )
        for check in facts.baseline.fits
        for change in check.changes
        if change.worse
    ]
    return found


STAGE = Stage(
    name="report",
    config=ReportConfig,
    inputs={
        "fits": Input("fit", "FIT", "what fit wrote", many=True, named=True, ordered=True),
        "baseline": Input(
            "report", "REPORT", "an older report to compare with, its folder or report.json",
            optional=True,
        ),
    },
    output="report",
    origin=__name__,
    uses=(
        "robotid.compiled",
        "robotid.contracts",
        "robotid.dynamics",
        "robotid.information.layout",
        "robotid.models",
        "robotid.reporting",
        "robotid.robot",
        "robotid.spatial",
    ),
    libraries=(
        "jinja2",
        "numba",
        "numpy",
        "pyarrow.parquet",
        "pydantic",
        "safetensors.torch",
        "scipy.special",
        "torch",
    ),
    extras=("mujoco",),
    run=run,
)  # fmt: skip
