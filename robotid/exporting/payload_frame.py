"""Intervals and statuses of a payload in the frame of another link.

Values there are sums of those in the frame of the fit. How these go together is not known, so an
interval is as wide as if all were wrong at once: it still holds the truth with 95 % at least, and
is the fit's own where axes are not turned.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from robotid.contracts.fit import ParameterStatus, PayloadFound
from robotid.robot.geometry import COLUMNS, ROWS
from robotid.robot.tree import Array

NEEDED = ("mass", "cx", "cy", "cz")  # without which a load is nothing to set in a controller
_QUANTITIES = (*NEEDED, "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
_WORSE: tuple[ParameterStatus, ...] = (
    "identified",
    "uncertain",
    "from prior",
    "in combination",
    "not excited",
)
_ROUNDING = 1e-12  # of an axis: what is turned by less is not


class _Sum(NamedTuple):
    """A quantity in the new frame: shift, and factors of quantities in the frame of the fit."""

    name: str
    shift: float
    factors: dict[str, float]


def intervals_in(payload: PayloadFound, placement: Array) -> dict[str, tuple[float, float]]:
    """Those that there are: a motion rarely shows all of a load.

    Args:
        payload: in the frame of the fit.
        placement: of that frame in the new one, shape (4, 4).
    """
    entries = [payload.mass, *payload.centre, *payload.inertia]
    given = {name: tuple(entry[1:]) for name, entry in zip(_QUANTITIES, entries, strict=True)}
    result = {}
    for name, shift, factors in _sums(placement):
        bounds = [shift, shift]
        for own, factor in factors.items():
            lower, upper = given[own]
            if lower is None or upper is None:
                break
            ends = sorted([factor * lower, factor * upper])
            bounds = [bounds[0] + ends[0], bounds[1] + ends[1]]
        else:
            result[name] = (bounds[0], bounds[1])
    return result


def statuses_in(payload: PayloadFound, placement: Array) -> dict[str, ParameterStatus]:
    """What is a sum is known as well as the worst of its parts."""
    result = {}
    for name, _, factors in _sums(placement):
        parts = [payload.statuses[own] for own in factors if own in payload.statuses]
        if parts:
            result[name] = max(parts, key=_WORSE.index)
    return result


def _sums(placement: Array) -> Iterator[_Sum]:
    rotation = np.where(np.abs(placement[:3, :3]) > _ROUNDING, placement[:3, :3], 0.0)
    yield _Sum("mass", 0.0, {"mass": 1.0})
    centre, inertia = _QUANTITIES[1:4], _QUANTITIES[4:]
    for row, name in enumerate(centre):
        yield _Sum(name, float(placement[row, 3]), _factors(centre, rotation[row]))
    turned = np.empty((6, 6))
    for entry, (row, column) in enumerate(zip(ROWS, COLUMNS, strict=True)):
        one = np.zeros((3, 3))
        one[row, column] = one[column, row] = 1.0
        turned[:, entry] = (rotation @ one @ rotation.T)[ROWS, COLUMNS]
    for name, of in zip(inertia, turned, strict=True):
        yield _Sum(name, 0.0, _factors(inertia, of))


def _factors(names: tuple[str, ...], values: Array) -> dict[str, float]:
    return {n: v for n, v in zip(names, values.tolist(), strict=True) if abs(v) > _ROUNDING}
