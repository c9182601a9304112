"""Rows, columns and cells of the grid."""

from collections.abc import Iterable, Sequence
from statistics import median

from robotid.contracts.comparison import Cell, Column, ForwardComparison, Row, Spread
from robotid.contracts.rollout import FitRollout
from robotid.reporting.grid.conclusions import conclusions, diverged_of
from robotid.reporting.grid.motions import Run

_ORDER = ("conserving", "bounded", "unbounded")

Model = tuple[str, str, str, str | None]  # model, actuator, kinematics, init


def column_of(run: Run) -> Column:
    """Robot and data of a fit."""
    found = run.rollout
    return Column(robot=found.robot, label=found.label, friction=found.friction)


def model_of(run: Run) -> Model:
    """What makes fits the same model, whatever their seeds are."""
    fit = run.fit
    return fit.model, fit.actuator, fit.kinematics, fit.init


def gathered(runs: Sequence[Run]) -> ForwardComparison:
    """The grid of all fits."""
    columns = list(dict.fromkeys(map(column_of, runs)))
    models: dict[Model, list[Run]] = {}
    for run in runs:
        models.setdefault(model_of(run), []).append(run)
    rows = [_row(own, columns) for own in models.values()]
    rows.sort(key=lambda row: _ORDER.index(row.energy))  # stable: else as they came
    first = runs[0].rollout
    return ForwardComparison(
        horizon_s=first.horizon_s,
        starts=len(first.starts),
        columns=columns,
        rows=rows,
        best=[_best(rows, place) for place in range(len(columns))],
        conclusions=conclusions(runs),
    )


def _row(runs: Sequence[Run], columns: Sequence[Column]) -> Row:
    fit = runs[0].fit
    by_column: dict[Column, list[FitRollout]] = {}
    for run in runs:
        by_column.setdefault(column_of(run), []).append(run.fit)
    return Row(
        model=fit.model,
        actuator=fit.actuator,
        kinematics=fit.kinematics,
        init=fit.init,
        energy=fit.energy,
        cells=[_cell(by_column[column]) if column in by_column else None for column in columns],
    )


def _cell(fits: Sequence[FitRollout]) -> Cell:
    diverged, motions = diverged_of(fits)
    growths = [fit.energy_growth for fit in fits if fit.energy_growth is not None]
    return Cell(
        fits=len(fits),
        usable=sum(fit.usable for fit in fits),
        one_step=_spread(fit.one_step for fit in fits),
        horizon=_spread(fit.error_at_horizon for fit in fits),
        motions=motions,
        diverged=diverged,
        energy_growth=max(growths) if growths else None,
        inertia_error=_spread(fit.inertia_error for fit in fits),
        masses=fits[0].masses,
    )


def _spread(values: Iterable[float | None]) -> Spread | None:
    """Of all values; None where one is missing, which would make the rest look better."""
    every = list(values)
    known = [value for value in every if value is not None]
    if len(known) < len(every):
        return None
    return Spread(median=median(known), least=min(known), largest=max(known))


def _best(rows: Sequence[Row], column: int) -> int | None:
    errors = {
        place: cell.horizon.median
        for place, row in enumerate(rows)
        if (cell := row.cells[column]) is not None and cell.horizon is not None
    }
    return min(errors, key=lambda place: errors[place]) if len(errors) > 1 else None
