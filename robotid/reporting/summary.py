"""The report in a few tables of plain text, for Markdown and terminals alike."""

from collections.abc import Mapping
from typing import NamedTuple

from robotid.contracts.fit import FitResult, Metric, held_out
from robotid.contracts.words import BASELINES, DATA
from robotid.reporting.facts import (
    CONFIDENCE,
    BaselineCheck,
    Change,
    ComparedModel,
    Comparison,
    GateOutcome,
    ReportFacts,
)
from robotid.reporting.numbers import number
from robotid.reporting.words import counted

_ABSENT = number(None)
PASSED, FAILED = "passed", "FAILED"
_ROUNDING = 1e-6  # of an error


class Table(NamedTuple):
    """A table of texts; the first column holds names.

    Args:
        title: its heading.
        header: names of the columns.
        rows: cells, as many as columns.
        remarks: what to say of it.
        best: number of a column to point out.
        words: whether the columns hold words, not numbers.
        result: number of the column that says whether something passed.
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    remarks: list[str]
    best: int | None = None
    words: bool = False
    result: int | None = None


class Statement(NamedTuple):
    """A sentence that is good or bad news."""

    good: bool
    text: str


class Summary(NamedTuple):
    """What to say first, tables, and remarks of the fits."""

    statements: list[Statement]
    tables: list[Table]
    remarks: list[str]


def summary(facts: ReportFacts) -> Summary:
    """The report, in short."""
    statements = [
        Statement(fit.verdict.usable, _named(facts, name, fit.verdict.sentence))
        for name, fit in facts.fits.items()
    ]
    if facts.gates or (facts.baseline is not None and facts.baseline.limit is not None):
        statements.append(_gates_in_short(facts))
    tables = [errors_table(facts.fits)]
    if facts.comparison is not None:
        tables.append(comparison_table(facts.comparison))
    tables += gate_tables(facts)
    remarks = [
        _named(facts, name, f"{f'{r.joint}: ' if r.joint else ''}{r.message}"
               f"{f' ({r.hint})' if r.hint else ''}")
        for name, fit in facts.fits.items()
        for r in fit.remarks
    ]  # fmt: skip
    return Summary(statements, [table for table in tables if table.rows], remarks)


def errors_table(fits: Mapping[str, FitResult]) -> Table:
    """Errors on held-out data beside baselines: of the joints of one fit, or of several fits."""
    split = held_out(next(iter(fits.values())).metrics)
    baselines = list(dict.fromkeys(b for fit in fits.values() for b in fit.baselines))
    several = len(fits) > 1
    rows = []
    for name, fit in fits.items():
        if "rmse" not in fit.metrics.get(split, {}):
            continue
        given = [fit.metrics, *(fit.baselines.get(b, {}) for b in baselines)]
        errors = [m[split]["rmse"] if "rmse" in m.get(split, {}) else None for m in given]
        rows.append([name if several else "mean", *(number(_value(e)) for e in errors)])
        if not several:
            rows += [[joint, *(number(_value(e, joint)) for e in errors)] for joint in fit.joints]
    first = "fit" if several else "joint"
    title = f"Error (RMSE) on {DATA[split]} [N m or N]{', mean of all joints' if several else ''}"
    header = [first, "model", *(BASELINES.get(name, name) for name in baselines)]
    return Table(title, header, rows, [])


def comparison_table(comparison: Comparison) -> Table:
    """Models side by side, one in each column, published figures behind them."""
    models, others = comparison.models, comparison.published
    rows: list[list[str]] = []

    def row(title: str, own: list[str], published: list[str] | None = None) -> None:
        rows.append([title, *own, *(published or [_ABSENT] * len(others))])

    row("model", [m.model for m in models.values()])
    for metric in ("rmse", "relative", "nmse_var", "nmse_range"):
        found = [model.metrics.get(metric) for model in models.values()]
        beside = [number(getattr(figures, metric)) for figures in others.values()]
        row(
            f"{metric}{' [N m or N]' if metric == 'rmse' else ''}",
            [number(_value(f)) for f in found],
            beside,
        )
        if metric == "rmse":
            for joint in comparison.joints:
                row(f"rmse of {joint}", [number(_value(f, joint)) for f in found])
    if len(models) > 1:
        behind = [_apart(model) for model in models.values()]
        row("above the least", [value for value, _ in behind])
        row(f"{100 * CONFIDENCE:.0f} % interval", [interval for _, interval in behind])
        row("told apart", [_told_apart(comparison, name) for name in models])
    row("links can exist", [_truth(m.consistent) for m in models.values()])
    row("can be used", [_truth(m.usable) for m in models.values()])
    row("identified", [f"{m.identified} of {m.parameters}" for m in models.values()])
    sources = [f"{name}: {figures.source}." for name, figures in others.items()]
    header = ["", *models, *others]
    data = f"{DATA[comparison.split]} ({', '.join(comparison.recordings) or 'no recording'})"
    remarks = [comparison.sentence, *comparison.remarks, *sources]
    best = 1 + list(models).index(comparison.best) if comparison.best is not None else None
    return Table(f"Comparison on {data}", header, rows, remarks, best)


def gate_tables(facts: ReportFacts) -> list[Table]:
    """What was asked of the fits: gates, and errors beside those of an older report."""
    tables = [gates_table(facts.gates)] if facts.gates else []
    return [*tables, *([baseline_table(facts.baseline)] if facts.baseline else [])]


def gates_table(gates: list[GateOutcome]) -> Table:
    """Every gate and what became of it."""
    rows = [
        [gate.fit, PASSED if gate.passed else FAILED, gate.expression, gate.said] for gate in gates
    ]
    title, header = "Gates: conditions that must not hold", ["fit", "result", "fail if", "is"]
    return Table(title, header, rows, [], words=True, result=1)


def baseline_table(check: BaselineCheck) -> Table:
    """Errors beside those of the older report; joints of several fits where they are worse."""
    rows = [
        [found.fit, change.joint or "mean", *_change(change, check.limit)]
        for found in check.fits
        for change in found.changes
        if change.joint is None or change.worse or len(check.fits) == 1
    ]
    allowed = "" if check.limit is None else f"; {100 * check.limit:.4g} % more is allowed"
    title = f"Beside the older report: error (RMSE) [N m or N]{allowed}"
    header = ["fit", "joint", "before", "now", "change", "result"]
    return Table(title, header, rows, check.remarks, result=5)


def _value(metric: Metric | None, joint: str | None = None) -> float | None:
    if metric is None:
        return None
    return metric.mean if joint is None else metric.joints.get(joint)


def _change(change: Change, limit: float | None) -> list[str]:
    grown = _ABSENT if change.change is None else f"{100 * change.change:+.1f} %"
    result = FAILED if change.worse else _ABSENT if limit is None else PASSED
    return [number(change.before), number(change.now), grown, result]


def _apart(model: ComparedModel) -> tuple[str, str]:
    """Error above the least one, and its interval; rounding counts as none."""
    behind = model.behind
    if behind is None:
        return _ABSENT, _ABSENT
    error = model.metrics["rmse"].mean or 0.0
    if max(abs(behind.lower), abs(behind.upper)) <= _ROUNDING * error:
        return "0", _ABSENT
    return f"{behind.value:+.3g}", f"{behind.lower:.2g} … {behind.upper:.2g}"


def _told_apart(comparison: Comparison, name: str) -> str:
    if name == comparison.least:
        return "best" if name == comparison.best else "least error"
    if not comparison.models[name].usable:
        return "not to be used"
    behind = comparison.models[name].behind
    return _ABSENT if behind is None else "worse" if behind.worse else "not told apart"


def _truth(value: bool | None) -> str:
    return _ABSENT if value is None else "yes" if value else "no"


def _named(facts: ReportFacts, name: str, said: str) -> str:
    return f"{name}: {said}" if len(facts.fits) > 1 else said


def _gates_in_short(facts: ReportFacts) -> Statement:
    failed = facts.failed_gates
    if failed:
        return Statement(False, f"{counted(failed, 'gate')} failed.")
    return Statement(True, "All gates passed.")
