"""Networks as C: weights as arrays, layers as loops over them.

Matrices stand column by column, so that a layer is a sum of columns times inputs: compilers turn
that into vector instructions without being allowed to change the order of a sum.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from robotid.models.learned.residuals import LayeredResidual, RecurrentResidual, Residual

Array = NDArray[np.floating]
_WIDTH = 8  # numbers in a line

HELPERS = """
static inline void {name}_layer(const {type} *w, const {type} *b, const {type} *x, int inputs,
                                int outputs, {type} *y)
{{
    for (int i = 0; i < outputs; i++)
        y[i] = b ? b[i] : 0;
    for (int j = 0; j < inputs; j++)
        for (int i = 0; i < outputs; i++)
            y[i] += x[j] * w[j * outputs + i];
}}
"""

_NORM = """
static inline void {name}_norm(const float *w, const float *b, int count, float *x)
{{
    float mean = 0, spread = 0;
    for (int i = 0; i < count; i++)
        mean += x[i] / (float)count;
    for (int i = 0; i < count; i++)
        spread += (x[i] - mean) * (x[i] - mean) / (float)count;
    for (int i = 0; i < count; i++)
        x[i] = (x[i] - mean) / sqrtf(spread + 1e-5f) * w[i] + b[i];
}}
"""

_REMEMBERED = """
    {{
        const float *x = a{last};
        float gates[{gates}], carried[{gates}];
        {name}_layer({name}_in, {name}_in_bias, x, {inputs}, {gates}, gates);
        {name}_layer({name}_held, 0, memory->given, {units}, {gates}, carried);
        for (int i = 0; i < {gates}; i++)
            gates[i] += carried[i];
        for (int i = 0; i < {units}; i++) {{
            const float in = 1 / (1 + expf(-gates[i]));
            const float keep = 1 / (1 + expf(-gates[{units} + i]));
            const float out = 1 / (1 + expf(-gates[3 * {units} + i]));
            memory->held[i] = keep * memory->held[i] + in * tanhf(gates[2 * {units} + i]);
            memory->given[i] = y[i] = out * tanhf(memory->held[i]);
        }}
    }}
    {name}_norm({name}_after, {name}_after_bias, {units}, y);
"""


def array(name: str, values: Tensor | Array, kind: str = "float") -> str:
    """A constant array; single precision is written so that every bit comes back."""
    flat = np.asarray(values.detach() if isinstance(values, Tensor) else values).ravel()
    suffix, digits = ("f", 9) if kind == "float" else ("", 17)
    words = [_number(float(value), digits) + suffix for value in flat]
    lines = [", ".join(words[i : i + _WIDTH]) for i in range(0, len(words), _WIDTH)]
    body = ",\n    ".join(lines)
    return f"static const {kind} {name}[{len(words)}] = {{\n    {body}\n}};\n"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return text if any(letter in text for letter in ".e") else f"{text}.0"


def columns(weight: Tensor) -> Tensor:
    """A matrix, column by column."""
    return weight.detach().mT.contiguous()


def residual_constants(residual: Residual, name: str) -> str:
    """Arrays of a network of the motion."""
    scales = {part: residual.get_buffer(part) for part in ("mean", "spread", "torque")}
    found = [array(f"{name}_{part}", values, "double") for part, values in scales.items()]
    for number, layer in enumerate(_layers(residual)):
        found.append(array(f"{name}_w{number}", columns(layer.weight)))
        found.append(array(f"{name}_b{number}", layer.bias))
    found.append(array(f"{name}_last", columns(_last(residual).weight)))
    found.append(array(f"{name}_last_bias", _last(residual).bias))
    if isinstance(residual, RecurrentResidual):
        own = dict(residual.memory.named_parameters())
        found.append(array(f"{name}_in", columns(own["weight_ih_l0"])))
        found.append(array(f"{name}_in_bias", own["bias_ih_l0"] + own["bias_hh_l0"]))
        found.append(array(f"{name}_held", columns(own["weight_hh_l0"])))
        for part, norm in (("before", residual.before), ("after", residual.after)):
            found.append(array(f"{name}_{part}", norm.weight))
            found.append(array(f"{name}_{part}_bias", norm.bias))
    return "\n".join(found)


def residual_function(residual: Residual, name: str, n: int) -> str:
    """`<name>_network(q, qd, qdd[, memory], tau)`, which adds to torques."""
    layers, lines = _layers(residual), []
    for number, layer in enumerate(layers):
        lines.append(f"    float a{number + 1}[{layer.out_features}];")
        lines.append(
            f"    {name}_layer({name}_w{number}, {name}_b{number}, a{number}, "
            f"{layer.in_features}, {layer.out_features}, a{number + 1});"
        )
        lines.append(_bent(residual, f"a{number + 1}", layer.out_features))
    last, remembered, given = len(layers), "", ""
    outputs, helpers = f"a{last}", ""
    if isinstance(residual, RecurrentResidual):
        units, inputs = residual.memory.hidden_size, residual.memory.input_size
        lines.append(f"    {name}_norm({name}_before, {name}_before_bias, {inputs}, a{last});")
        lines.append(f"    float y[{units}];")
        remembered = _REMEMBERED.format(
            name=name, last=last, units=units, gates=4 * units, inputs=inputs
        )
        given, outputs, helpers = f"{name}_memory *memory, ", "y", _NORM.format(name=name)
    final = _last(residual)
    return f"""{helpers}
static inline void {name}_network(const double q[{n}], const double qd[{n}],
                                  const double qdd[{n}], {given}double tau[{n}])
{{
    float a0[{3 * n}], added[{n}];
    for (int i = 0; i < {n}; i++) {{
        a0[i] = (float)((q[i] - {name}_mean[i]) / {name}_spread[i]);
        a0[{n} + i] = (float)((qd[i] - {name}_mean[{n} + i]) / {name}_spread[{n} + i]);
        a0[{2 * n} + i] = (float)((qdd[i] - {name}_mean[{2 * n} + i]) / {name}_spread[{2 * n} + i]);
    }}
{chr(10).join(lines)}
{remembered}
    {name}_layer({name}_last, {name}_last_bias, {outputs}, {final.in_features}, {n}, added);
    for (int i = 0; i < {n}; i++)
        tau[i] += (double)added[i] * {name}_torque[i];
}}
"""


def _bent(residual: Residual, values: str, count: int) -> str:
    bend = residual.bend
    if isinstance(bend, nn.PReLU):
        slope = f"{_number(bend.weight.item(), 9)}f"
        said = f"{values}[i] = {values}[i] > 0 ? {values}[i] : {slope} * {values}[i];"
    else:
        said = f"{values}[i] = tanhf({values}[i]);"
    return f"    for (int i = 0; i < {count}; i++)\n        {said}"


def _layers(residual: Residual) -> Sequence[nn.Linear]:
    assert isinstance(residual, LayeredResidual | RecurrentResidual)
    return [layer for layer in residual.layers if isinstance(layer, nn.Linear)]


def _last(residual: Residual) -> nn.Linear:
    assert isinstance(residual, LayeredResidual | RecurrentResidual)
    return residual.last
