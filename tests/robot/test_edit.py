"""Locking, chains, payloads and mounting, against Pinocchio and against simple physics."""

import numpy as np
import pinocchio as pin
import pytest

from robotid.errors import ConfigError
from robotid.robot.assembly import assembly_of, tree_of
from robotid.robot.edit import Payload, add_payload, float_base, lock
from robotid.robot.geometry import phi_from, pose, rotation_rpy, transport
from robotid.robot.load import load_robot

from .test_urdf import CLOSE, assert_like_pinocchio
from .urdf_texts import ARM, random_urdf

POINT = np.zeros((3, 3))


def assert_same_tree(one, other):
    assert one.joints == other.joints
    assert (one.links, one.parents, one.base) == (other.links, other.parents, other.base)
    for field in ("phi", "placements", "gravity"):
        np.testing.assert_allclose(getattr(one, field), getattr(other, field), **CLOSE)
    ours, theirs = ({link.name: link for link in tree.fixed} for tree in (one, other))
    assert ours.keys() == theirs.keys()
    for name, link in ours.items():
        assert link.body == theirs[name].body
        np.testing.assert_allclose(link.placement, theirs[name].placement, **CLOSE)


@pytest.mark.parametrize("seed", range(10))
def test_locked_joints_against_pinocchio(load, seed):
    """Pinocchio's reduced model merges what is locked as well; revolute and prismatic only."""
    text = random_urdf(seed, links=12).replace("continuous", "revolute")
    names = load(text).tree.joint_names
    rng = np.random.default_rng(seed)
    values = {name: float(rng.uniform(-1, 1)) for name in names[1:] if rng.random() < 0.5}
    model = pin.buildModelFromXML(text)
    q = pin.neutral(model)
    for name, value in values.items():
        q[model.idx_qs[model.getJointId(name)]] = value
    reduced = pin.buildReducedModel(model, [model.getJointId(name) for name in values], q)
    locked = load(text, lock=values).tree
    assert_like_pinocchio(locked, reduced)
    # The same from the tree, whose fixed links are already merged.
    assert_same_tree(tree_of(lock(assembly_of(load(text).tree), values)), locked)


@pytest.mark.parametrize("seed", range(5))
def test_assembly_and_tree_are_inverse(load, seed):
    tree = load(random_urdf(seed)).tree
    assert_same_tree(tree_of(assembly_of(tree)), tree)


def test_chain(load):
    text = ARM.replace("</robot>", '<link name="side"/><joint name="out" type="continuous">'
                       '<parent link="bracket"/><child link="side"/></joint></robot>')  # fmt: skip
    whole = load(text).tree
    assert whole.n == 3
    arm = load(text, chain=("base", "tip")).tree
    assert arm.joint_names == ("shoulder", "elbow")
    np.testing.assert_allclose(arm.phi, load(ARM).tree.phi)
    short = load(text, chain=("upper", "tip")).tree
    assert short.joint_names == ("elbow",)
    assert short.base == "upper"
    # The shoulder frame is pitched by 0.1: gravity leans the other way in it.
    np.testing.assert_allclose(short.gravity, rotation_rpy(0, 0.1, 0).T @ [0, 0, -9.81])
    with pytest.raises(ConfigError, match="does not hang on"):
        load(text, chain=("tip", "base"))
    with pytest.raises(ConfigError, match="did you mean 'tip'"):
        load(text, chain=("base", "tipp"))


def test_payload_moves_the_centre_of_mass(load):
    tool = Payload("tool", "tip", 0.5, (0, 0, 0.1), POINT, xyz=(0, 0, 0.05), rpy=(np.pi, 0, 0))
    before, after = load(ARM).tree, load(ARM, payloads=(tool,)).tree
    # The tip is 0.4 along the link; turned upside down the centre is 0.05 − 0.1 from it.
    np.testing.assert_allclose(
        after.phi[1] - before.phi[1], phi_from(0.5, (0, 0, 0.35), POINT), atol=1e-15
    )
    np.testing.assert_array_equal(after.phi[0], before.phi[0])
    assert after.fixed[-1].name == "tool"
    on_base = load(ARM, payloads=(tool._replace(on="base"),)).tree
    np.testing.assert_array_equal(on_base.phi, before.phi)


