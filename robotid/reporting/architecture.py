"""The parts of a learned model, in words."""

from robotid.contracts.learned import Architecture
from robotid.models.actuators.table import actuator_model

_RESIDUALS = {"mlp": "a network of the motion", "lstm": "a network of the motion with a memory"}


def described(parts: Architecture) -> str:
    """All parts in a sentence, without its stop."""
    said = []
    if parts.body == "links":
        said.append(f"rigid links ({parts.inertia})")
    elif parts.body == "delan":
        layers = " and ".join(map(str, parts.lagrangian))
        said.append(f"an energy that is learned (Deep Lagrangian network, layers of {layers})")
    if parts.actuator != "none":
        said.append(f"{actuator_model(parts.actuator).summary} ({parts.actuator})")
    if parts.residual != "none":
        layers = " and ".join(map(str, parts.hidden))
        memory = f", {parts.memory} units of memory" if parts.memory else ""
        said.append(f"{_RESIDUALS[parts.residual]} (layers of {layers}{memory})")
    return "; ".join(said)


def in_short(parts: Architecture) -> str:
    """The same in a few letters, such as `links + coulomb + lstm`."""
    named = (parts.body, parts.actuator, parts.residual)
    return " + ".join(name for name in named if name != "none")
