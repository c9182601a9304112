"""Every parametrisation gives what it promises, and no more; its inverse is one."""

import pytest
import torch

from robotid.dynamics.rnea import rnea
from robotid.errors import ConfigError
from robotid.spatial.inertia import Parts, phi_of, pseudo_inertia
from robotid.spatial.parametrisations.table import (
    BY_MOMENT,
    PARAMETRISATIONS,
    by_centre,
    parametrisation,
)
from robotid.spatial.so3 import rotation_exp
from tests.reference_models import random_state, random_tree

ENTRIES = PARAMETRISATIONS | {
    f"{name} by centre": by_centre(PARAMETRISATIONS[name]) for name in BY_MOMENT
}
EVERY = list(ENTRIES)
FULL = [name for name in EVERY if ENTRIES[name].guarantees.full]
DOUBLE = torch.float64


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=0, dtype=DOUBLE):
    return torch.randn(*shape, generator=generator(seed), dtype=dtype)


def thetas(entry, dtype=DOUBLE):
    """10,000 theta: 2,000 of each scale."""
    scales = torch.tensor([1e-3, 0.03, 0.3, 1.0, 3.0], dtype=dtype).repeat_interleave(2000)
    return normal(10_000, entry.size, dtype=dtype) * scales[:, None]


def least(matrix):
    return torch.linalg.eigvalsh(matrix)[..., 0]


def checks(body):
    """What holds, to rounding, for each of some bodies; computed in the dtype they came in.

    The inertia about the centre is recovered from the one about the origin, which may be larger by
    many orders of magnitude (h²/m of a light link), so it is known to eps times the latter.
    """
    mass, h, inertia = (part.double() for part in body)
    eps = torch.finfo(body.mass.dtype).eps
    outer = h[..., :, None] * h[..., None, :] / mass[..., None, None]
    trace = outer.diagonal(dim1=-2, dim2=-1).sum(-1)
    central = inertia - trace[..., None, None] * torch.eye(3, dtype=DOUBLE) + outer
    rounding = 32 * eps * (inertia.abs().amax((-2, -1)) + trace.abs())
    symmetric = (inertia - inertia.mT).abs().amax((-2, -1)) <= rounding
    half = 0.5 * central.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]
    sigma = half * torch.eye(3, dtype=DOUBLE) - central
    return {
        "symmetric": symmetric,
        "mass_positive": mass > 0,
        "inertia_positive": least(central) > -rounding,
        "triangle": least(sigma) > -rounding,
    }


@pytest.mark.parametrize("dtype", [DOUBLE, torch.float32])
@pytest.mark.parametrize("name", EVERY)
def test_gives_what_it_promises_and_no_more(name, dtype):
    entry = ENTRIES[name]
    found = checks(entry.forward(thetas(entry, dtype)))
    for promise, kept in entry.guarantees._asdict().items():
        if kept:
            assert bool(found[promise].all()), promise
        else:
            assert not bool(found[promise].all()), f"{name} always has {promise}: say so"


@pytest.mark.parametrize("name", FULL)
def test_full_means_positive_definite(name):
    """Away from the boundary and with moderate offsets the sign is certain."""
    entry = ENTRIES[name]
    theta = 0.3 * normal(10_000, entry.size)
    theta[:, 0] += torch.where(theta[:, 0] < 0, -1.0, 1.0)
    eigenvalues = torch.linalg.eigvalsh(pseudo_inertia(entry.phi(theta)))
    assert bool((eigenvalues[:, 0] > -1e-15 * eigenvalues[:, -1]).all())
    assert (eigenvalues[:, 0] > 0).double().mean() > 0.999


def rigid_bodies(thickness, offset, count=2000):
    """Bodies of any orientation: sizes of the three principal directions, distance of the centre."""
    mass = 10 ** (2 * torch.rand(count, generator=generator(1), dtype=DOUBLE) - 1)
    sizes = torch.tensor(thickness, dtype=DOUBLE) * (
        0.5 + torch.rand(count, 3, generator=generator(4), dtype=DOUBLE)
    )
    second = mass[:, None] * sizes**2
    rotation = rotation_exp(normal(count, 3, seed=2))
    inertia = rotation @ torch.diag_embed(second.sum(-1, keepdim=True) - second) @ rotation.mT
    return phi_of(Parts(mass, offset * normal(count, 3, seed=3), inertia))


