"""Changes of a robot, as a user writes them."""

import numpy as np
import pytest
from pydantic import ValidationError

from robotid.robot.geometry import centre_and_inertia
from robotid.robot.load import load_robot
from robotid.robot.options import RobotOptions


def loaded(**keys):
    return load_robot("panda", **RobotOptions(**keys).changes()).tree


def test_nothing_changes_by_default():
    plain, same = load_robot("panda").tree, loaded()
    assert plain.joints == same.joints
    assert np.array_equal(plain.phi, same.phi)
    assert np.array_equal(plain.gravity, same.gravity)


def test_locks_and_chain():
    options = RobotOptions(lock=("panda_joint7=0.5", "panda_joint1=-1e-1"))
    assert options.locked == {"panda_joint7", "panda_joint1"}
    tree = load_robot("panda", **options.changes()).tree
    assert tree.joint_names == tuple(f"panda_joint{i}" for i in range(2, 7))
    assert loaded(chain="panda_link2:panda_link5").n == 3


def test_base_gravity_and_mount():
    assert loaded(base="floating").floating
    assert np.array_equal(loaded(gravity="0,1.5,-9").gravity, [0, 1.5, -9])
    assert np.allclose(loaded(mount=f"{np.pi},0,0").gravity, [0, 0, 9.81])


def test_payload_is_where_it_was_said_to_be():
    plain, heavy = (
        load_robot("panda").tree,
        loaded(payload=("panda_link7,2,0,0,0.1,.1,.2,.15,0,0,0",)),
    )
    change = heavy.phi[6] - plain.phi[6]
    centre, inertia = centre_and_inertia(change)
    assert change[0] == pytest.approx(2)
    assert np.allclose(centre, [0, 0, 0.1])
    assert np.allclose(inertia, np.diag([0.1, 0.2, 0.15]))
    point = loaded(payload=("panda_flange,1,0,0,0",)).phi[6] - plain.phi[6]
    assert np.allclose(point[1:4], [0, 0, 0.107])


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"lock": ("panda_joint7",)}, "is not NAME=VALUE"),
        ({"lock": ("panda_joint7=a",)}, "is not NAME=VALUE"),
        ({"lock": ("a=1", "a=2")}, "locked twice"),
        ({"chain": "panda_link2"}, "is not BASE:TIP"),
        ({"chain": ":b"}, "is not BASE:TIP"),
        ({"gravity": "9.81"}, "is not three numbers"),
        ({"mount": "0,0,down"}, "is not X,Y,Z"),
        ({"payload": ("panda_link7,2",)}, "is not LINK,MASS"),
        ({"base": "flying"}, "'fixed' or 'floating'"),
    ],
)
def test_what_cannot_be_read_is_refused(keys, said):
    with pytest.raises(ValidationError) as refused:
        RobotOptions(**keys)
    assert said in str(refused.value)
