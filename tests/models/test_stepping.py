"""Models as a controller calls them give what they give for recordings."""

import numpy as np
import pytest
import torch

from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.dynamics.rnea import rnea
from robotid.information.layout import Layout
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.residuals import MotionScales, RecurrentResidual
from robotid.models.learned.torques import LearnedTorques
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.stepping import stepper
from robotid.robot.load import load_robot
from tests.exporting.fits import random_parameters
from tests.reference_models import random_state, random_tree

ALL_TERMS = ("viscous-asymmetric", "coulomb-asymmetric", "coulomb-held(0.3)", "stribeck(0.4)",
             "load", "offset", "rotor")  # fmt: skip


def motions(n, batch=6, samples=40, seed=1):
    """Smooth ones that come to rest and turn round, shape (samples, batch, n) each."""
    rng = np.random.default_rng(seed)
    rate, phase = rng.uniform(0.5, 3, (2, batch, n))
    t = np.linspace(0, 3, samples)[:, None, None]
    q = np.sin(rate * t + phase)
    return q, rate * np.cos(rate * t + phase), -(rate**2) * q


@pytest.mark.parametrize("seed", range(20))
def test_compiled_inverse_dynamics(seed):
    """Against the batched algorithm, on random trees with any gravity and both kinds of joints."""
    tree = random_tree(seed, floating=False)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 9, tree.n))
    wanted = rnea(tree, *map(torch.tensor, (q, qd, qdd))).numpy()
    # Sums of some hundred products of numbers of this size, in another order.
    np.testing.assert_allclose(CompiledRnea(tree)(q, qd, qdd), wanted, atol=1e-11, rtol=1e-11)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("robot", ["panda", "cartpole"])
def test_parallel_motions_are_as_each_alone(robot, full):
    """With every term, motors that drive two joints, and signs that each motion remembers."""
    tree = load_robot(robot).tree
    coupled = ("panda_joint5+panda_joint6",) if robot == "panda" else ()
    layout = Layout(tree, ALL_TERMS, {}, coupled)
    model = RigidBodyModel(layout, random_parameters(layout, 3, full))
    q, qd, qdd = motions(tree.n)
    step = stepper(model, q.shape[1])
    found = np.array([step(*instant) for instant in zip(q, qd, qdd, strict=True)])
    for motion in range(q.shape[1]):
        wanted = model.torque(q[:, motion], qd[:, motion], qdd[:, motion])
        np.testing.assert_allclose(found[:, motion], wanted, atol=1e-10, rtol=1e-10)


def test_a_robot_without_terms():
    tree = load_robot("pendulum").tree
    model = RigidBodyModel(Layout(tree), tree.phi.ravel())
    q, qd, qdd = motions(tree.n)
    step = stepper(model, q.shape[1])
    np.testing.assert_allclose(step(q[0], qd[0], qdd[0]), model.torque(q[0], qd[0], qdd[0]))


def test_a_memory_sees_rest_at_its_own_rate():
    """However many steps of a controller make one of its samples."""
    robot = random_tree(1, bodies=2, floating=False)
    layout = Layout(robot, ())
    scales = MotionScales(torch.zeros(6).double(), torch.ones(6).double(), torch.ones(2).double())
    network = InverseModel(residual=RecurrentResidual(scales, (8,), 4))
    learned = LearnedTorques(layout, network)
    q, qd, qdd = (x[None, 0] for x in random_state(robot, 0, (3,)))
    found = []
    for every in (1, 10):
        step = stepper(learned, 1, every)
        step.rest(q, 7)
        found.append(step(q, qd, qdd))
    still = np.zeros((7, 2))
    state = {}
    learned.torque(np.repeat(q, 7, 0), still, still, state)
    np.testing.assert_allclose(found, [learned.torque(q, qd, qdd, state)] * 2)
