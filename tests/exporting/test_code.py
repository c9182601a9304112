"""Generated Python and C: the torques of the model, whatever the robot and its names."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from robotid.contracts.fit import Verdict
from robotid.errors import BadDataError, ConfigError
from robotid.exporting import c_compiler as c_module
from robotid.exporting.c_header import c_header, c_text
from robotid.exporting.comparison import difference, random_states
from robotid.exporting.expressions import Program, Value
from robotid.exporting.naming import comment, identifier
from robotid.exporting.newton_euler import inverse_dynamics
from robotid.exporting.python_module import python_module
from robotid.information.layout import TERMS, Layout
from robotid.models.from_fit import read_fitted
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.load import load_robot
from tests.exporting.fits import random_parameters, write_fit
from tests.exporting.test_robot_files import request_of
from tests.reference_models import random_tree

ROBOTS = ("panda", "ur10", "cartpole", "furuta")
HOSTILE = (
    '"""; import os; os.abort() #',
    "*/ int main(void) { abort(); } /*",
    "a\\",
    "??/",
    "line\nbreak\r#error",
    "';}\u2028",
    "\u0661\u00e9\u202e",
    "{0.__class__}",
)


@pytest.mark.parametrize("terms", [TERMS, ("viscous",), ()])
@pytest.mark.parametrize("name", ROBOTS)
def test_module_and_header_give_the_torques_of_the_model(name, terms, tmp_path):
    request = request_of(write_fit(tmp_path, name, terms=terms))
    for written in (python_module(request), c_header(request)):
        assert written.difference < 1e-12
        assert "torques of 64 states" in written.checked
        assert written.notices == ()


EVERY_TERM = {
    "viscous-asymmetric": {},
    "coulomb(0.5)": {},
    "coulomb-asymmetric": {},
    "stribeck(0.1)": {},
    "stribeck(0.3,width=0.05)": {},
    "load": {},
    "viscous,coulomb,stribeck(0.2),load(0.1),offset,rotor": {"coupled": ["{0}+{1}"]},
    "viscous,rotor": {"coupled": ["{0}-{1}"], "joint_terms": {"{1}": ["coulomb(1.5)", "offset"]}},
}


@pytest.mark.parametrize("terms", EVERY_TERM)
@pytest.mark.parametrize("name", ["panda", "furuta"])
def test_every_term_without_memory(name, terms, tmp_path):
    joints = load_robot(name).tree.joint_names[-2:]
    more = EVERY_TERM[terms]
    coupled = [text.format(*joints) for text in more.get("coupled", [])]
    own = {name.format(*joints): some for name, some in more.get("joint_terms", {}).items()}
    folder = write_fit(tmp_path, name, terms=[terms], coupled=coupled, joint_terms=own)
    request = request_of(folder)
    assert all(abs(value) > 0.01 for value in request.fitted.model.own)
    states = random_states(request.fitted.model.layout.robot)
    assert len(request.fitted.model.parts(*states)) > 1
    for written in (python_module(request), c_header(request)):
        assert written.difference < 1e-12


def test_friction_with_memory_has_no_code(tmp_path):
    request = request_of(write_fit(tmp_path, "furuta", terms=["viscous", "coulomb-held"]))
    for writer in (python_module, c_header):
        with pytest.raises(ConfigError, match="depends on the motion before") as caught:
            writer(request)
        assert caught.value.notice.code == "term-not-exported"


@pytest.mark.parametrize("name", ["panda", "cartpole"])
def test_inertias_without_symmetry(name, tmp_path):
    request = request_of(write_fit(tmp_path, name, full=True))
    assert python_module(request).difference < 1e-12
    assert c_header(request).difference < 1e-12


def executed(model, tmp_path):
    """Torques of 64 states from generated lines, and those of the model."""
    code = inverse_dynamics(model)
    lines = [f"    {line.name} = {line.text}" for line in code.lines]
    text = "from math import cos, exp, fabs, sin\ndef sat(x):\n    return max(-1.0, min(1.0, x))\n"
    text += (
        "def f(q, qd, qdd):\n" + "\n".join(lines) + f"\n    return [{', '.join(code.torques)}]\n"
    )
    path = tmp_path / "generated.py"
    path.write_text(text)
    function = runpy.run_path(str(path))["f"]
    states = random_states(model.layout.robot)
    found = [function(*state) for state in zip(*(x.tolist() for x in states), strict=True)]
    return np.array(found), model.torque(*states)


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_any_shape(seed, tmp_path):
    """Branches, sliding joints, any axis, placement and gravity."""
    layout = Layout(random_tree(seed, floating=False), TERMS)
    model = RigidBodyModel(layout, random_parameters(layout, seed))
    found, wanted = executed(model, tmp_path)
    assert difference(wanted, found) < 1e-12


