"""The report in a few tables of plain text, for Markdown and terminals alike."""

from collections.abc import Iterable
from typing import NamedTuple

from robotid.contracts.fit import Metric, Reason, held_out
from robotid.contracts.fit_data import Remark
from robotid.contracts.forward import ForwardResult
from robotid.contracts.words import DATA
from robotid.reporting.advice import Advice, advice
from robotid.reporting.energy import PROMISES
from robotid.reporting.facts import (
    CONFIDENCE,
    BaselineCheck,
    Change,
    ComparedModel,
    Comparison,
    GateOutcome,
    Regression,
    ReportFacts,
)
from robotid.reporting.numbers import number, signed, whole
from robotid.reporting.quantities import TORQUE, Quantity
from robotid.reporting.words import counted, listed

_ABSENT = number(None)
PASSED, FAILED = "passed", "FAILED"
BEST, LEAST = "★", "☆"  # better than all others beyond chance; of least error
_ROUNDING = 1e-6  # of an error
_MOST_GATES = 4  # that are named where one sentence has to do
_MOST_REMARKS = 10  # likewise


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
        mark: the sign of the column that is pointed out.
        notes: what its names mean, to stand below it.
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    remarks: list[str]
    best: int | None = None
    words: bool = False
    result: int | None = None
    mark: str = BEST
    notes: tuple[str, ...] = ()


class Statement(NamedTuple):
    """A sentence that is good or bad news, or neither (None)."""

    good: bool | None
    text: str


class Summary(NamedTuple):
    """What to say first, tables, and remarks of the fits; which of several fits to use."""

    statements: list[Statement]
    tables: list[Table]
    remarks: list[str]
    advice: Advice | None = None

    @property
    def first_remarks(self) -> list[str]:
        """As many as one reads, and how many more there are."""
        more = len(self.remarks) - _MOST_REMARKS
        return self.remarks[:_MOST_REMARKS] + ([f"and {more} more in the report"] * (more > 0))


def summary(facts: ReportFacts) -> Summary:
    """The report, in short."""
    statements = [
        Statement(fit.verdict.usable, _named(facts, name, fit.verdict.sentence))
        for name, fit in facts.fits.items()
    ]
    if gates := gates_in_short(facts):
        statements.append(gates)
    tables = [errors_table(facts)]
    if facts.comparison is not None:
        tables.append(comparison_table(facts.comparison, facts.quantity, facts.unit))
    tables += [*forward_tables(facts), *gate_tables(facts)]
    return Summary(
        statements, [table for table in tables if table.rows], _remarks(facts), advice(facts)
    )


def gates_in_short(facts: ReportFacts) -> Statement | None:
    """Which gates failed, in one sentence; None without gates."""
    if not facts.gates and (facts.baseline is None or facts.baseline.limit is None):
        return None
    failed = [_named(facts, gate.fit, gate.expression) for gate in facts.gates if not gate.passed]
    if facts.baseline is not None:
        failed += [
            _named(facts, found.fit, _grown(found, facts.baseline.limit or 0.0))
            for found in facts.baseline.fits
            if not found.passed
        ]
    if not failed:
        return Statement(True, "All gates passed.")
    more = len(failed) - _MOST_GATES
    shown = failed[:_MOST_GATES] + ([f"and {more} more"] if more > 0 else [])
    return Statement(False, f"{counted(len(failed), 'gate')} failed: {'; '.join(shown)}.")


def _grown(found: Regression, limit: float) -> str:
    """What is worse than in the older report: the mean, joints, or both."""
    joints = [change.joint for change in found.changes if change.worse and change.joint]
    mean = ["in the mean"] if any(c.worse and c.joint is None for c in found.changes) else []
    where = " and ".join([*mean, *([f"for {listed(joints)}"] if joints else [])])
    return f"error over {100 * limit:.4g} % larger than in the older report {where}"


def _remarks(facts: ReportFacts) -> list[str]:
    """What to know of the fits: why one is refused, then the rest, each with its code."""
    found = []
    for name, fit in facts.fits.items():
        given: list[tuple[str, Reason | Remark]] = [("", each) for each in fit.verdict.reasons]
        given += [
            (", ".join(filter(None, (remark.joint, remark.recording))), remark)
            for remark in fit.remarks
        ]
        for where, one in given:
            said = f"{where}: {one.message}" if where else one.message
            hint = f" ({one.hint})" if one.hint else ""
            found.append(_named(facts, name, f"{said}{hint} [{one.code}]"))
    return found


def errors_table(facts: ReportFacts) -> Table:
    """Errors on held-out data beside baselines: of the joints of one fit, or of several fits."""
    fits = facts.fits
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
    title = (
        f"Error (RMSE) on {DATA[split]} [{facts.unit}]{', mean of all joints' if several else ''}"
    )
    header = [first, "model", *map(facts.quantity.called, baselines)]
    return Table(title, header, rows, [])


