"""Distances against brute force and MuJoCo, their gradients and their bounds."""

import mujoco
import numpy as np
import pytest

from robotid.excitation.clearance import AbovePlane, Apart, Clearances, Solid
from robotid.excitation.clearance_kernel import from_box, from_segment
from robotid.excitation.kept_apart import kept_apart
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.reach import Ranges, where
from robotid.robot.load import load_robot
from robotid.robot.shapes import read_shapes
from tests.excitation.arms import BRANCHES, panda

FAR = {
    "self_collision": True,
    "floor": 0.0,
    "keep_out": ("*:0.3,-0.2,-0.1,0.6,0.2,0.3", "panda_link4:-0.5,-0.5,0.6,-0.2,0.5,0.9,0.1"),
    "keep_in": (
        "panda_flange:-0.8,-0.7,-0.1,0.8,0.7,1.2",
        "panda_link6:-0.7,-0.7,0,0.7,0.7,1.1,0.02",
    ),
}


@pytest.fixture(scope="module")
def branches(tmp_path_factory):
    """Two arms on a column: MuJoCo's model, ours, and every distance of ours."""
    path = tmp_path_factory.mktemp("robot") / "branches.xml"
    path.write_text(BRANCHES)
    loaded = load_robot(path)
    options = ExcitationOptions(
        self_collision=True, clearance=0.0, floor=-0.3, keep_out=("*:0.5,-0.5,0.5,0.7,0.5,0.9",)
    )
    found = kept_apart(loaded.tree, options, read_shapes(loaded))
    assert found.notices == ()
    return mujoco.MjModel.from_xml_string(BRANCHES), loaded.tree, found.clearances


def postures(robot, count, seed=0):
    return np.random.default_rng(seed).uniform(*Ranges.of(robot), (count, robot.n))


def random_segments(rng):
    """Two segments: any, parallel, in one plane, of no length, crossing."""
    ends = rng.normal(size=(2, 2, 3))
    kind = rng.integers(7)
    if kind == 1:
        ends[1, 1] = ends[1, 0] + rng.normal() * (ends[0, 1] - ends[0, 0])
    elif kind == 2:
        ends[:, :, 2] = ends[0, 0, 2]
    elif kind == 3:
        ends[rng.integers(2), 1] = ends[rng.integers(2), 0]
    elif kind == 4:
        ends[:, 1] = ends[:, 0]
    elif kind == 5:
        ends[1, 1] = (
            ends[1, 0]
            + (ends[0, 1] - ends[0, 0])
            + rng.normal(size=3) * 10.0 ** rng.uniform(-9, -2)
        )
    elif kind == 6:
        ends[1] += ends[0].mean(0) - ends[1].mean(0)
    return ends.reshape(2, 6)


def points(segment, count):
    share = np.linspace(0, 1, count)[:, None]
    return segment[:3] + share * (segment[3:] - segment[:3])


def test_distance_of_segments_is_the_least_of_all_points():
    rng, found, count = np.random.default_rng(1), np.zeros(10), 60
    for _ in range(1500):
        one, two = random_segments(rng)
        from_segment(one, two, found)
        apart = np.linalg.norm(
            points(one, count)[:, None] - points(two, count)[None], axis=-1
        ).min()
        step = (
            (np.linalg.norm(one[3:] - one[:3]) + np.linalg.norm(two[3:] - two[:3]))
            / (count - 1)
            / 2
        )
        assert apart - step - 1e-9 <= found[0] <= apart + 1e-9
        # what it says: nearest points that are this far apart, and the direction between them
        np.testing.assert_allclose(np.linalg.norm(found[4:7] - found[7:]), found[0], atol=1e-12)
        assert abs(np.linalg.norm(found[1:4]) - 1) < 1e-9
        swapped = np.zeros(10)
        from_segment(two, one, swapped)
        assert abs(swapped[0] - found[0]) < 1e-9


def test_touching_segments_have_a_distance_of_zero_and_a_direction():
    found = np.zeros(10)
    for two in ([0, -1, 0, 0, 1, 0], [0.5, 0, 0, 3, 0, 0], [0, 0, 0, 0, 0, 0]):
        from_segment(np.array([-1.0, 0, 0, 1, 0, 0]), np.array(two, dtype=float), found)
        assert found[0] == 0
        assert np.linalg.norm(found[1:4]) == 1
    from_segment(np.zeros(6), np.zeros(6), found)
    assert found[0] == 0
    assert np.all(np.isfinite(found))


def test_distance_from_a_box_is_the_least_of_all_points():
    """Outside the distance, inside minus the depth: the signed distance of the worst point."""
    rng, found, count = np.random.default_rng(2), np.zeros(10), 400
    inside = 0
    for _ in range(3000):
        lower = rng.normal(size=3)
        upper = lower + rng.uniform(0.05, 2, 3)
        segment = rng.normal(size=6) * rng.choice([0.3, 1, 3])
        kind = rng.integers(5)
        if kind == 1:
            segment[3:] = segment[:3]
        elif kind == 2:  # along one of its edges, or in the plane of a side
            segment[3:5], segment[0] = segment[:2], lower[0]
        elif kind == 3:
            segment[:3] = rng.uniform(lower, upper)
        from_box(segment, np.concatenate([lower, upper]), found)
        x = points(segment, count)
        away = np.maximum(np.maximum(lower - x, x - upper), 0)
        depth = np.maximum(lower - x, x - upper).max(1)
        signed = np.where(depth > 0, np.linalg.norm(away, axis=1), depth).min()
        step = np.linalg.norm(segment[3:] - segment[:3]) / (count - 1) / 2
        assert signed - step - 1e-9 <= found[0] <= signed + 1e-9
        inside += found[0] < 0
    assert 500 < inside < 2500