def test_a_floating_robot_is_refused():
    robot = random_tree(1, floating=True)
    with pytest.raises(ConfigError, match="floats"):
        inverse_dynamics(RigidBodyModel(Layout(robot), robot.phi.ravel()))


def test_the_module_stands_alone(tmp_path):
    """In an interpreter without any package, in another folder."""
    request = request_of(write_fit(tmp_path / "fit", "furuta"))
    (tmp_path / "inverse_dynamics.py").write_bytes(python_module(request).content)
    call = "import inverse_dynamics as m; print(m.inverse_dynamics([.1, .2], [.3, .4], [.5, .6]))"
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; {call}; print(*m.JOINTS)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    torques, names = done.stdout.splitlines()
    wanted = request.fitted.model.torque([[0.1, 0.2]], [[0.3, 0.4]], [[0.5, 0.6]])[0]
    np.testing.assert_allclose(ast.literal_eval(torques), wanted, rtol=1e-12)
    assert names.split() == request.fitted.fit.joints
    imported = [node.module for node in ast.walk(ast.parse(python_module(request).content))
                if isinstance(node, ast.ImportFrom)]  # fmt: skip
    assert imported == ["math"]


def test_the_header_compiles_as_cpp_and_twice(tmp_path):
    request = request_of(write_fit(tmp_path / "fit", "ur10"))
    (tmp_path / "inverse_dynamics.h").write_bytes(c_header(request).content)
    include = '#include "inverse_dynamics.h"\n'
    (tmp_path / "use.c").write_text(2 * include + "int main(void) { return UR10_JOINTS - 6; }\n")
    for compiler in ("gcc", "g++"):
        if shutil.which(compiler):
            command = [compiler, "-Wall", "-Wextra", "-Werror", "use.c", "-o", "use", "-lm"]
            subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
            assert subprocess.run([tmp_path / "use"], check=False).returncode == 0


def hostile_robot(tmp_path, name):
    """The Furuta pendulum with a joint, a link and the robot called by a name."""
    from xml.sax.saxutils import quoteattr

    quoted = quoteattr(name, {"\n": "&#10;", "\r": "&#13;"})
    robot = load_robot("furuta")
    text = robot.data.decode()
    joint, link = robot.tree.joint_names[0], robot.tree.links[0]
    text = text.replace('<robot name="furuta"', f"<robot name={quoted}")
    text = text.replace(f'<joint name="{joint}"', f"<joint name={quoted}")
    text = re.sub(rf'(link|link name|parent link|child link)="{link}"', r"\1={}", text)
    text = text.replace("={}", f"={quoted}")
    path = tmp_path / "hostile.urdf"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_names(name, tmp_path):
    path = hostile_robot(tmp_path, name)
    request = request_of(write_fit(tmp_path / "fit", file=path))
    joint = request.fitted.fit.joints[0]
    assert joint == name.strip()
    text = python_module(request).content.decode()  # it ran, with the right torques
    assert runpy.run_path(save(tmp_path, text))["JOINTS"][0] == joint
    tree = ast.parse(text)
    assert [type(node).__name__ for node in tree.body] == [
        "Expr", "ImportFrom", "Assign", *["FunctionDef"] * 4,
    ]  # fmt: skip
    header = c_header(request).content.decode()  # it compiled and ran, with the right torques
    assert header.isascii()
    assert header.count("/*") == header.count("*/") == 1
    assert "\\" not in header
    assert "??" not in header


def save(folder, text):
    path = folder / "inverse_dynamics.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_names():
    assert identifier("UR 10-e") == "ur_10_e"
    assert identifier("3 DoF") == "robot_3_dof"
    assert identifier("*/") == identifier("") == "robot"
    assert comment('a*/b"\n\\??/') == "a__b______"
    assert len(identifier("x" * 1000)) <= 80


