"""Capsules hold the shapes they are made from, wherever a robot file puts them."""

import mujoco
import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.robot.load import load_robot
from robotid.robot.shapes import link_frames, read_shapes
from robotid.robot.solids import Primitive, around

RNG = np.random.default_rng(5)


def surface(kind, half, count=4000):
    """Random points on the surface of a primitive."""
    x = RNG.normal(size=(count, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    if kind in ("sphere", "capsule"):
        x *= half[0]
        if kind == "capsule":
            x[:, 2] += np.sign(x[:, 2]) * half[1]
    elif kind == "ellipsoid":
        x *= half
    elif kind == "cylinder":
        x[:, :2] *= half[0] / np.linalg.norm(x[:, :2], axis=1, keepdims=True)
        x[:, 2] = RNG.choice([-1.0, 1.0], count) * half[1]  # rims hold all the rest
    else:
        x = RNG.choice([-1.0, 1.0], (count, 3)) * half
    return x


def outside(points, start, end, radius):
    """How far points lie outside a capsule."""
    start, along = np.asarray(start), np.subtract(end, start)
    share = np.clip((points - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(points - start - share[:, None] * along, axis=1) - radius


@pytest.mark.parametrize(
    ("kind", "half"),
    [
        ("sphere", (0.3,)),
        ("capsule", (0.1, 0.4)),
        ("cylinder", (0.1, 0.4)),
        ("cylinder", (0.4, 0.01)),
        ("cylinder", (0.05, 0.0)),
        ("box", (0.1, 0.2, 0.3)),
        ("box", (0.5, 0.04, 0.03)),
        ("box", (0.3, 0.3, 0.001)),
        ("box", (0.0, 0.0, 0.0)),
        ("ellipsoid", (0.1, 0.4, 0.2)),
        ("ellipsoid", (0.2, 0.2, 0.2)),
    ],
)
def test_a_capsule_holds_its_primitive_and_touches_it(kind, half):
    stick = around(Primitive(kind, half))
    end = np.eye(3)[stick.axis] * stick.half
    away = outside(surface(kind, half), -end, end, stick.radius)
    assert away.max() <= 1e-9 * max(half)
    assert away.max() >= -2e-3 * max(half)  # points are random, on curved ones


def test_a_capsule_is_no_larger_than_a_simple_choice():
    def volume(half, radius):
        return 2 * half * radius**2 + 4 / 3 * radius**3

    for half in RNG.uniform(0.01, 1, (50, 3)):
        stick = around(Primitive("box", tuple(half)))
        low, middle, high = np.sort(half)
        assert volume(stick.half, stick.radius) <= volume(0, np.linalg.norm(half)) * (1 + 1e-9)
        assert volume(stick.half, stick.radius) <= volume(high, np.hypot(low, middle)) * (1 + 1e-9)


def urdf(shapes, tool=""):
    return f"""<robot name="arm">
  <link name="foot"><collision><geometry><sphere radius="0.2"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    {shapes}</link>
  <link name="tool">{tool}</link>
  <joint name="swing" type="revolute"><parent link="foot"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="weld" type="fixed"><parent link="upper"/><child link="tool"/>
    <origin xyz="0.1 0 0.3" rpy="0 1.5707963267948966 0"/></joint>
</robot>"""


def collision(shape, origin='<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'):
    return f"<collision>{origin}<geometry>{shape}</geometry></collision>"


@pytest.fixture
def shapes(tmp_path):
    def read(text, name="robot.urdf", **changes):
        path = tmp_path / name
        path.write_text(text)
        loaded = load_robot(path, **changes)
        return loaded, read_shapes(loaded)

    return read


def test_urdf_shapes_come_where_their_origin_says(shapes):
    given = collision('<box size="0.2 0.4 2"/>') + collision('<sphere radius="0.3"/>', "")
    given += collision('<cylinder radius="0.1" length="1"/>') + collision(
        '<capsule radius="0.1" length="1"/>'
    )
    _, found = shapes(urdf(given, collision('<sphere radius="0.4"/>')))
    names = [capsule.link for capsule in found.capsules]
    assert names == ["foot", "upper", "upper", "upper", "upper", "tool"]
    _, box, ball, cylinder, capsule, tool = found.capsules
    assert ball == ("upper", (0, 0, 0), (0, 0, 0), 0.3)
    assert tool[1:] == ((1, 2, 3), (1, 2, 3), 0.4)
    # yaw 0.3, pitch 0.2, roll 0.1: the third column of Rz Ry Rx
    z = np.array([np.cos(0.3) * np.sin(0.2) * np.cos(0.1) + np.sin(0.3) * np.sin(0.1),
                  np.sin(0.3) * np.sin(0.2) * np.cos(0.1) - np.cos(0.3) * np.sin(0.1),
                  np.cos(0.2) * np.cos(0.1)])  # fmt: skip
    np.testing.assert_allclose(capsule.end, [1, 2, 3] + z / 2, atol=1e-12)
    assert capsule.radius == 0.1
    for one in (box, cylinder):
        np.testing.assert_allclose(np.add(one.start, one.end) / 2, [1, 2, 3], atol=1e-12)
        along = np.subtract(one.end, one.start)
        np.testing.assert_allclose(along / np.linalg.norm(along), z, atol=1e-12)
    assert (found.unread, found.notices) == ({}, ())


def test_links_of_a_changed_robot(shapes):
    text = urdf(collision('<sphere radius="0.3"/>'), collision('<sphere radius="0.1"/>'))
    loaded, _ = shapes(text)
    assert link_frames(loaded.tree)["upper"][0] == 0
    body, placement = link_frames(loaded.tree)["tool"]
    assert body == 0
    np.testing.assert_allclose(placement[:3, 3], [0.1, 0, 0.3])
    assert link_frames(loaded.tree)["foot"][0] == -1
    _, cut = shapes(text, chain=("foot", "upper"))
    assert [c.link for c in cut.capsules] == ["foot", "upper", "tool"]
    three = text.replace("</robot>", """<link name="last">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="turn" type="continuous"><parent link="tool"/><child link="last"/></joint></robot>""")  # fmt: skip
    _, held = shapes(three, lock={"turn": 0.5})
    assert [c.link for c in held.capsules] == ["foot", "upper", "tool", "last"]
    _, cut = shapes(three, chain=("foot", "upper"))
    assert [c.link for c in cut.capsules] == ["foot", "upper", "tool"]


def test_meshes_are_not_read_but_said(shapes):
    mesh = collision('<mesh filename="/nowhere.stl"/>')
    _, found = shapes(urdf(mesh + collision('<sphere radius="0.3"/>') + mesh))
    assert [c.link for c in found.capsules] == ["foot", "upper"]
    assert list(found.unread) == ["upper"]
    notice = found.unread["upper"]
    assert (notice.code, notice.line) == ("mesh-not-read", 4)
    assert "'upper'" in notice.message
    assert "capsules = upper:" in notice.hint


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("", "one shape"),
        ('<sphere radius="1"/><sphere radius="1"/>', "one shape"),
        ("<sphere/>", "radius"),
        ("<box/>", "size"),
        ('<box size="1 2"/>', "2 numbers"),
        ('<box size="1 -2 1"/>', "negative"),
        ('<cylinder radius="nan" length="1"/>', "not finite"),
        ('<cone radius="1"/>', "<cone> is no shape"),
    ],
)
def test_bad_shapes_are_refused_with_their_line(shapes, shape, said):
    with pytest.raises(BadDataError, match=said) as caught:
        shapes(urdf(collision(shape)))
    assert caught.value.notice.line == 4


MJCF = """<mujoco model="arm">
  <compiler angle="degree"/>
  <default>
    <geom rgba="1 0 0 1"/>
    <default class="seen"><geom contype="0" conaffinity="0" type="mesh"/></default>
    <default class="hull"><geom type="mesh" group="3"/></default>
    <default class="thick"><geom type="capsule" size="0.07"/></default>
  </default>
  <asset><mesh name="m" file="m.stl"/><material name="steel"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="one" pos="0 0 1" euler="0 30 0">
      <joint name="a" axis="0 1 0" pos="0 0.1 0" range="-90 90"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom class="seen" mesh="m"/>
      <geom type="box" size="0.1 0.2 0.5" pos="0.1 0 0" euler="10 20 30" material="steel"/>
      <frame pos="1 0 0" euler="0 0 90"><geom class="thick" fromto="0 0 0 1 0 0"/></frame>
      <body childclass="hull">
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom mesh="m"/>
        <geom type="ellipsoid" size="0.1 0.2 0.3" class="main"/>
        <geom type="cylinder" size="0.1 0.3" class="main" contype="0" conaffinity="0"/>
        <body name="three" pos="0 0 0.5">
          <joint name="b" axis="1 0 0" range="-90 90"/>
          <geom type="cylinder" size="0.1 0.3" class="main"/>
          <geom type="sphere" size="0.2" pos="0 1 0" class="main"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def test_mjcf_geoms_that_can_touch(shapes):
    loaded, found = shapes(MJCF, "arm.xml")
    assert [c.link for c in found.capsules] == ["one", "one", "body2", "three", "three"]
    _, thick, ellipsoid, _, ball = found.capsules
    ends = sorted([thick.start, thick.end], key=lambda end: end[1])
    np.testing.assert_allclose(ends, [[1, 0, 0], [1, 1, 0]], atol=1e-12)
    assert thick.radius == 0.07
    assert ellipsoid.radius == 0.2
    assert ball == ("three", (0, 1, 0), (0, 1, 0), 0.2)
    assert [notice.code for notice in found.notices] == ["world-shapes"]
    assert list(found.unread) == ["body2"]
    mesh = found.unread["body2"]
    assert mesh.code == "mesh-not-read"
    assert MJCF.splitlines()[mesh.line - 1].strip() == '<geom mesh="m"/>'
    assert loaded.tree.joint_names == ("a", "b")


def test_mjcf_boxes_lie_in_their_capsules(shapes):
    _, found = shapes(MJCF, "arm.xml")
    text = MJCF.replace('<geom mesh="m"/>', "").replace('<geom class="seen" mesh="m"/>', "")
    model = mujoco.MjModel.from_xml_string(text.replace('<mesh name="m" file="m.stl"/>', ""))
    box = int(np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_BOX)[0])
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[box])
    corners = surface("box", model.geom_size[box], 100) @ rotation.reshape(3, 3).T
    assert np.abs(outside(corners + model.geom_pos[box], *found.capsules[0][1:])).max() < 1e-9


@pytest.mark.parametrize("name", ["panda", "ur10", "quadruped"])
def test_shipped_robots_have_no_shapes(name):
    assert read_shapes(load_robot(name)) == ((), {}, ())
