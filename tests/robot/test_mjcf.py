"""The MJCF reader against MuJoCo itself: poses of all links, and torques, in the same coordinates."""

import contextlib
import re
import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from robotid.dynamics.rnea import rnea
from robotid.errors import BadDataError, ConfigError, RobotidError
from robotid.robot.assembly import joint_motion
from robotid.robot.byte_edits import ByteEdit, apply_edits
from robotid.robot.load import Changes, loaded_from
from robotid.robot.xml_source import parse_xml
from tests.many import many

ARM = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true" meshdir="/nowhere"/>
  <option gravity="0.5 -1 -9"/>
  <default>
    <joint damping="0.3"/>
    <default class="visual"><geom type="mesh" contype="0" material="steel"/></default>
  </default>
  <asset>
    <mesh name="hull" file="hull.stl"/>
    <texture name="wood" type="2d" file="wood.png"/>
    <material name="steel" texture="wood"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 1" material="steel"/>
    <body name="base" pos="0 0 0.5" euler="10 20 30">
      <inertial pos="0 0 0.1" mass="5" diaginertia="0.1 0.1 0.1"/>
      <geom class="visual" mesh="hull"/>
      <body name="wrist" pos="0.1 0.2 0.3" quat="1 2 3 4">
        <joint name="slide" type="slide" axis="1 1 0" range="-1 2" ref="0.25"/>
        <joint name="yaw" axis="0 0 2" pos="0.1 0 0.2" range="-90 90" armature="0.05" ref="20"/>
        <joint name="pitch" axis="0 1 0" frictionloss="0.7" damping="0.9" ref="-15"/>
        <inertial pos="0.1 0.1 0" quat="1 1 0 0.5" mass="2" diaginertia="0.03 0.04 0.05"/>
        <geom class="visual" mesh="hull"/>
        <body name="plate" pos="0 0.1 0" axisangle="1 0 0 40">
          <geom type="box" size="0.1 0.05 0.02" mass="0.4" material="steel"/>
          <body name="finger" pos="0 0 0.2">
            <joint name="swing" axis="1 0 1" pos="0 0.05 0"/>
            <inertial pos="0 0 0.1" mass="0.5" fullinertia="0.01 0.02 0.015 0.001 0 0.002"/>
          </body>
        </body>
      </body>
      <body name="wheel" pos="0 -0.3 0">
        <joint name="spin" axis="0 1 0" actuatorfrcrange="-4 3"/>
        <geom type="cylinder" size="0.1 0.02" density="500"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="yaw" forcerange="-3 2" gear="10"/>
    <motor joint="spin"/>
  </actuator>
  <sensor><jointpos joint="yaw"/></sensor>
  <keyframe><key qpos="0 0 0 0 0"/></keyframe>
</mujoco>
"""
# The same in a form MuJoCo compiles without the files.
PLAIN = ARM.replace('<geom class="visual" mesh="hull"/>', "")
for gone in ("<mesh name", "<texture name", "<material name"):
    PLAIN = "\n".join(line for line in PLAIN.splitlines() if gone not in line)
PLAIN = PLAIN.replace(' material="steel"', "").replace(' type="mesh"', "")


def poses(tree, q):
    """Poses of all links in the base; the tree's own kinematics, joint by joint."""
    bodies = []
    for body, (joint, parent) in enumerate(zip(tree.joints, tree.parents, strict=True)):
        above = np.eye(4) if parent < 0 else bodies[parent]
        bodies.append(above @ tree.placements[body] @ joint_motion(joint, q[body]))
    found = dict(zip(tree.links, bodies, strict=True))
    for link in tree.fixed:
        found[link.name] = (bodies[link.body] if link.body >= 0 else np.eye(4)) @ link.placement
    return found