def comparison_table(
    comparison: Comparison, of: Quantity = TORQUE, unit: str | None = None
) -> Table:
    """Models side by side, one in each column, published figures behind them.

    Args:
        comparison: of the fits.
        of: what they predict.
        unit: of the mean over joints; None where kinds of joints are not known.
    """
    models, others = comparison.models, comparison.published
    rows: list[list[str]] = []

    def row(title: str, own: list[str], published: list[str] | None = None) -> None:
        rows.append([title, *own, *(published or [_ABSENT] * len(others))])

    row("model", [m.model for m in models.values()])
    for title, own in _forward_rows(models.values()):
        row(title, own)
    if any(m.parts is not None for m in models.values()):
        row("parts", [m.parts or _ABSENT for m in models.values()])
        row(
            "weights", [_ABSENT if m.weights is None else whole(m.weights) for m in models.values()]
        )
    for metric in ("rmse", "relative", "nmse_var", "nmse_range"):
        shown = _share if metric == "relative" else number
        found = [model.metrics.get(metric) for model in models.values()]
        row(
            f"rmse [{unit or of.unit()}]" if metric == "rmse" else metric,
            [shown(_value(f)) for f in found],
            [shown(getattr(figures, metric)) for figures in others.values()],
        )
        if metric == "rmse":
            for joint in comparison.joints:
                row(
                    f"rmse of {joint}",
                    [number(_value(f, joint)) for f in found],
                    [number(figures.rmse_by_joint.get(joint)) for figures in others.values()],
                )
    if len(models) > 1 and comparison.blocks:
        behind = [_apart(model) for model in models.values()]
        row("above the least", [value for value, _ in behind])
        row(f"{100 * CONFIDENCE:.0f} % interval", [interval for _, interval in behind])
        row("told apart", [_told_apart(comparison, name) for name in models])
    row("links can exist", [_truth(m.consistent) for m in models.values()])
    row("can be used", [_truth(m.usable) for m in models.values()])
    if any(m.parameters is not None for m in models.values()):
        row("identified", [_of(m.identified, m.parameters) for m in models.values()])
    sources = [f"{name}: {figures.source}." for name, figures in others.items()]
    header = ["", *models, *others]
    data = f"{DATA[comparison.split]} ({', '.join(comparison.recordings) or 'no recording'})"
    told = [] if len(models) > 1 else [comparison.sentence]  # else the advice says it
    remarks = [*told, *comparison.remarks, *sources]
    notes, least = _notes(of), comparison.least
    if least is None or len(models) < 2 or not models[least].usable:
        return Table(f"Comparison on {data}", header, rows, remarks, notes=notes)
    mark = LEAST if comparison.best is None else BEST
    place = 1 + list(models).index(least)
    return Table(f"Comparison on {data}", header, rows, remarks, place, mark=mark, notes=notes)


def _notes(of: Quantity) -> tuple[str, ...]:
    return (
        f"relative: norm of the error over norm of the {of.name}.",
        f"nmse_var: mean squared error over the variance of the {of.name} in these data.",
        f"nmse_range: mean squared error over the squared range of the {of.name} in training data.",
    )


def forward_tables(facts: ReportFacts) -> list[Table]:
    """What a single forward model is, and its actuator beside the robot file."""
    (fit, *others) = facts.fits.values()
    if others or not isinstance(fit, ForwardResult):
        return []
    promise = PROMISES[fit.energy]
    model = [["actuator", fit.actuator], ["kinematics", fit.kinematics]]
    model.append(["energy, nobody driving", promise.short])
    values = [
        [f"{one.joint} {one.name} [{one.unit}]", number(one.value), number(one.nominal)]
        for one in fit.actuator_values
    ]
    found = [Table("The forward model", ["model", fit.model], model, [promise.said], words=True)]
    if values:
        header = ["value", "fitted", "robot file"]
        found.append(Table("Actuator, beside the robot file", header, values, []))
    return found


def _forward_rows(models: Iterable[ComparedModel]) -> list[tuple[str, list[str]]]:
    """What tells forward models apart; nothing for fits of torques."""
    kinds = [model.forward for model in models if model.forward is not None]
    if not kinds:
        return []
    return [
        ("actuator", [kind.actuator for kind in kinds]),
        ("kinematics", [kind.kinematics for kind in kinds]),
        ("energy, nobody driving", [PROMISES[kind.energy].short for kind in kinds]),
    ]


def gate_tables(facts: ReportFacts) -> list[Table]:
    """What was asked of the fits: gates, and errors beside those of an older report."""
    tables = [gates_table(facts.gates)] if facts.gates else []
    return [*tables, *([baseline_table(facts.baseline, facts.unit)] if facts.baseline else [])]


def gates_table(gates: list[GateOutcome]) -> Table:
    """Every gate and what became of it."""
    rows = [
        [gate.fit, PASSED if gate.passed else FAILED, gate.expression, gate.said] for gate in gates
    ]
    title, header = "Gates: conditions that must not hold", ["fit", "result", "fail if", "is"]
    return Table(title, header, rows, [], words=True, result=1)


def baseline_table(check: BaselineCheck, unit: str) -> Table:
    """Errors beside those of the older report; joints of several fits where they are worse."""
    rows = [
        [found.fit, change.joint or "mean", *_change(change, check.limit)]
        for found in check.fits
        for change in found.changes
        if change.joint is None or change.worse or len(check.fits) == 1
    ]
    allowed = "" if check.limit is None else f"; {100 * check.limit:.4g} % more is allowed"
    title = f"Beside the older report: error (RMSE) [{unit}]{allowed}"
    header = ["fit", "joint", "before", "now", "change", "result"]
    return Table(title, header, rows, check.remarks, result=5)


def _value(metric: Metric | None, joint: str | None = None) -> float | None:
    if metric is None:
        return None
    return metric.mean if joint is None else metric.joints.get(joint)


def _share(value: float | None) -> str:
    return _ABSENT if value is None else f"{100 * value:.3g} %"


def _change(change: Change, limit: float | None) -> list[str]:
    grown = _ABSENT if change.change is None else f"{signed(100 * change.change, 1)} %"
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


def _of(part: int | None, whole: int | None) -> str:
    return _ABSENT if part is None or whole is None else f"{part} of {whole}"


def _truth(value: bool | None) -> str:
    return _ABSENT if value is None else "yes" if value else "no"


def _named(facts: ReportFacts, name: str, said: str) -> str:
    return f"{name}: {said}" if len(facts.fits) > 1 else said