BAD_PAYLOADS = {
    "mass": {"mass": 0.0},
    "negative": {"mass": -1.0},
    "nan": {"centre": (0, 0, np.nan)},
    "shape": {"inertia": [1, 1, 1]},
    "asymmetric": {"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]},
    "triangle": {"inertia": np.diag([1.0, 1.0, 3.0])},
    "name": {"name": "upper"},
    "link": {"on": "hand"},
}


@pytest.mark.parametrize("what", BAD_PAYLOADS)
def test_bad_payloads(load, what):
    tool = Payload("tool", "tip", 0.5, (0, 0, 0.1), POINT)._replace(**BAD_PAYLOADS[what])
    with pytest.raises(ConfigError):
        load(ARM, payloads=(tool,))


def test_mount_and_gravity(load):
    assert load(ARM, gravity=(1, 2, 3)).tree.gravity.tolist() == [1, 2, 3]
    wall = load(ARM, mount=(0, np.pi / 2, 0)).tree  # the base's x axis points down
    np.testing.assert_allclose(wall.gravity, [9.81, 0, 0], atol=1e-12)
    ceiling = load(ARM, mount=(np.pi, 0, 0)).tree
    np.testing.assert_allclose(ceiling.gravity, [0, 0, 9.81], atol=1e-12)
    for wrong in ({"gravity": (0, 0, np.inf)}, {"mount": (0, 0)}):
        with pytest.raises(ConfigError):
            load(ARM, **wrong)


def test_bad_locks(load):
    for lock_, says in (
        ({"elbw": 0}, "did you mean 'elbow'"),
        ({"weld": 0}, "no moving joint"),
        ({"elbow": np.nan}, "nan"),
    ):
        with pytest.raises(ConfigError, match=says):
            load(ARM, lock=lock_)


def test_everything_locked(load):
    from robotid.errors import BadDataError

    with pytest.raises(BadDataError, match="no joint moves"):
        load(ARM, lock={"shoulder": 0, "elbow": 0})
    single = load(ARM, lock={"shoulder": 0, "elbow": 0}, base="floating").tree
    assert (single.bodies, single.n, single.floating) == (1, 0, True)
    assert single.phi[0, 0] == pytest.approx(3.5)


def test_floating_base(load):
    """The fixed part of the robot becomes body 0."""
    text = random_urdf(3)
    tree = load(text, base="floating").tree
    assert (tree.base, tree.links[0]) == ("world", "l0")
    fixed = load(text).tree
    np.testing.assert_allclose(tree.phi[1:], fixed.phi)
    tied = [transport(x.phi, x.placement) for x in fixed.fixed if x.body < 0]
    np.testing.assert_allclose(tree.phi[0], sum(tied), **CLOSE)
    assert_same_tree(tree_of(float_base(assembly_of(fixed))), tree)
    assert load(text.replace('"l1"', '"world"'), base="floating").tree.base == "_world"


def test_floating_robot_of_the_catalogue_can_be_held():
    tree = load_robot("quadruped", base="fixed").tree
    assert not tree.floating
    assert tree.n == 12


def test_payload_on_a_tree(load):
    tree = load(ARM).tree
    tool = Payload("tool", "bracket", 1.0, (0, 0, 0), np.eye(3) * 0.01)
    edited = tree_of(add_payload(assembly_of(tree), tool))
    bracket = next(link for link in tree.fixed if link.name == "bracket")
    added = transport(phi_from(1.0, (0, 0, 0), np.eye(3) * 0.01), bracket.placement)
    np.testing.assert_allclose(edited.phi[0], tree.phi[0] + added, **CLOSE)
    np.testing.assert_allclose(bracket.placement, pose(rotation_rpy(0, 0, 1), [0.3, 0, 0]))
