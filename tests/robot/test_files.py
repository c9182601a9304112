"""The robot files that ship with the package, read by Pinocchio, by MuJoCo and as plain XML."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from robotid.robot.geometry import phi_from, pseudo_inertia

ROOT = Path(__file__).parents[2]
FOLDER = files("robotid.robot") / "files"


class Expected(NamedTuple):
    joints: int
    moving_kg: float
    base_kg: float = 0.0  # of what is tied to the ground
    floating: bool = False


ROBOTS = {
    "pendulum": Expected(1, 0.8),
    "double_pendulum": Expected(2, 1.0),
    "cartpole": Expected(2, 0.697),
    "furuta": Expected(2, 0.119),
    "panda": Expected(7, 16.062132, 0.629769),
    "ur10": Expected(6, 28.435, 4.0),
    "iiwa": Expected(7, 22.849622, 7.050378),
    "iiwa7": Expected(7, 22.11193),
    "quadruped": Expected(12, 15.017, floating=True),
    "humanoid": Expected(22, 95.0, floating=True),
}
PASSIVE = {("cartpole", "pivot"), ("furuta", "pivot")}  # joints without a motor
TAGS = {
    *("robot", "link", "inertial", "origin", "mass", "inertia"),
    *("joint", "parent", "child", "axis", "limit", "dynamics"),
}

each_robot = pytest.mark.parametrize("name", ROBOTS)


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.urdf").read_text(encoding="utf-8")


def xml_of(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(text_of(name))


def numbers(element: ElementTree.Element | None, key: str) -> list[float]:
    return [float(x) for x in ("0 0 0" if element is None else element.get(key, "0 0 0")).split()]


def pinocchio_model(name: str) -> pin.Model:
    return pin.buildModelFromXML(text_of(name).encode())


def mujoco_model(name: str) -> mujoco.MjModel:
    compiler = '<mujoco><compiler fusestatic="false" discardvisual="true"/></mujoco>'
    return mujoco.MjModel.from_xml_string(text_of(name).replace("</robot>", compiler + "</robot>"))


def driven(name: str) -> list[ElementTree.Element]:
    return [j for j in xml_of(name).iter("joint") if j.get("type") not in ("fixed", "floating")]


def test_the_table_lists_every_file():
    assert {entry.name for entry in FOLDER.iterdir()} == {f"{name}.urdf" for name in ROBOTS}


@each_robot
def test_only_kinematics_inertias_limits_and_friction(name):
    assert {element.tag for element in xml_of(name).iter()} <= TAGS
    assert not re.search("xacro|mesh|visual|collision", text_of(name))
    assert xml_of(name).get("name") == name


@each_robot
def test_opens_with_where_the_figures_come_from(name):
    comment = re.match(r"<\?xml[^>]*\?>\n<!--\n(.*?)-->\n<robot ", text_of(name), re.DOTALL)
    assert comment is not None
    said = comment.group(1)
    assert re.search(r'"[A-Z].{8,}"|_description|All figures are ours', said, re.DOTALL)


@each_robot
def test_pinocchio_sees_the_joints_and_the_mass(name):
    expected, model = ROBOTS[name], pinocchio_model(name)
    assert model.nv == expected.joints + 6 * expected.floating
    assert set(model.names) - {"universe", "root"} == {j.get("name") for j in driven(name)}
    assert ("root" in model.names) == expected.floating
    assert pin.computeTotalMass(model) == pytest.approx(expected.moving_kg, rel=1e-12)


@each_robot
def test_mujoco_sees_the_joints_and_the_mass(name):
    expected, model = ROBOTS[name], mujoco_model(name)
    assert model.nv == expected.joints + 6 * expected.floating
    moving = model.body_weldid != 0
    assert model.body_mass[moving].sum() == pytest.approx(expected.moving_kg, rel=1e-12)


@each_robot
def test_written_masses_add_up(name):
    expected = ROBOTS[name]
    written = sum(float(m.get("value")) for m in xml_of(name).iter("mass"))
    assert written == pytest.approx(expected.moving_kg + expected.base_kg, rel=1e-12)


@each_robot
def test_both_engines_agree_on_the_mass_matrix(name):
    """Two independent readers: a frame or an inertia they take differently would show here.

    Double precision through at most 24 bodies leaves 1e-13; MuJoCo turns inertias into principal
    axes, which costs a few digits more: 1e-9 of the largest entry.
    """
    ours, theirs = pinocchio_model(name), mujoco_model(name)
    data = mujoco.MjData(theirs)
    floating = ROBOTS[name].floating
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = pin.neutral(ours)
        # MuJoCo's speeds from Pinocchio's: joints by name, the base's velocity turned to world axes
        to_mujoco = np.zeros((theirs.nv, ours.nv))
        for joint, joint_name in enumerate(ours.names):
            if joint_name in ("universe", "root"):
                continue
            angle = rng.uniform(-2.5, 2.5)
            at = theirs.joint(joint_name)
            if ours.joints[joint].nq == 2:  # continuous: cosine and sine
                q[ours.idx_qs[joint] : ours.idx_qs[joint] + 2] = np.cos(angle), np.sin(angle)
            else:
                q[ours.idx_qs[joint]] = angle
            data.qpos[at.qposadr[0]] = angle
            to_mujoco[at.dofadr[0], ours.idx_vs[joint]] = 1.0
        if floating:
            position, turn = rng.normal(size=3), pin.Quaternion(pin.exp3(rng.normal(size=3)))
            q[:7] = *position, *turn.coeffs()
            data.qpos[:7] = *position, turn.w, turn.x, turn.y, turn.z
            to_mujoco[:3, :3], to_mujoco[3:6, 3:6] = turn.matrix(), np.eye(3)
        expected = pin.crba(ours, ours.createData(), q)
        expected = np.triu(expected) + np.triu(expected, 1).T
        mujoco.mj_forward(theirs, data)
        full = np.zeros((theirs.nv, theirs.nv))
        for row, unit in zip(full, np.eye(theirs.nv), strict=True):
            mujoco.mj_mulM(theirs, data, row, unit)
        found = to_mujoco.T @ full @ to_mujoco
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@each_robot
def test_every_inertia_is_fully_consistent(name):
    """The pseudo-inertia is positive definite: positive mass and principal moments, triangle.

    A turn of the inertial frame changes no eigenvalue of it about the centre of mass.
    """
    for link in xml_of(name).iter("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        i = {key: float(value) for key, value in inertial.find("inertia").items()}
        matrix = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]  # fmt: skip
        phi = phi_from(float(inertial.find("mass").get("value")), [0, 0, 0], matrix)
        assert np.linalg.eigvalsh(pseudo_inertia(phi))[0] > 0, link.get("name")


@each_robot
def test_limits_are_there_and_in_order(name):
    assert len(driven(name)) == ROBOTS[name].joints
    for joint in driven(name):
        where, limit = (name, joint.get("name")), joint.find("limit")
        assert float(limit.get("velocity")) > 0, where
        assert (float(limit.get("effort")) == 0) == (where in PASSIVE), where
        if joint.get("type") == "continuous":
            assert limit.get("lower") is limit.get("upper") is None, where
        else:
            assert float(limit.get("lower")) < float(limit.get("upper")), where
        assert np.linalg.norm(numbers(joint.find("axis"), "xyz")) == 1.0, where


@each_robot
def test_a_floating_robot_hangs_on_the_world(name):
    roots = [j for j in xml_of(name).iter("joint") if j.get("type") == "floating"]
    assert len(roots) == ROBOTS[name].floating
    for root in roots:
        assert root.get("name") == "root"
        assert root.find("parent").get("link") == "world"
        assert root.find("child").get("link") == "base"
        assert xml_of(name).find("link[@name='world']").find("inertial") is None


def frame_at_zero(name: str, frame: str) -> np.ndarray:
    model = pinocchio_model(name)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    return data.oMf[model.getFrameId(frame)].translation


@pytest.mark.parametrize(
    ("name", "frame", "position"),
    [
        # Sums of the published lengths, with all joints at zero.
        ("panda", "panda_flange", (0.088, 0, 0.333 + 0.316 + 0.384 - 0.107)),
        ("ur10", "tool0", (0.612 + 0.5723, 0.163941 + 0.0922, 0.1273 - 0.1157)),
        ("iiwa", "tool0", (0, 0, 0.360 + 0.420 + 0.400 + 0.126)),
        ("quadruped", "FL_foot", (0.1934, 0.0465 + 0.0955, -2 * 0.213)),
        ("humanoid", "left_foot", (-0.02, 0.085, -0.27 - 0.38 - 0.33 - 0.11)),
    ],
)
def test_the_end_is_where_the_published_lengths_put_it(name, frame, position):
    np.testing.assert_allclose(frame_at_zero(name, frame), position, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "left", "right"), [("quadruped", "L_", "R_"), ("humanoid", "left_", "right_")]
)
def test_left_and_right_are_mirror_images(name, left, right):
    links = {link.get("name"): link.find("inertial") for link in xml_of(name).iter("link")}
    flip = np.array([1, -1, 1])
    mirrored = [link for link in links if left in link and links[link] is not None]
    assert len(mirrored) == (8 if name == "quadruped" else 10)
    for link in mirrored:
        one, other = links[link], links[link.replace(left, right)]
        assert one.find("mass").get("value") == other.find("mass").get("value")
        centre = numbers(one.find("origin"), "xyz")
        assert list(flip * centre) == numbers(other.find("origin"), "xyz"), link
        for key, value in one.find("inertia").items():
            sign = (-1) ** key.count("y")
            assert float(other.find("inertia").get(key)) == sign * float(value), (link, key)


def test_the_pendulum_is_the_one_of_the_sample_logs():
    truth = json.loads((ROOT / "sample_logs/pendulum/truth.json").read_text(encoding="utf-8"))
    model = pinocchio_model("pendulum")
    data = model.createData()
    inertia = pin.crba(model, data, np.zeros(1))[0, 0]
    behind = pin.computeGeneralizedGravity(model, data, np.zeros(1))[0]
    beside = pin.computeGeneralizedGravity(model, data, np.array([np.pi / 2]))[0]
    dynamics = xml_of("pendulum").find("joint/dynamics")
    found = [inertia, beside, behind, float(dynamics.get("damping")), float(dynamics.get("friction"))]  # fmt: skip
    names = ("inertia", "gravity_sin", "gravity_cos", "viscous", "coulomb")
    np.testing.assert_allclose(found, [truth[key] for key in names], rtol=1e-12)


def test_the_document_says_what_the_files_say():
    rows = {}
    for line in (ROOT / "docs/robots.md").read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| `(\w+)` \| (\d+)[^|]*\| ([\d.]+) \|", line):
            rows[row[1]] = (int(row[2]), row[3])
    assert list(rows) == list(ROBOTS)
    for name, (joints, mass) in rows.items():
        expected = ROBOTS[name]
        digits = len(mass.partition(".")[2])
        assert (joints, mass) == (expected.joints, f"{expected.moving_kg:.{digits}f}"), name
