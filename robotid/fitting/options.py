"""Configuration keys of white-box fits. Light to import: help and pipelines need no numpy."""

from typing import Literal, Self, cast

from pydantic import ConfigDict, Field, field_validator, model_validator

from robotid.contracts.versions import LAGRANGIAN, LEARNED
from robotid.dynamics.terms import TERMS
from robotid.errors import nearest
from robotid.fitting.learned_options import (
    USED_BY,
    LearnedOptions,
    Trainings,
    usual_training,
)
from robotid.fitting.option_checks import check_kind
from robotid.fitting.option_texts import BOX, LOAD, boxed, load_numbers
from robotid.fitting.protocol_options import ONLINE_BATCH, ProtocolOptions, check_online

Model = Literal[
    "ols", "nea", "wls", "irls", "ridge", "sdp", "diffnea", "diffbary", "ffnn",
    "mlp", "lstm", "delan", "hybrid", "felan", "felan-bs", "delan-pp",
]  # fmt: skip
Actuator = Literal["none", "viscous", "coulomb", "stribeck", "nn-friction", "nn-residual", "ff-nn"]
Body = Literal["none", "links", "kinodynamic", "delan", "felan", "felan-bs", "delan-pp"]
Inertia = Literal["nostr", "free", "symm", "spd", "tri", "cov", "moments", "log"]


# Keys that only some models take.
_DIFFERENTIABLE = ("diffnea", "diffbary")
_USED_BY: dict[str, tuple[str, ...]] = {
    **USED_BY,
    "inertia": ("diffnea", "hybrid"),
    "links_by": ("diffnea",),
    "optimizer": (*_DIFFERENTIABLE, "ffnn"),
    "init": (*_DIFFERENTIABLE, *LAGRANGIAN, "hybrid"),
    "iterations": (*_DIFFERENTIABLE, "ffnn"),
    "actuator": ("diffnea", "delan", "hybrid"),
    "kinematics": ("diffnea",),
    "prior": ("sdp",),
    "prior_std": ("ridge", "sdp"),
    "prior_strength": ("sdp",),
    "centre": ("sdp",),
    "robust": ("irls",),
}
_NETWORKS = ("nn-friction", "nn-residual", "ff-nn")
_OF_LEARNING = ("decay", "decay_after", "schedule", "stop_by", "device")
_OF_ADAM = ("batch", "learning_rate", "epochs", "patience", *ProtocolOptions.model_fields)
OF_LOADS = ("loaded", "load", "load_link", "anew")


