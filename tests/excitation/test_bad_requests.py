"""Requests that cannot work: each error names the joint, the limit and the way out."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from robotid.errors import BadDataError, ConfigError
from robotid.excitation.design import design
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Problem
from robotid.excitation.ramps import State, ramp
from robotid.excitation.setting import setting_of
from robotid.excitation.starts import random_start
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from tests.excitation.settings import DOUBLE, made_setting, rng, table

JOINTS = load_robot("double_pendulum").tree.joint_names
FIRST, LAST = JOINTS[0], JOINTS[-1]
OPEN = {"noise": (0.1,)}

# what is asked of the double pendulum, code, joint, and what the message and its hint hold
BAD = {
    "lower above upper": (
        DOUBLE | {"lower": ("3",)},
        "infeasible-limits",
        FIRST,
        ("3", "2.5", "by 0.5"),
    ),
    "no speed": (DOUBLE | {"velocity": ("-1",)}, "bad-limits", FIRST, ("velocity", "-1")),
    "no acceleration": (
        DOUBLE | {"acceleration": (f"{LAST}=0",)},
        "bad-limits",
        LAST,
        ("acceleration",),
    ),
    "no torque": (DOUBLE | {"torque": ("0",)}, "bad-limits", FIRST, ("torque",)),
    "jerk": (DOUBLE | {"jerk": (f"{LAST}=-4",)}, "bad-limits", LAST, ("jerk", "-4")),
    "not a number": (DOUBLE | {"velocity": ("fast",)}, "bad-value", None, ("velocity", "fast")),
    "not finite": (DOUBLE | {"velocity": ("inf",)}, "bad-value", None, ("inf",)),
    "unknown joint": (
        DOUBLE | {"velocity": (f"{FIRST}x=2",)},
        "unknown-joint",
        None,
        ("velocity", f"{FIRST}x", FIRST),
    ),
    "unknown joint of harmonics": (
        DOUBLE | {"joint_harmonics": ("wrist=1,2",)},
        "unknown-joint",
        None,
        ("wrist",),
    ),
    "bad harmonics": (
        DOUBLE | {"joint_harmonics": (f"{FIRST}=0,2",)},
        "bad-value",
        None,
        ("1 to 1000",),
    ),
    "one harmonic from rest": (
        DOUBLE | {"harmonics": 1},
        "too-few-harmonics",
        FIRST,
        ("at_rest = false",),
    ),
    "period too short": (
        DOUBLE | {"period_s": 0.05},
        "period-too-short",
        FIRST,
        ("velocity", "period of"),
    ),
    "period too short for jerk": (
        DOUBLE | {"jerk": (f"{LAST}=0.001",)},
        "period-too-short",
        LAST,
        ("jerk", "period of"),
    ),
    "posture outside": (
        DOUBLE | {"posture": (0.0, 2.7)},
        "outside-limits",
        LAST,
        ("posture", "2.7", "by", "position_share"),
    ),
    "home outside": (DOUBLE | {"home": (-2.2, 0.0)}, "outside-limits", FIRST, ("home", "-2.2")),
    "posture of another robot": (
        DOUBLE | {"posture": (0.0, 0.0, 0.0)},
        "wrong-count",
        None,
        ("3 values for 2 joints", FIRST),
    ),
    "noise of another robot": (
        DOUBLE | {"noise": (1.0, 1.0, 1.0)},
        "wrong-count",
        None,
        ("noise", "3 values for 2"),
    ),
    "unknown parameter": (
        DOUBLE | {"parameters": ("frictoin",)},
        "unknown-parameter",
        None,
        ("frictoin", "friction"),
    ),
    "unknown link": (DOUBLE | {"payload_link": "tool"}, "unknown-link", None, ("tool",)),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_request(name):
    asked, code, joint, words = BAD[name]
    with pytest.raises(ConfigError) as caught:
        made_setting("double_pendulum", **OPEN | asked)
    notice = caught.value.notice
    assert (notice.code, notice.joint) == (code, joint)
    for word in words:
        assert word in notice.text()


def test_the_period_that_would_do_does():
    with pytest.raises(ConfigError) as caught:
        made_setting("double_pendulum", **OPEN | DOUBLE | {"period_s": 0.05})
    assert caught.value.notice.hint is not None
    (needed,) = (float(word) for word in caught.value.notice.hint.split() if word[0].isdigit())
    made_setting("double_pendulum", **OPEN | DOUBLE | {"period_s": 1.01 * needed})


@pytest.mark.parametrize("missing", ["lower", "upper", "velocity"])
def test_a_joint_without_limits(tmp_path, missing):
    """A continuous joint has no range, and the file here no limit of speed."""
    path = tmp_path / "wheel.urdf"
    path.write_text(
        '<robot name="wheel"><link name="base"/><link name="rim"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="axle" type="continuous"><parent link="base"/><child link="rim"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    robot = load_robot(path).tree
    given = {"lower": ("-3",), "upper": ("3",), "velocity": ("2",), "noise": (0.1,)}
    given.pop(missing)
    with pytest.raises(ConfigError) as caught:
        made_setting(robot, **given)
    notice = caught.value.notice
    assert (notice.code, notice.joint) == ("no-limits", "axle")
    assert missing in notice.message
    assert f"--{missing} axle=VALUE" in (notice.hint or "")
    made_setting(robot, lower=("-3",), upper=("3",), velocity=("2",), noise=(0.1,))


def test_noise_of_a_joint_without_effort_limit(tmp_path):
    robot = table(tmp_path)
    (joint,) = robot.joints
    weak = joint._replace(limits=joint.limits._replace(effort=np.inf))
    robot = replace(robot, joints=(weak,))
    with pytest.raises(ConfigError) as caught:
        made_setting(robot)
    assert (caught.value.notice.code, caught.value.notice.joint) == ("no-noise", "j0")
    made_setting(robot, noise=(0.1,))


def test_noise_does_not_depend_on_limits_that_are_given(tmp_path):
    robot = table(tmp_path)
    for torque in ((), ("20",), ("500",)):
        setting = made_setting(robot, torque=torque)
        assert setting.noise.tolist() == [1.0]  # a hundredth of the file's 100 N m


@pytest.mark.parametrize(
    "given", [{}, {"lower": ("-2",)}, {"velocity": ("j0=4",)}, {"torque": ("101",)}]
)
def test_limits_wider_than_those_of_the_file_are_named(tmp_path, given):
    notices = made_setting(table(tmp_path), **given).notices
    assert [notice.code for notice in notices] == ["wider-than-file"] * len(given)
    for key, notice in zip(given, notices, strict=True):
        assert notice.message.startswith(f"{key}: ")
        assert "j0" in notice.message
    assert (
        made_setting(table(tmp_path), velocity=("2",), torque=("50",), upper=("0.5",)).notices == ()
    )


def test_torque_limit_that_cannot_hold_the_arm():
    """Which limit, and by how much it is broken, where no trajectory is allowed."""
    asked = DOUBLE | {"torque": ("0.1",), "posture": (1.5, 0.0), "harmonics": 3}
    setting = made_setting("double_pendulum", **OPEN | asked)
    with pytest.raises(ConfigError) as caught:
        random_start(Problem(setting.recipe, setting.given), rng())
    notice = caught.value.notice
    assert notice.code == "infeasible-limits"
    assert f"torque limit of {FIRST} by" in notice.message
    assert "%" in notice.message


def test_home_that_is_too_near():
    """Said before any search, with the distance and what is missing."""
    asked = {"home": (-0.44, 1.63, -0.47, -2.48, 1.55, 1.05, 0.36), "floor": 0.0}
    with pytest.raises(ConfigError, match=r"home: panda_\w+ above the floor lacks [0-9.]+ mm"):
        made_setting("panda", **asked)


def test_floating_base():
    robot = load_robot("quadruped").tree
    with pytest.raises(ConfigError) as caught:
        setting_of(robot, Layout(robot, TERMS), ExcitationOptions())
    assert caught.value.notice.code == "floating-base"


def test_a_ramp_that_is_too_short():
    robot = load_robot("double_pendulum").tree
    asked = {"home": (1.0, 1.0), "ramp_s": 0.1, "harmonics": 3, "restarts": 1, "iterations": 5}
    with pytest.raises(ConfigError) as caught:
        design(robot, Layout(robot, TERMS), ExcitationOptions(**OPEN | DOUBLE | asked))
    notice = caught.value.notice
    assert notice.code == "ramp-too-short"
    assert notice.joint in JOINTS
    assert "would do" in (notice.hint or "")


def test_no_ramp_from_outside():
    limits = made_setting("double_pendulum", **OPEN | DOUBLE).limits
    still = np.zeros(2)
    start = State(limits.middle, still, still)
    with pytest.raises(ConfigError) as caught:
        ramp(start, State(limits.upper + 1.0, still, still), limits, 0.25, None)
    assert caught.value.notice.code == "no-ramp"
    assert "position" in caught.value.notice.message


@pytest.mark.parametrize("different", ["geometry", "terms"])
def test_information_of_something_else(different):
    setting = made_setting("double_pendulum", **OPEN | DOUBLE)
    layout = setting.unknowns.layout
    facts = SimpleNamespace(
        robot="other",
        geometry_sha256="0" * 64 if different == "geometry" else layout.digest,
        parameters=layout.names[:-1],
        independent=1.0,
    )
    with pytest.raises(BadDataError) as caught:
        made_setting("double_pendulum", given=SimpleNamespace(facts=facts, R=None), **OPEN | DOUBLE)
    expected = {"geometry": "other-robot", "terms": "other-terms"}[different]
    assert caught.value.notice.code == expected


def test_information_that_is_given_counts():
    """R^T R of a fit in all parameters is what base parameters have, scaled."""
    setting = made_setting("double_pendulum", **OPEN | DOUBLE)
    layout, target = setting.unknowns.layout, setting.unknowns.target
    root = rng(1).normal(size=(target.size, target.size))
    R = root @ setting.unknowns.base.projection
    facts = SimpleNamespace(
        robot="same", geometry_sha256=layout.digest, parameters=layout.names, independent=0.5
    )
    given = SimpleNamespace(facts=facts, R=R)
    found = made_setting("double_pendulum", given=given, **OPEN | DOUBLE).given
    expected = 0.5 * (root * target.scale).T @ (root * target.scale)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
