"""Terms of joints: how they are written, what is refused, and the values of their columns."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from robotid.dynamics.friction import column_values, joint_regressor
from robotid.dynamics.joint_columns import columns_of, slow_speeds
from robotid.dynamics.term_options import TermOptions
from robotid.dynamics.terms import TERMS, parse_spec, parse_specs
from robotid.errors import ConfigError
from robotid.robot.load import load_robot
from tests.friction_formulas import FORMULAS
from tests.reference_models import random_tree

EVERY = "viscous-asymmetric,coulomb-asymmetric(0.03),coulomb-held,stribeck(0.1),load,offset,rotor"


@pytest.fixture(scope="module")
def robot():
    """Two joints that turn, then two that slide."""
    made = random_tree(3, bodies=4, floating=False, kinds=("revolute",))
    joints = [joint._replace(damping=0.5, friction=0.25) for joint in made.joints]
    joints[2:] = [joint._replace(kind="prismatic", rotor_inertia=2.0) for joint in joints[2:]]
    return made.__class__(**{**made.__dict__, "joints": tuple(joints)})


def names_of(robot):
    return robot.joint_names


@pytest.mark.parametrize(
    ("text", "canonical", "widths"),
    [
        ("viscous", "viscous", ()),
        ("coulomb", "coulomb", (0.02,)),
        ("coulomb(0.02)", "coulomb", (0.02,)),
        ("coulomb( 0.05, 0.01 )", "coulomb(0.01,0.05)", (0.01, 0.05)),
        ("stribeck(0.1,0.1)", "stribeck(0.1)", (0.1,)),
        ("stribeck(0.1,width=0.05)", "stribeck(0.1,width=0.05)", (0.1,)),
        ("stribeck", "stribeck", (0.02, 0.05, 0.1, 0.2, 0.5)),
    ],
)
def test_specs(text, canonical, widths):
    spec = parse_spec(text)
    assert (str(spec), spec.widths) == (canonical, widths)
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("viscos", "did you mean 'viscous'"),
        ("stribek(0.1)", "did you mean 'stribeck'"),
        ("viscous(0.1)", "viscous has no width"),
        ("coulomb(0.1", "no closing bracket"),
        ("coulomb(fast)", "'fast' is no number"),
        ("coulomb(0)", "above zero"),
        ("coulomb(-0.1)", "above zero"),
        ("coulomb(inf)", "above zero"),
        ("coulomb()", "is no number"),
        ("stribeck(0.1,with=0.05)", "did you mean 'width'"),
        ("coulomb(0.1,width=0.05)", "no 'width' in coulomb"),
        ("coulomb(0.1),coulomb(0.2)", "given twice; several widths go into one bracket"),
        ("viscous,viscous-asymmetric", "viscous-asymmetric contains viscous"),
    ],
)
def test_bad_specs(text, says, robot):
    with pytest.raises(ValueError, match=re.escape(says)):
        parse_specs((text,))
    with pytest.raises(ValidationError) as refused:
        TermOptions(terms=(text,))
    assert says in str(refused.value)
    with pytest.raises(ConfigError) as error:
        columns_of(robot, joint_terms={names_of(robot)[1]: (text,)})
    assert error.value.notice.joint == names_of(robot)[1]
    assert says in f"{error.value.notice.message}; {error.value.notice.hint}"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"joint_terms": ("viscous",)}, "is not JOINT=TERM,TERM"),
        ({"joint_terms": ("j1=viscous", "j1=offset")}, "joint j1 is given twice"),
        ({"joint_terms": ("j1=viscos",)}, "did you mean 'viscous'"),
        ({"coupled": ("j5",)}, "is not JOINT+JOINT or JOINT-JOINT"),
        ({"coupled": ("j5+j6,j5+j6",)}, "given twice"),
    ],
)
def test_bad_options(options, says):
    with pytest.raises(ValidationError) as refused:
        TermOptions(**options)
    assert says in str(refused.value)


def test_options_are_light_to_import():
    """Pipeline files and help are read without numpy."""
    code = (
        "import sys, robotid.dynamics.term_options as t; print('numpy' in sys.modules, t.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "robotid.dynamics.term_options"], done.stderr


def test_options_become_arguments():
    given = TermOptions(
        terms=("rotor,viscous", "coulomb(0.02)"),
        joint_terms=("j1=stribeck(0.2,0.1,width=0.05),viscous", "j2="),
        coupled=("j5+j6",),
    )
    assert given.layout_arguments() == {
        "terms": ("viscous", "coulomb", "rotor"),
        "joint_terms": {"j1": ("viscous,stribeck(0.1,0.2,width=0.05)",), "j2": ()},
        "coupled": ("j5+j6",),
    }
    assert TermOptions(**given.model_dump()) == given
    assert TermOptions().terms == ("viscous", "coulomb", "offset", "rotor")


def test_units_signs_and_nominal_values(robot):
    first, *_, last = names_of(robot)
    own = {column.name: column for column in columns_of(robot, (EVERY,))}
    units = {name: column.unit for name, column in own.items()}
    assert [units[f"{first}.{label}"] for label in ("viscous+", "coulomb-", "load", "rotor")] == [
        "N m s/rad", "N m", "1", "kg m²"]  # fmt: skip
    assert [units[f"{last}.{label}"] for label in ("viscous-", "stribeck", "offset", "rotor")] == [
        "N s/m", "N", "N", "kg"]  # fmt: skip
    assert {column.label for column in own.values() if not column.positive} == {"offset"}
    nominal = {column.label: column.nominal for column in own.values() if column.owner == last}
    assert nominal == {
        "viscous+": 0.5, "viscous-": 0.5, "coulomb-held": 0.25, "coulomb+": 0.25,
        "coulomb-": 0.25, "stribeck": None, "load": None, "offset": None, "rotor": 2.0,
    }  # fmt: skip


def test_every_column_is_what_it_says(robot):
    """Against formulas of their own, for arrays and tensors; slow and fast samples."""
    rng = np.random.default_rng(1)
    qd = rng.normal(size=(400, robot.n)) * rng.choice([0.01, 0.1, 1.0], size=(400, 1))
    qdd, load = rng.normal(size=(2, 400, robot.n))
    one, two, *_ = names_of(robot)
    everything = columns_of(robot, (EVERY,), {one: ("viscous,coulomb",)}, (f"{one}-{two}",))
    assert {column.label for column in everything} == set(FORMULAS)
    W = joint_regressor(everything, qd, qdd, load)
    for position, column in enumerate(everything):
        signs = np.zeros(robot.n)
        for joint, sign in column.motor.members:
            signs[joint] = sign
        first = int(np.flatnonzero(signs)[0])
        expected = FORMULAS[column.label](qd @ signs, qdd @ signs, column.width, load[:, first])
        np.testing.assert_allclose(W[:, :, position], np.outer(expected, signs), atol=1e-14)
        tensors = column_values(column, *map(torch.tensor, (qd, qdd, load)))
        np.testing.assert_allclose(tensors, expected, atol=1e-14)
    assert joint_regressor((), qd, qdd).shape == (400, robot.n, 0)


def test_tables_name_existing_terms():
    for name, term in TERMS.items():
        assert term.instead_of is None or term.instead_of in TERMS, name


@pytest.mark.parametrize(
    ("coupled", "says"),
    [
        ("{0}+{9}", "is not the sum or difference of two joints"),
        ("{0}+{0}", "is not the sum or difference of two joints"),
        ("{0}+{3}", "do not both turn, or both slide"),
    ],
)
def test_bad_couplings(robot, coupled, says):
    names = {str(i): name for i, name in enumerate(names_of(robot))} | {"9": "nowhere"}
    with pytest.raises(ConfigError, match=says):
        columns_of(
            robot, coupled=(coupled.format(*[names.get(str(i), "?") for i in range(9)], "x"),)
        )


def test_unknown_joint_and_missing_load(robot):
    near = f"{names_of(robot)[0]}x"
    with pytest.raises(ConfigError, match=f"no joint '{near}'") as error:
        columns_of(robot, joint_terms={near: ("viscous",)})
    assert names_of(robot)[0] in error.value.notice.hint
    with pytest.raises(ConfigError, match="no mass behind joint"):
        columns_of(robot.with_phi(0 * robot.phi), ("load",))
    pair = f"{names_of(robot)[0]}+{names_of(robot)[1]}"
    with pytest.raises(ConfigError, match="have no load of their own"):
        columns_of(robot, joint_terms={pair: ("load",)}, coupled=(pair,))


def test_slow_speeds_only_where_columns_would_look_alike():
    robot = load_robot("double_pendulum").tree
    assert slow_speeds(columns_of(robot, ("viscous", "coulomb", "offset", "rotor"))) == []
    assert slow_speeds(columns_of(robot, ("coulomb(0.01,0.05)",))) == [0.01, 0.05]
    assert slow_speeds(columns_of(robot, ("coulomb", "stribeck(0.1)"))) == [0.02, 0.1]
