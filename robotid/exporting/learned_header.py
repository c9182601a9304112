"""A learned model as one C99 header: body, friction, network; memory is the caller's."""

import re
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.exporting.actuator_code import actuator_constants, actuator_function
from robotid.exporting.c_compiler import SATURATIONS, Proof, compiled
from robotid.exporting.comparison import STATES, random_states
from robotid.exporting.joint_code import HELPERS as JOINT_HELPERS
from robotid.exporting.lagrangian_code import energy_constants, energy_function
from robotid.exporting.naming import comment, identifier
from robotid.exporting.network_code import HELPERS, residual_constants, residual_function
from robotid.exporting.newton_euler import inverse_dynamics
from robotid.exporting.outcome import LearnedRequest, Written
from robotid.information.layout import Layout
from robotid.models.deep_lagrangian import DeepLagrangian
from robotid.models.learned.bodies import LinkBody
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.models.learned.residuals import RecurrentResidual
from robotid.models.learned.torques import LearnedTorques
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
SINGLE = 1e-5  # how far single precision may be off, as a share of the largest torque

_TEMPLATE = """/* Inverse dynamics: torques [N m, or N of sliding joints] of a motion.
 *
{origin}
 *
 * {call}: positions [rad, m],
 * velocities and accelerations in, torques out; {count} numbers each.{about_memory}
 * Joints, in order:
{joints}
 */
#ifndef {guard}_INVERSE_DYNAMICS_H
#define {guard}_INVERSE_DYNAMICS_H

#include <math.h>
{include}
#define {guard}_JOINTS {count}
{memory}
{constants}
{functions}
static inline void {name}_inverse_dynamics(
    const double q[{count}], const double qd[{count}], const double qdd[{count}],
    {argument}double tau[{count}])
{{
    (void)q, (void)qd, (void)qdd;
    for (int i = 0; i < {count}; i++)
        tau[i] = 0;
{calls}
}}

#endif
"""

_MEMORY = """
/* What the model remembers: one for each robot, never shared. */
typedef struct {{
    float given[{units}], held[{units}];
}} {name}_memory;

/* As before the first motion. */
static inline void {name}_reset({name}_memory *memory)
{{
    memset(memory, 0, sizeof *memory);
}}
"""


def learned_header(request: LearnedRequest) -> Written:
    """The header, compiled and run along random states if there is a compiler."""
    fitted = request.fitted
    text, robot = learned_text(request), fitted.robot.tree
    remembers = fitted.model.model.remembers
    name = identifier(fitted.fit.robot.name)
    states = random_states(robot)
    proof = Proof(
        name=name,
        joints=robot.n,
        begin=f"{name}_memory memory; {name}_reset(&memory);" if remembers else "",
        extra="&memory, " if remembers else "",
        tolerance=SINGLE,
    )
    expected = fitted.model.torque(*states)
    order = "one after the other, " if remembers else ""
    checked = f"torques of {STATES} states, {order}by compiling and running it"
    return compiled(text, proof, states, expected, checked)


def learned_text(request: LearnedRequest) -> str:
    """The source."""
    fitted = request.fitted
    model, robot = fitted.model.model, fitted.robot.tree
    name, n = identifier(fitted.fit.robot.name), robot.n
    residual = model.residual
    remembers = isinstance(residual, RecurrentResidual)
    units = residual.memory.hidden_size if isinstance(residual, RecurrentResidual) else 0
    constants, functions, calls = _parts(fitted.model, name, n)
    argument = f"{name}_memory *memory, " if remembers else ""
    return _TEMPLATE.format(
        origin="\n".join(f" * {comment(line)}" for line in request.origin),
        call=f"{name}_inverse_dynamics(q, qd, qdd, {'memory, ' if remembers else ''}tau)",
        about_memory=f"\n * Call {name}_reset(memory) first, then once per sample, in order, "
        f"{fitted.fit.learning.rate_hz:g} times a second."
        if remembers
        else "",
        joints="\n".join(f" *   {i}  {comment(j)}" for i, j in enumerate(robot.joint_names)),
        include="#include <string.h>\n" if remembers else "",
        guard=name.upper(),
        name=name,
        count=n,
        memory=_MEMORY.format(name=name, units=units) if remembers else "",
        constants="\n".join(constants),
        functions="\n".join([SATURATIONS.format(name=name), *functions]),
        argument=argument,
        calls="\n".join(calls),
    )


def _parts(learned: LearnedTorques, name: str, n: int) -> tuple[list[str], list[str], list[str]]:
    """Arrays, functions and calls of all parts, in the order in which torques pass them."""
    layout, model = learned.layout, learned.model
    constants, functions, calls = [], [], []
    links, own = np.zeros((layout.robot.bodies, 10)), np.zeros(len(layout.own))
    with torch.no_grad():
        if isinstance(model.body, LinkBody | KinodynamicBody):
            links = model.body.links().numpy()
        terms = own if model.joints is None else model.joints.values().numpy()
    if isinstance(model.body, LinkBody | KinodynamicBody):
        placed = Layout(_robot(model.body), **layout.arguments)
        functions.append(_formula(placed, links, own, f"{name}_body", name))
        calls.append(f"    {name}_body(q, qd, qdd, tau);")
    elif isinstance(model.body, DeepLagrangian):
        constants.append(energy_constants(model.body, name))
        functions.append(energy_function(model.body, name))
        calls.append(f"    {name}_energy(q, qd, qdd, tau);")
    if model.actuator is not None:
        constants.append(actuator_constants(model.actuator, name))
        functions.append(HELPERS.format(name=f"{name}_drive", type="double"))
        functions.append(actuator_function(model.actuator, name, n))
        calls.append(f"    {name}_drive(q, qd, tau);")
    if model.joints is not None:
        functions.append(_formula(layout, 0 * links, terms, f"{name}_joints", name))
        calls.append(f"    {name}_joints(q, qd, qdd, tau);")
    if model.residual is not None:
        memory = "memory, " if model.remembers else ""
        constants.append(residual_constants(model.residual, name))
        functions.append(HELPERS.format(name=name, type="float"))
        functions.append(residual_function(model.residual, name, n))
        calls.append(f"    {name}_network(q, qd, qdd, {memory}tau);")
    return constants, functions, calls


def _robot(body: LinkBody | KinodynamicBody) -> RobotTree:
    """The robot of links, where these are."""
    if isinstance(body, LinkBody):
        return body.robot
    with torch.no_grad():
        return replace(body.robot, placements=body.placements().numpy())


def _formula(layout: Layout, links: Array, own: Array, function: str, name: str) -> str:
    """Links or terms of joints as a function that adds to torques."""
    code = inverse_dynamics(RigidBodyModel(layout, np.concatenate([links.ravel(), own])))
    n = layout.robot.n
    helper = re.compile(rf"\b({'|'.join(JOINT_HELPERS)})\(")
    texts = [helper.sub(rf"{name}_\1(", line.text) for line in code.lines]
    pairs = zip(code.lines, texts, strict=True)
    lines = [f"    const double {line.name} = {text};" for line, text in pairs]
    torques = [f"    tau[{i}] += {text};" for i, text in enumerate(code.torques)]
    head = (
        f"\nstatic inline void {function}(const double q[{n}], const double qd[{n}], "
        f"const double qdd[{n}],\n    double tau[{n}])\n{{\n    (void)q, (void)qd, (void)qdd;\n"
    )
    return head + "\n".join([*lines, *torques]) + "\n}\n"