class FitOptions(ProtocolOptions, LearnedOptions):
    """Which estimator, where it starts, and what it knows beforehand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Model = Field(
        default="sdp",
        description="ols (nea is its name in the literature): least squares; wls: weighted by the "
        "noise of each joint; irls: robust; ridge: drawn to the robot file; sdp: physically "
        "consistent, convex; diffnea: parametrised by --inertia; diffbary: parametrised by the "
        "Cholesky factor of the pseudo-inertia; ffnn: a network of accelerations; mlp, lstm: "
        "networks of torques; delan: a Deep Lagrangian network; felan, felan-bs, delan-pp: such of "
        "a floating base; hybrid: a body, its friction, and a network for what they leave.",
    )
    loss: Literal["torque", "forward"] = Field(
        default="torque",
        description="What is to be predicted: torques of a motion, or (forward; diffnea, nea and "
        "ffnn) the accelerations that commands cause.",
    )
    actuator: Actuator = Field(
        default="none",
        description="What lies between the command and the body of a forward diffnea, a delan or "
        "a hybrid; see docs/forward.",
    )
    kinematics: Literal["known", "learned"] = Field(
        default="known",
        description="Whether a diffnea learns where links are placed as well; of torques by adam.",
    )
    hidden: tuple[int, ...] = Field(
        default=(),
        max_length=8,
        description="Layers of networks; by default 32 and 32 of a forward model, 200 and 200 of "
        "an mlp, 100 before an lstm.",
    )
    inertia: Inertia = Field(
        default="log", description="How diffnea writes the inertia of a link; see docs/estimators."
    )
    links_by: Literal["moment", "centre"] = Field(
        default="moment",
        description="What nostr, symm, spd, tri and cov have for where a link's mass is: its first "
        "moment, as in print, or its centre, as in the published code.",
    )
    optimizer: Literal["newton", "adam"] = Field(
        default="newton",
        description="newton works on the information factor (forward: Levenberg-Marquardt steps on "
        "samples); adam on mini-batches of samples.",
    )
    init: Literal["random", "published", "prior", "sdp"] = Field(
        default="sdp",
        description="Where diffnea and diffbary start: random links, entries about zero as "
        "published for each parametrisation, the robot file, or the SDP; of a delan, its terms of "
        "joints.",
    )
    seed: int = Field(default=0, ge=0, description="Of random starts and of the order of batches.")
    iterations: int = Field(default=500, ge=1, description="Newton steps at most.")
    batch: int | None = Field(
        default=None,
        ge=1,
        description="Samples in a step of adam, of an lstm sequences; by default 256, of learned "
        "models 1000.",
    )
    learning_rate: float | None = Field(
        default=None,
        gt=0,
        description="Of adam; by default 0.01, of learned models 0.004, of a delan 0.001.",
    )
    epochs: int | None = Field(
        default=None,
        ge=1,
        description="Passes of adam over the samples at most; by default 200, of learned models "
        "300.",
    )
    patience: int | None = Field(
        default=None,
        ge=1,
        description="Epochs without a better validation error that end adam; by default 10, of "
        "learned models 30.",
    )
    prior: Literal["none", "gaussian", "divergence"] = Field(
        default="none",
        description="What draws sdp to the robot file: nothing, squares of differences, or the "
        "log-det divergence of pseudo-inertias. ridge is always gaussian.",
    )
    prior_std: float = Field(
        default=0.3, gt=0, description="Of a gaussian prior, relative to the size of a link."
    )
    prior_strength: float = Field(
        default=1.0, gt=0, description="Weight of the divergence, in units of the noise."
    )
    centre: tuple[str, ...] = Field(
        default=(),
        description=f"Where the centre of mass of a link can be, as {BOX} [m]; for sdp.",
    )
    robust: Literal["blocks", "samples"] = Field(
        default="blocks",
        description="What irls weighs: stretches of a recording, from the factors alone, or single "
        "samples, in further passes over the recordings.",
    )
    intervals: Literal["bandwidth", "blocks"] = Field(
        default="bandwidth",
        description="Uncertainty from the filter's bandwidth, or from what blocks disagree about.",
    )
    essential: bool = Field(
        default=False, description="List the parameters without which data are predicted worse."
    )
    cv: int = Field(
        default=0,
        ge=0,
        description="Cross-validation over recordings with so many folds; 0 for none.",
    )

    loaded: tuple[str, ...] = Field(
        default=(),
        description="Recordings with a known load, by name or pattern; gains of drives are "
        "identified from them and the others.",
    )
    load: str | None = Field(
        default=None, description=f"What is known of that load, as {LOAD} [kg, m, kg m²]."
    )
    load_link: str | None = Field(
        default=None,
        description="The link a load is tied to, in whose frame it is given; the "
        "last one by default.",
    )
    anew: tuple[str, ...] = Field(
        default=("offset",),
        description="Terms of joints that may have changed since the fit without a payload.",
    )

    @model_validator(mode="after")
    def _of_the_model(self) -> Self:
        """Keys that would do nothing are refused: whoever sets them expects something of them."""
        fields = type(self).model_fields
        check_kind(self, self._changed)
        for key, models in _USED_BY.items():
            if key in self._changed and self.model not in models:
                raise ValueError(f"{key} is for {' and '.join(models)}, not for {self.model}")
        for key in _OF_LEARNING:
            if key in self._changed and not self.learned:
                raise ValueError(f"{key} is for learned models, not for {self.model}")
        for key in _OF_ADAM:
            if key in self._changed and not self.by_adam:
                raise ValueError(f"{key} is for optimizer adam")
        if self.iterations != fields["iterations"].default and self.optimizer == "adam":
            raise ValueError("iterations is for optimizer newton; adam has epochs")
        if self.init == "published" and (
            self.model not in _DIFFERENTIABLE or self.loss == "forward"
        ):
            raise ValueError("init: published is for diffnea and diffbary of torques; take random")
        if self.online:
            self._online()
        drawn = self.init in ("random", "published") or self.by_adam or self.has_network
        if self.seed and not drawn:
            raise ValueError("seed is for random starts, optimizer adam and networks")
        if self.prior_std != fields["prior_std"].default and not self._gaussian:
            raise ValueError(f"prior_std is for prior gaussian, not for {self.prior}")
        if self.prior_strength != fields["prior_strength"].default and self.prior != "divergence":
            raise ValueError(f"prior_strength is for prior divergence, not for {self.prior}")
        if self.load is not None and not self.loaded:
            raise ValueError("load is for recordings that loaded names")
        if self.model == "diffnea" and self.inertia == "nostr" and self.optimizer != "adam":
            said = "inertia: nostr has inertias of nine entries, which factors do not know; "
            raise ValueError(said + "it needs optimizer adam")
        if self.cv == 1:
            raise ValueError("cv: two folds at least, or 0 for none")
        if self.cv and self.model == "diffnea" and self.inertia == "nostr":
            raise ValueError("cv: folds are scored on factors, which do not know nostr")
        if self.intervals == "blocks" and self._gaussian:
            raise ValueError("intervals: blocks say nothing of how uncertain a prior is")
        if self.essential and self._gaussian:
            raise ValueError("essential: a prior is no ground to leave parameters out")
        return self

    @property
    def _changed(self) -> set[str]:
        """Keys that differ from their defaults."""
        fields = type(self).model_fields
        return {key for key, field in fields.items() if getattr(self, key) != field.default}

    @property
    def by_adam(self) -> bool:
        """Whether it is trained on mini-batches."""
        return self.optimizer == "adam" or self.model in LEARNED

    @property
    def learned(self) -> bool:
        """Whether the fit is one of a learned model: networks, or links in learned places."""
        places = self.kinematics == "learned" and self.loss == "torque"
        return self.model in LEARNED or places

    @property
    def usual(self) -> Trainings:
        """Layers, batches, rate and lengths of training: those given, else the usual ones."""
        given = {key: getattr(self, key) for key in Trainings._fields}
        found = usual_training(self.model, self.rigid, self.residual)
        if self.model == "diffnea" and self.learned:  # which has no factors to tell the noise
            found = found._replace(loss_units="range")
        if self.online:
            found = found._replace(batch=ONLINE_BATCH, epochs=1)
        return found._replace(**{key: value for key, value in given.items() if value})

    @property
    def _gaussian(self) -> bool:
        return self.model == "ridge" or self.prior == "gaussian"

    @property
    def has_network(self) -> bool:
        """Whether a part of a forward model, or of its drives, is a network."""
        return self.model == "ffnn" or self.actuator in _NETWORKS

    def _online(self) -> None:
        """What a single pass in the order of time cannot have."""
        check_online(
            self._changed,
            memory=self.model in LEARNED and self.parts[1] == "lstm",
            two_stages=self.training == "2s",
            from_sdp=self.model != "mlp" and self.init == "sdp",
        )

    @property
    def parts(self) -> tuple[Body, Literal["none", "mlp", "lstm"]]:
        """Body and residual of a learned model."""
        if self.model == "diffnea":
            return "kinodynamic", "none"
        match self.model:
            case "mlp" | "lstm":
                return "none", self.model
            case "delan" | "felan" | "felan-bs" | "delan-pp":
                return self.model, "none"
            case _:
                body = self.rigid if self.rigid in ("delan", "felan") else "links"
                return cast("Body", body), self.residual

    @field_validator("anew")
    @classmethod
    def _known_terms(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple(part.strip() for text in given for part in text.split(",") if part.strip())
        for name in names:
            if name not in TERMS:
                raise ValueError(f"no term {name!r}; {nearest(name, TERMS)}")
        return names

    @field_validator("load")
    @classmethod
    def _known_load(cls, given: str | None) -> str | None:
        if given is not None:
            load_numbers(given)
        return given

    @field_validator("centre")
    @classmethod
    def _boxes(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        links = [boxed(text)[0] for text in given]
        twice = next((link for link in links if links.count(link) > 1), None)
        if twice is not None:
            raise ValueError(f"link {twice} is given two boxes")
        return given
