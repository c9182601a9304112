"""From options to distances: what texts mean, and what is said of those that make no sense."""

import numpy as np
import pytest

from robotid.errors import ConfigError
from robotid.excitation.kept_apart import NO_SHAPES, kept_apart
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.reach import Ranges
from robotid.robot.load import load_robot
from robotid.robot.shapes import Shapes
from robotid.robot.solids import Capsule, mesh_not_read
from tests.excitation.arms import PANDA_CAPSULES, panda

PANDA = load_robot("panda").tree
BOX = "-1,-1,-1,1,1,1"
HOME = np.array([[0, -0.5, 0, -2.0, 0, 2.0, 0.0]])


def kept(robot=PANDA, shapes=NO_SHAPES, ranges=None, **options):
    return kept_apart(robot, ExcitationOptions(**options), shapes, ranges)


def test_nothing_asked_for_is_nothing_kept():
    assert kept().clearances.names == ()
    assert kept(capsules=PANDA_CAPSULES, may_touch=("panda_link1,panda_link3",)).notices == ()
    assert kept(load_robot("quadruped").tree).clearances.names == ()


def test_a_box_to_stay_in_is_six_sides():
    found = kept(
        keep_in=("panda_flange:-0.9,-0.8,-0.7,0.9,0.8,0.7,0.05",), clearance=0.01
    ).clearances
    assert found.names == tuple(
        f"panda_flange at {axis} {sign} {value:g} m"
        for axis, half in zip("xyz", (0.9, 0.8, 0.7), strict=True)
        for sign, value in ((">", -half), ("<", half))
    )
    values = found.at(HOME)[0]
    # both sides of an axis share what is left of its width
    np.testing.assert_allclose(values[::2] + values[1::2], [1.8 - 0.12, 1.6 - 0.12, 1.4 - 0.12])
    np.testing.assert_allclose(values[2], values[3], atol=1e-12)  # the arm is in the plane y = 0


def test_a_name_without_a_radius_means_the_capsules_of_a_link():
    with_capsule = panda(keep_out=(f"panda_flange:{BOX[:-2]},-0.5",))[1].clearances.at(HOME)
    point = kept(keep_out=(f"panda_flange:{BOX[:-2]},-0.5",)).clearances.at(HOME)
    ball = panda(keep_out=(f"panda_flange:{BOX[:-2]},-0.5,0.2",))[1].clearances.at(HOME)
    assert point - 0.2 == pytest.approx(ball)
    # hand down: the capsule is 0.1 m longer than the flange, 0.05 m thick
    assert with_capsule[0, 0] < point[0, 0] - 0.05


def test_all_means_capsules_or_else_frames():
    names = panda(floor=0.0)[1].clearances.names
    # turning about the vertical, links 0 to 2 keep their height, whatever it is
    assert names == tuple(
        f"{link} above the floor"
        for link in ("panda_link3", "panda_link4", "panda_link5", "panda_link6", "panda_flange")
    )
    inside = panda(keep_in=("*:-2,-2,-1,2,2,2",))[1].clearances.names
    assert "panda_link3 at x > -2 m" in inside
    assert not any(name.startswith("panda_link0") for name in inside)
    found = kept(floor=0.0)
    assert found.clearances.names[-2:] == (
        "panda_link7 above the floor",
        "panda_flange above the floor",
    )
    assert [notice.code for notice in found.notices] == ["frames-only"]


def test_a_floor_is_also_for_the_origins_of_links_without_a_capsule():
    names = kept(capsules=PANDA_CAPSULES[:4], floor=0.0).clearances.names
    assert names == tuple(
        f"{link} above the floor"
        for link in (
            "panda_link3", "panda_link4", "panda_link5", "panda_link6", "panda_link7", "panda_flange"
        )
    )  # fmt: skip
    # A frame that sticks out of its body's capsule is on its own.
    short = "panda_link7:0,0,0,0,0,0.02,0.05"
    assert "panda_flange above the floor" in kept(capsules=(short,), floor=0.0).clearances.names


def test_links_that_nothing_guards():
    links = tuple(f"panda_link{k}" for k in range(1, 8))
    assert kept().unguarded == links
    assert kept(keep_in=(f"panda_flange:{BOX}",)).unguarded == links[:-1]
    assert panda(floor=0.0)[1].unguarded == ()
    few = [PANDA_CAPSULES[k] for k in (0, 3, 7)]
    assert kept(capsules=few, self_collision=True).unguarded == tuple(
        f"panda_link{k}" for k in (1, 2, 4, 5, 6)
    )


