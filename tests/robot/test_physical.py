"""Non-physical parameters are found, named and numbered; sound ones pass."""

import numpy as np
import pytest

from robotid.robot.catalog import ROBOTS
from robotid.robot.geometry import phi_from, transport
from robotid.robot.load import load_robot
from robotid.robot.physical import violations
from tests.reference_models import random_phi

from .urdf_texts import ARM

IXX = 'ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.005"'

CASES = {
    "negative mass": (('<mass value="1.0"/>', '<mass value="-1.0"/>'), "mass -1 kg"),
    "no mass": (('<mass value="1.0"/>', '<mass value="0"/>'), "mass 0 kg"),
    "not definite": ((IXX, IXX.replace("0.005", "-0.005")), "positive definite"),
    "point": ((IXX, 'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"'), "positive definite"),
    "triangle": ((IXX, IXX.replace("0.005", "0.05")), "0.05 > 0.02"),
    "off-diagonal": ((IXX, IXX.replace('ixy="0"', 'ixy="0.02"')), "positive definite"),
}


@pytest.mark.parametrize("what", CASES)
def test_violations_name_link_line_and_numbers(load, tmp_path, what):
    (old, new), says = CASES[what]
    assert old in ARM
    notices = [n for n in load(ARM.replace(old, new)).notices if n.code == "non-physical-link"]
    (notice,) = notices
    assert "link 'lower'" in notice.message
    assert says in notice.message
    assert (notice.file, notice.line) == (str(tmp_path / "robot.urdf"), 17)
    assert notice.joint == "elbow"


def test_massless_end(load):
    text = ARM[: ARM.index('    <inertial>\n      <origin xyz="0 0 0.2"/>')]
    text += ARM[ARM.index('  </link>\n  <link name="tip"/>') :]
    (notice,) = load(text).notices
    assert (notice.code, notice.joint) == ("massless-body", "elbow")


@pytest.mark.parametrize("name", ROBOTS)
def test_shipped_robots_are_physical(name):
    assert load_robot(name).notices == ()


@pytest.mark.parametrize("seed", range(20))
def test_sound_links_pass_wherever_their_frame_is(seed):
    rng = np.random.default_rng(seed)
    placement = np.eye(4)
    placement[:3, 3] = rng.normal(size=3) * 3
    assert violations(transport(random_phi(rng), placement)) == []


def test_a_flat_plate_is_on_the_edge_and_passes():
    """J3 = J1 + J2 exactly: rounding must not make a finding of it."""
    for centre in ((0, 0, 0), (1.3, -0.7, 2.1)):
        assert violations(phi_from(3.0, centre, np.diag([0.1, 0.2, 0.1 + 0.2]))) == []
