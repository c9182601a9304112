"""Forward models trained on accelerations by MuJoCo: what is found is what was there."""

import numpy as np
import pytest
import torch

from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.pseudo_inertias import moved_inside
from robotid.models.actuators.table import actuator_model
from robotid.models.forward_models import NetworkForward, RigidForward
from robotid.models.forward_scales import joint_scales, signal_scales
from robotid.models.placements import LearnedPlacements
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot
from robotid.robot.z_axes import with_z_axes
from robotid.simulation.perturbation import perturbed
from robotid.spatial.parametrisations.table import parametrisation
from robotid.training.adam import AdamOptions, train_adam
from robotid.training.levenberg import LevenbergOptions, train_levenberg
from robotid.training.problem import Problem
from robotid.training.random_starts import best_start
from tests.training.uniform import maker, nmse, uniform


@pytest.mark.parametrize("learned", [False, True], ids=["known", "learned"])
@pytest.mark.parametrize("name", ["cartpole", "furuta"])
def test_a_random_start_finds_the_robot(name, learned):
    robot = load_robot(shipped_path(name)).tree
    train, validation, test = (
        uniform(robot, count, seed) for seed, count in enumerate((1500, 300, 500))
    )
    model = best_start(maker(robot, train, learned=learned), train, seed=0)
    trained = train_levenberg(Problem(model, train, validation), LevenbergOptions(steps=60))
    assert nmse(model, test) < 1e-4, trained.message
    if not learned:
        base = base_parameters(robot)
        found, true = (
            base.beta(x.reshape(-1)) for x in (model.links().detach().numpy(), robot.phi)
        )
        np.testing.assert_allclose(found, true, rtol=0.01, atol=0.01 * np.abs(true).max())


@pytest.mark.parametrize("name", ["cartpole", "furuta"])
def test_kinematics_are_learned_from_a_robot_file_that_is_not_quite_right(name):
    """Also where an axis stands so that roll, pitch and yaw of its frame are singular."""
    true = load_robot(shipped_path(name)).tree
    nominal = with_z_axes(perturbed(true, 0.2, np.random.default_rng(0)))
    train, validation = uniform(true, 1000, 0), uniform(true, 300, 1)
    kind = parametrisation("cov")
    model = RigidForward(
        nominal,
        kind,
        kind.theta(torch.tensor(moved_inside(nominal.phi, 1e-3))),
        actuator_model("none").made(joint_scales(train.command, train.q, train.qd)),
        LearnedPlacements.of(torch.from_numpy(nominal.placements.copy())),
    )
    trained = train_levenberg(Problem(model, train, validation), LevenbergOptions())
    assert nmse(model, validation) < 1e-10, trained.message


def test_friction_is_found_beside_the_links():
    robot = load_robot(shipped_path("furuta")).tree
    viscous = np.array([2e-3, 5e-4])
    train, validation = uniform(robot, 1500, 0, viscous), uniform(robot, 300, 1, viscous)
    model = best_start(maker(robot, train, actuator="viscous"), train, seed=1)
    train_levenberg(Problem(model, train, validation), LevenbergOptions())
    np.testing.assert_allclose(model.actuator.values()[0].detach(), viscous, rtol=0.01)


def test_a_network_and_adam():
    """It comes nearer, and the model keeps the parameters of its best epoch."""
    robot = load_robot(shipped_path("cartpole")).tree
    train, validation = uniform(robot, 1000, 0), uniform(robot, 300, 1)
    sizes = signal_scales(*train)
    model = NetworkForward(sizes, torch.Generator().manual_seed(0), (16, 16))
    problem = Problem(model, train, validation)
    before = problem.loss(validation)
    trained = train_adam(problem, AdamOptions(epochs=30, learning_rate=1e-2))
    assert trained.loss == problem.loss(validation) < 0.5 * before
    assert trained.loss == min(step.validation for step in trained.history)
    assert model.energy_class == "unbounded"


def test_both_optimisers_lower_the_same_loss():
    robot = load_robot(shipped_path("cartpole")).tree
    train, validation = uniform(robot, 600, 0), uniform(robot, 200, 1)
    make = maker(robot, train)
    losses = []
    for optimise in (
        lambda p: train_adam(p, AdamOptions(epochs=20)),
        lambda p: train_levenberg(p, LevenbergOptions(steps=20)),
    ):
        problem = Problem(make(np.random.default_rng(3)), train, validation)
        before = problem.loss(validation)
        losses.append(optimise(problem).loss)
        assert losses[-1] < before
    assert losses[1] < losses[0]


def test_a_model_of_few_parameters_is_the_optimum_of_its_training():
    """Whatever suits the validation on the way there."""
    robot = load_robot(shipped_path("furuta")).tree
    train = uniform(robot, 600, 0, np.array([2e-3, 5e-4]))
    elsewhere = train.at(slice(0, 100))._replace(qdd=torch.zeros(100, 2, dtype=torch.float64))
    model = maker(robot, train)(np.random.default_rng(3))
    problem = Problem(model, train, elsewhere)
    trained = train_levenberg(problem, LevenbergOptions(steps=60))
    validation = [step.validation for step in trained.history]
    assert min(validation) < validation[-1]
    assert problem.loss(train) == min(step.train for step in trained.history)


def test_friction_that_a_start_lacks_is_found():
    """Near zero a square has no slope: a search that begins there takes it for an optimum."""
    robot = load_robot(shipped_path("furuta")).tree
    viscous = np.array([2e-3, 5e-4])
    train = uniform(robot, 500, 0, viscous)
    model = maker(robot, train, actuator="stribeck")(np.random.default_rng(0))
    with torch.no_grad():
        model.theta.copy_(parametrisation("log").theta(torch.from_numpy(0.8 * robot.phi)))
    model.actuator.begin_at(torch.zeros(4, 2, dtype=torch.float64))
    train_levenberg(Problem(model, train, train), LevenbergOptions())
    np.testing.assert_allclose(model.actuator.values()[-1].detach(), viscous, rtol=0.01)