def test_without_a_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr(c_module.shutil, "which", lambda _: None)
    written = c_header(request_of(write_fit(tmp_path, "furuta")))
    assert (written.checked, written.difference) == ("", None)
    (notice,) = written.notices
    assert (notice.code, notice.effect) == ("not-compiled", "none")


@pytest.mark.parametrize("writer", [python_module, c_header])
def test_code_with_an_error_is_never_handed_out(writer, tmp_path, monkeypatch):
    request = request_of(write_fit(tmp_path, "furuta"))
    right = inverse_dynamics(request.fitted.model)
    wrong = right._replace(torques=[right.torques[0], f"1.000001*({right.torques[1]})"])
    monkeypatch.setattr(f"{writer.__module__}.inverse_dynamics", lambda _: wrong)
    with pytest.raises(BadDataError, match="gives other torques than the fit"):
        writer(request)


def test_code_says_where_it_comes_from(tmp_path):
    verdict = Verdict(usable=False, sentence="No.", reasons=[])
    request = request_of(write_fit(tmp_path, "panda", verdict=verdict))
    for written in (python_module(request), c_header(request)):
        text = written.content.decode()
        assert "fit with digest 0000" in text
        assert "robot panda, model sdp, verdict: NOT USABLE" in text
        assert "0  panda_joint1" in text
    assert "static inline void panda_inverse_dynamics(" in c_text(request)


def test_speed_of_a_call(tmp_path, capsys):
    """Printed, not judged: what C and Python cost per call."""
    request = request_of(write_fit(tmp_path, "panda"))
    function = runpy.run_path(save(tmp_path, python_module(request).content.decode()))[
        "inverse_dynamics"
    ]
    states = random_states(request.fitted.model.layout.robot)
    state = [x[3].tolist() for x in states]
    begin = time.perf_counter()
    for _ in range(500):
        function(*state)
    python_us = (time.perf_counter() - begin) / 500 * 1e6
    c_us = compiled_microseconds(request, state, tmp_path)
    with capsys.disabled():
        print(f"\npanda: {python_us:.1f} us per call in Python, {c_us:.3f} us in C")
    assert c_us < python_us


def compiled_microseconds(request, state, folder, calls=200_000):
    """Per call, in a loop in which every call depends on the one before."""
    (folder / "inverse_dynamics.h").write_text(c_text(request))
    q, qd, qdd = ("{" + ", ".join(map(repr, x)) + "}" for x in state)
    (folder / "loop.c").write_text(f"""#include <stdio.h>
#include <time.h>
#include "inverse_dynamics.h"
__attribute__((noinline)) static void call(
    const double *q, const double *qd, const double *qdd, double *tau) {{
    panda_inverse_dynamics(q, qd, qdd, tau);
}}
int main(void) {{
    double q[7] = {q}, qd[7] = {qd}, qdd[7] = {qdd}, tau[7];
    clock_t begin = clock();
    for (int i = 0; i < {calls}; i++) {{
        call(q, qd, qdd, tau);
        q[0] += 1e-12 * tau[6];
    }}
    printf("%.6f %g", 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / {calls}, q[0]);
    return 0;
}}""")
    command = ["gcc", "-std=c99", "-O2", "loop.c", "-o", "loop", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    done = subprocess.run([folder / "loop"], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def test_sums_are_folded():
    program = Program()
    a, b = program.let("q[0]"), program.let("q[1]")
    assert program.sum([a, Value(0.0)]) == Value(0.0)
    assert program.sum([Value(2.0), a], [Value(-2.0), a]) == Value(0.0)
    assert program.sum([Value(2.0), a], [Value(-3.0), a]) == Value(-1.0, a.name)
    assert program.sum([Value(2.0)], [Value(3.0)]) == Value(5.0)
    product = program.sum([a, b], [Value(-0.5)])
    assert program.sum([b, a], [Value(-0.5)]) == product
    assert [line.text for line in program.needed([product])] == [
        "q[0]", "q[1]", f"{a.name}*{b.name} - 0.5",
    ]  # fmt: skip
    assert [line.text for line in program.needed([b])] == ["q[1]"]


def test_lines_per_robot(tmp_path):
    """Constants are folded: a planar robot costs a fraction of an arm."""
    counts = {}
    for name in ROBOTS:
        model = read_fitted(write_fit(tmp_path / name, name)).model
        counts[name] = len(inverse_dynamics(model).lines)
    assert counts["cartpole"] < 60
    assert counts["panda"] < 700
