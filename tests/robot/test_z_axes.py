"""Frames with the joint's axis as z move as the robot did."""

import numpy as np
import pytest
import torch

from robotid.dynamics.rnea import rnea
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot
from robotid.robot.z_axes import with_z_axes


@pytest.mark.parametrize("name", ["cartpole", "furuta", "panda", "ur10"])
def test_torques_are_the_same(name):
    robot = load_robot(shipped_path(name)).tree
    turned = with_z_axes(robot)
    assert {joint.axis for joint in turned.joints} == {(0.0, 0.0, 1.0)}
    motion = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 20, robot.n)))
    torch.testing.assert_close(rnea(turned, *motion), rnea(robot, *motion), rtol=1e-10, atol=1e-10)
