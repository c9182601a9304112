"""Uniform samples of a robot's state space with accelerations by MuJoCo, and models to train on them."""

import numpy as np
import torch

from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import RigidForward
from robotid.models.forward_scales import joint_scales
from robotid.models.placements import LearnedPlacements
from robotid.robot.z_axes import with_z_axes
from robotid.simulation.engine import make_engine
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.problem import Samples
from robotid.training.random_starts import random_robot


def uniform(robot, count, seed, viscous=0.0):
    """Accelerations at random states under random commands."""
    random = np.random.default_rng(seed)
    bounds = [
        (min(j.limits.upper, np.pi), j.limits.velocity, j.limits.effort) for j in robot.joints
    ]
    q, qd, tau = (random.uniform(-1, 1, (count, robot.n)) * b for b in np.array(bounds).T)
    engine = make_engine("mujoco", robot, np.zeros(robot.n))
    qdd = engine.acceleration(q, qd, tau - viscous * qd)
    return Samples(*(torch.from_numpy(x) for x in (tau, q, qd, qdd)))


def maker(robot, train, *, actuator="none", learned=False):
    links = parametrisation("log")
    tree = with_z_axes(robot) if learned else robot

    def make(random):
        found = random_robot(robot.bodies, random)
        places = LearnedPlacements(torch.tensor(found.angles), torch.tensor(found.shifts))
        return RigidForward(
            tree,
            links,
            links.theta(torch.tensor(found.links)),
            actuator_model(actuator).made(
                joint_scales(train.command, train.q, train.qd), int(random.integers(2**31))
            ),
            places if learned else None,
        )

    return make


def nmse(model, test):
    with torch.no_grad():
        error = model(test.command, test.q, test.qd) - test.qdd
    return float(((error**2).mean(0) / test.qdd.var(0, correction=0)).mean())
