"""The compiled kernel against the torch regressor."""

import numpy as np
import pytest
import torch

from robotid.dynamics.regressor import joint_torque_regressor
from robotid.errors import ConfigError, UsageError
from robotid.information.basis import bases_of
from robotid.information.lanes import LANES
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import dense_regressor, random_motion, row_columns
from robotid.robot.load import load_robot
from tests.reference_models import random_tree

SEEDS = range(30)


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_regressor_on_random_trees(seed):
    """1e-12: rounding of some hundred operations, relative to the largest entry."""
    robot = random_tree(seed)
    motion = random_motion(robot, LANES + 9, seed)
    if seed % 3 == 0:
        motion.q[:5, -1] *= 1e6  # beyond the fast reduction of angles
    expected = joint_torque_regressor(robot, *map(torch.tensor, motion)).numpy()
    for threads in (1, 2):
        found = dense_regressor(robot, *motion, threads=threads)
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


def test_base_placed_somewhere_turns_gravity():
    robot = load_robot("quadruped").tree
    motion = random_motion(robot, 20, 0)
    expected = joint_torque_regressor(robot, *map(torch.tensor, motion)).numpy()
    np.testing.assert_allclose(dense_regressor(robot, *motion), expected, atol=1e-10)


def test_result_goes_where_it_is_asked_for():
    robot = random_tree(2, bodies=4)
    motion = random_motion(robot, 50, 0)
    out = np.full((50, robot.nv, 40), np.nan)
    assert dense_regressor(robot, *motion, out=out) is out
    assert np.array_equal(out, dense_regressor(robot, *motion))
    with pytest.raises(UsageError, match="out has to be"):
        dense_regressor(robot, *motion, out=out[:, :, ::2])
    with pytest.raises(UsageError, match="qd has shape"):
        dense_regressor(robot, motion.q, motion.qd[:9], motion.qdd)


def test_unknown_terms_are_refused():
    with pytest.raises(ConfigError, match="viscous"):
        Layout(random_tree(0), ("viscos",))


@pytest.mark.parametrize("robot", ["panda", "quadruped", "cartpole", *range(8)])
def test_structural_bases_hold_for_every_motion(robot):
    """W = W_b E on motions the basis was not found from; relative to the columns' norms."""
    robot = load_robot(robot).tree if isinstance(robot, str) else random_tree(robot)
    layout = Layout(robot, TERMS)
    for W, basis in zip(
        row_columns(layout, random_motion(robot, 200, 77)), bases_of(layout), strict=True
    ):
        error = np.abs(W[:, basis.independent] @ basis.expansion - W).max(axis=0)
        norms = np.linalg.norm(W, axis=0)
        rounding = norms < 1e-12 * norms.max()
        assert (error <= np.where(rounding, 1e-12 * norms.max(), 1e-12 * norms)).all()
        rank = np.linalg.matrix_rank(W / np.where(rounding, np.inf, norms), tol=1e-9)
        assert basis.independent.size == rank


def test_panda_rows_have_the_known_ranks():
    """The last joint sees what a rotating body shows: 7 link parameters, 4 terms, rotor = Izz."""
    layout = Layout(load_robot("panda").tree, TERMS)
    assert [basis.independent.size for basis in bases_of(layout)][-1] == 11
