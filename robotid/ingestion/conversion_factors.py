"""What turns columns into SI units at the joints: units, torque constants, gears."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.recording import Joint
from robotid.errors import ConfigError
from robotid.ingestion.column_map import ColumnMap, SignalMap, TorqueMap
from robotid.ingestion.sources import Place
from robotid.ingestion.units import MEASURED, PARTS, spelled, unit_named

Array = NDArray[np.float64]


def joint_unit(
    name: str, signal: SignalMap, joint: Joint, i: int, n: int, place: Place, column: str
) -> tuple[float, float]:
    """Factor and offset that make SI units of a column."""
    allowed = MEASURED[name, joint.kind]
    stated = place.stream.column(column)
    text = signal.unit or (stated.unit if stated is not None else None)
    constant = signal.constant if isinstance(signal, TorqueMap) else None
    if text is None or (signal.unit is None and spelled(text) is None):
        unit, factor, shift = allowed[0], 1.0, 0.0
        if text is not None:
            raise ConfigError(
                "unknown-unit",
                f"the file says that {column!r} is in {text!r}, which is no known unit",
                hint=f"write [{name}] unit = … into a map",
            )
    else:
        found = unit_named(text)
        unit, factor, shift = found.measures, found.factor, found.offset
    if signal.side == "motor" and joint.kind == "prismatic":
        allowed = (*allowed, *MEASURED[name, "revolute"])  # the screw turns one into the other
    if unit not in allowed:
        said = f"[{name}] of joint {joint.name} cannot be in {text!r}, a unit of {unit}"
        raise ConfigError("wrong-unit", said, hint=f"it has to be one of {' or '.join(allowed)}")
    if name in ("tau", "tau_cmd"):
        if unit == "current" and constant is None:
            raise ConfigError(
                "current-as-torque",
                f"[{name}] is a current: how many N m per A?",
                hint=f"write [{name}] constant = [...] and, with gears, [motor] gear = [...]",
            )
        if unit != "current" and constant is not None and text is not None:
            said = f"[{name}] has a torque constant, but its unit is {text!r}, not A"
            raise ConfigError("wrong-unit", said)
        if constant is not None:
            factor *= each(constant, n, f"{name}.constant")[i]
    return factor, shift


def part_factor(prefix: str, signal: SignalMap, end: str, place: Place, column: str) -> float:
    """What makes SI units of one column of a base or a contact."""
    kind, _, part = prefix.partition(".")
    measures = PARTS[kind if kind == "contact" else part, end]
    stated = place.stream.column(column)
    text = signal.unit or (stated.unit if stated is not None else None)
    if not text:
        return 1.0
    unit = unit_named(text)
    if unit.measures != measures:
        raise ConfigError(
            "wrong-unit",
            f"[{prefix}] {end} cannot be in {text!r}: it has to be one of {measures}",
            hint="where parts have several units, leave unit out and write scale = [...]",
        )
    return unit.factor


def motor_ratio(columns: ColumnMap, n: int) -> Array:
    """Motor positions per joint position, shape (n, n)."""
    assert columns.motor is not None
    if columns.motor.gear is not None:
        return np.diag(each(columns.motor.gear, n, "motor.gear"))
    ratio = np.array(columns.motor.coupling, dtype=np.float64)
    if ratio.shape != (n, n):
        said = f"motor.coupling is {ratio.shape[0]} x {ratio.shape[1]} for {n} joints"
        raise ConfigError("wrong-count", said)
    if np.linalg.cond(ratio) > 1e8:
        raise ConfigError("singular-coupling", "motor.coupling cannot be inverted")
    return ratio


def each(value: float | Sequence[float], n: int, key: str) -> Array:
    """One number per joint."""
    if isinstance(value, Sequence):
        if len(value) != n:
            raise ConfigError("wrong-count", f"{key} has {len(value)} numbers for {n} joints")
        return np.array(value, dtype=np.float64)
    return np.full(n, float(value))
