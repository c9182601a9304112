"""Lagrangians of floating robots: the mechanics of their energies, and what they cannot violate."""

import numpy as np
import pytest
import torch

from robotid.dynamics.crba import crba
from robotid.dynamics.rnea import rnea
from robotid.models.floating.energies import Scales
from robotid.models.floating.lagrangian import FloatingLagrangian, Kind, networks_of
from robotid.models.floating.pattern import BASE, branched, chains, count
from robotid.models.floating.symmetric import applied, eigen, outer
from robotid.robot.load import load_robot
from robotid.robot.tree import Joint, RobotTree
from tests.models.floating_reference import (
    Function,
    Paper,
    euler_lagrange,
    in_base_coordinates,
    reordered,
    to_base,
)

KINDS: tuple[Kind, ...] = ("felan", "felan-bs", "delan", "delan-pp")
ROBOTS = ("quadruped", "humanoid")


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return load_robot(request.param).tree


def normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def made(robot, kind, seed=0, wild=0.5):
    """A network whose weights are far from its beginning."""
    generator = torch.Generator().manual_seed(seed)
    usual = torch.cat([torch.full((3,), 15.0), torch.full((3,), 0.5), torch.full((robot.n,), 0.2)])
    scales = Scales(usual.double(), torch.tensor(15.0), torch.tensor(0.8), torch.tensor([[1.0], [2.0]]).expand(2, 3).double(),
                    torch.tensor(3.0).double())  # fmt: skip
    model = FloatingLagrangian(robot, kind, generator)
    model.begin_with(scales)
    with torch.no_grad():
        for values in model.parameters():
            values.add_(wild * normal(generator, *values.shape))
    return model


def state(robot, seed):
    generator = torch.Generator().manual_seed(seed)
    return [normal(generator, BASE + robot.n) for _ in range(3)]


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_those_of_the_paper(robot, kind):
    """Euler angles, world coordinates and autograd throughout; its Cholesky factors lose digits."""
    model, (x, xd, xdd) = made(robot, kind), state(robot, 1)
    expected = euler_lagrange(Paper(model).lagrangian, x, xd, xdd)
    q, nu, rate = in_base_coordinates(x, xd, xdd)
    found = to_base(x).mT @ model(q[None], nu[None], rate[None])[0]
    assert (found - expected).abs().max() < 1e-6 * expected.abs().max()
    H, mass, h = Paper(model).terms(x[BASE:])
    own = model.inertia(q[None])
    assert (own.H[0] - H).abs().max() < 1e-8 * H.abs().max()
    assert own.mass[0].item() == pytest.approx(mass.item(), rel=1e-8)
    assert (own.h[0] - h).abs().max() < 1e-8 * H.abs().max()


@pytest.mark.parametrize("kind", KINDS)
def test_parts_add_up_and_power_is_the_change_of_energy(robot, kind):
    model, (x, xd, xdd) = made(robot, kind, 3), state(robot, 4)
    q, nu, rate = (part[None] for part in in_base_coordinates(x, xd, xdd))
    total, terms = model(q, nu, rate), model.terms(q, nu, rate)
    torch.testing.assert_close(sum(terms), total, rtol=1e-9, atol=1e-9 * total.abs().max().item())
    inertial = (model.inertia(q).H @ rate[..., None])[..., 0]
    close = {"rtol": 1e-8, "atol": 1e-8 * inertial.abs().max().item()}
    torch.testing.assert_close(terms.inertial, inertial, **close)
    paper = Paper(model)

    def energy(at, speed):
        H, mass, h = paper.terms(at[BASE:])
        own = to_base(at) @ speed
        return 0.5 * own @ H @ own + paper.potential(at, mass, h)

    _, power = torch.func.jvp(energy, (x, xd), (xd, xdd))
    assert (total[0] @ nu[0]).item() == pytest.approx(power.item(), rel=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_training_gets_right_gradients(robot, kind):
    """Against differences of 1e-6, which are right to about 1e-7."""
    model = made(robot, kind, 5, wild=0.2)
    motion = [torch.stack(part) for part in zip(*(
        in_base_coordinates(*state(robot, seed)) for seed in (6, 7, 8)), strict=True)]  # fmt: skip
    generator = torch.Generator().manual_seed(9)
    wanted = normal(generator, 3, BASE + robot.n)
    learned = list(model.parameters())
    ways = [normal(generator, *values.shape) for values in learned]

    def loss():
        return ((model(*motion) - wanted) ** 2).mean()

    slopes = torch.autograd.grad(loss(), learned)
    step = 1e-6
    with torch.no_grad():
        for values, way in zip(learned, ways, strict=True):
            values.add_(step * way)
        above = loss()
        for values, way in zip(learned, ways, strict=True):
            values.sub_(2 * step * way)
        expected = (above - loss()) / (2 * step)
    found = sum((a * b).sum() for a, b in zip(slopes, ways, strict=True))
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)


