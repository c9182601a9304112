"""The inverse dynamics as a Python module that needs nothing but the standard library."""

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robotid.exporting.comparison import STATES, proved, random_states
from robotid.exporting.naming import comment
from robotid.exporting.newton_euler import inverse_dynamics
from robotid.exporting.outcome import Request, Written

FILE = "inverse_dynamics.py"
FUNCTION = "inverse_dynamics"

_TEMPLATE = '''"""Inverse dynamics: torques [N m, or N of sliding joints] of a motion.

{origin}

Joints, in order:
{joints}
"""

from math import cos, exp, fabs, sin

JOINTS = (
{names}
)


def sat(x):
    return -1.0 if x < -1.0 else 1.0 if x > 1.0 else x


def pos(x):
    return x if x > 0.0 else 0.0


def neg(x):
    return x if x < 0.0 else 0.0


def {function}(q, qd, qdd):
    """Torques of positions [rad, m], velocities and accelerations: {count} numbers each."""
{lines}
    return [
{torques}
    ]
'''


def python_module(request: Request) -> Written:
    """The module, run once on random states before it is handed out."""
    model = request.fitted.model
    text = python_text(request)
    states = random_states(model.layout.robot)
    with TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_text(text, encoding="utf-8")
        function = runpy.run_path(str(path))[FUNCTION]
        each = zip(*(x.tolist() for x in states), strict=True)
        found = np.array([function(*state) for state in each])
    miss = proved(model.torque(*states), found, FILE)
    checked = f"torques of {STATES} states, by running it"
    return Written(FILE, text.encode(), checked, miss)


def python_text(request: Request) -> str:
    """The source."""
    model = request.fitted.model
    code = inverse_dynamics(model)
    joints = model.layout.robot.joint_names
    return _TEMPLATE.format(
        origin="\n".join(comment(line) for line in request.origin),
        joints="\n".join(f"    {i}  {comment(name)}" for i, name in enumerate(joints)),
        names="\n".join(f"    {name!a}," for name in joints),
        function=FUNCTION,
        count=len(joints),
        lines="\n".join(f"    {line.name} = {line.text}" for line in code.lines),
        torques="\n".join(f"        {text}," for text in code.torques),
    )