@pytest.mark.parametrize("seed", range(5))
def test_poses_and_torques_are_those_of_mujoco(load, seed):
    tree = load(ARM, name="arm.xml").tree
    model = mujoco.MjModel.from_xml_string(PLAIN)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1, 1, (3, model.nv))
    assert tree.joint_names == ("slide", "yaw", "pitch", "swing", "spin")
    data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
    mujoco.mj_kinematics(model, data)
    found = poses(tree, q)
    for name in ("base", "wrist", "plate", "finger", "wheel"):
        body = data.body(name)
        np.testing.assert_allclose(found[name][:3, 3], body.xpos, atol=1e-12)
        np.testing.assert_allclose(found[name][:3, :3].flatten(), body.xmat, atol=1e-12)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # limits, friction loss
    model.dof_damping[:] = 0
    mujoco.mj_inverse(model, data)
    tau = rnea(tree, *(torch.tensor(x) for x in (q, qd, qdd))).numpy()
    tau = tau + np.array([joint.rotor_inertia for joint in tree.joints]) * qdd
    np.testing.assert_allclose(tau, data.qfrc_inverse, rtol=1e-10, atol=1e-10)


def test_facts_of_joints(load):
    tree = load(ARM, name="arm.xml").tree
    joints = {joint.name: joint for joint in tree.joints}
    assert joints["slide"].kind == "prismatic"
    assert joints["slide"].limits[:2] == (-1, 2)
    assert joints["yaw"].limits.upper == pytest.approx(np.pi / 2)
    assert joints["yaw"].limits.effort == 30
    assert joints["spin"].limits.effort == 4
    assert joints["swing"].limits.effort == np.inf
    assert joints["yaw"].rotor_inertia == 0.05
    assert (joints["pitch"].damping, joints["pitch"].friction) == (0.9, 0.7)
    assert joints["swing"].damping == 0.3
    assert tree.gravity.tolist() == [0.5, -1, -9]
    # Three joints of one body: two empty links, then the body, whose last joint is at its origin.
    assert tree.links == ("wrist/slide", "wrist/yaw", "wrist", "finger/swing", "wheel")
    assert {x.name for x in tree.fixed} == {"world", "base", "plate", "finger"}


def test_intermediate_bodies_are_no_finding(load):
    assert load(ARM, name="arm.xml").notices == ()


FREE = ARM.replace(
    '<inertial pos="0 0 0.1" mass="5"',
    '<freejoint name="root"/><inertial pos="0 0 0.1" mass="5"',
    1,
)


def test_free_joint(load):
    tree = load(FREE.replace(' qpos="0 0 0 0 0"', ""), name="free.xml").tree
    assert tree.floating
    assert tree.links[0] == "base"
    assert tree.phi[0, 0] == 5
    held = load(FREE, name="free.xml", base="fixed").tree
    np.testing.assert_allclose(held.placements[0], load(ARM, name="a.xml").tree.placements[0])
    floated = load(ARM, name="arm.xml", base="floating").tree
    np.testing.assert_array_equal(floated.phi, tree.phi)


def test_free_pose_is_absolute(load):
    """MuJoCo's qpos of a free body is its pose in the world, wherever the file puts it first."""
    assert np.array_equal(load(FREE, name="free.xml").tree.placements[0], np.eye(4))


def test_gravity_switched_off(load):
    text = ARM.replace('-9"/>', '-9"><flag gravity="disable"/></option>')
    assert not load(text, name="arm.xml").tree.gravity.any()


def line_of(text, part):
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


