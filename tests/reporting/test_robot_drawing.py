"""Drawings of robots: ellipsoids of known bodies, exact outlines, joints where kinematics says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robotid.reporting.robot_drawing.callouts import Anchor, callouts, shortened, spread
from robotid.reporting.robot_drawing.drawing import WIDTH, Body, Load, bar_length, draw_robot
from robotid.reporting.robot_drawing.ellipsoids import Ellipsoid, ellipsoid_of
from robotid.reporting.robot_drawing.skeleton import shown_pose, skeleton
from robotid.reporting.robot_drawing.views import views
from robotid.robot.catalog import ROBOTS
from robotid.robot.geometry import phi_from, rotation_about
from robotid.robot.load import load_robot

TURN = rotation_about(np.array([1.0, 2.0, -0.5]) / np.linalg.norm([1.0, 2.0, -0.5]), 0.7)


def box(mass, sides):
    x, y, z = np.square(sides)
    return np.diag([y + z, x + z, x + y]) * mass / 12


def nominal(robot, **changes):
    return [
        Body(name, None, ellipsoid_of(phi), **changes)
        for name, phi in zip(robot.links, robot.phi, strict=True)
    ]


def test_ellipsoid_of_an_ellipsoid_is_itself():
    mass, axes, centre = 3.0, np.array([0.1, 0.25, 0.4]), np.array([0.3, -0.2, 0.1])
    a, b, c = axes**2
    inertia = TURN @ np.diag([b + c, a + c, a + b]) @ TURN.T * mass / 5
    found = ellipsoid_of(phi_from(mass, centre, inertia))
    assert_allclose(found.centre, centre, atol=1e-14)
    assert_allclose(found.shape, TURN @ np.diag(axes**2) @ TURN.T, atol=1e-14)
    assert found.reach == pytest.approx(0.4)


def test_ellipsoids_of_spheres_boxes_and_rods():
    sphere = ellipsoid_of(phi_from(2.0, np.ones(3), 0.4 * 2.0 * 0.15**2 * np.eye(3)))
    assert_allclose(sphere.shape, 0.15**2 * np.eye(3), atol=1e-14)
    sides = np.array([0.2, 0.4, 0.1])
    found = ellipsoid_of(phi_from(5.0, np.zeros(3), box(5.0, sides)))
    assert_allclose(np.diag(found.shape), 5 / 12 * sides**2, rtol=1e-12)  # m s²/12 = m a²/5
    rod = ellipsoid_of(phi_from(1.0, np.array([0.0, 0.0, 0.5]), box(1.0, [0.0, 0.0, 1.0])))
    assert rod.reach == pytest.approx(np.sqrt(5 / 12))


@pytest.mark.parametrize(
    "phi",
    [
        np.zeros(10),
        phi_from(-1.0, np.zeros(3), np.eye(3)),
        phi_from(1.0, np.zeros(3), np.diag([0.1, 0.1, 0.3])),
    ],
    ids=["empty", "negative mass", "triangle inequality"],
)
def test_bodies_that_cannot_exist_have_none(phi):
    assert ellipsoid_of(phi) is None


def test_outline_touches_the_shadow_of_every_point():
    solid = Ellipsoid(np.array([0.1, 0.2, 0.3]), TURN @ np.diag([0.04, 0.01, 0.0025]) @ TURN.T)
    rng = np.random.default_rng(0)
    unit = rng.normal(size=(20000, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    surface = solid.centre + unit @ (TURN @ np.diag([0.2, 0.1, 0.05])).T
    for view in views(surface, np.array([0.0, 0.0, -9.81])):
        outline = solid.seen(view.projection)
        flat = surface @ view.projection.T - outline.centre
        inside = np.einsum("ni,ij,nj->n", flat, np.linalg.inv(outline.shape), flat)
        assert inside.max() <= 1 + 1e-9
        assert inside.max() > 0.999
        assert_allclose(np.abs(flat).max(axis=0), outline.half, rtol=5e-3)


def test_axes_of_a_known_outline():
    long, short, angle = np.sqrt(3.0), 1.0, np.radians(30)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shape = np.zeros((3, 3))
    shape[:2, :2] = turn @ np.diag([long**2, short**2]) @ turn.T
    found = Ellipsoid(np.zeros(3), shape).seen(np.eye(3)[:2]).axes
    assert_allclose(found[:2], [long, short])
    assert found[2] % 180 == pytest.approx(30)


def test_moved_ellipsoids_go_with_their_body():
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = TURN, [1.0, 2.0, 3.0]
    found = Ellipsoid(np.array([0.5, 0.0, 0.0]), np.diag([1.0, 4.0, 9.0])).moved(pose)
    assert_allclose(found.centre, TURN[:, 0] * 0.5 + [1, 2, 3])
    assert_allclose(TURN.T @ found.shape @ TURN, np.diag([1.0, 4.0, 9.0]), atol=1e-12)


@pytest.mark.parametrize("name", ["panda", "cartpole", "quadruped", "humanoid"])
def test_joints_are_where_pinocchio_has_them(name):
    pinocchio = pytest.importorskip("pinocchio")
    robot = load_robot(name)
    q = shown_pose(robot.tree)
    floating = [pinocchio.JointModelFreeFlyer()] if robot.tree.floating else []
    model = pinocchio.buildModelFromXML(robot.data.decode(), *floating)
    data = model.createData()
    values = pinocchio.neutral(model)
    first = 7 if robot.tree.floating else 0
    for joint, value in zip(robot.tree.joint_names, q[first:], strict=True):
        entry = model.joints[model.getJointId(joint)]
        values[entry.idx_q : entry.idx_q + entry.nq] = (
            value if entry.nq == 1 else [np.cos(value), np.sin(value)]
        )
    pinocchio.forwardKinematics(model, data, values)
    for joint in skeleton(robot.tree, q).joints:
        place = data.oMi[model.getJointId(joint.name)].translation
        assert_allclose(joint.origin, place, atol=1e-9)


def test_tip_of_a_double_pendulum_hangs_below():
    robot = load_robot("double_pendulum").tree
    frame = skeleton(robot, np.array([np.pi / 2, 0.0]))
    length = np.linalg.norm(robot.placements[1, :3, 3])
    assert_allclose(np.linalg.norm(frame.joints[1].origin - frame.joints[0].origin), length)
    assert abs((frame.joints[1].origin - frame.joints[0].origin)[2]) < 1e-9  # level now
    assert len(frame.tips) == 1


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_fits_its_pictures(name):
    robot = load_robot(name).tree
    q = shown_pose(robot)[7 if robot.floating else 0 :]
    assert (q >= robot.bound("lower")).all()
    assert (q <= robot.bound("upper")).all()
    found = draw_robot(robot, nominal(robot))
    massive = int((robot.phi[:, 0] > 0).sum())
    for picture in found.pictures:
        assert len(picture.ovals) == massive
        assert len(picture.dots) == robot.n
        assert sorted(label.whole for label in picture.labels) == sorted(robot.links)
        assert (picture.ground is None) == robot.floating
        for x, y in [(o.x, o.y) for o in picture.ovals] + [(d.x, d.y) for d in picture.dots]:
            assert 0 <= x <= WIDTH
            assert 0 <= y <= picture.height
        for left in (True, False):
            heights = sorted(label.y for label in picture.labels if label.left == left)
            assert all(np.diff(heights) >= 14.9)
            assert all(0 < height < picture.height for height in heights)
    assert found.kinds == ["nominal"]
    assert any(d.slides for d in found.pictures[0].dots) == (name == "cartpole")


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("impossible", [False, True])
def test_views_are_of_one_height_and_labels_have_room(name, impossible):
    """Letters are taken as wide as the largest that any screen is given."""
    robot = load_robot(name).tree
    found = draw_robot(robot, nominal(robot, impossible=impossible))
    assert len({picture.height for picture in found.pictures}) == 1
    for picture in found.pictures:
        for label in picture.labels:
            room = label.x if label.left else WIDTH - label.x
            assert room >= 7.8 * (len(label.text) + 2 * impossible)


def test_both_views_have_the_scale_of_the_bar():
    robot = load_robot("cartpole").tree
    ball = Ellipsoid(np.zeros(3), 0.05**2 * np.eye(3))
    bodies = [Body(name, ball, None) for name in robot.links]
    found = draw_robot(robot, bodies)
    metres = {"20 cm": 0.2, "10 cm": 0.1, "5 cm": 0.05, "2 cm": 0.02}[found.bar_text]
    for picture in found.pictures:
        for oval in picture.ovals:
            assert oval.along == pytest.approx(0.05 * found.bar / metres, abs=0.2)
            assert oval.across == pytest.approx(oval.along, abs=0.11)


def test_impossible_far_and_carried():
    robot = load_robot("panda").tree
    bodies = nominal(robot)
    bodies[2] = bodies[2]._replace(impossible=True)
    bodies[4] = bodies[4]._replace(fitted=Ellipsoid(np.array([30.0, 0, 0]), 0.01 * np.eye(3)))
    bodies[5] = bodies[5]._replace(fitted=bodies[5].nominal)
    load = Load(6, Ellipsoid(np.array([0, 0, 0.2]), 0.002 * np.eye(3)))
    found = draw_robot(robot, bodies, load)
    assert found.far == ["panda_link5"]
    assert found.kinds == ["fitted", "nominal", "impossible", "load"]
    for picture in found.pictures:
        assert len(picture.crosses) == 1
        assert [label.whole for label in picture.labels if label.note] == ["panda_link3"]
        assert [oval.name for oval in picture.ovals if oval.kind == "fitted"] == ["panda_link6"]


def test_up_is_against_gravity():
    for gravity in ([0.0, 0.0, -9.81], [9.81, 0.0, 0.0], [0.0, -3.0, 4.0], [0.0, 0.0, 0.0]):
        for view in views(np.eye(3), np.array(gravity)):
            assert_allclose(view.projection @ view.projection.T, np.eye(2), atol=1e-12)
            assert view.projection[1] @ gravity >= 0  # down on paper
            assert view.projection[0] @ gravity == pytest.approx(0.0, abs=1e-12)


def test_the_side_view_shows_the_widest_side():
    points = np.array([[0.0, 0, 0], [0.0, 1, 0], [0.2, 0, 1]])
    assert views(points, np.array([0, 0, -9.81]))[1].title == "from the side: y to the right, z up"


def test_labels_keep_apart_and_in_order():
    heights = spread([10.0, 10.0, 11.0, 95.0, 96.0], 5.0, 100.0)
    assert all(np.diff(heights) >= 15)
    assert (heights[0], heights[-1]) == (10.0, 100.0)
    found = callouts([Anchor("a", 50, 10), Anchor("b", 90, 10)], 20, 120, 0, 100)
    assert [(one.text, one.left) for one in found] == [("a", True), ("b", False)]
    assert shortened("right_hip_yaw_link_of_it") == "right_h…nk_of_it"
    assert len(shortened("x" * 99)) == 16


@pytest.mark.parametrize(
    ("longest", "length"), [(0.97, 0.5), (1.0, 1.0), (0.3, 0.2), (0.012, 0.01)]
)
def test_scales_are_round(longest, length):
    assert bar_length(longest) == pytest.approx(length)
