"""A C header compiled and run, and its torques compared with those of the model."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from robotid.errors import BadDataError, Notice
from robotid.exporting.comparison import TOLERANCE, Array, States, proved
from robotid.exporting.outcome import Written

FILE = "inverse_dynamics.h"
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror")
_PATIENCE_S = 120

# What joint terms are clipped with, in C.
SATURATIONS = """
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
"""

# Reads states from standard input and writes their torques, as plain doubles.
_CALLER = """#include <stdio.h>
#include "{file}"
int main(void)
{{
    double x[3 * {count}], tau[{count}];
    {begin}
    while (fread(x, sizeof(double), 3 * {count}, stdin) == 3 * {count}) {{
        {name}_inverse_dynamics(x, x + {count}, x + 2 * {count}, {extra}tau);
        if (fwrite(tau, sizeof(double), {count}, stdout) != {count})
            return 1;
    }}
    return 0;
}}
"""


class Proof(NamedTuple):
    """How a header is called, and how near it has to come.

    Args:
        name: what its function begins with.
        joints: how many.
        begin: what a caller does first.
        extra: what it passes besides motion and torques.
        tolerance: as a share of the largest torque of a joint.
    """

    name: str
    joints: int
    begin: str = ""
    extra: str = ""
    tolerance: float = TOLERANCE


def compiled(text: str, proof: Proof, states: States, expected: Array, checked: str) -> Written:
    """A header that gives the expected torques; unproved, with a notice, without a compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        said = f"{FILE} was not compiled: there is no {', '.join(COMPILERS)}"
        hint = "install a C compiler and export again with --recompute to have it checked"
        unproved = Notice(code="not-compiled", message=said, hint=hint)
        return Written(FILE, text.encode(), "", notices=(unproved,))
    found = compiled_torques(compiler, text, proof, states)
    miss = proved(expected, found, FILE, proof.tolerance)
    return Written(FILE, text.encode(), checked, miss)


def compiled_torques(compiler: str, text: str, proof: Proof, states: States) -> Array:
    """Torques (states, n) from the compiled header."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / FILE).write_text(text, encoding="utf-8")
        caller = _CALLER.format(file=FILE, count=proof.joints, **proof._asdict())
        (folder / "caller.c").write_text(caller, encoding="utf-8")
        built = _run([compiler, *FLAGS, "caller.c", "-o", "caller", "-lm"], folder)
        if built.returncode != 0:
            said = f"{FILE} does not compile: {built.stderr.decode(errors='replace')[:300]}"
            raise BadDataError("export-differs", said)
        done = _run([str(folder / "caller")], folder, np.column_stack(states).tobytes())
    if done.returncode != 0:
        raise BadDataError("export-differs", f"the compiled {FILE} ended with {done.returncode}")
    return np.frombuffer(done.stdout, dtype=np.float64).reshape(-1, proof.joints)


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