def test_a_box_to_stay_out_of_tells_of_a_link_without_a_capsule():
    box = "1,1,1,2,2,2"
    (notice,) = kept(keep_out=(f"panda_flange:{box}",)).notices
    assert (notice.code, "panda_flange" in notice.message) == ("origin-only", True)
    assert kept(keep_out=(f"panda_flange:{box},0.1",)).notices == ()
    assert panda(keep_out=(f"panda_flange:{box}",))[1].notices == ()


def test_links_without_a_capsule_are_named():
    found = kept(capsules=PANDA_CAPSULES[:4], floor=0.0)
    (notice,) = found.notices
    assert notice.code == "no-capsule"
    assert "panda_link4, panda_link5, panda_link6, panda_link7" in notice.message
    assert kept(capsules=PANDA_CAPSULES, floor=0.0).notices == ()  # the flange's is link7's
    assert kept(capsules=PANDA_CAPSULES[:4], keep_in=(f"panda_flange:{BOX}",)).notices == ()


def test_given_capsules_replace_those_of_the_file_link_by_link():
    capsules = (
        Capsule("panda_link7", (0, 0, 0), (0, 0, 0.1), 0.1),
        Capsule("panda_link7", (0, 0, 0), (0.1, 0, 0), 0.05),
        Capsule("panda_link5", (0, 0, 0), (0, 0, -0.2), 0.05),
    )
    shapes = Shapes(capsules)
    found = kept(shapes=shapes, floor=0.0).clearances
    assert found.names[:3] == tuple(
        f"{name} above the floor" for name in ("panda_link7 (1)", "panda_link7 (2)", "panda_link5")
    )
    found = kept(shapes=shapes, floor=0.0, capsules=("panda_link7:0,0,0,0,0,0,0.3",)).clearances
    assert found.names[:2] == ("panda_link7 above the floor", "panda_link5 above the floor")
    assert found.solids[0].radius == 0.3


def test_a_mesh_is_spoken_of_until_a_capsule_is_given():
    unread = {link: mesh_not_read(link, "arm.urdf", 3) for link in ("panda_link5", "panda_link7")}
    found = kept(shapes=Shapes((), unread), floor=0.0, capsules=("panda_link7:0,0,0,0,0,0,0.1",))
    assert [notice.code for notice in found.notices] == ["mesh-not-read", "no-capsule"]
    assert "'panda_link5'" in found.notices[0].message
    alone = kept(shapes=Shapes((), unread), keep_in=(f"panda_flange:{BOX}",))
    assert alone.notices == ()


def test_neighbours_and_what_may_touch_are_left_out():
    names = panda(self_collision=True)[1].clearances.names
    assert "panda_link0 - panda_link2" in names
    assert not {"panda_link0 - panda_link1", "panda_link6 - panda_flange"} & set(names)
    assert "panda_link5 - panda_flange" not in names
    fewer = panda(
        self_collision=True, may_touch=("panda_flange,panda_link5", "panda_link2,panda_link0")
    )[1].clearances.names
    assert set(names) - set(fewer) == {"panda_link0 - panda_link2"}