ERRORS = {
    "ball": (('name="swing" axis="1 0 1"', 'name="swing" type="ball"'), "joint-type", "swing", "ball joint"),
    "include": (("<sensor>", '<include file="../../secret.xml"/>\n<sensor>'), "include", "<include", "one file"),
    "mesh inertia": (('<geom type="box" size="0.1 0.05 0.02" mass="0.4" material="steel"/>', '<geom mesh="hull" type="mesh"/>'), "inertia-from-mesh", 'mesh="hull" type', "'plate'"),
    "composite": (("<light", '<composite type="cable"/>\n<light'), "not-read", "<composite", "write them out"),
    "replicate": (("<light", '<replicate count="1000000000"><body/></replicate>\n<light'), "not-read", "<replicate", "not read"),
    "nan": (('pos="0 0 0.5"', 'pos="0 0 NaN"'), "bad-number", "NaN", "pos"),
    "infinite": (('ref="20"', 'ref="inf"'), "bad-number", None, "qpos0"),
    "unknown word": (('type="slide"', 'type="slyde"'), "bad-mjcf", "slyde", "MuJoCo"),
    "massless": (('mass="0.5" fullinertia="0.01 0.02 0.015 0.001 0 0.002"', 'mass="0" diaginertia="0 0 0"'), "bad-mjcf", None, "mass"),
    "triangle": (('diaginertia="0.03 0.04 0.05"', 'diaginertia="0.03 0.04 0.5"'), "bad-mjcf", None, "inertia"),
    "not well-formed": (("</mujoco>", ""), "bad-xml", None, "well-formed"),
}  # fmt: skip


@pytest.mark.parametrize("what", ERRORS)
def test_errors(load, tmp_path, what):
    (old, new), code, part, says = ERRORS[what]
    text = ARM.replace(old, new)
    assert text != ARM
    with pytest.raises(BadDataError) as caught:
        load(text, name="arm.xml")
    notice = caught.value.notice
    assert notice.code == code
    assert notice.file == str(tmp_path / "arm.xml")
    assert notice.line is not None
    if part is not None:
        assert notice.line == line_of(text, part)
    assert says in notice.text()


def test_s09_weightless_mesh_needs_no_file(load):
    text = ARM.replace(
        '<geom type="box"', '<geom mesh="hull" type="mesh" mass="0"/><geom type="box"'
    )
    assert load(text, name="arm.xml").tree.n == 5


def test_inertia_from_geoms(load):
    """A box by its own formula."""
    text = """<mujoco><worldbody><body name="b"><joint name="j"/>
      <geom type="box" size="0.1 0.2 0.3" mass="6"/></body></worldbody></mujoco>"""
    phi = load(text, name="b.xml").tree.phi[0]
    np.testing.assert_allclose(phi, [6, 0, 0, 0, 0.26, 0, 0.2, 0, 0, 0.1], atol=1e-12)


def test_equality_and_springs_are_said_to_be_left_out(load):
    text = ARM.replace(
        "<sensor>", '<equality><joint joint1="yaw" joint2="spin"/></equality><sensor>'
    )
    text = text.replace('name="spin"', 'name="spin" stiffness="3"')
    notices = load(text, name="arm.xml").notices
    assert [notice.code for notice in notices] == ["not-modelled", "not-modelled"]
    assert notices[0].line == line_of(text, "<equality>")
    assert notices[1].joint == "spin"


def test_without_mujoco_the_way_out_is_said(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ConfigError, match=r"pip install 'robotid\[mujoco\]'"):
        load(ARM, name="arm.xml")


def test_formats_are_told_by_content(load):
    assert load(ARM, name="arm.urdf").description.format == "mjcf"


PIECES = ["", "0", "-1", "nan", "inf", "1e308", "2 3", "free", "ball", "slide", "base", "yaw", "é"]
VALUES = [match.span(1) for match in re.finditer('"([^"]*)"', ARM)]


@many()
@given(
    st.lists(st.tuples(st.sampled_from(VALUES), st.sampled_from(PIECES)), min_size=1, max_size=3)
)
def test_mutated_files_are_read_or_refused(changes):
    """Anything but a RobotidError fails the test, numpy's warnings included."""
    edits = {span: ByteEdit(*span, piece.encode()) for span, piece in changes}
    with contextlib.suppress(RobotidError), warnings.catch_warnings():
        warnings.simplefilter("error")
        source = parse_xml(apply_edits(ARM.encode(), edits.values()), "x.xml")
        loaded_from(source, Path("x.xml"), Changes())
    assert not Path("MUJOCO_LOG.TXT").exists()
