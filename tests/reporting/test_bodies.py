"""Links as rigid bodies: which can exist and why not, beside the robot file; loads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robotid.contracts.fit import Link, PayloadFound
from robotid.reporting.numbers import fixed, signed
from robotid.reporting.page import render
from robotid.reporting.sections import bodies, payload
from robotid.robot.geometry import phi_from
from robotid.robot.load import load_robot
from tests.exporting.fits import random_parameters
from tests.reporting.results import changed, view
from tests.reporting.test_page import PAYLOADS, Elements

LOAD = PayloadFound(
    frame="lower_arm",
    mass=[2.0, 1.9, 2.1],
    centre=[[0.1, 0.0, 0.2], [0.0, None, None], [0.3, 0.2, 0.4]],
    inertia=[[x, None, None] for x in (0.02, 0.0, 0.03, 0.0, 0.0, 0.04)],
    consistent=True,
    statuses={"mass": "identified", "cx": "uncertain", "Ixx": "not excited"},
)


def link(name, margin=0.1, *, consistent=True):
    return Link(
        name=name, mass=1.0, centre=[0.0, 0.0, -0.1], moments=[0.01, 0.01, 0.02], margin=margin,
        consistent=consistent,
    )  # fmt: skip


@pytest.fixture
def broken(tmp_path):
    """A fit whose second link breaks the triangle inequality."""
    names = load_robot("double_pendulum").tree.links
    plain = view(tmp_path / "plain")
    phi = random_parameters(plain.fitted.model.layout)
    phi[10:20] = phi_from(1.0, np.array([0.0, 0.0, -0.1]), np.diag([0.1, 0.1, 0.3]))
    links = [link(names[0]), link(names[1], -0.2, consistent=False)]
    return view(tmp_path / "fit", phi=phi, links=links)


def test_n19_a_link_that_cannot_exist_is_named_with_the_reason(broken):
    found = bodies.section(broken)
    assert [row.exists for row in found.rows] == ["can exist", "cannot exist"]
    assert found.rows[1].why == "the triangle inequality is broken, 0.3 > 0.2"
    assert found.impossible == 1
    assert [len(picture.crosses) for picture in found.drawing.pictures] == [1, 1]
    text = render([broken])
    assert "1 of 2 links cannot exist" in text
    assert "the triangle inequality is broken, 0.3 &gt; 0.2" in text


def test_links_that_exist_are_drawn_beside_the_robot_file(tmp_path):
    robot = load_robot("double_pendulum").tree
    good = view(tmp_path / "fit", links=[link(robot.links[0]), link(robot.links[1], 1e-6)])
    found = bodies.section(good)
    assert [row.exists for row in found.rows] == ["can exist", "just"]
    assert [row.nominal.mass for row in found.rows] == robot.phi[:, 0].tolist()
    assert_allclose(found.rows[0].nominal.centre, robot.phi[0, 1:4] / robot.phi[0, 0])
    assert found.nominal_mass == pytest.approx(robot.phi[:, 0].sum())
    assert found.drawing.kinds == ["fitted", "nominal"]
    text = render([good])
    assert "All links can exist" in text
    assert text.count('<ellipse class="fitted"') == 2 * 2 + 1  # two views and the legend
    assert "cannot exist" not in text


def test_what_rounds_to_zero_has_no_sign(tmp_path):
    robot = load_robot("double_pendulum").tree
    near = [
        one.model_copy(update={"centre": [-1e-6, 1e-6, -0.1]}) for one in map(link, robot.links)
    ]
    text = render([view(tmp_path / "fit", links=near)])
    assert "-0.0000" not in text
    assert ">-0.1000<" in text
    assert [fixed(x, 1) for x in (-0.04, -0.06, 0.0)] == ["0.0", "-0.1", "0.0"]
    assert [signed(x, 1) for x in (-0.04, -0.06, 0.06)] == ["0.0", "-0.1", "+0.1"]


def test_fits_without_links(tmp_path):
    assert bodies.section(view(tmp_path / "a", links=[])) is None
    text = render([view(tmp_path / "b", full=True, links=[], base_parameters=[])])
    assert "does not describe rigid bodies" in text
    assert "<ellipse" not in text


def test_load_is_where_its_frame_is():
    robot = load_robot("panda").tree
    fixed = next(one for one in robot.fixed if one.body == robot.bodies - 1)
    for frame, placement in ((robot.links[6], np.eye(4)), (fixed.name, fixed.placement)):
        found = bodies.load_of(robot, LOAD.model_copy(update={"frame": frame}))
        assert found.body == robot.bodies - 1
        there = placement @ [0.1, 0.0, 0.3, 1.0]
        assert_allclose(found.ellipsoid.centre, there[:3], atol=1e-12)
        assert_allclose(np.trace(found.ellipsoid.shape), 5 / 2 * 0.09 / 2, rtol=1e-12)


@pytest.mark.parametrize(
    "changes",
    [{"consistent": False}, {"mass": [2.0, -0.1, 4.1]}, {"frame": "elsewhere"},
     {"mass": [None, None, None]}],
    ids=["impossible", "may be nothing", "no such frame", "unknown"],
)  # fmt: skip
def test_loads_that_are_not_drawn(changes):
    robot = load_robot("double_pendulum").tree
    assert bodies.load_of(robot, LOAD.model_copy(update=changes)) is None


def test_load_in_numbers(tmp_path):
    plain = view(tmp_path / "fit")
    assert payload.section(plain) is None
    loaded = changed(plain, payload=LOAD)
    rows = payload.section(loaded).rows
    assert len(rows) == 10
    assert (rows[0].value, rows[0].lower, rows[0].upper, rows[0].unit) == (2.0, 1.9, 2.1, "kg")
    assert rows[6].name == "Iyy about the centre of mass"
    assert rows[6].value == 0.03
    assert [row.sign and row.sign.words for row in rows[:3]] == ["identified", "uncertain", None]
    text = render([loaded])
    assert "1.9 … 2.1" in text
    assert "Such a body can exist" in text
    bad = LOAD.model_copy(update={"consistent": False})
    assert "No rigid body is like this" in render([changed(plain, payload=bad)])


@pytest.mark.parametrize("text", PAYLOADS)
def test_names_of_links_and_frames_stay_text(broken, text):
    def hostile(name):
        frame = LOAD.model_copy(update={"frame": name})
        return changed(broken, payload=frame, links=[link(name), link(name, consistent=False)])

    before, found = (Elements(render([hostile(name)])) for name in ("elsewhere", text))
    assert found.tags == before.tags
    assert found.attributes == before.attributes
    assert sum(text in data for data in found.data) >= 3
