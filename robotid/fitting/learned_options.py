"""Configuration keys of learned torque models. Light to import: help needs no numpy."""

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.versions import FLOATING, LAGRANGIAN


class LearnedOptions(BaseModel):
    """What a learned model is made of, and how it is trained."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rigid: Literal["diffbary", "diffnea", "delan", "felan", "sdp"] = Field(
        default="diffbary",
        description="The body of a hybrid: links by the Cholesky factor of the pseudo-inertia, "
        "links parametrised by --inertia, a Deep Lagrangian network, one of a floating base, or "
        "links of an SDP that stay as they are.",
    )
    residual: Literal["lstm", "mlp", "none"] = Field(
        default="lstm",
        description="What a hybrid adds to its body: a network with a memory, one without, or "
        "nothing.",
    )
    training: Literal["e2e", "2s"] = Field(
        default="e2e",
        description="All parts of a hybrid together, or (2s) the body first, which then stays as "
        "it is.",
    )
    body_weight: float = Field(
        default=0.0,
        ge=0,
        description="With which errors of the body and its joints without the network count beside "
        "those of the whole, so that they stay right while all parts learn together; 0 as "
        "published.",
    )
    memory: int = Field(default=50, ge=1, le=1024, description="Units of an lstm.")
    activation: Literal["prelu", "tanh"] = Field(
        default="prelu", description="Of the layers of mlp and lstm."
    )
    lagrangian: tuple[int, ...] = Field(
        default=(),
        max_length=8,
        description="Layers of a Lagrangian network; by default 200 and 200, of a floating base "
        "16 and 16.",
    )
    lagrangian_activation: Literal["softplus", "tanh"] = Field(
        default="softplus", description="Of the layers of a Lagrangian network."
    )
    lagrangian_inputs: Literal["positions", "circles"] = Field(
        default="positions",
        description="What a delan sees of a position: itself, or its cosine and sine.",
    )
    mass_weight: float = Field(
        default=0.01,
        ge=0,
        description="With which a felan's mass counts where it is too small for its joints.",
    )
    inertia_weight: float = Field(
        default=0.01,
        ge=0,
        description="With which its inertia counts where that is too small for its joints.",
    )
    stop_by: Literal["validation", "training"] = Field(
        default="validation",
        description="Whose error tells when to stop, and which weights are kept: that of data held "
        "out for it, or that of what is trained on.",
    )
    sequence: int = Field(
        default=100, ge=2, le=100_000, description="Samples of a sequence that trains an lstm."
    )
    schedule: Literal["step", "cosine"] | None = Field(
        default=None,
        description="How the learning rate falls: once by decay, or along half a cosine to a "
        "hundredth; by default step, of felan, felan-bs and delan-pp cosine.",
    )
    decay: float = Field(
        default=0.1, gt=0, le=1, description="Factor of the learning rate after decay_after epochs."
    )
    decay_after: int = Field(default=30, ge=1, description="Epochs before the rate falls.")
    device: Literal["auto", "cpu", "gpu"] = Field(
        default="auto", description="Where networks run: on a GPU if there is one, or as asked."
    )


class Trainings(NamedTuple):
    """How adam trains where nothing else is said.

    Args:
        hidden: layers of networks.
        batch: samples, or sequences, of one step.
        learning_rate: at the beginning.
        epochs: at most.
        patience: epochs without a better validation error.
        loss_units: what errors count in.
        schedule: of the rate, for learned models.
    """

    hidden: tuple[int, ...] = (32, 32)
    batch: int = 256
    learning_rate: float = 1e-2
    epochs: int = 200
    patience: int = 10
    loss_units: Literal["noise", "range", "spread", "si"] = "noise"
    schedule: Literal["step", "cosine"] = "step"


_NETWORK = Trainings((200, 200), 1000, 4e-3, 300, 30, "range")
_FLOATING = Trainings((), 1000, 5e-3, 2000, 200, "spread", "cosine")
_BY_MODEL = {
    "mlp": _NETWORK,
    "lstm": _NETWORK._replace(hidden=(100,)),
    "delan": _NETWORK._replace(learning_rate=1e-3),
    "hybrid": _NETWORK,
    **dict.fromkeys(FLOATING, _FLOATING),
}


def usual_training(model: str, rigid: str, residual: str) -> Trainings:
    """What papers found good for a model, and for the parts of a hybrid."""
    found = _BY_MODEL.get(model, Trainings())
    if model != "hybrid":
        return found
    if rigid in LAGRANGIAN:  # with whose rate the network beside it learns, too
        found = found._replace(learning_rate=_BY_MODEL[rigid].learning_rate)
    return found._replace(hidden=(100,)) if residual == "lstm" else found


# Keys of learned models, and which of them take each.
USED_BY: dict[str, tuple[str, ...]] = {
    "rigid": ("hybrid",),
    "residual": ("hybrid",),
    "training": ("hybrid",),
    "body_weight": ("hybrid",),
    "memory": ("lstm", "hybrid"),
    "activation": ("mlp", "lstm", "hybrid"),
    "lagrangian": (*LAGRANGIAN, "hybrid"),
    "lagrangian_activation": (*LAGRANGIAN, "hybrid"),
    "lagrangian_inputs": ("delan", "hybrid"),
    "mass_weight": ("felan", "hybrid"),
    "inertia_weight": ("felan", "hybrid"),
    "sequence": ("lstm", "hybrid"),
}
