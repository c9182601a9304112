"""`fit.json` of a forward model: accelerations that commands cause.

A folder of such a fit holds beside it

    weights.safetensors         everything that was learned, in float64
    nominal.urdf or .xml        the robot file that was given, unchanged
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robotid.contracts.fit import (
    FIT,
    CurvePoint,
    FitResult,
    Link,
    Metrics,
    RobotUsed,
    Status,
    Verdict,
    read_fit,
)
from robotid.contracts.fit_data import JointRange, Provenance, RecordingUsed, Remark
from robotid.contracts.splits import Split
from robotid.contracts.versions import first_fault, predicts_acceleration
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
    """A sum of link parameters that accelerations show, beside that of the robot file."""

    name: str
    value: float
    nominal: float


class ForwardResult(_Part):
    """What was learned, and how well it predicts.

    Args:
        format: of this file.
        predicts: what tells it from other fits.
        model: `diffnea`, `nea` or `ffnn`.
        options: keys of the fit's configuration.
        robot: the robot file and what was changed.
        joints: in the order of the robot.
        torque: the signal that stands for the command.
        actuator: between the command and the links; `none` for a network.
        energy: what the model does to the energy of a robot that nobody drives.
        kinematics: whether placements of the links were learned as well.
        samples: by split.
        recordings: and their splits.
        split_by: whether a recording was cut.
        status: how the training ended.
        verdict: whether to use it.
        metrics: errors of accelerations, by split [rad/s² or m/s²].
        baselines: no acceleration, the mean one, and the robot file.
        links: as rigid bodies; none of a network.
        combinations: of link parameters, where the kinematics are known.
        actuator_values: of actuators that are formulas.
        placements: pose of each body in its parent, where they were learned, (bodies, 4, 4).
        curve: of the training.
        data: by recording.
        ranges: of the training data, by joint.
        remarks: what to know before it is used.
        provenance: how it came about.
    """

    format: Literal[1] = 1
    predicts: Literal["acceleration"]
    model: str
    options: dict[str, Any] = {}
    robot: RobotUsed
    joints: list[str] = Field(min_length=1)
    torque: str = "tau"
    actuator: str = "none"
    energy: EnergyClass
    kinematics: Kinematics = "known"
    samples: dict[str, int]
    recordings: dict[str, Split]
    split_by: Literal["recording", "segment"]
    status: Status
    verdict: Verdict
    metrics: Metrics
    baselines: dict[str, Metrics]
    links: list[Link] = []
    combinations: list[Combination] = []
    actuator_values: list[ActuatorValue] = []
    placements: list[list[list[float]]] | None = None
    curve: list[CurvePoint] = []
    data: dict[str, RecordingUsed] = {}
    ranges: dict[str, JointRange] = {}
    remarks: list[Remark] = []
    provenance: Provenance | None = None


def read_forward_result(folder: Path) -> ForwardResult:
    """Read `fit.json` of a forward model."""
    path = folder / FIT
    raw = path.read_bytes()
    if not predicts_acceleration(raw):
        said = "this fit predicts torques, not accelerations"
        hint = "fit with --loss forward for a model that can be left to run"
        raise BadDataError("predicts-torque", said, file=str(path), hint=hint)
    try:
        return ForwardResult.model_validate_json(raw)
    except ValidationError as error:
        said = f"not a fit as robotid writes it: {first_fault(error)}"
        raise BadDataError("bad-fit", said, file=str(path), hint="fit again") from error


def read_any_fit(folder: Path) -> FitResult | ForwardResult:
    """A fit, whatever it predicts."""
    if predicts_acceleration((folder / FIT).read_bytes()):
        return read_forward_result(folder)
    return read_fit(folder)