def _bent_back(values):
    """What softplus makes of it plus the least that is allowed is the value."""
    return torch.log(torch.expm1(values - 1e-2))


def true_terms(robot):
    """A felan whose networks are functions that give the true terms of a robot.

    Each sees its own joints alone: all others are at random.
    """
    generator = torch.Generator().manual_seed(11)
    other = torch.cat([torch.zeros(6), torch.ones(1), normal(generator, robot.n)]).double()
    usual = crba(robot, other).diagonal().clone()
    usual[:3], usual[3:6] = usual[:3].mean(), usual[3:6].mean()
    one = torch.tensor(1.0).double()
    scales = Scales(usual, usual[0], one, torch.tensor([[0.0], [1.0]]).expand(2, 3).double(), one)
    model = FloatingLagrangian(robot, "felan", generator)
    model.begin_with(scales)
    model.energy.soft = 1e-2  # so that the mass stays what it is
    root = usual.sqrt()

    def inertia(joints, features):
        cos, sin = features.chunk(2)
        places = torch.tensor([7 + joint for joint in joints])
        q = other.index_put((places,), torch.atan2(sin, cos))
        H = crba(robot, q)
        return H - torch.diag(torch.cat([torch.zeros(6), 1e-6 * usual[6:]]))

    def entries(part):
        rows, columns = (torch.tensor(x) for x in zip(*part.entries, strict=True))

        def function(features):
            L = reordered(inertia(part.joints, features))
            raw = L[rows, columns] / root[columns]
            return torch.where(rows == columns, _bent_back(raw.clamp(min=0.02)), raw)

        return function

    def base(features):
        H = inertia(range(robot.n), features)
        rotational, W, s = H[3:6, 3:6], reordered(H)[6:, 3:6], 1e-2 * usual[3]
        least = torch.linalg.eigvalsh(rotational - W.mT @ W)[0]  # of D̂; its β is least − λ_min(D)
        beta = least - s * torch.log(torch.expm1(least / s - 0.1))
        eye = torch.eye(3, dtype=torch.float64)
        sigma = 0.5 * rotational.trace() * eye - rotational - 0.5 * beta * eye
        L = reordered(sigma) / root[3]
        h = torch.stack([H[5, 1], H[3, 2], H[4, 0]])  # the lever is 1 kg m
        d = _bent_back(L.diagonal())
        return torch.cat([h, torch.stack([d[0], L[1, 0], d[1], L[2, 0], L[2, 1], d[2]])])

    model.networks = torch.nn.ModuleList(Function(entries(part)) for part in model.parts)
    model.energy.network = Function(base)
    with torch.no_grad():  # far from where the softplus bends
        model.energy.mass_root.copy_((crba(robot, other)[0, 0] - 0.1 * 1e-2 * usual[0]).sqrt())
    return model


def test_true_terms_give_newton_and_euler():
    """The robot's own H, h and m in the place of networks: what `rnea` gives, to 1e-8."""
    for name in ROBOTS:
        robot = load_robot(name).tree
        model = true_terms(robot)
        x, xd, xdd = (0.4 * part for part in state(robot, 12))
        q, nu, rate = (part[None] for part in in_base_coordinates(x, xd, xdd))
        expected = rnea(robot, q, nu, rate)
        found = model(q, nu, rate)
        assert (found - expected).abs().max() < 1e-8 * expected.abs().max()
        assert (model.inertia(q).H - crba(robot, q)).abs().max() < 1e-8 * crba(robot, q).abs().max()


@pytest.mark.parametrize("seed", range(20))
def test_guarantees_of_random_networks(seed):
    """500 configurations of each of 20 networks, 10,000 in all; benchmarks count more of both."""
    robot = load_robot(ROBOTS[seed % 2]).tree
    model = made(robot, "felan", seed, wild=(0.1, 0.5, 1.0)[seed % 3])
    generator = torch.Generator().manual_seed(seed)
    q = normal(generator, 500, 7 + robot.n)
    with torch.no_grad():
        H, mass, h = model.inertia(q)
    assert check_guarantees(robot, H, mass, h) == []


