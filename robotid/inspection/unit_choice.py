"""In which units signals are: what the file or names say, what values and their ratios say."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from robotid.ingestion.units import UNITS, spelled
from robotid.inspection.column_groups import Group
from robotid.inspection.derivative_check import fitting_units
from robotid.inspection.remarks import Remark

_FAR_RAD = 4 * np.pi  # what turns further is hardly a joint in rad
_FAR_AMPERE = 100.0


class Limits(NamedTuple):
    """Lowest and highest position of each joint in the robot file [rad or m]; kinds of joints."""

    lower: Sequence[float]
    upper: Sequence[float]
    kinds: Sequence[str]

    @property
    def mixed(self) -> bool:
        """Whether some joints turn and others slide."""
        return len(set(self.kinds)) > 1


def stated_unit(group: Group) -> str | None:
    """The unit that the file states for all columns of a group, or that their names hold."""
    stated = {spelled(column.unit) if column.unit else None for column in group.columns}
    if len(stated) == 1 and None not in stated:
        return next(iter(stated))
    return group.facts.unit


def motion_units(
    q: Group, qd: Group | None, ratios: Sequence[float | None], limits: Limits | None
) -> tuple[str | None, str | None, list[Remark]]:
    """Units of positions and velocities, and why; None leaves them to the kind of each joint."""
    said: list[Remark] = []
    q_unit, qd_unit = stated_unit(q), stated_unit(qd) if qd else None
    if limits is not None and limits.mixed:
        said.append(Remark("q", "rad or m, by the kind of each joint"))
        if qd is not None and q_unit is None and qd_unit is None:
            said += _about_ratio(ratios, "rad", "rad/s", "revolute")
        return q_unit, qd_unit, said
    kind = limits.kinds[0] if limits else "revolute"
    known = [ratio for ratio in ratios if ratio is not None]
    fits = fitting_units(float(np.median(np.abs(known))), kind) if known else []
    if q_unit is None:
        q_unit = _by_range(q, kind, limits, [pair[0] for pair in fits], said)
    if qd is not None and qd_unit is None:
        pair = next((pair for pair in fits if pair[0] == q_unit), None)
        qd_unit = pair[1] if pair else _same_scale(q_unit)
    if qd is not None:
        said += _about_ratio(ratios, q_unit, qd_unit, kind)
    return q_unit, qd_unit, said


def _by_range(
    q: Group, kind: str, limits: Limits | None, fits: Sequence[str], said: list[Remark]
) -> str:
    """Degrees or rad, m or mm, by how far positions go."""
    small, large = ("rad", "deg") if kind == "revolute" else ("m", "mm")
    lows = [column.low for column in q.columns if column.low is not None]
    highs = [column.high for column in q.columns if column.high is not None]
    if not lows:
        return small
    text = f"values from {min(lows):.4g} to {max(highs):.4g}"
    if limits is not None:
        unit = next((u for u in (small, large) if _inside(q, limits, UNITS[u].factor)), None)
        if unit == small and (not fits or unit in fits):
            said.append(Remark("q", f"{text}: within the limits of the robot in {unit}"))
            return unit
        said.append(Remark("q", f"{text}: beyond the limits of the robot in {small}", True))
        if unit is not None and (not fits or unit in fits):
            text = f'{unit} would fit, or {small} at the motors (side = "motor")'
            said.append(Remark("q", text, True))
            return unit
    far = max(abs(min(lows)), abs(max(highs))) > (_FAR_RAD if kind == "revolute" else 10.0)
    chosen = large if far else small
    if fits and chosen not in fits:
        chosen = fits[0]
        said.append(Remark("q", f"{text}; velocities say {chosen}"))
    elif limits is None:
        why = f': {large}, or {small} at the motors (side = "motor")?' if far else f": {small}"
        said.append(Remark("q", text + why, far and (not fits or small in fits)))
    return chosen


def _inside(q: Group, limits: Limits, factor: float) -> bool:
    for column, lower, upper in zip(q.columns, limits.lower, limits.upper, strict=True):
        slack = 0.1 * (upper - lower) if np.isfinite(upper - lower) else np.inf
        if column.low is None or column.high is None:
            continue
        if column.low * factor < lower - slack or column.high * factor > upper + slack:
            return False
    return True


def _same_scale(q_unit: str) -> str:
    return {"deg": "deg/s", "rev": "rev/s", "m": "m/s", "mm": "mm/s", "mrad": "mrad/s"}.get(
        q_unit, "rad/s" if q_unit == "rad" else f"{q_unit}/s"
    )


def _about_ratio(
    ratios: Sequence[float | None], q_unit: str, qd_unit: str | None, kind: str
) -> list[Remark]:
    known = [ratio for ratio in ratios if ratio is not None]
    if not known:
        text = "dq/dt could not be compared: hardly any motion, or not related to it"
        return [Remark("qd", text, True)]
    expected = UNITS[qd_unit].factor / UNITS[q_unit].factor if qd_unit in UNITS else 1.0
    ratio = float(np.median(np.abs(known)))
    said = [Remark("qd", f"dq/dt over qd is {ratio:.4g}: {q_unit} and {qd_unit} fit")]
    if abs(ratio / expected - 1) > 0.03:
        pairs = [f"{q} with {qd}" for q, qd in fitting_units(ratio, kind)]
        text = f"dq/dt over qd is {ratio:.4g}, not {expected:.4g} as of {q_unit} and {qd_unit}"
        fits = f": {' or '.join(pairs)} would fit" if pairs else ": a gear, or the unit of time?"
        said = [Remark("qd", text + fits, True)]
    flipped = [str(n) for n, r in enumerate(ratios, 1) if r is not None and r < 0]
    if flipped:
        factors = ", ".join("-1" if r is not None and r < 0 else "1" for r in ratios)
        text = f"velocities have the wrong sign in column {', '.join(flipped)}"
        said.append(Remark("qd", text, True, f"scale = [{factors}]"))
    return said


def current_unit(group: Group) -> str:
    """A or mA."""
    stated = stated_unit(group)
    if stated is not None and stated in UNITS and UNITS[stated].measures == "current":
        return stated
    largest = max((max(abs(c.low or 0), abs(c.high or 0)) for c in group.columns), default=0.0)
    return "mA" if largest > _FAR_AMPERE else "A"
