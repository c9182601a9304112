"""Keys of a fit that contradict each other, or would do nothing: what kind of model takes which."""

from collections.abc import Set
from typing import TYPE_CHECKING

from robotid.contracts.versions import LAGRANGIAN, LEARNED
from robotid.fitting.protocol_options import ProtocolOptions

if TYPE_CHECKING:
    from robotid.fitting.options import FitOptions

FORWARD = ("diffnea", "nea", "ffnn")
_BY_MOMENT = ("nostr", "symm", "spd", "tri", "cov")
_WIDEST = 1024
_OF_FORWARD = ("actuator", "hidden")
_OF_FACTORS = ("intervals", "essential", "cv")
_OF_PROTOCOLS = tuple(ProtocolOptions.model_fields)
_NOT_OF_FORWARD = ("intervals", "essential", "cv", "loaded", "load", "links_by", *_OF_PROTOCOLS)


def check_kind(options: "FitOptions", changed: Set[str]) -> None:
    """Refuse what a model of torques, learned or not, or a forward model cannot have.

    Args:
        options: all keys.
        changed: those that differ from their defaults.
    """
    if options.loss == "forward":
        _forward(options, changed)
    elif options.model in LEARNED:
        if options.kinematics != "known":
            raise ValueError("kinematics is for loss forward")
        _learned(options, changed)
    else:
        for key in _OF_FORWARD:
            if key in changed:
                raise ValueError(f"{key} is for loss forward")
        if options.model == "ffnn":
            raise ValueError("model: ffnn predicts accelerations; it needs loss forward")
        if options.kinematics == "learned":
            _placed(options, changed)
        by_moment = options.model != "diffnea" or options.inertia in _BY_MOMENT
        if "links_by" in changed and not by_moment:
            raise ValueError(f"links_by is for inertia {', '.join(_BY_MOMENT)}")


def _learned(options: "FitOptions", changed: Set[str]) -> None:
    """Learned models of torques."""
    for key in _OF_FACTORS:
        if key in changed:
            raise ValueError(f"{key} is for fits on factors, not for {options.model}")
    if options.loss_units == "noise":
        raise ValueError("loss_units: noise is for links; take range, spread or si")
    hybrid = options.model == "hybrid"
    body, residual = options.parts
    if hybrid and residual == "none" and (options.rigid == "sdp" or options.training == "2s"):
        alone = "delan" if options.rigid == "delan" else "sdp"
        raise ValueError(f"residual: nothing is left to train after the body; fit with {alone}")
    if hybrid and options.rigid == "sdp" and options.training == "e2e":
        said = "training: links of an sdp stay as they are; train 2s, or take rigid diffbary"
        raise ValueError(said)
    if "inertia" in changed and options.rigid != "diffnea":
        raise ValueError("inertia is for rigid diffnea")
    if "init" in changed and options.training == "2s":
        raise ValueError("init is for links that are trained: those of 2s are of an sdp")
    if "body_weight" in changed and (residual == "none" or options.training == "2s"):
        raise ValueError("body_weight is for a body that learns together with a network")
    for key in ("lagrangian", "lagrangian_activation", "lagrangian_inputs"):
        if key in changed and body not in LAGRANGIAN:
            raise ValueError(f"{key} is for {', '.join(LAGRANGIAN)}")
    if "lagrangian_inputs" in changed and body != "delan":
        raise ValueError("lagrangian_inputs is for delan; those of a floating base are circles")
    for key in ("mass_weight", "inertia_weight"):
        if key in changed and body != "felan":
            raise ValueError(f"{key} is for felan")
    for key in ("decay", "decay_after"):
        if key in changed and options.usual.schedule != "step":
            raise ValueError(f"{key} is for schedule step")
    for key in ("memory", "sequence"):
        if key in changed and residual != "lstm":
            raise ValueError(f"{key} is for an lstm")
    for key in ("activation", "hidden"):
        if key in changed and residual == "none":
            raise ValueError(f"{key} is for networks that add to a body")
    layers = (*options.usual.hidden, *options.lagrangian)
    if any(not 1 <= size <= _WIDEST for size in layers):
        raise ValueError(f"layers have 1 to {_WIDEST} units")


def _placed(options: "FitOptions", changed: Set[str]) -> None:
    """Links in places that are learned with them."""
    if options.optimizer != "adam":
        raise ValueError("kinematics: learned ones of torques are trained by optimizer adam")
    if options.init not in ("prior", "random"):
        raise ValueError("init: learned kinematics start from prior or random")
    if options.inertia == "nostr":
        raise ValueError("inertia: nostr needs known kinematics")
    for key in (*_OF_FACTORS, "online", "loaded", "links_by"):
        if key in changed:
            raise ValueError(f"{key} is for known kinematics")
    if options.loss_units == "noise":
        raise ValueError("loss_units: noise is for known kinematics; take range, spread or si")


def _forward(options: "FitOptions", changed: Set[str]) -> None:
    """Forward models."""
    if options.model not in FORWARD:
        raise ValueError(f"loss: forward is for {', '.join(FORWARD)}, not for {options.model}")
    if options.model == "nea" and options.kinematics == "learned":
        raise ValueError("kinematics: linear regression (nea) needs known ones; take diffnea")
    for key in _NOT_OF_FORWARD:
        if key in changed:
            raise ValueError(f"{key} is for loss torque")
    if "hidden" in changed and not options.has_network:
        raise ValueError("hidden is for ffnn and actuators that are networks")
    if any(not 1 <= size <= _WIDEST for size in options.usual.hidden):
        raise ValueError(f"hidden: layers have 1 to {_WIDEST} units")
    if options.has_network and options.optimizer != "adam":
        raise ValueError("optimizer: networks have too many weights for newton; take adam")
    if options.inertia == "nostr":
        raise ValueError("inertia: nostr has no forward dynamics")
    if options.kinematics == "learned" and options.init == "sdp":
        raise ValueError("init: learned kinematics start from prior or random, not from an sdp")
