"""The URDF reader against Pinocchio and MuJoCo: frames, axes and merged parameters of all bodies."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from robotid.robot.catalog import FILES, ROBOTS
from robotid.robot.geometry import phi_from
from robotid.robot.load import load_robot
from robotid.robot.tree import Limits

from .urdf_texts import ARM, random_urdf

# All three compute the same sums in another order; entries are of order 1 to 100.
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def assert_like_pinocchio(tree, model):
    """Same bodies under the same joints, whatever their order."""
    if not tree.floating:
        assert model.njoints == tree.bodies + 1
    names = {"floating_base": "root_joint"}  # what Pinocchio calls a root that floats
    for body, joint in enumerate(tree.joints):
        index = model.getJointId(names.get(joint.name, joint.name))
        assert index < model.njoints, joint.name
        np.testing.assert_allclose(
            model.inertias[index].toDynamicParameters(), tree.phi[body], **CLOSE
        )
        np.testing.assert_allclose(
            model.jointPlacements[index].homogeneous, tree.placements[body], **CLOSE
        )
        parent = tree.parents[body]
        above = "universe" if parent < 0 else tree.joints[parent].name
        assert model.names[model.parents[index]] == names.get(above, above)
        if joint.kind != "floating":
            data = model.createData()
            q = pin.neutral(model)
            pin.computeJointJacobians(model, data, q)
            jacobian = pin.getJointJacobian(model, data, index, pin.LOCAL)
            column = jacobian.reshape(6, -1)[:, model.idx_vs[index]]
            part = column[:3] if joint.kind == "prismatic" else column[3:]
            np.testing.assert_allclose(part, joint.axis, **CLOSE)


@pytest.mark.parametrize("seed", range(25))
def test_random_trees_against_pinocchio(load, seed):
    text = random_urdf(seed, links=2 + seed)
    loaded = load(text)
    assert_like_pinocchio(loaded.tree, pin.buildModelFromXML(text))
    assert loaded.notices == ()


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_floated_against_pinocchio(load, seed):
    text = random_urdf(seed, links=8)
    tree = load(text, base="floating").tree
    assert tree.floating
    assert_like_pinocchio(tree, pin.buildModelFromXML(text, pin.JointModelFreeFlyer()))


@pytest.mark.parametrize("seed", range(10))
def test_random_trees_against_mujoco(load, seed):
    """MuJoCo fuses fixed links as well; its bodies keep the link's name and frame."""
    text = random_urdf(seed + 100, links=10, massless=0.0)
    tree = load(text).tree
    model = mujoco.MjModel.from_xml_string(text)
    for body, link in enumerate(tree.links):
        there = model.body(link)
        rotation = np.empty(9)
        mujoco.mju_quat2Mat(rotation, there.iquat)
        rotation = rotation.reshape(3, 3)
        inertia = rotation @ np.diag(there.inertia) @ rotation.T
        np.testing.assert_allclose(
            phi_from(there.mass[0], there.ipos, inertia), tree.phi[body], rtol=1e-10, atol=1e-10
        )
        np.testing.assert_allclose(there.pos, tree.placements[body][:3, 3], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ROBOTS)
def test_shipped_robots_against_pinocchio(name):
    tree = load_robot(name).tree
    model = pin.buildModelFromUrdf(str(FILES / ROBOTS[name].file))
    assert_like_pinocchio(tree, model)
    order = {joint: position for position, joint in enumerate(tree.joint_names)}
    assert {n for n in model.names if n in order} == set(order)


def test_names_limits_and_order(load):
    loaded = load(ARM)
    tree = loaded.tree
    assert (tree.name, tree.base, tree.links) == ("arm", "base", ("upper", "lower"))
    shoulder, elbow = tree.joints
    assert shoulder.limits == Limits(-2, 2, 3, 50)
    assert (shoulder.damping, shoulder.friction) == (0.1, 0.2)
    assert elbow.limits == Limits()
    assert elbow.axis == pytest.approx((0, 0.5**0.5, 0.5**0.5))
    assert {link.name: link.body for link in tree.fixed} == {
        "base": -1, "bracket": 0, "tip": 1,
    }  # fmt: skip
    assert tree.phi[:, 0] == pytest.approx([2.5, 1.0])
    assert tree.gravity.tolist() == [0, 0, -9.81]


def test_joints_come_depth_first_in_file_order(load):
    text = '<robot name="r"><link name="root"/>'
    for name, parent in (("b", "root"), ("a", "root"), ("b2", "b"), ("b1", "b"), ("a1", "a")):
        text += (
            f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
            f'iyy="1" iyz="0" izz="1"/></inertial></link><joint name="{name}" type="continuous">'
            f'<parent link="{parent}"/><child link="{name}"/></joint>'
        )
    assert load(text + "</robot>").tree.joint_names == ("b", "b2", "b1", "a", "a1")


def test_effort_zero_is_a_joint_without_motor_and_speed_zero_is_none(load):
    loaded = load(ARM.replace('effort="50" velocity="3"', 'effort="0" velocity="0"'))
    assert loaded.tree.joints[0].limits == Limits(-2, 2, np.inf, 0)
    (notice,) = loaded.notices
    assert (notice.code, notice.joint, notice.line) == ("zero-limit", "shoulder", 29)


def test_floating_joint_of_a_file(load):
    text = ARM.replace('type="revolute"', 'type="floating"').replace("effort", "x")
    tree = load(text).tree
    assert tree.floating
    assert tree.joint_names == ("elbow",)
    held = load(text, base="fixed").tree
    assert not held.floating
    assert held.bodies == 1
