"""`fit.json` of a forward model: accelerations that commands cause.

A folder of such a fit holds beside it

    weights.safetensors         everything that was learned, in float64
    nominal.urdf or .xml        the robot file that was given, unchanged
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.fit import FIT, AnyFit
from robotid.contracts.fit_text import parsed
from robotid.contracts.versions import kind_of
from robotid.errors import BadDataError

WEIGHTS = "weights.safetensors"

EnergyClass = Literal["conserving", "bounded", "unbounded"]
Kinematics = Literal["known", "learned"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ActuatorValue(_Part):
    """A parameter of an actuator that has a meaning of its own, such as viscous friction."""

    joint: str
    name: str
    unit: str
    value: float
    nominal: float | None = None


class Combination(_Part):
    """A sum of link parameters that accelerations show, beside that of the robot file.

    It is called after the parameter that it begins with; `unit` is empty in older fits.
    """

    name: str
    value: float
    nominal: float
    unit: str = ""


class ForwardResult(AnyFit):
    """What was learned, and how well it predicts.

    `torque` is the signal that stands for the command, errors are of accelerations
    [rad/s² or m/s²], and baselines are no acceleration, the mean one, and the robot file.

    Args:
        model: `diffnea`, `nea` or `ffnn`.
        actuator: between the command and the links; `none` for a network.
        energy: what the model does to the energy of a robot that nobody drives.
        kinematics: whether placements of the links were learned as well.
        links: as rigid bodies; none of a network.
        combinations: of link parameters, where the kinematics are known.
        actuator_values: of actuators that are formulas.
        placements: pose of each body in its parent, where they were learned, (bodies, 4, 4).
    """

    format: Literal[1] = 1
    predicts: Literal["acceleration"]
    actuator: str = "none"
    energy: EnergyClass
    kinematics: Kinematics = "known"
    combinations: list[Combination] = Field(default=[])
    actuator_values: list[ActuatorValue] = Field(default=[])
    placements: list[list[list[float]]] | None = None


def read_forward_result(folder: Path) -> ForwardResult:
    """Read `fit.json` of a forward model."""
    path = folder / FIT
    raw = path.read_bytes()
    if kind_of(raw) != "forward":
        said = "this fit predicts torques, not accelerations"
        hint = "fit with --loss forward for a model that can be left to run"
        raise BadDataError("predicts-torque", said, file=str(path), hint=hint)
    return parsed(ForwardResult, raw, path)