def test_a_link_missing_between_two_makes_them_no_neighbours():
    few = [PANDA_CAPSULES[k] for k in (0, 3, 7)]
    assert kept(capsules=few, self_collision=True).clearances.names == (
        "panda_link0 - panda_link3",
        "panda_link0 - panda_flange",
        "panda_link3 - panda_flange",
    )


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"keep_in": ("panda_flnge:" + BOX,)}, "unknown-frame", "keep_in.*'panda_flnge'.*mean 'panda_flange'"),
        ({"keep_out": ("hand:" + BOX,)}, "unknown-frame", "keep_out.*'hand'.*allowed: .*panda_link0"),
        ({"floor": 0, "capsules": ("link9:0,0,0,0,0,1,0.1",)}, "unknown-frame", "capsules.*'link9'"),
        ({"capsules": ("link9:0,0,0,0,0,1,0.1",)}, "unknown-frame", "capsules.*'link9'"),
        ({"may_touch": ("panda_link5,hand",)}, "unknown-frame", "may_touch.*'hand'"),
        (
            {"self_collision": True, "capsules": PANDA_CAPSULES, "may_touch": ("panda_link5,hand",)},
            "unknown-frame",
            "may_touch.*'hand'",
        ),
        ({"keep_in": ("panda_flange:0.5,0,0,0.2,1,1",)}, "empty-box", "keep_in of panda_flange.*empty, x goes from 0.5 to 0.2"),
        ({"keep_out": ("*:0,0,1,1,1,1",)}, "empty-box", "keep_out.*z goes from 1 to 1"),
        ({"keep_in": ("panda_flange:0,0,0,1,1",)}, "bad-box", "keep_in: 'panda_flange:0,0,0,1,1' is not FRAME:X0"),
        ({"keep_in": ("panda_flange:0,0,0,1,1,one",)}, "bad-box", "is not FRAME:X0"),
        ({"keep_in": ("panda_flange:0,0,0,1,1,inf",)}, "bad-box", "finite numbers"),
        ({"keep_in": (BOX,)}, "bad-box", "is not FRAME:X0"),
        ({"keep_out": (f"*:{BOX},0.1",)}, "bad-box", "radius for all links"),
        ({"keep_in": (f"panda_flange:{BOX},-0.1",)}, "bad-radius", "radius is negative, -0.1 m"),
        ({"floor": 0, "capsules": ("panda_link7:0,0,0,0,0,1,-1",)}, "bad-radius", "capsules of panda_link7.*negative"),
        ({"floor": 0, "capsules": ("panda_link7:0,0,0,0,0,1,0",)}, "bad-radius", "panda_link7 has no radius"),
        ({"floor": 0, "capsules": ("panda_link7:0,0,0,0,0,1",)}, "bad-capsule", "is not LINK:X0"),
        ({"self_collision": True}, "no-capsules", "self_collision needs capsules.*capsules = LINK:"),
        ({"self_collision": True, "capsules": PANDA_CAPSULES[:2]}, "no-pairs", "no two links"),
        (
            {"self_collision": True, "capsules": PANDA_CAPSULES, "may_touch": ("panda_link5",)},
            "bad-pair",
            "'panda_link5' is not LINK,LINK",
        ),
        (
            {"keep_in": ("panda_flange:0.3,-1,0,0.5,1,1,0.1",)},
            "box-too-small",
            r"0.2 m wide along x, panda_flange needs more than 0.24 m.*radius 0.1 m.*clearance 0.02",
        ),
        ({"keep_in": ("panda_flange:2,-1,0,3,1,1",)}, "out-of-reach", r"panda_flange at x > 2 m: out of reach.*lacks at least 1.09 m"),
        ({"floor": 1.5}, "out-of-reach", "above the floor: out of reach"),
        ({"keep_out": ("panda_link1:-1,-1,0,1,1,1",)}, "out-of-reach", "panda_link1 outside box 1.*lacks at least 0.353 m"),
        ({"keep_out": ("panda_link0:-1,-1,0,1,1,1",)}, "out-of-reach", "panda_link0 outside box 1.*lacks at least 0.02 m"),
        (
            {"self_collision": True, "capsules": PANDA_CAPSULES},
            "always-touching",
            "panda_link5 - panda_flange.*may_touch = panda_link5,panda_flange",
        ),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(options, code, said):
    with pytest.raises(ConfigError, match=said) as caught:
        kept(**options)
    assert caught.value.notice.code == code


def test_a_frame_that_cannot_move_but_is_fine_is_no_error():
    assert kept(keep_in=(f"panda_link1:{BOX}",)).clearances.names == ()


def test_a_floating_robot_keeps_no_distance():
    with pytest.raises(ConfigError, match="fixed base") as caught:
        kept(load_robot("quadruped").tree, floor=0.0)
    assert caught.value.notice.code == "floating-base"


def test_a_joint_that_slides_without_limits(tmp_path):
    rail = """<robot name="rail"><link name="ground"/><link name="cart">{mass}</link><link name="arm">{mass}</link>
      <joint name="roll" type="prismatic"><parent link="ground"/><child link="cart"/><axis xyz="1 0 0"/></joint>
      <joint name="swing" type="continuous"><parent link="cart"/><child link="arm"/>
        <origin xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>"""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    (tmp_path / "rail.urdf").write_text(rail.format(mass=mass))
    robot = load_robot(tmp_path / "rail.urdf").tree
    given = {"capsules": ("arm:0,0,0,0,0,0.5,0.1",), "keep_out": ("*:1,-1,0,2,1,2",)}
    with pytest.raises(ConfigError, match=r"roll slides without limits.*roll=VALUE"):
        kept(robot, **given)
    # limits given elsewhere do
    found = kept(robot, **given, ranges=Ranges(np.array([-3.0, -np.inf]), np.array([3.0, np.inf])))
    # the capsule of the arm, and the origin of the cart
    np.testing.assert_allclose(found.clearances.reach(), [[1.0, 0.5], [1.0, 0.0]])
    value = found.clearances.at([[0.0, 0.0], [0.0, np.pi / 2]])
    np.testing.assert_allclose(value[:, 0], [1 - 0.12, 0.5 - 0.12])
