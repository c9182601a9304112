"""Base parameters of the robots that come with the package, as the document lists them."""

import re

import numpy as np
import pytest

from robotid.dynamics.base_parameters import base_parameters, random_regressor
from robotid.dynamics.groupings import describe, groupings
from robotid.dynamics.joint_columns import columns_of
from robotid.robot.load import load_robot
from tests.dynamics.test_base_parameters import DOCUMENT, EVERY_TERM, svd_rank

ROW = r"^\| (\w+) \| (\d+)(, floating)? \| (\d+) \| (\d+) \|$"
LISTED = re.findall(ROW, DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_shipped_robot_is_listed():
    from robotid.robot.catalog import ROBOTS

    assert {row[0] for row in LISTED} == set(ROBOTS)


@pytest.mark.parametrize("row", LISTED, ids=lambda row: row[0])
def test_listed_robot(row):
    name, joints, floating, parameters, rank = row
    robot = load_robot(name).tree
    base = base_parameters(robot)
    assert (robot.n, robot.floating) == (int(joints), bool(floating))
    assert (len(base.names), base.rank) == (int(parameters), int(rank))
    W = random_regressor(robot, seed=77)
    assert svd_rank(W) == base.rank
    assert base.gap[0] < 1e-12 < 1e-3 < base.gap[1]
    tau = W @ robot.phi.ravel()
    np.testing.assert_allclose(
        base.reduced(W) @ base.beta(robot.phi.ravel()), tau, rtol=0, atol=1e-9 * np.abs(tau).max()
    )
    with_joints = base_parameters(robot, EVERY_TERM)
    assert (
        svd_rank(random_regressor(robot, columns_of(robot, EVERY_TERM), seed=77))
        == with_joints.rank
    )


def test_measures_of_the_panda_are_exact():
    robot = load_robot("panda").tree
    assert all(grouping.exact for grouping in groupings(base_parameters(robot)))
    assert "L1zz + L2yy" in describe(robot)
