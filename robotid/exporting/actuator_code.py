"""Actuators as C: friction of a few numbers, or networks of position and velocity."""

from torch.nn import Linear

from robotid.errors import ConfigError
from robotid.exporting.network_code import array, columns
from robotid.models.actuators.actuator import Actuator
from robotid.models.actuators.friction import Coulomb, Friction, Stribeck, Viscous
from robotid.models.actuators.networks import (
    NetworkActuator,
    NetworkDrive,
    NetworkFriction,
    NetworkResidual,
)

# Friction of joint i, with `value(k)` for its parameters.
_FRICTION: dict[type[Actuator], str] = {
    Viscous: "{0} * qd[i]",
    Coulomb: "{0} * {name}_sat(qd[i] / {name}_width[i])",
    Stribeck: "tanh(qd[i] / {name}_width[i]) * ({0} + {1} * exp(-{2} * qd[i] * qd[i])) "
    "+ {3} * qd[i]",
}
# What the network's answer, in usual sizes, does to the torque.
_NETWORKS: dict[type[Actuator], str] = {
    NetworkFriction: "tau[i] += tanh(qd[i] / {name}_width[i]) * fabs({answer});",
    NetworkResidual: "tau[i] += {answer};",
    NetworkDrive: "tau[i] = {answer};",
}


def actuator_constants(actuator: Actuator, name: str) -> str:
    """Arrays of an actuator; compilers complain of those that nothing reads."""
    scales = actuator.scales._asdict()
    found = []
    if isinstance(actuator, Coulomb | Stribeck | NetworkFriction):
        found.append(array(f"{name}_width", scales["width"], "double"))
    if isinstance(actuator, Friction):
        found.append(array(f"{name}_friction", actuator.values(), "double"))
    elif isinstance(actuator, NetworkActuator):
        found += [array(f"{name}_usual_{key}", scales[key], "double") for key in ("q", "qd", "tau")]
        for number, layer in enumerate(_layers(actuator)):
            found.append(array(f"{name}_f{number}", columns(layer.weight), "double"))
            found.append(array(f"{name}_f{number}_bias", layer.bias, "double"))
    return "\n".join(found)


def actuator_function(actuator: Actuator, name: str, n: int) -> str:
    """`<name>_drive(q, qd, tau)`: from the torque of the body to the command."""
    head = (
        f"\nstatic inline void {name}_drive(const double q[{n}], const double qd[{n}], "
        f"double tau[{n}])\n{{\n    (void)q;\n"
    )
    if isinstance(actuator, Friction):
        parameters = [f"{name}_friction[{k * n} + i]" for k in range(len(actuator.names))]
        said = _FRICTION[type(actuator)].format(*parameters, name=name)
        return f"{head}    for (int i = 0; i < {n}; i++)\n        tau[i] += {said};\n}}\n"
    if not isinstance(actuator, NetworkActuator):
        said = f"actuator {type(actuator).__name__} cannot be written as C"
        raise ConfigError("actuator-not-exported", said, hint="fit with another --actuator")
    return head + _network(actuator, name, n)


def _network(actuator: NetworkActuator, name: str, n: int) -> str:
    signals = ["tau", "q", "qd"] if isinstance(actuator, NetworkDrive) else ["q", "qd"]
    lines = [f"    double x0[{len(signals) * n}];"]
    for place, signal in enumerate(signals):
        lines.append(f"    for (int i = 0; i < {n}; i++)")
        lines.append(f"        x0[{place * n} + i] = {signal}[i] / {name}_usual_{signal}[i];")
    layers = _layers(actuator)
    for number, layer in enumerate(layers):
        after, size = f"x{number + 1}", layer.out_features
        lines.append(f"    double {after}[{size}];")
        lines.append(
            f"    {name}_drive_layer({name}_f{number}, {name}_f{number}_bias, x{number}, "
            f"{layer.in_features}, {size}, {after});"
        )
        if number < len(layers) - 1:
            lines.append(f"    for (int i = 0; i < {size}; i++)")
            lines.append(f"        {after}[i] = tanh({after}[i]);")
    answer = f"x{len(layers)}[i] * {name}_usual_tau[i]"
    lines.append(f"    for (int i = 0; i < {n}; i++)")
    lines.append(f"        {_NETWORKS[type(actuator)].format(name=name, answer=answer)}")
    return "\n".join(lines) + "\n}\n"


def _layers(actuator: NetworkActuator) -> list[Linear]:
    return [layer for layer in actuator.net if isinstance(layer, Linear)]