def check_guarantees(robot, H, mass, h):
    """What is violated."""
    found = []
    values = torch.linalg.eigvalsh(H)
    if not (values[:, 0] > -1e-14 * values[:, -1]).all():
        found.append("not positive definite")
    moves = torch.from_numpy(robot.ancestors[1:, 1:].copy())
    apart = ~(moves | moves.mT)
    if H[:, BASE:, BASE:][:, apart].any():
        found.append("branches feel each other")
    if not torch.allclose(H[:, :3, :3], mass[:, None, None] * torch.eye(3, dtype=H.dtype)):
        found.append("mass depends on the direction")
    if not torch.equal(H[:, 3:6, :3], -H[:, 3:6, :3].mT):
        found.append("no first moment")
    moments = torch.linalg.eigvalsh(H[:, 3:6, 3:6])
    if not (moments[:, 0] + moments[:, 1] >= moments[:, 2] * (1 - 1e-12)).all():
        found.append("triangle inequality")
    L = torch.linalg.cholesky(
        H.flip(1, 2) + 1e-12 * values[:, -1, None, None] * torch.eye(len(H[0]))
    )
    L = L.flip(1, 2).mT[:, BASE:, BASE:]
    if (L[:, ~moves].abs() > 1e-9 * L.abs().amax((1, 2))[:, None]).any():
        found.append("factor with other zeros")
    return found


def test_blocks_do_not_depend_on_other_branches(robot):
    model, generator = made(robot, "felan", 1), torch.Generator().manual_seed(2)
    q = normal(generator, 7 + robot.n)
    legs = chains(robot)[:2]
    with torch.no_grad():
        before = model.inertia(q[None]).H[0]
        q[[7 + joint for joint in legs[0]]] += 1.0
        after = model.inertia(q[None]).H[0]
    own, other = ([BASE + joint for joint in leg] for leg in legs)
    assert torch.equal(before[other][:, other], after[other][:, other])
    assert torch.equal(before[other][:, :BASE], after[other][:, :BASE])
    assert not torch.equal(before[own][:, own], after[own][:, own])


def test_nothing_depends_on_where_the_base_is_but_through_a_mass_that_varies(robot):
    """H is in base coordinates; m̂ of a felan is constant while the softplus is at its end."""
    model, generator = made(robot, "felan", 3, wild=0.0), torch.Generator().manual_seed(4)
    model.energy.soft = 1e-2
    q, nu, rate = normal(generator, 5, 7 + robot.n), *(normal(generator, 2, 5, BASE + robot.n))
    with torch.no_grad():
        here = model(q, nu, rate)
        q[:, :3] += 100.0
        there = model(q, nu, rate)
    assert model.inertia(q).mass.std().item() < 1e-6
    torch.testing.assert_close(here, there, rtol=1e-5, atol=1e-5)


def test_numbers_of_entries():
    """Schulze et al., Table I; for the humanoid it prints 199 and 210 (see docs/floating)."""
    quadruped, humanoid = (load_robot(name).tree for name in ROBOTS)
    assert count(branched(quadruped)) + 10 == 106
    assert count(networks_of(quadruped, "felan-bs")) == 117
    assert count(networks_of(quadruped, "delan")) == 171
    assert count(branched(with_arm(quadruped))) + 10 == 176
    assert count(networks_of(with_arm(quadruped), "felan-bs")) == 187
    assert count(branched(humanoid)) + 10 == 223
    assert count(networks_of(humanoid, "felan-bs")) == 234


def with_arm(robot, joints=7):
    """A robot with a chain of joints more on its base."""
    first = robot.bodies
    arm = tuple(Joint(f"arm{k}", "revolute", (0.0, 0.0, 1.0)) for k in range(joints))
    return RobotTree(
        robot.name,
        robot.base,
        (*robot.links, *(f"arm_link{k}" for k in range(joints))),
        (*robot.joints, *arm),
        (*robot.parents, 0, *range(first, first + joints - 1)),
        np.concatenate([robot.placements, np.tile(np.eye(4), (joints, 1, 1))]),
        np.concatenate([robot.phi, np.tile(robot.phi[-1:], (joints, 1))]),
        robot.gravity,
    )


