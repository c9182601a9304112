"""Base parameters: number, exact groupings, the published table of the Panda, and what data show."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from robotid.dynamics.base_parameters import base_parameters, parameter_names, random_regressor
from robotid.dynamics.groupings import describe, exact_number, groupings
from robotid.dynamics.identifiability import identifiability
from robotid.dynamics.joint_columns import columns_of
from robotid.dynamics.kinematics import body_poses
from robotid.dynamics.regressor import joint_torque_regressor
from robotid.dynamics.rnea import rnea
from robotid.errors import UsageError
from robotid.robot.geometry import inverse, pose, transport
from robotid.robot.tree import STANDARD_GRAVITY, Joint, RobotTree
from robotid.spatial.transport import change_of_frame
from tests.reference_models import random_phi, random_rotation, random_state, random_tree

DOCUMENT = Path(__file__).parents[2] / "docs" / "base_parameters.md"
RIGHT = np.pi / 2
# Standard Denavit-Hartenberg parameters of the Panda with its flange: d, a [m], alpha [rad].
STANDARD_DH = [
    (0.333, 0.0, -RIGHT),
    (0.0, 0.0, RIGHT),
    (0.316, 0.0825, RIGHT),
    (0.0, -0.0825, -RIGHT),
    (0.384, 0.0, RIGHT),
    (0.0, 0.088, RIGHT),
    (0.107, 0.0, 0.0),
]
# The modified (proximal) ones, as the manufacturer publishes them: a, d [m], alpha [rad].
MODIFIED_DH = [
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -RIGHT),
    (0.0, 0.316, RIGHT),
    (0.0825, 0.0, RIGHT),
    (-0.0825, 0.384, -RIGHT),
    (0.0, 0.0, RIGHT),
    (0.088, 0.0, RIGHT),
]
FLANGE = pose(np.eye(3), (0.0, 0.0, 0.107))

# Table V of the hybrid inverse dynamics paper, its 43 rows in order. Two are corrected, and say so.
TABLE = """
L1yy + L2zz
L2xx - L2zz + L3zz + 79/125 l3y + 372199/4000000 (m3 + m4 + m5 + m6 + m7)
L2xy
L2xz
L2yy + L3zz + 79/125 l3y + 372199/4000000 (m3 + m4 + m5 + m6 + m7)
L2yz
l2x
l2z + l3y + 79/250 (m3 + m4 + m5 + m6 + m7)
L3xx - L3zz + L4zz + 1089/160000 m3
L3xy - 33/400 l3y
L3xz
L3yy + L4zz - 1089/160000 (-m3 - 2 m4 - 2 m5 - 2 m6 - 2 m7)
L3yz
l3x + 33/400 (m3 + m4 + m5 + m6 + m7)
l3z - l4y
L4xx - L4zz + L5zz + 6/125 l5y + 1089/160000 m4 + 617049/4000000 (m5 + m6 + m7)
L4xy + 33/400 l4y
L4xz
L4yy + L5zz + 96/125 l5y - 1089/160000 m4 + 562599/4000000 (m5 + m6 + m7)
L4yz
l4x - 33/400 (m4 + m5 + m6 + m7)
l4z + l5y + 48/125 (m5 + m6 + m7)
L5xx - L5zz + L6zz - 121/15625 (m6 + m7)
L5xy
L5xz
L5yy + L6zz - 121/15625 (m6 + m7)
L5yz
l5x
l5z + l6y
L6xx - L6zz + L7yy + 107/500 l7z + 121/15625 m6 + 19193/1000000 m7
L6xy - 11/125 l6y
L6xz
L6yy + L7yy + 107/500 l7z - 121/15625 m6 + 741/200000 m7
L6yz
l6x + 11/125 (m6 + m7)
l6z + l7z + 107/1000 m7
L7xx - L7yy
L7xy
L7xz
L7yz
L7zz
l7x
l7y
""".strip().splitlines()
MISPRINTS = {
    # the sign in front of the masses
    "L3yy + L4zz - 1089/160000 (-m3 - 2 m4 - 2 m5 - 2 m6 - 2 m7)": (
        "L3yy + L4zz + 1089/160000 (-m3 - 2 m4 - 2 m5 - 2 m6 - 2 m7)"
    ),
    # 6/125 for 96/125, which the row of L4yy has
    "L4xx - L4zz + L5zz + 6/125 l5y + 1089/160000 m4 + 617049/4000000 (m5 + m6 + m7)": (
        "L4xx - L4zz + L5zz + 96/125 l5y + 1089/160000 m4 + 617049/4000000 (m5 + m6 + m7)"
    ),
}


def coefficients(row):
    """Name to coefficient of a sum as the table prints it."""
    found = {}
    outer = re.findall(r"([+-]?)\s*([\d/]*)\s*(\([^)]*\)|[Llm]\d\w*)", row)
    for sign, factor, what in outer:
        size = Fraction(factor or 1) * (-1 if sign == "-" else 1)
        for inner, times, name in re.findall(r"([+-]?)\s*(\d*)\s*\b([Llm]\d\w*)", what):
            assert name not in found
            found[name] = size * int(times or 1) * (-1 if inner == "-" else 1)
    return found


def turn_x(angle):
    """A turn about x by a multiple of 90°, exactly."""
    c, s = round(np.cos(angle)), round(np.sin(angle))
    return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def chain(placements, gravity=STANDARD_GRAVITY, kinds="revolute", axes=(0.0, 0.0, 1.0)):
    n = len(placements)
    kinds = [kinds] * n if isinstance(kinds, str) else kinds
    axes = [axes] * n if isinstance(axes[0], float) else axes
    joints = [
        Joint(f"joint{i + 1}", k, a) for i, (k, a) in enumerate(zip(kinds, axes, strict=True))
    ]
    return RobotTree(
        name="chain",
        base="base",
        links=tuple(f"link{i + 1}" for i in range(n)),
        joints=tuple(joints),
        parents=tuple(range(-1, n - 1)),
        placements=np.array(placements),
        phi=np.array([random_phi(np.random.default_rng(i)) for i in range(n)]),
        gravity=np.array(gravity),
    )


def standard_panda():
    """Joint frames with z along the joint axis, and the distal frame fixed to each body in them."""
    distal = [pose(turn_x(alpha), (a, 0.0, d)) for d, a, alpha in STANDARD_DH]
    return chain([np.eye(4), *distal[:-1]]), np.array(distal)


def modified_panda():
    return chain(
        [
            pose(turn_x(alpha), turn_x(alpha) @ (0.0, 0.0, d) + (a, 0.0, 0.0))
            for a, d, alpha in MODIFIED_DH
        ]
    )


def quadruped_like():
    """A floating base with four legs of three joints; measures are decimals, axes at right angles."""
    joints, parents, placements = [Joint("root", "floating", (0.0, 0.0, 0.0))], [-1], [np.eye(4)]
    for leg, (x, y) in enumerate([(0.2, 0.05), (0.2, -0.05), (-0.2, 0.05), (-0.2, -0.05)]):
        for axis, place in (
            ((1.0, 0, 0), (x, y, 0)),
            ((0.0, 1, 0), (0, 0.1, 0)),
            ((0.0, 1, 0), (0, 0, -0.2)),
        ):
            parents.append(0 if axis[0] else len(joints) - 1)
            joints.append(Joint(f"leg{leg}_{len(joints)}", "revolute", axis))
            placements.append(pose(np.eye(3), place))
    n = len(joints)
    return RobotTree(
        "legs",
        "world",
        tuple(f"b{i}" for i in range(n)),
        tuple(joints),
        tuple(parents),
        np.array(placements),
        np.array([random_phi(np.random.default_rng(i)) for i in range(n)]),
        np.array(STANDARD_GRAVITY),
    )


ROBOTS = {
    "panda": modified_panda,
    "pendulum": lambda: chain([pose(turn_x(RIGHT), (0, 0, 0))]),
    "gantry": lambda: chain(
        [np.eye(4)] * 3, kinds="prismatic", axes=[(1.0, 0, 0), (0.0, 1, 0), (0.0, 0, 1)]
    ),
    "scara": lambda: chain(
        [pose(np.eye(3), (x, 0, 0.1)) for x in (0.0, 0.3, 0.25, 0.0)],
        kinds=["revolute", "revolute", "prismatic", "revolute"],
    ),
    "legs": quadruped_like,
    **{f"tree {seed}": (lambda seed=seed: random_tree(seed)) for seed in range(12)},
    "floating tree": lambda: random_tree(100, bodies=6, floating=True),
}
EVERY_TERM = ("viscous", "coulomb", "offset", "rotor")


def svd_rank(W):
    """Rank of scaled columns; what is below 1e-9 of the longest is zero."""
    length = np.linalg.norm(W, axis=0)
    kept = W[:, length > 1e-9 * length.max()]
    values = np.linalg.svd(kept / np.linalg.norm(kept, axis=0), compute_uv=False)
    return int((values > 1e-9 * values[0]).sum())


# The Panda and its published table


def test_both_conventions_describe_one_arm():
    standard, distal = standard_panda()
    q = torch.from_numpy(random_state(standard, 1, (5,))[0])
    flange = body_poses(standard, q)[:, -1] @ torch.from_numpy(distal[-1])
    other = body_poses(modified_panda(), q)[:, -1] @ torch.from_numpy(FLANGE)
    torch.testing.assert_close(flange, other, rtol=0, atol=1e-14)


def test_panda_has_43_base_parameters_in_any_frames():
    standard, distal = standard_panda()
    assert base_parameters(modified_panda()).rank == 43
    assert base_parameters(standard).rank == 43
    assert base_parameters(standard, frames=distal).rank == 43


def test_published_table():
    """41 rows as printed, two with their misprint corrected; coefficients are equal as fractions."""
    standard, distal = standard_panda()
    ours = groupings(base_parameters(standard, frames=distal))
    assert len(ours) == len(TABLE) == 43
    as_printed = 0
    for grouping, printed in zip(ours, TABLE, strict=True):
        found = {term.name: term.coefficient for term in grouping.terms}
        assert grouping.exact
        if printed in MISPRINTS:
            assert found != coefficients(printed)
        else:
            as_printed += 1
        assert found == coefficients(MISPRINTS.get(printed, printed)), printed
    assert as_printed == 41


def test_text_is_as_the_table_prints_it():
    standard, distal = standard_panda()
    ours = [grouping.text() for grouping in groupings(base_parameters(standard, frames=distal))]
    expected = [MISPRINTS.get(row, row) for row in TABLE]
    differs = [index for index in range(43) if ours[index] != expected[index]]
    assert differs == [11]  # where the table factors a coefficient out of unequal ones
    assert ours[11] == "L3yy + L4zz - 1089/160000 m3 - 1089/80000 (m4 + m5 + m6 + m7)"


def test_document_prints_the_same():
    standard, distal = standard_panda()
    rows = [grouping.text() for grouping in groupings(base_parameters(standard, frames=distal))]
    assert "\n".join(["```", *rows, "```"]) in DOCUMENT.read_text(encoding="utf-8")


def test_parser_of_the_table():
    assert coefficients("a1 + L3yy - 1/4 (-m3 - 2 m4) - l2x") == {
        "L3yy": 1,
        "m3": Fraction(1, 4),
        "m4": Fraction(1, 2),
        "l2x": -1,
    }


# All robots


@pytest.mark.parametrize("terms", [(), EVERY_TERM], ids=["links", "joints too"])
@pytest.mark.parametrize("name", ROBOTS)
def test_rank_is_that_of_the_regressor(name, terms):
    robot = ROBOTS[name]()
    base = base_parameters(robot, terms)
    assert base.rank == svd_rank(random_regressor(robot, columns_of(robot, terms), seed=77))
    everything = sorted((*base.independent, *base.dependent, *base.unidentifiable))
    assert everything == list(range(len(base.names)))
    assert base.names == parameter_names(robot, columns_of(robot, terms))
    assert base.gap[0] < 1e-11 < 1e-4 < base.gap[1]  # nothing near the tolerance of 1e-9


@pytest.mark.parametrize("terms", [(), EVERY_TERM], ids=["links", "joints too"])
@pytest.mark.parametrize("name", ROBOTS)
def test_base_parameters_give_the_same_torques(name, terms):
    """On fresh motions, to 1e-9 of the largest torque: rounding and the error of K (1e-12)."""
    robot = ROBOTS[name]()
    base = base_parameters(robot, terms)
    Y = random_regressor(robot, columns_of(robot, terms), seed=5, samples=40)
    phi = np.concatenate([robot.phi.ravel(), np.linspace(0.1, 2, robot.n * len(terms))])
    tau = Y @ phi
    np.testing.assert_allclose(
        base.reduced(Y) @ base.beta(phi), tau, rtol=0, atol=1e-9 * np.abs(tau).max()
    )


@pytest.mark.parametrize("name", ["panda", "scara", "legs", "tree 3"])
def test_independent_of_the_seed(name):
    robot = ROBOTS[name]()
    one, two = (base_parameters(robot, seed=seed) for seed in (0, 123))
    assert one.independent == two.independent
    np.testing.assert_allclose(one.K, two.K, rtol=0, atol=1e-11)
    again = base_parameters(robot)
    assert np.array_equal(one.K, again.K)


def test_exact_coefficients_are_independent_of_the_seed():
    robot = quadruped_like()
    one, two = (groupings(base_parameters(robot, seed=seed)) for seed in (0, 123))
    assert one == two
    assert all(grouping.exact for grouping in one)


KNOWN = {
    # Two gravity torques and the inertia about the axis.
    "pendulum": ["L1zz", "l1x", "l1y"],
    # Slide 3 shows m3, slide 2 then m2, slide 1 then m1.
    "gantry": ["m1", "m2", "m3"],
    # 0.3 m from joint 1 to 2 and 0.25 m from there to the spindle: 0.3² = 9/100, 2 · 0.25 = 1/2.
    "scara": [
        "L1zz + 9/100 m2",
        "L2zz + L3zz + 1/2 l3x",
        "l2x + l3x",
        "l2y + l3y",
        "m3 + m4",
        "L4zz",
        "l4x",
        "l4y",
    ],
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_groupings(name):
    base = base_parameters(ROBOTS[name]())
    assert [grouping.text() for grouping in groupings(base)] == KNOWN[name]


def test_rotor_joins_the_first_link():
    """Only where nothing above turns the axis: joint 1 of an arm, and joint 2 as it stands on it."""
    base = base_parameters(modified_panda(), ["rotor"])
    texts = {grouping.name: grouping.text() for grouping in groupings(base)}
    assert base.rank == 43 + 5
    assert texts["L1zz"] == "L1zz + L2yy + rotor1"
    assert texts["L2zz"].endswith(" + rotor2")
    assert texts["rotor3"] == "rotor3"


def test_floating_base_keeps_all_of_its_own():
    base = base_parameters(quadruped_like())
    assert {name for name in base.base_names if name[1] == "0"} == {
        "m0", "l0x", "l0y", "l0z", "L0xx", "L0xy", "L0yy", "L0xz", "L0yz", "L0zz"
    }  # fmt: skip
    assert base.unidentifiable == ()


def test_gravity_counts():
    """On a wall the first joint shows its first moments; without gravity none needs its weight."""
    arm = modified_panda()
    on_a_wall = replace(arm, gravity=np.array([9.81, 0.0, 0.0]))
    assert base_parameters(on_a_wall).rank == 45
    hair = replace(arm, gravity=np.array([1e-5, 0.0, -9.81]))
    assert base_parameters(hair).rank == 45
    assert base_parameters(hair, tolerance=1e-4).rank == 43


def test_description():
    lines = describe(modified_panda()).splitlines()
    assert lines[0] == "chain: 43 base parameters of 70"
    assert lines[1].startswith("bodies: 1 link1, 2 link2")
    assert lines[2].split() == ["1", "L1zz", "+", "L2yy"]
    assert len(lines) == 2 + 43 + 1
    assert lines[-1].startswith("without effect: m1, l1x")


# Numbers


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.632 + 5e-15, Fraction(79, 125)),
        (-0.09304975, Fraction(-372199, 4000000)),
        (1 / 3, Fraction(1, 3)),
        (2.0, Fraction(2)),
        (np.sqrt(0.5), None),
        (np.pi / 10, None),
        (0.632 + 1e-11, None),
        (1e-13, None),
    ],
)
def test_exact_number(value, expected):
    assert exact_number(float(value)) == expected


def test_oblique_axes_have_decimals():
    base = base_parameters(random_tree(3, bodies=4, floating=False))
    texts = [grouping.text() for grouping in groupings(base) if not grouping.exact]
    assert texts
    assert all("/" not in text or "." in text for text in texts)


# Frames


def test_change_of_frame():
    rng = np.random.default_rng(0)
    poses = np.array([pose(random_rotation(rng), rng.normal(size=3)) for _ in range(3)])
    phi = np.array([random_phi(rng) for _ in range(3)])
    A = change_of_frame(torch.from_numpy(poses))
    assert A.shape == (3, 10, 10)
    moved = (A @ torch.from_numpy(phi)[..., None])[..., 0].numpy()
    expected = [transport(own, place) for own, place in zip(phi, poses, strict=True)]
    np.testing.assert_allclose(moved, expected, rtol=1e-12, atol=1e-12)
    back = change_of_frame(torch.from_numpy(np.array([inverse(place) for place in poses])))
    np.testing.assert_allclose((back @ A).numpy(), np.tile(np.eye(10), (3, 1, 1)), atol=1e-12)


def test_regressor_in_other_frames():
    standard, distal = standard_panda()
    q, qd, qdd = (torch.from_numpy(x) for x in random_state(standard, 3))
    A = torch.block_diag(*change_of_frame(torch.from_numpy(distal)))
    phi = torch.tensor(standard.phi)  # taken as given in the distal frames
    inside = (A @ phi.flatten()).reshape(7, 10)
    Y = joint_torque_regressor(standard, q, qd, qdd) @ A
    torch.testing.assert_close(Y @ phi.flatten(), rnea(standard, q, qd, qdd, inside))


# What data show


def test_identifiability_of_regressor_and_of_its_factor():
    robot = modified_panda()
    base = base_parameters(robot)
    W = random_regressor(robot, seed=9)
    found = identifiability(W, base)
    assert found.rank == found.structural_rank == 43
    columns = W[:, base.independent]
    values = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), compute_uv=False)
    assert found.condition == pytest.approx(values[0] / values[-1], rel=1e-9)
    again = identifiability(np.linalg.qr(W).R, base)
    assert again.condition == pytest.approx(found.condition, rel=1e-9)
    np.testing.assert_allclose(again.worst, found.worst, atol=1e-8)


def test_n12_worst_direction_is_named():
    """A pendulum that swings little about one place cannot tell its inertia from its weight."""
    robot = ROBOTS["pendulum"]()
    base = base_parameters(robot)
    time = torch.linspace(0, 6, 400, dtype=torch.float64)[:, None]
    q = 1e-3 * torch.sin(2 * time)
    Y = joint_torque_regressor(robot, q, 2e-3 * torch.cos(2 * time), -4e-3 * torch.sin(2 * time))
    found = identifiability(Y.flatten(0, 1).numpy(), base)
    assert found.rank == 3
    assert found.condition > 1e5
    # Columns q̈ = −4 q and −9.81 sin q: of equal sign, so their difference is what cannot be told.
    assert found.worst_text() in ("1.00 L1zz - 1.00 l1y", "1.00 l1y - 1.00 L1zz")
    assert found.silent == ()
    assert len(found.undetermined) == 0


@pytest.mark.parametrize("seed", range(20))
def test_all_that_is_not_determined_is_named_alike_whatever_the_rounding(seed):
    """Of equal weights, or of several combinations, rounding must not choose what is said."""
    base = base_parameters(modified_panda())
    W = np.random.default_rng(0).normal(size=(60, base.rank))
    W[:, 5] = W[:, 3]
    W[:, 30] = W[:, 20] - W[:, 10]
    W[:, 7] = 0.0
    W *= 1 + 1e-15 * np.random.default_rng(seed).normal(size=W.shape)
    full = np.zeros((60, len(base.names)))
    full[:, base.independent] = W
    found = identifiability(full, base)
    names = base.base_names
    assert found.rank == base.rank - 3
    pair, three = "1.00 {3} - 1.00 {5}", "1.00 {30} + 0.71 {10} - 0.70 {20}"
    assert found.worst_text() == f"{pair}; {three}; 1.00 {{7}}".format(*names)
    length = np.linalg.norm(W, axis=0)
    scaled = W / np.where(length > 0, length, 1.0)
    np.testing.assert_allclose(scaled @ found.undetermined.T, 0, atol=1e-12)


def test_motion_of_one_joint_leaves_others_silent():
    robot = modified_panda()
    base = base_parameters(robot)
    q, qd, qdd = (torch.from_numpy(x).double() for x in random_state(robot, 4, (50,)))
    q, qd, qdd = (x * torch.tensor([0.0] * 6 + [1.0], dtype=torch.float64) for x in (q, qd, qdd))
    found = identifiability(joint_torque_regressor(robot, q, qd, qdd).flatten(0, 1).numpy(), base)
    assert found.rank < 43
    assert found.condition == np.inf
    standing = {name for name in base.base_names if name[0] == "L" and name[1] != "7"}
    assert standing <= set(found.silent)  # their links do not turn
    assert "L7zz" not in found.silent


def test_fewer_rows_than_parameters():
    robot = modified_panda()
    found = identifiability(random_regressor(robot, samples=2), base_parameters(robot))
    assert found.rank == 14
    assert found.condition == np.inf


def test_wrong_number_of_columns_is_refused():
    robot = modified_panda()
    with pytest.raises(UsageError, match="70 columns"):
        identifiability(np.zeros((5, 43)), base_parameters(robot))
