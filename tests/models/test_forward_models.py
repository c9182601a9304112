"""Forward models: the compiled function of a model is the model."""

import numpy as np
import pytest
import torch

from robotid.models.forward_models import RigidForward
from robotid.models.placements import LearnedPlacements
from tests.rollouts.fits import rigid


def states(n, count=50):
    return torch.from_numpy(np.random.default_rng(0).normal(size=(3, count, n)))


@pytest.mark.parametrize("robot", ["cartpole", "furuta", "panda"])
@pytest.mark.parametrize("learned", [False, True], ids=["known", "learned"])
def test_fixed_is_the_same_function(robot, learned):
    """Up to rounding, which the condition of the mass matrix makes larger."""
    model = rigid(robot, "stribeck", mass=1.3)
    if learned:
        places = LearnedPlacements.of(torch.from_numpy(model.robot.placements.copy()))
        with torch.no_grad():
            places.angles.add_(0.3)
            places.shifts.add_(0.05)
        free = model.parametrisation
        model = RigidForward(model.robot, free, model.theta.detach(), model.actuator, places)
    command, q, qd = states(model.robot.n)
    fixed = model.fixed()
    # Rollouts hand over parts of a state, which do not lie in one piece.
    both = torch.cat([q, qd], -1)
    found = fixed(command, both[:, : model.robot.n], both[:, model.robot.n :])
    true = model(command, q, qd).detach()
    torch.testing.assert_close(found, true, rtol=1e-8, atol=1e-9 * float(true.abs().max()))
    with torch.no_grad():
        model.theta.mul_(2)
    torch.testing.assert_close(fixed(command, q, qd), found)


def test_what_nothing_resists_is_no_error():
    """Links without mass: no acceleration is finite, with or without gradients."""
    model = rigid("cartpole", mass=0.0)
    command, q, qd = states(2)
    for accelerations in (model, model.fixed()):
        assert not torch.isfinite(accelerations(command, q, qd)).any()
