"""The robot that is moved is the one of the simulation, whatever it is made of."""

import numpy as np
import pytest

from robotid.contracts.truth import write_truth
from robotid.models.stepping import stepper
from robotid.robot.load import load_robot
from robotid.simulation.drives import make_drives
from robotid.simulation.options import SimulationOptions
from robotid.simulation.perturbation import robot_of_seed
from robotid.simulation.scenario import simulate
from robotid.tracking.contenders import true_model
from robotid.tracking.moved import Moved, moved_robot


@pytest.mark.parametrize("elastic_hz", [0.0, 12.0])
@pytest.mark.parametrize("friction", ["none", "viscous", "coulomb", "stribeck", "stick-slip"])
def test_as_it_was_simulated(tmp_path, friction, elastic_hz):
    nominal = load_robot("double_pendulum").tree
    options = SimulationOptions(
        friction=friction,
        elastic_hz=elastic_hz,
        perturb=0.2,
        recordings=1,
        duration_s=0.1,
        engine="own",
    )
    write_truth(tmp_path, simulate(nominal, nominal, options).truth)
    found = moved_robot(nominal, options, tmp_path)
    true = robot_of_seed(nominal, 0.2, 0)
    wanted = Moved(true, make_drives(true, options, nominal.bound("effort")), True)
    rng = np.random.default_rng(0)
    blocks = 2 + 2 * bool(elastic_hz) + (friction == "stick-slip")
    y, tau = 0.1 * rng.normal(size=(blocks, 6, 2)), rng.normal(size=(6, 2))
    rates = [one.plant("own").derivative(y, tau) for one in (found, wanted)]
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("friction", ["none", "viscous", "coulomb", "stribeck"])
def test_the_true_model_undoes_the_robot(friction):
    """Its torques give the accelerations that were asked for."""
    nominal = load_robot("panda").tree
    options = SimulationOptions(friction=friction)
    moved = moved_robot(nominal, options, None)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 8, 7)) * [[[1.0]], [[0.1]], [[1.0]]]
    tau = stepper(true_model(moved.robot, moved.drives), 8)(q, qd, qdd)
    found = moved.plant("mujoco").derivative(np.stack([q, qd]), tau)
    np.testing.assert_allclose(found[1], qdd, rtol=1e-8, atol=1e-8)
