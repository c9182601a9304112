"""The inverse dynamics as a C99 header that needs nothing but `math.h`."""

import re

from robotid.exporting.c_compiler import SATURATIONS, Proof, compiled
from robotid.exporting.comparison import STATES, random_states
from robotid.exporting.joint_code import HELPERS
from robotid.exporting.naming import comment, identifier
from robotid.exporting.newton_euler import inverse_dynamics
from robotid.exporting.outcome import Request, Written

_TEMPLATE = """/* Inverse dynamics: torques [N m, or N of sliding joints] of a motion.
 *
{origin}
 *
 * {name}_inverse_dynamics(q, qd, qdd, tau): positions [rad, m], velocities and
 * accelerations in, torques out; {count} numbers each. Joints, in order:
{joints}
 */
#ifndef {guard}_INVERSE_DYNAMICS_H
#define {guard}_INVERSE_DYNAMICS_H

#include <math.h>

#define {guard}_JOINTS {count}
{helpers}
static inline void {name}_inverse_dynamics(
    const double q[{count}], const double qd[{count}], const double qdd[{count}],
    double tau[{count}])
{{
    (void)q, (void)qd, (void)qdd;
{lines}
{torques}
}}

#endif
"""


def c_header(request: Request) -> Written:
    """The header, compiled and run on random states if there is a compiler."""
    model = request.fitted.model
    states = random_states(model.layout.robot)
    checked = f"torques of {STATES} states, by compiling and running it"
    proof = Proof(c_name(request), model.layout.robot.n)
    return compiled(c_text(request), proof, states, model.torque(*states), checked)


def c_text(request: Request) -> str:
    """The source."""
    model = request.fitted.model
    code = inverse_dynamics(model)
    joints, name = model.layout.robot.joint_names, c_name(request)
    helper = re.compile(rf"\b({'|'.join(HELPERS)})\(")
    texts = [helper.sub(rf"{name}_\1(", line.text) for line in code.lines]
    lines = [
        f"    const double {line.name} = {text};"
        for line, text in zip(code.lines, texts, strict=True)
    ]
    return _TEMPLATE.format(
        origin="\n".join(f" * {comment(line)}" for line in request.origin),
        joints="\n".join(f" *   {i}  {comment(joint)}" for i, joint in enumerate(joints)),
        name=name,
        helpers=SATURATIONS.format(name=name),
        guard=name.upper(),
        count=len(joints),
        lines="\n".join(lines),
        torques="\n".join(f"    tau[{i}] = {text};" for i, text in enumerate(code.torques)),
    )


def c_name(request: Request) -> str:
    """What the function's name begins with."""
    return identifier(request.fitted.fit.robot.name)
