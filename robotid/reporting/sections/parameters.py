"""Parameters with intervals and status, beside those of the robot file; what was chosen."""

from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import BaseParameter, Choice, Parameter
from robotid.reporting.charts.chart import Axis, Chart, Series
from robotid.reporting.charts.drawing import Drawing, drawn
from robotid.reporting.charts.forest import Estimate, Forest, forest
from robotid.reporting.sections.owners import Owned, owners
from robotid.reporting.sections.statuses import STATUSES, Count, Sign, counts
from robotid.reporting.view import FitView

_NORMAL = 1.96  # standard deviations of a 95 % interval


class Row(NamedTuple):
    """A parameter; what it lacks is None. Change is from the robot file, percent of that."""

    label: str
    parameter: Parameter
    sign: Sign
    lower: float | None
    upper: float | None
    change: float | None
    change_percent: float | None


class Group(NamedTuple):
    """Parameters of one link or joint."""

    owner: str
    rows: list[Row]
    counts: list[Count]


class BaseRow(NamedTuple):
    """A sum that torques show."""

    parameter: BaseParameter
    sign: Sign
    change: float
    essential: bool


class Parameters(NamedTuple):
    """The section; `nominal` says whether the robot file has values to compare with."""

    base: list[BaseRow]
    forests: list[Forest]
    joints: list[Group]
    links: list[Group]
    widths: list[Drawing]
    signs: list[Sign]
    full: bool


def section(view: FitView) -> Parameters:
    """What the template shows."""
    fit, by_owner = view.fit, owners(view)
    essential = set(fit.essential or ())
    return Parameters(
        base=[
            BaseRow(p, STATUSES[p.status], p.value - p.nominal, p.name in essential)
            for p in fit.base_parameters
        ],
        forests=forest([_estimate(p) for p in fit.base_parameters]),
        joints=[_group(owned) for owned in by_owner.joints],
        links=[_group(owned) for owned in by_owner.links],
        widths=[d for c in width_charts(fit.choices) if (d := drawn(c)) is not None],
        signs=[count.sign for count in counts(p.status for p in fit.parameters)],
        full=view.fitted.model.full,
    )


def width_charts(choices: list[Choice]) -> list[Chart]:
    """For each term: how much worse than the best one every width is, by joint."""
    charts = []
    for term in dict.fromkeys(choice.term for choice in choices):
        own = [choice for choice in choices if choice.term == term and min(choice.losses) > 0]
        charts.append(
            Chart(
                title=f"Widths of {term}: loss above that of the best",
                across=Axis("width [rad/s or m/s]", log=True),
                upward=Axis("loss above the least [%]"),
                series=[
                    Series(
                        choice.owner,
                        np.array(choice.candidates),
                        100 * (np.array(choice.losses) / min(choice.losses) - 1),
                        colour=number,
                    )
                    for number, choice in enumerate(own)
                ],
                height=200,
            )
        )
    return charts


def _group(owned: Owned) -> Group:
    rows = [_row(label, parameter) for label, parameter in owned.parameters]
    return Group(owned.owner, rows, counts(row.parameter.status for row in rows))


def _row(label: str, parameter: Parameter) -> Row:
    reach = None if parameter.std is None else _NORMAL * parameter.std
    change = None if parameter.nominal is None else parameter.value - parameter.nominal
    return Row(
        label=label,
        parameter=parameter,
        sign=STATUSES[parameter.status],
        lower=None if reach is None else parameter.value - reach,
        upper=None if reach is None else parameter.value + reach,
        change=change,
        change_percent=100 * change / abs(parameter.nominal)
        if change is not None and parameter.nominal
        else None,
    )


def _estimate(p: BaseParameter) -> Estimate:
    sign = STATUSES[p.status]
    return Estimate(p.name, p.value, p.lower, p.upper, p.nominal, sign.symbol, sign.style)
