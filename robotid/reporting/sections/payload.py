"""What the robot carries."""

from typing import NamedTuple

from robotid.contracts.fit import PayloadFound
from robotid.reporting.sections.statuses import STATUSES, Sign
from robotid.reporting.view import FitView

_NAMES = {
    "mass": "mass",
    "cx": "centre of mass, x",
    "cy": "centre of mass, y",
    "cz": "centre of mass, z",
}


class Row(NamedTuple):
    """A quantity with its interval; None where there is none."""

    name: str
    value: float | None
    lower: float | None
    upper: float | None
    unit: str
    sign: Sign | None


class Carried(NamedTuple):
    """The section."""

    found: PayloadFound
    rows: list[Row]


def section(view: FitView) -> Carried | None:
    """What the template shows; None where the fit is of no load."""
    found = view.fit.payload
    if found is None:
        return None
    units = ("kg", *["m"] * 3, *["kg m²"] * 6)
    keys = ("mass", "cx", "cy", "cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    rows = []
    for key, unit, triple in zip(
        keys, units, (found.mass, *found.centre, *found.inertia), strict=True
    ):
        value, lower, upper = triple
        status = found.statuses.get(key)
        name = _NAMES.get(key, f"{key} about the centre of mass")
        rows.append(Row(name, value, lower, upper, unit, status and STATUSES[status]))
    return Carried(found, rows)
