"""Sums of link parameters that accelerations show, beside those of the robot file."""

import re
from typing import NamedTuple

from robotid.contracts.forward import Combination
from robotid.reporting.charts.forest import Estimate, Forest, forest
from robotid.reporting.view import ForwardView

_SIGN = re.compile(" [+-] ")  # between the terms of a sum


class Row(NamedTuple):
    """A sum, and how far it is from the robot file; percent of that where it has one."""

    found: Combination
    change: float
    percent: float | None


class Combinations(NamedTuple):
    """The section."""

    rows: list[Row]
    forests: list[Forest]


def section(view: ForwardView) -> Combinations | None:
    """What the template shows; None where there are no such sums."""
    found = view.fit.combinations
    if not found:
        return None
    return Combinations([_row(one) for one in found], forest([_estimate(one) for one in found]))


def _row(one: Combination) -> Row:
    change = one.value - one.nominal
    return Row(one, change, 100 * change / abs(one.nominal) if one.nominal else None)


def _estimate(one: Combination) -> Estimate:
    """In a chart a sum has the name of its first parameter; it has no interval."""
    name = _SIGN.split(one.name)[0]
    return Estimate(name, one.value, one.value, one.value, one.nominal, "●", "identified")