BODIES = {
    "ordinary": ((0.1, 0.2, 0.05), 0.1),
    "ball": ((0.1, 0.1, 0.1), 0.0),
    "thin rod": ((0.3, 1e-3, 1e-3), 0.1),
    "thin plate": ((0.3, 0.3, 1e-3), 0.1),
    "far away": ((0.1, 0.1, 0.1), 10.0),
    "thin and far away": ((0.3, 1e-3, 1e-3), 3.0),
}


def biggest(phi):
    return phi.abs().amax(-1, keepdim=True)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("name", EVERY)
def test_inverse(name, kind):
    """Agreement relative to the largest entry: 1e-12 of rounding, and what the small constant of the
    map, 1e-8 kg m², moves those by that are thinner than it allows; `diffbary` adds its constant
    about the origin, which is up to (1 + |c|²) times as much about the centre."""
    entry, phi = ENTRIES[name], rigid_bodies(*BODIES[kind])
    theta = entry.theta(phi)
    assert bool(theta.isfinite().all())
    moved = torch.zeros(len(phi), 1, dtype=DOUBLE)
    if "thin" in kind and entry.name in ("spd", "tri", "cov", "diffbary"):
        moved += 2e-8
    if name == "diffbary":
        moved *= 1 + (phi[:, 1:4] / phi[:, :1]).square().sum(-1, keepdim=True)
    back = entry.forward(theta).phi()
    assert bool(((back - phi).abs() <= 1e-12 * biggest(phi) + moved).all())


@pytest.mark.parametrize("name", EVERY)
def test_inverse_in_single_precision(name):
    entry, phi = ENTRIES[name], rigid_bodies(*BODIES["ordinary"]).float()
    theta = entry.theta(phi)
    assert theta.dtype == torch.float32
    back = entry.forward(theta).phi()
    assert float(((back - phi).abs() / biggest(phi)).max()) < 3e-6  # 20 roundings of 1.2e-7


ON_THE_BOUNDARY = {
    "point mass": ((0.0, 0.0, 0.0), 0.3),
    "rod without thickness": ((0.3, 0.0, 0.0), 0.3),
    "plate without thickness": ((0.3, 0.2, 0.0), 0.3),
}


@pytest.mark.parametrize("kind", ON_THE_BOUNDARY)
@pytest.mark.parametrize("name", EVERY)
def test_inverse_on_the_boundary(name, kind):
    """Moved inside by the small constant of the map, never refused, never infinite."""
    entry, phi = ENTRIES[name], rigid_bodies(*ON_THE_BOUNDARY[kind])
    theta = entry.theta(phi)
    assert bool(theta.isfinite().all())
    assert float((entry.forward(theta).phi() - phi).abs().max()) < 1e-7


@pytest.mark.parametrize("name", EVERY)
def test_beyond_the_boundary_is_refused(name):
    entry = ENTRIES[name]
    phi = rigid_bodies(*BODIES["ordinary"], count=3)
    broken = {
        "mass_positive": phi * torch.tensor([-1.0] + 9 * [1.0], dtype=DOUBLE),
        "inertia_positive": phi - torch.tensor(4 * [0.0] + [9.0, 0, 9, 0, 0, 9], dtype=DOUBLE),
        "triangle": phi + torch.tensor(9 * [0.0] + [9.0], dtype=DOUBLE),
    }
    for promise, wrong in broken.items():
        mixed = torch.stack([phi[0], phi[1], wrong[2]])
        if getattr(entry.guarantees, promise):
            with pytest.raises(ConfigError, match="link 2: "):
                entry.theta(mixed)
        else:
            back = entry.forward(entry.theta(mixed)).phi()
            assert torch.allclose(back, mixed, rtol=0, atol=1e-12 * float(biggest(mixed).max()))


