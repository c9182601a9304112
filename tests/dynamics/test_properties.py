"""What the dynamics promise: identities, gradients, shapes, types, clear refusals."""

import itertools

import numpy as np
import pytest
import torch

from robotid.dynamics.aba import aba
from robotid.dynamics.crba import crba
from robotid.dynamics.energy import energy, kinetic_regressor, potential_regressor
from robotid.dynamics.kinematics import body_poses, jacobian
from robotid.dynamics.regressor import joint_torque_regressor
from robotid.dynamics.rnea import rnea
from robotid.errors import UsageError
from tests.reference_models import random_state, random_tree

TREES = [
    random_tree(1, bodies=4, floating=False),
    random_tree(2, bodies=4, floating=True),
    random_tree(3, bodies=1, floating=True),
    random_tree(5, bodies=7, floating=False),
]
SHAPES = [(), (1,), (20,), (3, 4)]
each_tree = pytest.mark.parametrize("robot", TREES, ids=lambda r: f"{r.name}-{r.bodies}")


def state(robot, seed=0, shape=(), dtype=torch.float64):
    return [torch.tensor(x, dtype=dtype) for x in random_state(robot, seed, shape)]


def relative(a, b):
    return float((a - b).abs().max() / b.abs().max().clamp_min(1e-12))


FUNCTIONS = {
    "rnea": lambda r, q, qd, qdd: rnea(r, q, qd, qdd),
    "aba": lambda r, q, qd, qdd: aba(r, q, qd, qdd),
    "crba": lambda r, q, qd, qdd: crba(r, q),
    "regressor": joint_torque_regressor,
    "kinetic": lambda r, q, qd, qdd: energy(r, q, qd).kinetic,
    "potential": lambda r, q, qd, qdd: energy(r, q, qd).potential,
    "kinetic regressor": lambda r, q, qd, qdd: kinetic_regressor(r, q, qd),
    "potential regressor": lambda r, q, qd, qdd: potential_regressor(r, q),
    "poses": lambda r, q, qd, qdd: body_poses(r, q),
    "jacobian": lambda r, q, qd, qdd: jacobian(r, q, r.bodies - 1),
}


@each_tree
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_batches_are_the_single_results(robot, name, shape):
    """Any leading axes; one by one the results differ by rounding at most."""
    function, arguments = FUNCTIONS[name], state(robot, 1, shape)
    whole = function(robot, *arguments)
    assert whole.shape[: len(shape)] == shape
    for index in itertools.product(*map(range, shape)):
        one = function(robot, *(x[index] for x in arguments))
        assert one.shape == whole.shape[len(shape) :]
        assert torch.allclose(whole[index], one, rtol=1e-11, atol=1e-11)


@each_tree
def test_arguments_broadcast(robot):
    """A batch of parameters, gravities or placements against one motion, and the other way round."""
    q, qd, qdd = state(robot)
    phi = torch.tensor(robot.phi) * torch.linspace(0.5, 2, 5)[:, None, None]
    gravity = torch.tensor(robot.gravity) * torch.linspace(0, 1, 5, dtype=torch.float64)[:, None]
    places = torch.tensor(robot.placements).expand(5, -1, -1, -1)
    whole = rnea(robot, q, qd, qdd, phi, placements=places, gravity=gravity)
    back = aba(robot, q, qd, whole, phi, placements=places, gravity=gravity)
    assert whole.shape == back.shape == (5, robot.nv)
    for i in range(5):
        one = rnea(robot, q, qd, qdd, phi[i], placements=places[i], gravity=gravity[i])
        assert torch.allclose(whole[i], one, rtol=1e-11, atol=1e-11)
        assert torch.allclose(back[i], qdd, rtol=1e-8, atol=1e-8)
    many = state(robot, 3, (5, 1))[0]
    assert rnea(robot, many, qd, qdd, phi).shape == (5, 5, robot.nv)


@each_tree
def test_forward_undoes_inverse(robot):
    q, qd, qdd = state(robot, 4, (50,))
    rotor = torch.rand(robot.n, dtype=torch.float64)
    tau = rnea(robot, q, qd, qdd, rotor_inertia=rotor)
    assert relative(aba(robot, q, qd, tau, rotor_inertia=rotor), qdd) < 1e-9
    back = rnea(robot, q, qd, aba(robot, q, qd, qdd, rotor_inertia=rotor), rotor_inertia=rotor)
    assert relative(back, qdd) < 1e-9


@each_tree
def test_mass_matrix_is_what_it_should_be(robot):
    """Symmetric, positive definite, columns are torques of unit accelerations."""
    (q, qd, _), rotor = state(robot, 5, (30,)), torch.rand(robot.n, dtype=torch.float64)
    for extra in (None, rotor):
        H = crba(robot, q, rotor_inertia=extra)
        assert torch.equal(H, H.mT)
        assert torch.linalg.eigvalsh(H).min() > 0
        still, weightless = torch.zeros_like(qd), torch.zeros(3, dtype=torch.float64)
        for column in range(robot.nv):
            unit = torch.zeros_like(qd)
            unit[..., column] = 1
            tau = rnea(robot, q, still, unit, gravity=weightless, rotor_inertia=extra)
            assert relative(H[..., column], tau) < 1e-11


