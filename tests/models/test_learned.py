"""Learned torque models: their parts add up, remember in order, and are what papers count."""

import numpy as np
import pytest
import torch

from robotid.contracts.learned import Architecture
from robotid.information.layout import Layout
from robotid.models.learned.architecture import empty
from robotid.models.learned.bodies import LinkBody, joint_columns
from robotid.models.learned.inverse import Motion
from robotid.models.learned.torques import LearnedTorques
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.stepping import stepper
from robotid.robot.catalog import shipped_path
from robotid.robot.load import load_robot

TERMS = ("viscous", "coulomb", "offset", "rotor")
LSTM = {"residual": "lstm", "hidden": (100,), "memory": 50}
PARTS = {
    "lstm": Architecture(body="none", **LSTM),
    "mlp": Architecture(body="none", residual="mlp", hidden=(200, 200)),
    "delan": Architecture(body="delan", residual="none", lagrangian=(200, 200)),
    "hybrid": Architecture(body="links", inertia="diffbary", **LSTM),
    "stribeck": Architecture(body="links", inertia="log", actuator="stribeck", residual="none"),
}


@pytest.fixture(scope="module")
def panda():
    return load_robot(shipped_path("panda")).tree


def model_of(name, robot, terms=TERMS):
    layout = Layout(robot, terms)
    return LearnedTorques(layout, empty(PARTS[name], layout))


def motion(robot, count=300, seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(size=(count, robot.n)) for _ in range(3)]


@pytest.mark.parametrize(
    ("name", "weights"), [("lstm", 33_258), ("mlp", 46_008), ("delan", 47_629)]
)
def test_networks_are_as_large_as_published(panda, name, weights):
    model = model_of(name, panda, ()).model
    assert sum(values.numel() for values in model.parameters()) == weights


@pytest.mark.parametrize("name", PARTS)
def test_parts_add_up_to_the_torque(panda, name):
    model, given = model_of(name, panda), motion(panda)
    parts = model.parts(*given)
    np.testing.assert_allclose(sum(parts.values()), model.torque(*given), atol=1e-9)
    wanted = {"lstm": {"residual"}, "mlp": {"residual"}, "hybrid": {"body", "joints", "residual"}}
    assert set(parts) == wanted.get(name, {"body", "joints"})


@pytest.mark.parametrize("name", ["hybrid", "lstm", "stribeck"])
def test_batches_in_order_give_what_all_at_once_gives(panda, name):
    """What a model remembers passes from one batch to the next, however they are cut."""
    model, given = model_of(name, panda, ("viscous", "coulomb-held(0.5)")), motion(panda)
    whole, held = model.torque(*given), {}
    pieces = [
        model.torque(*(x[a:b] for x in given), held) for a, b in ((0, 7), (7, 200), (200, 300))
    ]
    np.testing.assert_allclose(np.concatenate(pieces), whole, atol=1e-6)


def test_a_memory_sees_what_was_before(panda):
    model, given = model_of("lstm", panda), motion(panda)
    other = [x.copy() for x in given]
    other[1][10] += 1.0
    apart = np.abs(model.torque(*given) - model.torque(*other)).max(1)
    assert apart[:10].max() == 0
    assert apart[11] > 0


def test_links_and_terms_are_those_of_a_rigid_body_fit(panda):
    layout = Layout(panda, ("viscous", "coulomb-held(0.1)", "offset", "rotor", "load"))
    phi = np.concatenate([panda.phi.ravel(), np.linspace(0.1, 1.0, len(layout.own))])
    model = empty(PARTS["hybrid"].model_copy(update={"residual": "none"}), layout)
    assert isinstance(model.body, LinkBody)
    with torch.no_grad():
        kind = model.body.parametrisation
        model.body.theta.copy_(kind.theta(torch.tensor(panda.phi)))
        own = np.where(layout.positive[layout.links :], np.sqrt(phi[layout.links :]),
                       phi[layout.links :])  # fmt: skip
        model.joints.entries.copy_(torch.tensor(own))
    given = motion(panda)
    np.testing.assert_allclose(
        LearnedTorques(layout, model).torque(*given),
        RigidBodyModel(layout, phi).torque(*given),
        rtol=1e-6, atol=1e-6,
    )  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_parallel_motions_step_by_step_are_as_each_alone(panda, name):
    """As a controller calls them: every motion with a memory and held signs of its own."""
    model = model_of(name, panda, ("viscous", "coulomb-held(0.5)", "load", "rotor"))
    given = [np.stack(x) for x in zip(*(motion(panda, 30, seed) for seed in range(4)), strict=True)]
    step = stepper(model, 4)
    found = np.stack([step(*(x[:, k] for x in given)) for k in range(30)], axis=1)
    for number in range(4):
        wanted = model.torque(*(x[number] for x in given))
        np.testing.assert_allclose(found[number], wanted, rtol=1e-4, atol=1e-5)


def test_gradients_reach_every_part(panda):
    model = model_of("hybrid", panda)
    q, qd, qdd = (torch.tensor(x[None]) for x in motion(panda, 50))
    columns = joint_columns(model.layout, *(x[0].numpy() for x in (q, qd, qdd)))
    torque, _ = model.model(Motion(q, qd, qdd, torch.tensor(columns)[None]))
    torque.pow(2).sum().backward()
    for name, values in model.model.named_parameters():
        assert values.grad is not None, name
        assert torch.isfinite(values.grad).all(), name
        assert values.grad.abs().sum() > 0, name


def test_seeds_differ_and_leave_other_random_numbers_alone(panda):
    layout = Layout(panda, ())
    torch.manual_seed(1)
    wanted = torch.rand(3)
    torch.manual_seed(1)
    model = empty(PARTS["lstm"], layout)
    assert torch.equal(torch.rand(3), wanted)
    again = empty(PARTS["lstm"], layout)
    assert all(
        torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True)
    )