def test_networks_see_what_entries_depend_on():
    """Torso and arms of a humanoid: MATHS of branches with branches."""
    robot = load_robot("humanoid").tree
    torso, left, right = chains(robot)[2:]
    seen = {entry: set(part.joints) for part in branched(robot) for entry in part.entries}
    arm, waist = BASE + left[-1], BASE + torso[0]
    assert seen[arm, BASE + left[0]] == set(left)
    assert seen[arm, waist] == seen[arm, 0] == set(torso) | set(left)
    assert seen[waist, 0] == seen[waist, waist] == set(torso) | set(left) | set(right)
    assert (BASE + right[0], arm) not in seen


def test_prismatic_joints_are_seen_as_they_are():
    robot = load_robot("quadruped").tree
    slides = robot.joints[3]._replace(kind="prismatic")
    tree = RobotTree(
        robot.name, robot.base, robot.links, (*robot.joints[:3], slides, *robot.joints[4:]),
        robot.parents, robot.placements, robot.phi, robot.gravity,
    )  # fmt: skip
    model = made(tree, "felan")
    q = torch.zeros(2, 7 + tree.n, dtype=torch.float64)
    q[:, 6] = 1.0
    q[1, 7 + 2] = 2 * np.pi
    with torch.no_grad():
        first, second = model.inertia(q).H
    assert not torch.allclose(first, second)
    x, xd, xdd = state(tree, 1)
    expected = euler_lagrange(Paper(model).lagrangian, x, xd, xdd)
    place, nu, rate = in_base_coordinates(x, xd, xdd)
    found = to_base(x).mT @ model(place[None], nu[None], rate[None])[0]
    assert (found - expected).abs().max() < 1e-6 * expected.abs().max()


def test_eigenvalues_are_those_of_lapack():
    generator = torch.Generator().manual_seed(0)
    a = normal(generator, 3, 3, 1000)
    a = a + a.transpose(0, 1)
    found = eigen(a)
    expected = torch.linalg.eigvalsh(a.permute(2, 0, 1))
    torch.testing.assert_close(found.values.mT, expected, rtol=1e-12, atol=1e-12)
    for place, vector in ((0, found.least), (2, found.largest)):
        torch.testing.assert_close(
            applied(a, vector), found.values[place] * vector, rtol=0, atol=1e-11
        )


def test_gradients_of_eigenvalues_and_vectors():
    generator = torch.Generator().manual_seed(1)

    def function(a):
        found = eigen(0.5 * (a + a.transpose(0, 1)))
        least, largest = (outer(v, v).flatten(0, 1) for v in (found.least, found.largest))
        return torch.cat([found.values, least, largest])

    given = normal(generator, 3, 3, 4).requires_grad_()
    assert torch.autograd.gradcheck(function, (given,))


def test_equal_eigenvalues_leave_gradients_finite():
    diagonals = torch.tensor(
        [[1.0, 1, 1], [1, 1, 2], [1, 2, 2], [0, 0, 0], [1, 1 + 1e-9, 2]]
    ).double()
    a = torch.diag_embed(diagonals).permute(1, 2, 0).contiguous().requires_grad_()
    found = eigen(a)
    torch.testing.assert_close(found.values.mT, diagonals.sort().values, rtol=0, atol=1e-7)
    (found.values.sum() + found.least.sum() + found.largest.sum()).backward()
    assert torch.isfinite(a.grad).all()
    assert a.grad.abs().max() < 1e6


def test_penalty_counts_what_falls_short():
    """A mass too small for its joints costs more than one that is large enough."""
    robot = load_robot("quadruped").tree
    generator = torch.Generator().manual_seed(0)
    model = FloatingLagrangian(robot, "felan", generator)
    one = torch.ones((), dtype=torch.float64)
    scales = Scales(one.expand(18), one, one, one.expand(2, 3), one)
    model.begin_with(scales, (1.0, 1.0))
    q, nu, rate = normal(generator, 4, 7 + robot.n), *normal(generator, 2, 4, BASE + robot.n)
    with torch.no_grad():
        model.energy.mass_root.fill_(30.0)
        _, large = model.judged(q, nu, rate)
        model.energy.mass_root.fill_(1e-3)
        _, small = model.judged(q, nu, rate)
        other = FloatingLagrangian(robot, "felan-bs", generator)
        other.begin_with(scales, (1.0, 1.0))
    assert (small > large).all()
    assert not other.judged(q, nu, rate)[1].any()