def test_pairs_against_mujoco(branches):
    model, robot, clearances = branches
    data = mujoco.MjData(model)
    geoms = {}
    for geom in range(model.ngeom):
        geoms[model.body(model.geom_bodyid[geom]).name] = geom
    columns = [model.joint(name).qposadr[0] for name in robot.joint_names]
    pairs = [
        (k, rule.name.split(" - "))
        for k, rule in enumerate(clearances.rules)
        if isinstance(rule, Apart)
    ]
    # 7 solids: 21 pairs, but for neighbours (a joint's empty link between them or not), and the
    # finger, which is one body with left_tip
    assert len(pairs) == 21 - 7
    compared = 0
    q = postures(robot, 300)
    ours = clearances.at(q)
    for sample, values in zip(q, ours, strict=True):
        data.qpos[columns] = sample
        mujoco.mj_kinematics(model, data)
        for k, (one, two) in pairs:
            if values[k] > 1e-3:  # MuJoCo has another measure for capsules that overlap
                theirs = mujoco.mj_geomDistance(model, data, geoms[one], geoms[two], 10.0, None)
                assert abs(values[k] - theirs) < 1e-6  # its iterations stop there
                compared += 1
    assert compared > 2000


def check_gradients(robot, clearances, count):
    q = postures(robot, count, 3)
    values, gradients = clearances.with_gradients(q)
    np.testing.assert_array_equal(values, clearances.at(q))
    assert gradients.shape == (count, len(clearances.names), robot.n)
    step = 1e-6
    differences = np.stack(
        [
            (clearances.at(q + step * e) - clearances.at(q - step * e)) / (2 * step)
            for e in np.eye(robot.n)
        ],
        axis=-1,
    )
    errors = np.abs(differences - gradients).max(-1)
    # a step across a kink (another end, side or face is the nearest from there on) is rare
    assert np.mean(errors > 1e-6) < 2e-5
    assert np.abs(gradients).max() > 0.3


def check_reach(robot, clearances, count):
    reach = clearances.reach()
    seen = np.abs(clearances.with_gradients(postures(robot, count, 4))[1]).max(0)
    assert np.all(seen <= reach + 1e-12)
    assert np.all((reach > 1e-12) >= (seen > 1e-12))
    return seen, reach


def test_gradients_by_finite_differences(branches):
    check_gradients(*branches[1:], 3000)
    robot, kept = panda(**FAR)
    check_gradients(robot, kept.clearances, 3000)


def test_reach_holds_and_is_not_far_off(branches):
    check_reach(*branches[1:], 20000)
    robot, kept = panda(**FAR)
    seen, reach = check_reach(robot, kept.clearances, 20000)
    assert np.median(seen[reach > 0] / reach[reach > 0]) > 0.8


def test_reach_knows_what_a_joint_cannot_change():
    _, kept = panda(**FAR)
    reach = dict(zip(kept.clearances.names, kept.clearances.reach(), strict=True))
    # turning about the vertical changes no height; the joints above a pair not their distance
    assert reach["panda_link6 above the floor"][0] == 0
    assert np.count_nonzero(reach["panda_link4 - panda_link6"]) == 2
    assert np.all(reach["panda_link4 - panda_link6"][:4] == 0)
    assert reach["panda_link6 above the floor"][6] == 0
    # what spins about the column is near it: the distance of the base bounds the speed
    assert reach["panda_link0 - panda_flange"][0] < 0.11


def test_no_posture_brings_a_point_out_of_its_ball(branches):
    """On which it rests that something is out of reach."""
    _, robot, _ = branches
    q = postures(robot, 5000, 6)
    for body in range(robot.bodies):
        ends = np.random.default_rng(body).normal(size=(2, 3)) * 0.3
        # coordinates are distances from planes
        solid = Solid("x", "x", body, ends, 0.0)
        planes = [AbovePlane("x", 0, axis, 1.0, 0.0) for axis in range(3)]
        low = Clearances(robot, [solid], planes).at(q)
        high = -Clearances(robot, [solid], [plane._replace(sign=-1.0) for plane in planes]).at(q)
        balls = where(robot, Ranges.of(robot), body, ends)
        assert np.all(low >= (balls.centre - balls.radius[:, None]).min(0) - 1e-12)
        assert np.all(high <= (balls.centre + balls.radius[:, None]).max(0) + 1e-12)


def test_nothing_to_keep():
    robot = load_robot("panda").tree
    nothing = Clearances(robot, [], [])
    assert nothing.names == ()
    values, gradients = nothing.with_gradients(np.zeros((5, 7)))
    assert values.shape == (5, 0)
    assert gradients.shape == (5, 0, 7)
    assert nothing.reach().shape == (0, 7)


def test_a_wrong_shape_is_refused():
    _, kept = panda(floor=0.0)
    with pytest.raises(ValueError, match=r"\(samples, 7\) is needed"):
        kept.clearances.at(np.zeros((5, 6)))


def test_what_is_no_number_is_no_distance():
    _, kept = panda(**FAR)
    q = np.zeros((3, 7))
    q[1, 3] = np.nan
    q[2, 5] = np.inf
    values, gradients = kept.clearances.with_gradients(q)
    assert np.all(np.isfinite(values[0]))
    assert np.all(np.isnan(values[1:]))
    assert np.all(np.isnan(gradients[1:]))