@each_tree
def test_regressors_are_linear_forms(robot):
    q, qd, qdd = state(robot, 6, (10,))
    phi = torch.randn(
        robot.bodies, 10, dtype=torch.float64
    )  # of no rigid body: linear all the same
    Y = joint_torque_regressor(robot, q, qd, qdd)
    assert relative(Y @ phi.flatten(), rnea(robot, q, qd, qdd, phi)) < 1e-11
    found = energy(robot, q, qd, phi)
    assert relative(kinetic_regressor(robot, q, qd) @ phi.flatten(), found.kinetic) < 1e-11
    assert relative(potential_regressor(robot, q) @ phi.flatten(), found.potential) < 1e-11
    H = crba(robot, q, phi)
    assert relative((qd[..., None, :] @ H @ qd[..., None])[..., 0, 0] / 2, found.kinetic) < 1e-10


def configuration_rate(robot, q, qd):
    """dq/dt: the quaternion turns with the body rate."""
    if not robot.floating:
        return qd
    turn = body_poses(robot, q)[..., 0, :3, :3]
    x, y, z, w = q[..., 3:7].unbind(-1)
    a, b, c = qd[..., 3:6].unbind(-1)
    spin = torch.stack(
        [
            w * a + y * c - z * b,
            w * b + z * a - x * c,
            w * c + x * b - y * a,
            -x * a - y * b - z * c,
        ],
        -1,
    )
    linear = (turn @ qd[..., :3, None])[..., 0]
    return torch.cat([linear, spin / 2, qd[..., 6:]], -1)


@each_tree
def test_power_balance(robot):
    """The power of the torques is the change of energy."""
    q, qd, qdd = state(robot, 7, (10,))
    rate = configuration_rate(robot, q, qd)
    _, change = torch.func.jvp(lambda q, qd: sum(energy(robot, q, qd)), (q, qd), (rate, qdd))
    power = (rnea(robot, q, qd, qdd) * qd).sum(-1)
    assert relative(change, power) < 1e-10


@each_tree
@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "regressor", "energy"])
def test_gradients_are_right(robot, name):
    """In the motion, the link parameters, the placements and gravity."""
    q, qd, qdd = state(robot, 8)
    inputs = [
        x.clone().requires_grad_()
        for x in (q, qd, qdd, *map(torch.tensor, (robot.phi, robot.placements, robot.gravity)))
    ]
    functions = {
        "rnea": lambda q, qd, x, phi, T, g: rnea(robot, q, qd, x, phi, placements=T, gravity=g),
        "aba": lambda q, qd, x, phi, T, g: aba(robot, q, qd, x, phi, placements=T, gravity=g),
        "crba": lambda q, qd, x, phi, T, g: crba(robot, q, phi, placements=T),
        "regressor": lambda q, qd, x, phi, T, g: joint_torque_regressor(
            robot, q, qd, x, placements=T, gravity=g
        ),
        "energy": lambda q, qd, x, phi, T, g: tuple(
            energy(robot, q, qd, phi, placements=T, gravity=g)
        ),
    }
    assert torch.autograd.gradcheck(functions[name], inputs, eps=1e-6, atol=1e-5, rtol=1e-4)


@each_tree
@pytest.mark.parametrize("name", FUNCTIONS)
def test_single_precision(robot, name):
    exact = FUNCTIONS[name](robot, *state(robot, 9, (5,)))
    single = FUNCTIONS[name](robot, *state(robot, 9, (5,), torch.float32))
    assert single.dtype == torch.float32
    assert relative(single.double(), exact) < 2e-3  # aba solves: rounding times condition


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"qd": torch.zeros(3)}, "wrong-shape", "qd has shape (3,), robot tree1 needs (..., 4)"),
        ({"qdd": torch.zeros(2, 4, dtype=torch.float32)}, "mixed-dtypes", "qdd is torch.float32"),
        ({"q": torch.zeros(4, dtype=torch.int64)}, "wrong-dtype", "q is torch.int64"),
        ({"phi": torch.zeros(4, 9, dtype=torch.float64)}, "wrong-shape", "needs (..., 4, 10)"),
    ],
)
def test_bad_arguments_are_refused(change, code, said):
    robot = TREES[0]
    arguments = dict(zip(("q", "qd", "qdd"), state(robot), strict=True)) | change
    with pytest.raises(UsageError) as refused:
        rnea(robot, **arguments)
    assert refused.value.notice.code == code
    assert said in str(refused.value)


def test_inertia_that_is_not_symmetric():
    """13 columns: all nine entries count; symmetric ones give what 10 columns give."""
    robot = TREES[0]
    q, qd, qdd = state(robot)
    phi = torch.tensor(robot.phi)
    full = torch.cat([phi[:, :4], phi[:, [4, 5, 7, 5, 6, 8, 7, 8, 9]]], -1)
    assert torch.allclose(rnea(robot, q, qd, qdd, full), rnea(robot, q, qd, qdd, phi))
    full[:, 5] += 0.1
    assert relative(rnea(robot, q, qd, qdd, full), rnea(robot, q, qd, qdd, phi)) > 1e-4


def test_trees_that_are_none_are_refused():
    from dataclasses import replace

    robot = TREES[0]
    for change in (
        {"parents": (-1, 2, 0, 0)},
        {"parents": (-1, 0)},
        {"phi": np.zeros((4, 9))},
        {"joints": tuple(j._replace(axis=(0.0, 0.0, 0.0)) for j in robot.joints)},
        {"joints": (*robot.joints[:3], robot.joints[3]._replace(kind="floating"))},
    ):
        with pytest.raises(ValueError, match=r"."):
            replace(robot, **change)
