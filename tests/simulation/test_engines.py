"""Two engines that share nothing agree; without friction they keep energy."""

import numpy as np
import pytest
import torch

from robotid.dynamics.aba import aba
from robotid.dynamics.energy import energy
from robotid.robot.tree import RobotTree
from robotid.simulation.engine import make_engine
from robotid.simulation.friction import Friction
from robotid.simulation.plant import Plant
from tests.reference_models import random_tree
from tests.simulation.conftest import slider

NONE = Friction("none", *np.zeros((7, 2)))


def shuffled(robot):
    """The same robot with its bodies in breadth-first order, which MuJoCo does not use."""
    depth = robot.ancestors.sum(1)
    order = np.argsort(depth, kind="stable")
    new = {int(old): position for position, old in enumerate(order)}
    return RobotTree(
        name=robot.name,
        base=robot.base,
        links=tuple(robot.links[i] for i in order),
        joints=tuple(robot.joints[i] for i in order),
        parents=tuple(new.get(robot.parents[i], -1) for i in order),
        placements=robot.placements[order],
        phi=robot.phi[order],
        gravity=robot.gravity,
    )


@pytest.mark.parametrize("seed", range(20))
def test_engines_agree_on_random_trees(seed):
    """To 1e-10 of the largest acceleration: rounding times the condition of the mass matrix."""
    robot = shuffled(random_tree(seed, floating=False))
    rng = np.random.default_rng(seed)
    q, qd, tau = rng.normal(size=(3, 4, robot.n))
    rotor = rng.uniform(0, 0.2, robot.n)
    own, mujoco = (
        make_engine(name, robot, rotor).acceleration(q, qd, tau) for name in ("own", "mujoco")
    )
    np.testing.assert_allclose(own, mujoco, atol=1e-10 * np.abs(own).max())


@pytest.mark.parametrize("seed", range(20))
def test_own_engine_is_the_articulated_body_algorithm(seed):
    """The compiled one and the differentiable one: the same sums in another order."""
    robot = random_tree(seed, floating=False)
    rng = np.random.default_rng(seed)
    state = rng.normal(size=(3, 4, robot.n))
    rotor = rng.uniform(0, 0.2, robot.n)
    expected = aba(robot, *map(torch.from_numpy, state), rotor_inertia=torch.from_numpy(rotor))
    own = make_engine("own", robot, rotor).acceleration(*state)
    np.testing.assert_allclose(own, expected, atol=1e-11 * np.abs(own).max())


def test_mujoco_takes_any_inertia():
    """Also one its compiler would refuse: moments that violate the triangle inequality."""
    robot = random_tree(3, bodies=3, floating=False, kinds=("revolute",))
    phi = robot.phi.copy()
    phi[1, 4:] = [0.5, 0.0, 0.1, 0.0, 0.0, 0.05]
    robot = robot.with_phi(phi)
    state = np.random.default_rng(0).normal(size=(3, 1, 3))
    own, mujoco = (
        make_engine(name, robot, np.ones(3)).acceleration(*state) for name in ("own", "mujoco")
    )
    np.testing.assert_allclose(own, mujoco, rtol=1e-9)


def test_same_motion_from_both_engines(panda, run):
    """A smooth system (viscous friction), 3 s of the Panda under control.

    Both are integrated alike, so they differ by rounding, which the controller keeps from growing.
    """
    options = {"recordings": 2, "duration_s": 3.0}
    ways = [run(panda, friction="viscous", engine=name, **options) for name in ("own", "mujoco")]
    for signal in ("q", "qd", "qdd", "tau"):
        own, mujoco = (getattr(way.motion, signal) for way in ways)
        np.testing.assert_allclose(own, mujoco, rtol=0, atol=1e-9 * np.abs(own).max())


@pytest.mark.parametrize("name", ["mujoco", "own"])
def test_energy_is_kept_without_friction(double_pendulum, name):
    """Runge-Kutta at 1 ms loses less than 1e-8 of the energy in two seconds of free swinging."""
    robot, rotor = double_pendulum, np.array([0.02, 0.01])
    plant = Plant(make_engine(name, robot, rotor), NONE, rotor)
    y, tau, h = plant.at_rest(np.array([[1.5, -0.7]]), np.zeros((1, 2))), np.zeros((1, 2)), 1e-3
    start = total(robot, y, rotor)
    for _ in range(2000):
        k1 = plant.derivative(y, tau)
        k2 = plant.derivative(y + h / 2 * k1, tau)
        k3 = plant.derivative(y + h / 2 * k2, tau)
        y = y + h / 6 * (k1 + 2 * (k2 + k3) + plant.derivative(y + h * k3, tau))
    moving = y[1] @ np.diag(rotor) @ y[1].T / 2
    assert moving > 0.01
    assert total(robot, y, rotor) == pytest.approx(start, abs=1e-8 * abs(start))


def total(robot, y, rotor):
    q, qd = torch.from_numpy(y[0, 0]), torch.from_numpy(y[1, 0])
    return float(sum(energy(robot, q, qd))) + float(rotor @ y[1, 0] ** 2) / 2


def test_rail_is_newtons(run):
    """A mass that one force pushes: m a = F."""
    engine = make_engine("mujoco", slider(2.0), np.array([0.5]))
    assert engine.acceleration(*np.array([[[0.1]], [[0.3]], [[5.0]]])) == pytest.approx(2.0)
