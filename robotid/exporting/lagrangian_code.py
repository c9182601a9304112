"""A Deep Lagrangian network as C: its layers forward, along the velocity, and back."""

from robotid.exporting.network_code import array, columns
from robotid.models.deep_lagrangian import FLOOR, DeepLagrangian
from robotid.models.lagrangian_forces import LEAST

_BENDS = {
    "softplus": ("z > 20 ? z : log1p(exp(z))", "1 / (1 + exp(-z))"),
    "tanh": ("tanh(z)", "1 - h{after}[i] * h{after}[i]"),
}

_LAYER = """    double h{after}[{outputs}], d{after}[{outputs}], s{after}[{outputs}];
    {name}_double_layer({name}_e{at}, {name}_e{at}_bias, h{at}, {inputs}, {outputs}, h{after});
    {name}_double_layer({name}_e{at}, 0, d{at}, {inputs}, {outputs}, d{after});
    for (int i = 0; i < {outputs}; i++) {{
        const double z = h{after}[i];
        h{after}[i] = {bend};
        s{after}[i] = {slope};
        d{after}[i] *= s{after}[i];
    }}
"""

_BACK = """    for (int i = 0; i < {outputs}; i++)
        g{after}[i] *= s{after}[i];
    double g{at}[{inputs}];
    for (int j = 0; j < {inputs}; j++) {{
        g{at}[j] = 0;
        for (int i = 0; i < {outputs}; i++)
            g{at}[j] += g{after}[i] * {name}_e{at}[j * {outputs} + i];
    }}
"""

_FUNCTION = """
static inline void {name}_double_layer(const double *w, const double *b, const double *x,
                                       int inputs, int outputs, double *y)
{{
    for (int i = 0; i < outputs; i++)
        y[i] = b ? b[i] : 0;
    for (int j = 0; j < inputs; j++)
        for (int i = 0; i < outputs; i++)
            y[i] += x[j] * w[j * outputs + i];
}}

/* Torques of an energy that was learned: H qdd + dH/dt qd - d(qd' H qd)/dq / 2 + dV/dq,
 * H = C C' + a little. */
static inline void {name}_energy(const double q[{n}], const double qd[{n}],
                                 const double qdd[{n}], double tau[{n}])
{{
    double h0[{first}], d0[{first}];
{begin}
{layers}
    double raw[{entries} + 1], along[{entries} + 1], slope[{entries}];
    {name}_double_layer({name}_e{last}, {name}_e{last}_bias, h{last}, {inner}, {entries} + 1, raw);
    {name}_double_layer({name}_e{last}, 0, d{last}, {inner}, {entries} + 1, along);
    double C[{n}][{n}] = {{{{0}}}}, D[{n}][{n}] = {{{{0}}}}, w[{n}], v[{n}], u[{n}];
    for (int i = 0, k = 0; i < {n}; i++)
        for (int j = 0; j <= i; j++, k++) {{
            const double z = raw[k];
            const double own = i == j ? (z > 20 ? z : log1p(exp(z))) + {least} : z;
            slope[k] = (i == j ? 1 / (1 + exp(-z)) : 1) * {name}_root[i];
            C[i][j] = own * {name}_root[i];
            D[i][j] = along[k] * slope[k];
        }}
    for (int j = 0; j < {n}; j++) {{
        w[j] = v[j] = u[j] = 0;
        for (int i = 0; i < {n}; i++) {{
            w[j] += C[i][j] * qd[i];
            v[j] += C[i][j] * qdd[i];
            u[j] += D[i][j] * qd[i];
        }}
    }}
    double g{back}[{entries} + 1];
    for (int i = 0, k = 0; i < {n}; i++)
        for (int j = 0; j <= i; j++, k++)
            g{back}[k] = -qd[i] * w[j] * slope[k];
    g{back}[{entries}] = {potential};
    double g{last}[{inner}];
    for (int j = 0; j < {inner}; j++) {{
        g{last}[j] = 0;
        for (int i = 0; i < {entries} + 1; i++)
            g{last}[j] += g{back}[i] * {name}_e{last}[j * ({entries} + 1) + i];
    }}
{backs}
    for (int i = 0; i < {n}; i++) {{
        tau[i] += {floor} * {name}_root[i] * {name}_root[i] * qdd[i] + {end};
        for (int j = 0; j <= i; j++)
            tau[i] += C[i][j] * (v[j] + u[j]) + D[i][j] * w[j];
    }}
}}
"""


def energy_constants(body: DeepLagrangian, name: str) -> str:
    """Arrays of the network."""
    found = [array(f"{name}_root", body.get_buffer("root"), "double")]
    for number, (weight, bias) in enumerate(zip(body.weights, body.biases, strict=True)):
        found.append(array(f"{name}_e{number}", columns(weight), "double"))
        found.append(array(f"{name}_e{number}_bias", bias, "double"))
    return "\n".join(found)


def energy_function(body: DeepLagrangian, name: str) -> str:
    """`<name>_energy(q, qd, qdd, tau)`, which adds to torques."""
    n, sizes = body.n, [weight.shape[1] for weight in body.weights]
    circles = body.inputs == "circles"
    bend, slope = _BENDS[body.activation]
    last = len(sizes) - 1
    layers = [
        _LAYER.format(name=name, at=at, after=at + 1, inputs=sizes[at], outputs=sizes[at + 1],
                      bend=bend, slope=slope.format(after=at + 1))
        for at in range(last)
    ]  # fmt: skip
    backs = [
        _BACK.format(name=name, at=at, after=at + 1, inputs=sizes[at], outputs=sizes[at + 1])
        for at in reversed(range(last))
    ]
    begin = (
        f"    for (int i = 0; i < {n}; i++) {{\n"
        f"        h0[i] = cos(q[i]), h0[{n} + i] = sin(q[i]);\n"
        f"        d0[i] = -h0[{n} + i] * qd[i], d0[{n} + i] = h0[i] * qd[i];\n    }}"
        if circles
        else f"    for (int i = 0; i < {n}; i++)\n        h0[i] = q[i], d0[i] = qd[i];"
    )
    return _FUNCTION.format(
        name=name, n=n, first=sizes[0], begin=begin, layers="\n".join(layers), last=last,
        inner=sizes[-1], back=last + 1, entries=n * (n + 1) // 2, least=repr(LEAST),
        floor=repr(FLOOR), potential=repr(float(body.get_buffer("of_potential"))),
        backs="\n".join(backs),
        end=f"h0[i] * g0[{n} + i] - h0[{n} + i] * g0[i]" if circles else "g0[i]",
    )  # fmt: skip
