"""Actuator models: what they promise of energy, and that both directions belong together."""

import pytest
import torch

from robotid.dynamics.aba import aba
from robotid.dynamics.energy import energy
from robotid.errors import ConfigError
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import ACTUATORS, actuator_model
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot

BOUNDED = [name for name, model in ACTUATORS.items() if model.energy == "bounded"]


def scales(n=2, generator=None):
    sizes = torch.rand((4, n), generator=generator, dtype=torch.float64) + 0.01
    return Scales(sizes[0], 10 * sizes[1], 5 * sizes[2], 0.05 * sizes[3])


def states(count, n=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    q, qd = torch.randn((2, count, n), generator=generator, dtype=torch.float64)
    return 3 * q, torch.sign(qd) * 10 ** (1.5 * qd.abs() - 2)  # slow and fast


def with_random_parameters(name, seed):
    """Far from those of a start: every parameter is drawn anew, large and small."""
    generator = torch.Generator().manual_seed(seed)
    made = actuator_model(name).made(scales(generator=generator), seed)
    with torch.no_grad():
        for values in made.parameters():
            values.copy_(2 * torch.randn(values.shape, generator=generator, dtype=torch.float64))
    return made


def test_the_table():
    classes = {name: model.energy for name, model in ACTUATORS.items()}
    assert classes == {
        "none": "conserving",
        "viscous": "bounded",
        "coulomb": "bounded",
        "stribeck": "bounded",
        "nn-friction": "bounded",
        "nn-residual": "unbounded",
        "ff-nn": "unbounded",
    }
    with pytest.raises(ConfigError, match="no actuator model 'viscos'") as caught:
        actuator_model("viscos")
    assert "viscous" in caught.value.notice.hint


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_actuators_never_add_energy(name):
    """100 random parameters, 100 random states each, at every joint."""
    for seed in range(100):
        actuator = with_random_parameters(name, seed)
        q, qd = states(100, seed=seed)
        with torch.no_grad():
            power = actuator(torch.zeros_like(q), q, qd) * qd
        assert power.max() <= 0
        assert power.min() < 0


@pytest.mark.parametrize("name", ["nn-residual", "ff-nn"])
def test_unbounded_actuators_may_add_energy(name):
    actuator = with_random_parameters(name, 0)
    q, qd = states(100)
    with torch.no_grad():
        assert (actuator(torch.zeros_like(q), q, qd) * qd).max() > 0


@pytest.mark.parametrize("name", ["none", *BOUNDED])
def test_energy_of_the_whole_robot_changes_by_the_power_of_friction(name):
    """dE/dt along the motion, from the energies of the links, is -q̇ · friction."""
    robot = load_robot(shipped_path("furuta")).tree
    actuator = with_random_parameters(name, 3)
    q, qd = (x.requires_grad_() for x in states(50, seed=3))
    torque = actuator(torch.zeros_like(q), q, qd)
    qdd = aba(robot, q, qd, torque)
    total = sum(energy(robot, q, qd)).sum()
    of_q, of_qd = torch.autograd.grad(total, (q, qd))
    change = (of_q * qd + of_qd * qdd).sum(-1)
    torch.testing.assert_close(change, (torque * qd).sum(-1), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in ACTUATORS if name != "ff-nn"])
def test_both_directions_belong_together(name):
    actuator = with_random_parameters(name, 1)
    q, qd = states(100, seed=1)
    command = torch.randn(100, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        torch.testing.assert_close(actuator.inverse(actuator(command, q, qd), q, qd), command)


@pytest.mark.parametrize("name", ["viscous", "coulomb", "stribeck"])
def test_given_values_are_taken(name):
    actuator = actuator_model(name).made(scales(), 0)
    wanted = torch.rand_like(actuator.values()) + 0.1
    actuator.begin_at(wanted)
    torch.testing.assert_close(actuator.values(), wanted)


def test_friction_by_its_formulas():
    sizes = Scales(*torch.tensor([[1.0], [2.0], [4.0], [0.01]], dtype=torch.float64))
    q, qd = torch.zeros(3, 1, dtype=torch.float64), torch.tensor([[-2.0], [0.005], [1.0]]).double()
    given = {
        "viscous": ([[3.0]], [-6.0, 0.015, 3.0]),
        "coulomb": ([[3.0]], [-3.0, 1.5, 3.0]),
        "stribeck": (
            [[2.0], [1.0], [0.5], [0.1]],
            [
                -(2 + torch.exp(torch.tensor(-2.0))) - 0.2,
                torch.tanh(torch.tensor(0.5)) * (2 + torch.exp(torch.tensor(-0.5 * 0.005**2))) + 0.0005,
                2 + torch.exp(torch.tensor(-0.5)) + 0.1,
            ],
        ),
    }  # fmt: skip
    for name, (values, wanted) in given.items():
        actuator = actuator_model(name).made(sizes, 0)
        actuator.begin_at(torch.tensor(values, dtype=torch.float64))
        found = actuator.friction(q, qd)[:, 0].detach()
        torch.testing.assert_close(found, torch.tensor(wanted).double(), rtol=1e-6, atol=1e-8)
