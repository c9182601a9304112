"""Deep Lagrangian networks keep to the mechanics of the energies they have."""

import pytest
import torch
from torch.func import grad, hessian, jacrev, vmap

from robotid.models.deep_lagrangian import DeepLagrangian

CASES = [
    (1, "softplus", "positions"),
    (2, "tanh", "circles"),
    (4, "softplus", "circles"),
    (7, "tanh", "positions"),
]


def made(n, activation="softplus", inputs="positions", seed=0):
    scale = torch.linspace(0.5, 20.0, n).double()
    generator = torch.Generator().manual_seed(seed)
    return DeepLagrangian(n, generator, (24, 16), activation, inputs, scale)


def states(n, count=40, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(count, n, generator=generator).double() for _ in range(3)]


@pytest.mark.parametrize(("n", "activation", "inputs"), CASES)
def test_torques_are_those_of_euler_and_lagrange(n, activation, inputs):
    """d/dt ∂L/∂q̇ − ∂L/∂q, by derivatives of L alone, which know nothing of the layers."""
    model, (q, qd, qdd) = made(n, activation, inputs), states(n)

    def lagrangian(q, qd):
        return 0.5 * qd @ model.inertia(q) @ qd - model.potential(q)

    def torque(q, qd, qdd):
        both = torch.cat([q, qd])
        second = hessian(lambda x: lagrangian(x[:n], x[n:]))(both)
        return second[n:, n:] @ qdd + second[n:, :n] @ qd - grad(lagrangian)(q, qd)

    expected = vmap(torque)(q, qd, qdd)
    torch.testing.assert_close(model(q, qd, qdd), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n", "activation", "inputs"), CASES)
def test_torques_by_finite_differences(n, activation, inputs):
    """Momentum and energy differ by steps of 1e-5: errors of 1e-10, far below 1e-6 of torques."""
    model, (q, qd, qdd) = made(n, activation, inputs), states(n)
    step = 1e-5

    def momentum(t):
        moved = q + t * qd + 0.5 * t * t * qdd
        return (model.inertia(moved) @ (qd + t * qdd)[..., None])[..., 0]

    def lagrangian(q):
        speed = qd[..., None, :] @ model.inertia(q) @ qd[..., None]
        return 0.5 * speed[..., 0, 0] - model.potential(q)

    with torch.no_grad():
        changing = (momentum(step) - momentum(-step)) / (2 * step)
        of_place = [
            (lagrangian(q + step * unit) - lagrangian(q - step * unit)) / (2 * step)
            for unit in torch.eye(n).double()
        ]
        found = model(q, qd, qdd)
    expected = changing - torch.stack(of_place, -1)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-6 * float(expected.abs().max()))


def test_mass_matrices_are_positive_definite_everywhere():
    for seed in range(20):
        model = made(5, inputs="circles" if seed % 2 else "positions", seed=seed)
        with torch.no_grad():
            found = torch.linalg.eigvalsh(model.inertia(5 * states(5, 500, seed)[0]))
        assert (found[:, 0] > 0).all()


@pytest.mark.parametrize(("n", "activation", "inputs"), CASES)
def test_it_is_passive(n, activation, inputs):
    """q̇ᵀ τ is the change of its energy: Ḣ − 2C does no work."""
    model, (q, qd, qdd) = made(n, activation, inputs), states(n)

    def energy(q, qd):
        return 0.5 * qd @ model.inertia(q) @ qd + model.potential(q)

    by_q, by_qd = (vmap(jacrev(energy, place))(q, qd) for place in (0, 1))
    change = (by_q * qd + by_qd * qdd).sum(-1)
    torch.testing.assert_close((model(q, qd, qdd) * qd).sum(-1), change, rtol=1e-9, atol=1e-9)


def test_parts_add_up_and_depend_on_what_they_should():
    model, (q, qd, qdd) = made(3), states(3)
    terms = model.terms(q, qd, qdd)
    torch.testing.assert_close(sum(terms), model(q, qd, qdd))
    still = model.terms(q, 0 * qd, 0 * qdd)
    assert not still.inertial.any()
    assert not still.velocity.any()
    torch.testing.assert_close(still.potential, terms.potential)
    torch.testing.assert_close(model.terms(q, 2 * qd, qdd).velocity, 4 * terms.velocity)


def test_the_network_of_the_literature_has_its_number_of_weights():
    """Seven joints, 2 × 200 units, 28 + 1 results: 47,629 (Reuss et al. 2022)."""
    model = DeepLagrangian(7, torch.Generator().manual_seed(0))
    assert sum(p.numel() for p in model.parameters()) == 47_629


def test_gradients_reach_every_weight():
    model, (q, qd, qdd) = made(3), states(3)
    model(q, qd, qdd).square().mean().backward()
    for name, values in model.named_parameters():
        assert values.grad is not None, name
        assert values.grad.abs().sum() > 0, name


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_gradients_are_those_of_differentiating_the_lagrangian(dtype):
    """Of weights and of motions; in single precision to the 1e-4 that sums of many leave."""
    model = DeepLagrangian(3, torch.Generator().manual_seed(0), (24, 16), dtype=dtype)
    motion = [x.to(dtype).requires_grad_() for x in states(3)]

    def by_autograd(q, qd, qdd):
        H, V = model.energies(q)
        lagrangian = (0.5 * qd[:, None] @ H @ qd[..., None]).sum() - V.sum()
        by_q, momentum = torch.autograd.grad(lagrangian, (q, qd), create_graph=True)
        rows = [torch.autograd.grad(p.sum(), (q, qd), create_graph=True) for p in momentum.mT]
        return torch.stack([(a * qd + b * qdd).sum(-1) for a, b in rows], -1) - by_q

    found, expected = (
        torch.autograd.grad(torques(*motion).square().mean(), [*model.parameters(), *motion],
                            allow_unused=True)
        for torques in (model, by_autograd)
    )  # fmt: skip
    tolerance = 1e-9 if dtype == torch.float64 else 1e-4
    for own, other in zip(found, expected, strict=True):
        if other is None:  # the bias of the potential, which torques do not depend on
            assert not own[-1].any()
            continue
        torch.testing.assert_close(own, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(), (1,), (20,), (3, 4), (0,)])
def test_any_axes_may_come_first(shape):
    model = made(2, inputs="circles")
    motion = [torch.randn(*shape, 2, generator=torch.Generator().manual_seed(k)).double()
              for k in range(3)]  # fmt: skip
    one_by_one = [model(*row) for row in zip(*(x.reshape(-1, 2) for x in motion), strict=True)]
    found = model(*motion)
    assert found.shape == (*shape, 2)
    assert model.inertia(motion[0]).shape == (*shape, 2, 2)
    assert model.potential(motion[0]).shape == shape
    assert all(part.shape == (*shape, 2) for part in model.terms(*motion))
    if one_by_one:
        torch.testing.assert_close(found.reshape(-1, 2), torch.stack(one_by_one))


def test_files_of_weights_hold_what_they_always_held():
    kept = {name.split(".")[0] for name in made(2).state_dict()}
    assert kept == {"rows", "columns", "root", "of_potential", "weights", "biases"}
