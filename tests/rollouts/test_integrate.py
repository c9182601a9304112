"""Motions of forward models: right, stable where they have to be, and told where they diverge."""

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from robotid.dynamics.aba import aba
from robotid.dynamics.energy import energy
from robotid.models.actuators.actuator import Scales
from robotid.models.actuators.table import ACTUATORS, actuator_model
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot
from robotid.rollouts.integrate import Integration, integrate

BOUNDED = [name for name, model in ACTUATORS.items() if model.energy == "bounded"]
SCALES = tuple(torch.tensor([[1.0, 1.0], [10.0, 10.0]], dtype=torch.float64))


@pytest.fixture
def furuta():
    return load_robot(shipped_path("furuta")).tree


def starts(count, seed=0):
    random = np.random.default_rng(seed)
    spread = np.array([[2.0, np.pi], [10.0, 20.0]])[:, None]
    return [torch.from_numpy(x) for x in random.uniform(-1, 1, (2, count, 2)) * spread]


def test_against_another_integrator(furuta):
    q, qd = starts(3)
    push = torch.tensor([0.02, 0.0], dtype=torch.float64)
    found = integrate(
        lambda u, q, qd: aba(furuta, q, qd, u), q, qd, SCALES, Integration(steps=50),
        lambda t, q, qd: push.expand_as(q),
    )  # fmt: skip

    def rate(t, x):
        q, qd = torch.from_numpy(x[:2]), torch.from_numpy(x[2:])
        return np.concatenate([x[2:], aba(furuta, q, qd, push).numpy()])

    for start in range(3):
        begin = np.concatenate([q[start], qd[start]])
        true = solve_ivp(rate, (0, 0.2), begin, rtol=1e-10, atol=1e-10).y[:, -1]
        np.testing.assert_allclose(found.q[-1, start], true[:2], rtol=1e-4, atol=1e-5)
    assert torch.isinf(found.diverged_s).all()


@pytest.mark.parametrize("name", BOUNDED)
def test_energy_never_grows_without_a_command(furuta, name):
    """Friction a hundred times stiffer than the step could follow; energy in units of its range."""
    scales = Scales(*torch.tensor([[1.0, 1], [10, 10], [0.05, 0.05], [0.02, 0.02]]).double())
    actuator = actuator_model(name).made(scales, 1)
    with torch.no_grad():
        for values in actuator.parameters():
            values.mul_(5)
    q, qd = starts(20)
    found = integrate(
        lambda u, q, qd: aba(furuta, q, qd, actuator(u, q, qd)), q, qd, SCALES,
        Integration(steps=100),
    )  # fmt: skip
    assert torch.isinf(found.diverged_s).all()
    total = sum(energy(furuta, found.q, found.qd))
    growth = total.diff(dim=0).max() / (total.max() - total.min())
    assert growth < 1e-5
    if name == "coulomb":
        assert found.most_halvings > 1  # its friction is stiff near standstill
        assert 0 < found.halved < 1


def test_divergence_is_told_with_its_time():
    """q̈ = q̇² blows up at t = 1 / q̇(0); the others go on."""
    q = torch.zeros(3, 1, dtype=torch.float64)
    qd = torch.tensor([[2.0], [0.1], [4.0]], dtype=torch.float64)
    one = torch.ones(1, dtype=torch.float64)
    found = integrate(lambda u, q, qd: qd**2, q, qd, (one, one), Integration(0.01, 100))
    assert found.diverged_s[0] == pytest.approx(0.5, abs=0.02)
    assert torch.isinf(found.diverged_s[1])
    assert found.diverged_s[2] == pytest.approx(0.25, abs=0.02)
    np.testing.assert_allclose(found.qd[-1, 1], 0.1 / (1 - 0.1), rtol=1e-6)
    assert torch.isnan(found.q[-1, 0]).all()
    assert torch.isfinite(found.q[:, 1]).all()
