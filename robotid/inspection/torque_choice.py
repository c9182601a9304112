"""What columns of torques or currents are: unit, kind, signs, and what a user has to say."""

from typing import Any, NamedTuple

from robotid.ingestion.units import UNITS
from robotid.inspection.column_groups import Group
from robotid.inspection.remarks import Remark
from robotid.inspection.unit_choice import current_unit, stated_unit

_NEAR_ZERO = 0.02  # of the largest value


class Torque(NamedTuple):
    """The columns to use as torques, their unit, other keys of the table, and remarks."""

    group: Group
    unit: str | None
    more: dict[str, Any]
    remarks: list[Remark]


def torque_of(tau: Group | None, current: Group | None, qd: Group | None, *, mixed: bool) -> Torque:
    """Torques; currents stand for them where there are none.

    Args:
        tau: columns of torques.
        current: columns of currents.
        qd: columns of velocities.
        mixed: whether some joints turn and others slide.
    """
    said: list[Remark] = []
    more: dict[str, Any] = {}
    unit: str | None
    if (tau is None or tau.dead) and current is not None and not current.dead:
        group, unit = current, current_unit(current)
    else:
        assert tau is not None or current is not None
        group = tau or current  # type: ignore[assignment]
        unit = stated_unit(group) or (None if mixed else "Nm")
        if stated_unit(group) is None:
            assumed = "N m or N" if mixed else "N m"
            text = f"nothing states the unit: {assumed} at the joints is assumed"
            said.append(Remark("tau", text))
    if unit is not None and UNITS[unit].measures == "current":
        line = "constant = […]  # N m/A, one per joint or one for all"
        said.append(Remark("tau", "currents: torque constants are needed", True, line))
        said.append(Remark("tau", 'with gears also side = "motor" and [motor] gear = […]', True))
    still = [c.name for c in group.columns if c.constant or not c.values]
    if still:
        said.append(Remark("tau", f"never changes: {', '.join(still[:6])}", True))
    if group.facts.weak:
        text = 'is it a torque? unit = "A" with constant, or scale to N m'
        said.append(Remark("tau", text, True))
    if "commanded" in group.facts.marks:
        more["kind"] = "commanded"
        said.append(Remark("tau", "asked for, not measured", True))
    if "computed" in group.facts.marks:
        said.append(Remark("tau", "computed, not measured: a fit would only find that model", True))
    if "motor" in group.facts.marks:
        said.append(Remark("tau", 'at the motors? then side = "motor" and [motor] gear', True))
    bits = {column.lost_sign_bits for column in group.columns} - {None}
    if len(bits) == 1:
        more["bits"] = bits.pop()
        said.append(Remark("tau", "whole numbers whose sign was lost: values near the top"))
    elif unsigned(group, qd):
        said.append(
            Remark("tau", "never negative, though velocities are: signs were lost", check=True)
        )
    return Torque(group, unit, more, said)


def unsigned(tau: Group, qd: Group | None) -> bool:
    """Whether torques lost their signs: none is negative while joints move both ways.

    A load may keep a torque away from zero; absolute values come down to it.
    """
    moving = [c for c in tau.columns if c.high is not None and not c.constant]
    if qd is None or not moving or any((column.low or 0.0) < 0 for column in moving):
        return False
    both = [c for c in qd.columns if (c.low or 0.0) < 0 < (c.high or 0.0)]
    touching = [c for c in moving if (c.low or 0.0) <= _NEAR_ZERO * (c.high or 0.0)]
    return bool(both) and 2 * len(touching) > len(moving)