@pytest.mark.parametrize("name", EVERY)
def test_gradients(name):
    entry = ENTRIES[name]
    theta = 0.5 * normal(4, entry.size)
    theta[:, 0] += 1.0
    theta[1, 4:] *= 1e-4  # where axis-angle uses its series
    theta.requires_grad_(True)
    assert torch.autograd.gradcheck(entry.phi, theta)


@pytest.mark.parametrize("dtype", [DOUBLE, torch.float32])
@pytest.mark.parametrize("name", EVERY)
def test_gradients_at_zero_are_finite(name, dtype):
    entry = ENTRIES[name]
    zero = torch.zeros(entry.size, dtype=dtype)
    if name == "nostr":
        zero[0] = 1.0  # without mass it has no centre
    extreme = torch.zeros(2, entry.size, dtype=dtype)
    extreme[:, 0] = 1.0
    extreme[:, -1] = torch.tensor([-200.0, 200.0])  # where the sigmoid of `tri` is 0 and 1
    for start in (zero, extreme):
        theta = start.clone().requires_grad_(True)
        entry.phi(theta).square().sum().backward()
        assert bool(theta.grad.isfinite().all())


@pytest.mark.parametrize("shape", [(), (1,), (20,), (3, 4)])
@pytest.mark.parametrize("name", EVERY)
def test_batch_shapes(name, shape):
    entry = ENTRIES[name]
    theta = normal(*shape, entry.size)
    together = entry.phi(theta)
    assert together.shape == (*shape, 13 if entry.name == "nostr" else 10)
    phi = rigid_bodies(*BODIES["ordinary"])[: max(1, theta[..., 0].numel())].reshape(*shape, 10)
    inverse = entry.theta(phi)
    assert inverse.shape == theta.shape
    for index in torch.ones(shape).nonzero().tolist():
        place = tuple(index)
        alone = entry.phi(theta[place])
        torch.testing.assert_close(together[place], alone, rtol=1e-13, atol=1e-14)
        torch.testing.assert_close(inverse[place], entry.theta(phi[place]), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_inverse_dynamics_takes_every_phi(name):
    robot = random_tree(7, bodies=5, floating=False)
    phi = torch.tensor(robot.phi)
    q, qd, qdd = (torch.from_numpy(x) for x in random_state(robot, 1, (6,)))
    entry = ENTRIES[name]
    tau = rnea(robot, q, qd, qdd, entry.phi(entry.theta(phi)))
    torch.testing.assert_close(tau, rnea(robot, q, qd, qdd, phi), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", EVERY)
def test_random_start(name):
    entry = ENTRIES[name]
    one, two = (entry.random(generator(5), 4000) for _ in range(2))
    assert torch.equal(one, two)
    assert one.shape == (4000, entry.size)
    assert bool(entry.forward(one).inertia.isfinite().all())
    torch.testing.assert_close(
        one.std(0), torch.tensor(entry.spread, dtype=DOUBLE), rtol=0.06, atol=0
    )  # five standard errors of a deviation from 4000 values
    assert entry.random(generator(5), 2, torch.float32).dtype == torch.float32


@pytest.mark.parametrize("name", BY_MOMENT)
def test_by_centre_is_the_same_link(name):
    """Entries (…, c, …) and (…, m c, …) give one body; by the centre also where the mass is gone."""
    own, given = ENTRIES[f"{name} by centre"], PARAMETRISATIONS[name]
    assert own.components[1:4] == ("cx", "cy", "cz")
    theta = normal(50, own.size)
    body = own.forward(theta)
    moments = theta.clone()
    moments[:, 1:4] *= body.mass[:, None]
    torch.testing.assert_close(own.phi(theta), given.phi(moments), rtol=1e-9, atol=1e-9)
    theta[:, 0] = 0.0
    assert float(own.phi(theta).abs().max()) < 100.0


def test_unknown_name():
    with pytest.raises(ConfigError, match="did you mean 'moments'"):
        parametrisation("moment")
