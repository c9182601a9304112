"""`fit.json` of a learned torque model: networks, alone or on top of a rigid body.

A folder of such a fit holds beside it

    weights.safetensors         everything that was learned
    residuals.parquet           excerpts of measured and predicted torque
    nominal.urdf or .xml        the robot file that was given, unchanged
"""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.fit import FIT, AnyFit, BlockErrors, DriveGain, JointTerms, Metrics
from robotid.contracts.fit_data import FilteredData
from robotid.contracts.fit_text import parsed
from robotid.contracts.forward import ActuatorValue
from robotid.contracts.versions import LEARNED, kind_of
from robotid.errors import BadDataError

LearnedModel = Literal[
    "mlp", "lstm", "hybrid", "delan", "felan", "felan-bs", "delan-pp", "kinodynamic"
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Architecture(_Part):
    """The parts of a model, whose torques add up.

    Args:
        body: `links` in a parametrisation, `kinodynamic` for such whose places are learned, too,
            `delan` for an energy that is learned, `felan`, `felan-bs`, `delan-pp` for such of a
            floating base, or none.
        inertia: the parametrisation of links.
        actuator: between the torque and the body.
        residual: a network of the motion, `lstm` with a memory, `mlp` without, or none.
        hidden: layers of the residual; those before the memory of an `lstm`.
        memory: units of it.
        activation: that bends these layers.
        lagrangian: layers of an energy that is learned.
        lagrangian_activation: that bends these.
        lagrangian_inputs: positions, or `circles` for cosine and sine of each.
        frozen: parts that an earlier fit gave and that did not change in training.
    """

    body: Literal["none", "links", "kinodynamic", "delan", "felan", "felan-bs", "delan-pp"]
    inertia: str = ""
    actuator: str = "none"
    residual: Literal["none", "mlp", "lstm"]
    hidden: tuple[int, ...] = ()
    memory: int = 0
    activation: Literal["prelu", "tanh"] = "prelu"
    lagrangian: tuple[int, ...] = ()
    lagrangian_activation: Literal["softplus", "tanh"] = "softplus"
    lagrangian_inputs: Literal["positions", "circles"] = "positions"
    frozen: tuple[Literal["body", "joints"], ...] = ()


class PartOfTorque(_Part):
    """How much of the torque a part gives, root mean square over samples, by joint.

    Args:
        rms: of the part [N m or N].
        share: of it in the measured torque; null where that is zero.
    """

    rms: dict[str, float]
    share: dict[str, float | None]


class Beyond(_Part):
    """Held-out samples inside and beyond the motions of the training data.

    A sample is beyond if any position, velocity or acceleration is, by a twentieth of its range.

    Args:
        share: of held-out samples that are beyond.
        inside: root mean square error of the others, mean over the joints; null without any.
        beyond: of those beyond.
        sdp_inside: the same of a rigid body; null likewise.
        sdp_beyond: of it beyond.
    """

    share: float
    inside: float | None
    beyond: float | None
    sdp_inside: float | None
    sdp_beyond: float | None


class LearnedParameter(_Part):
    """A sum of link parameters, or a term of a joint, of the rigid part of a model.

    Args:
        name: of the parameter it begins with.
        unit: of it.
        value: that was learned.
        sdp: that a physically consistent fit without networks finds in the same data.
        nominal: of the robot file.
    """

    name: str
    unit: str
    value: float
    sdp: float
    nominal: float


class Apart(_Part):
    """How far links are from those of an SDP on the same data; terms of joints do not count.

    Args:
        parameters: of base parameters, norm over norm.
        torque: of the torques that they make of the training data, norm over norm.
    """

    parameters: float
    torque: float


class LearnedMass(_Part):
    """The mass of a floating robot whose energy was learned, over held-out configurations [kg].

    Args:
        mean: of it.
        std: standard deviation: none, if the robot were what it is.
        least: of it.
        largest: of it.
        nominal: of the robot file.
        entries: numbers that mass matrix and potential take from networks at each configuration.
    """

    mean: float
    std: float
    least: float
    largest: float
    nominal: float
    entries: int


class Learning(_Part):
    """What training was given and how it went on.

    Args:
        units: sequences, or samples, that one epoch passes.
        length: samples of a sequence; 1 without a memory.
        rate_hz: samples per second; what a model remembers lasts for samples, not for seconds.
        left_out: training samples in no sequence: ends of stretches that are shorter.
        validated_by: what told when to stop: `val`, `end` of the training data, all of them
            (`train`), or `nothing` where the data were passed once.
        batch: units of one step.
        epochs: done.
        best_epoch: whose weights were kept.
        weights: that were learned.
        device: that networks ran on.
        began_with: digest of the earlier fit whose weights training began with; null for none.
    """

    units: int
    length: int
    rate_hz: float
    left_out: int
    validated_by: Literal["val", "end", "train", "nothing"]
    batch: int
    epochs: int
    best_epoch: int
    weights: int
    device: str
    began_with: str | None = None


class LearnedResult(AnyFit):
    """What was learned, and how well it predicts.

    `torque` is the signal that stands for torque. Baselines are no torque, the mean one, the robot
    file, and a rigid body with the same terms of joints that an SDP finds in the same data.

    Args:
        architecture: the parts of the model.
        terms: of its joints.
        learning: what training was given.
        without_residual: errors of body and joints alone, by split; empty without a body.
        parts: torque of each part on held-out data.
        beyond: errors where held-out motions leave those of the training.
        rigid: parameters of the rigid part; empty of other bodies.
        rigid_apart: how far its links are from those of the SDP; null of other bodies.
        actuator_values: of actuators that are formulas.
        gains: of drives.
        placements: poses of the bodies of a `kinodynamic` body.
        mass: of a floating robot whose energy was learned.
        blocks: errors of stretches of recordings.
        filtered: spectra, by recording.
    """

    format: Literal[1] = 1
    predicts: Literal["torque"] = "torque"
    model: LearnedModel
    architecture: Architecture
    terms: JointTerms
    learning: Learning
    without_residual: Metrics = Field(default={})
    parts: dict[str, PartOfTorque] = Field(default={})
    beyond: Beyond | None = None
    rigid: list[LearnedParameter] = Field(default=[])
    rigid_apart: Apart | None = None
    actuator_values: list[ActuatorValue] = Field(default=[])
    gains: list[DriveGain] = Field(default=[])
    placements: list[list[list[float]]] | None = Field(
        default=None, description="Where bodies are in their parents at q = 0, where learned."
    )
    mass: LearnedMass | None = None
    blocks: list[BlockErrors] = Field(default=[])
    filtered: dict[str, FilteredData] = Field(default={})


def read_learned_result(folder: Path) -> LearnedResult:
    """Read `fit.json` of a learned torque model."""
    path = folder / FIT
    raw = path.read_bytes()
    if kind_of(raw) != "learned":
        said = "this fit is no learned model of torques"
        hint = f"fit with --model {', '.join(LEARNED)}"
        raise BadDataError("not-learned", said, file=str(path), hint=hint)
    return parsed(LearnedResult, raw, path)
