"""Links in places that are learned: the same torques as with known ones, and slopes to learn by."""

import numpy as np
import pytest
import torch

from robotid.dynamics.rnea import rnea
from robotid.models.learned.kinodynamic import KinodynamicBody
from robotid.robot.load import load_robot
from robotid.robot.z_axes import with_z_axes
from robotid.spatial.parametrisations.table import parametrisation
from tests.reference_models import random_state


def body_of(name, kind="free"):
    robot = load_robot(name).tree
    own = parametrisation(kind)
    return robot, KinodynamicBody(robot, own, own.theta(torch.tensor(with_z_axes(robot).phi)))


@pytest.mark.parametrize("name", ["quadruped", "humanoid", "panda", "cartpole"])
def test_torques_are_those_of_the_robot_file_to_begin_with(name):
    robot, body = body_of(name)
    state = [torch.tensor(x) for x in random_state(robot, 0, (6,))]
    want = rnea(robot, *state)
    assert (body(*state) - want).abs().max() < 1e-10 * want.abs().max()


def test_a_floating_base_stays_where_it_was_measured():
    robot, body = body_of("quadruped")
    assert sum(p.numel() for p in body.parameters()) == 10 * 13 + 6 * 12
    angles, shifts = np.random.default_rng(0).normal(size=(2, robot.bodies, 3))
    body.begin_at(body.theta.detach().clone(), angles, shifts)
    places = body.placements().detach().numpy()
    np.testing.assert_array_equal(places[0], np.eye(4))
    np.testing.assert_allclose(places[1:, :3, 3], shifts[1:])


def test_slopes_are_those_of_differences():
    """Of the mean squared torque along a random direction of all parameters."""
    _, body = body_of("quadruped")
    state = [torch.tensor(x) for x in random_state(load_robot("quadruped").tree, 1, (4,))]
    rng = torch.Generator().manual_seed(0)
    directions = [torch.randn(p.shape, generator=rng, dtype=p.dtype) for p in body.parameters()]
    loss = (body(*state) ** 2).mean()
    slopes = torch.autograd.grad(loss, list(body.parameters()))
    along = sum((s * d).sum() for s, d in zip(slopes, directions, strict=True)).item()
    values, step = [], 1e-6
    for sign in (1, -2, 1):
        with torch.no_grad():
            for parameter, direction in zip(body.parameters(), directions, strict=True):
                parameter.add_(sign * step * direction)
        values.append((body(*state) ** 2).mean().item())
    assert (values[0] - values[1]) / (2 * step) == pytest.approx(along, rel=1e-5)
