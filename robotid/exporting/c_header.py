"""The inverse dynamics as a C99 header that needs nothing but `math.h`."""

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robotid.errors import BadDataError, Notice
from robotid.exporting.comparison import STATES, Array, States, proved, random_states
from robotid.exporting.joint_code import HELPERS
from robotid.exporting.naming import comment, identifier
from robotid.exporting.newton_euler import inverse_dynamics
from robotid.exporting.outcome import Request, Written

FILE = "inverse_dynamics.h"
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
_PATIENCE_S = 120

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

static inline double {name}_sat(double x)
{{
    return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x;
}}

static inline double {name}_pos(double x)
{{
    return x > 0.0 ? x : 0.0;
}}

static inline double {name}_neg(double x)
{{
    return x < 0.0 ? x : 0.0;
}}

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

# Reads states from standard input and writes their torques, as plain doubles.
_CALLER = """#include <stdio.h>
#include "{file}"
int main(void)
{{
    double x[3 * {count}], tau[{count}];
    while (fread(x, sizeof(double), 3 * {count}, stdin) == 3 * {count}) {{
        {name}_inverse_dynamics(x, x + {count}, x + 2 * {count}, tau);
        if (fwrite(tau, sizeof(double), {count}, stdout) != {count})
            return 1;
    }}
    return 0;
}}
"""


def c_header(request: Request) -> Written:
    """The header, compiled and run on random states if there is a compiler."""
    model = request.fitted.model
    text = c_text(request)
    states = random_states(model.layout.robot)
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        said = f"{FILE} was not compiled: there is no {', '.join(COMPILERS)}"
        hint = "install a C compiler and export again with --recompute to have it checked"
        unproved = Notice(code="not-compiled", message=said, hint=hint)
        return Written(FILE, text.encode(), "", notices=(unproved,))
    found = compiled_torques(compiler, text, request, states)
    miss = proved(model.torque(*states), found, FILE)
    checked = f"torques of {STATES} states, by compiling and running it"
    return Written(FILE, text.encode(), checked, miss)


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
        guard=name.upper(),
        count=len(joints),
        lines="\n".join(lines),
        torques="\n".join(f"    tau[{i}] = {text};" for i, text in enumerate(code.torques)),
    )


def c_name(request: Request) -> str:
    """What the function's name begins with."""
    return identifier(request.fitted.fit.robot.name)


def compiled_torques(compiler: str, text: str, request: Request, states: States) -> Array:
    """Torques (states, n) from the compiled header."""
    count = request.fitted.model.layout.robot.n
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / FILE).write_text(text, encoding="utf-8")
        caller = _CALLER.format(file=FILE, count=count, name=c_name(request))
        (folder / "caller.c").write_text(caller, encoding="utf-8")
        built = _run([compiler, *FLAGS, "caller.c", "-o", "caller", "-lm"], folder)
        if built.returncode != 0:
            said = f"{FILE} does not compile: {built.stderr.decode(errors='replace')[:300]}"
            raise BadDataError("export-differs", said)
        done = _run([str(folder / "caller")], folder, np.column_stack(states).tobytes())
    if done.returncode != 0:
        raise BadDataError("export-differs", f"the compiled {FILE} ended with {done.returncode}")
    return np.frombuffer(done.stdout, dtype=np.float64).reshape(-1, count)


def _run(
    command: list[str], folder: Path, given: bytes | None = None
) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            command, cwd=folder, input=given, capture_output=True, check=False, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        said = f"{Path(command[0]).name} does not come to an end".encode()
        return subprocess.CompletedProcess(command, 1, b"", said)
