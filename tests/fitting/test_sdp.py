"""Consistent fits: against the same problem in cvxpy, with constraints active, and what is refused."""

import numpy as np
import pytest

from robotid.dynamics.base_parameters import base_parameters
from robotid.errors import UsageError
from robotid.fitting import cones, sdp
from robotid.fitting.cones import pseudo_inertias, triangle_of
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import wls
from robotid.fitting.prior import Divergence, robot_file_prior
from robotid.fitting.scaling import scaled_problem
from robotid.fitting.sdp import MARGIN, Box, consistent_fit
from robotid.information.factorise import Factoriser
from robotid.information.layout import TERMS, Layout
from robotid.robot.physical import violations
from tests.fitting.samples import sample
from tests.information.motions import MOTIONS, data_of
from tests.reference_models import random_tree

ROBOTS = ("double_pendulum", "ur10", "panda")


@pytest.fixture(scope="module", params=ROBOTS)
def noisy(request):
    """So little signal that ordinary least squares gives links that cannot exist."""
    return sample(request.param, noise=0.5, speed=0.3)


@pytest.fixture(scope="module")
def found(noisy):
    return wls(noisy.evidence, noisy.base)


def links(noisy, phi):
    return phi[: 10 * noisy.layout.robot.bodies].reshape(-1, 10)


def assert_consistent(noisy, result):
    assert result.converged, result
    assert (np.linalg.eigvalsh(pseudo_inertias(links(noisy, result.phi))) > 0).all()
    assert [violations(link) for link in links(noisy, result.phi)] == [[]] * len(
        links(noisy, result.phi)
    )
    for name, value in zip(noisy.layout.names, result.phi, strict=True):
        if name.endswith((".viscous", ".coulomb", ".rotor")):
            assert value >= 0


def value(noisy, system, phi, prior=None):
    """What is minimised, from its definition; the residual of the best fit is 1."""
    problem = scaled_problem(system, noisy.layout, prior=prior)
    x = phi / problem.size
    total = float(np.sum((problem.R @ x - problem.z) ** 2)) + problem.rest**2
    if isinstance(prior, Divergence):
        for link, own in zip(links(noisy, phi), prior.phi, strict=True):
            ratio = np.linalg.solve(pseudo_inertias(own), pseudo_inertias(link))
            part = np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 4
            total += prior.strength / problem.unit**2 * part
    return 1.0 + total


PRIORS = {
    "none": lambda layout: None,
    "gaussian": lambda layout: robot_file_prior(layout, 0.3),
    "log-det": lambda layout: Divergence(layout.robot.phi, 1.0),
}


@pytest.mark.parametrize("prior", PRIORS)
def test_optimum_is_that_of_a_tight_reference(noisy, found, prior):
    """No more than 1e-8 above what cvxpy finds with the best of two forms, and the same parameters."""
    pytest.importorskip("cvxpy")
    from tests.fitting.reference_sdp import tight_solution

    given = PRIORS[prior](noisy.layout)
    result = consistent_fit(found.system, noisy.layout, prior=given)
    assert_consistent(noisy, result)
    reference = tight_solution(found.system, noisy.layout, prior=given)
    own, other = (value(noisy, found.system, phi, given) for phi in (result.phi, reference))
    assert own <= other * (1 + 1e-8)
    assert (result.eigenvalues >= MARGIN * (1 - 1e-2)).all()  # not lower for being outside
    errors = np.abs(noisy.base.beta(result.phi - reference))
    assert errors.max() <= 1e-4 * np.abs(noisy.base.beta(reference)).max()
    # The steepest test of a form: predicted torques, in units of the noise.
    apart = found.system.R @ (result.phi - reference)
    assert np.linalg.norm(apart) <= 1e-3 * np.sqrt(found.system.count)


def test_gram_matrices_mislead_solvers():
    """Why R is handed over and not R^T R: "solved", and base parameters are 5 % off or more."""
    pytest.importorskip("cvxpy")
    import clarabel
    from scipy import sparse

    from tests.fitting.reference_sdp import tight_solution

    slow = sample("ur10", noise=0.05, speed=0.05)
    system, layout = wls(slow.evidence, slow.base).system, slow.layout
    friction = [
        {column: 1.0}
        for column, name in enumerate(layout.names)
        if name.endswith((".viscous", ".coulomb", ".rotor"))
    ]
    rows = [cones.linear_rows(friction), cones.link_rows(layout.robot.bodies, MARGIN)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    gram = sparse.csc_matrix(np.triu(system.R.T @ system.R))
    objective = gram, -system.R.T @ system.z
    solution = cones.solver(objective, rows, settings).solve()
    assert str(solution.status) == "Solved"
    reference = slow.base.beta(tight_solution(system, layout))
    large = np.abs(reference) > 0.01 * np.abs(reference).max()

    def error(phi):
        return np.max(np.abs(slow.base.beta(phi) / reference - 1)[large])

    assert error(np.array(solution.x)) > 0.05
    assert error(consistent_fit(system, layout).phi) < 0.001


def test_solvers_own_regularisation_is_too_large(monkeypatch):
    """On weak data it moves the minimum by more than 1e-8 of the loss, and nobody notices."""
    weak = sample("panda", noise=1.0, speed=0.05)
    system = wls(weak.evidence, weak.base).system
    ours = consistent_fit(system, weak.layout)
    monkeypatch.setattr(sdp, "REGULARISATIONS", (1e-8,))
    usual = consistent_fit(system, weak.layout)
    assert ours.converged
    assert usual.converged
    own, other = (value(weak, system, result.phi) for result in (ours, usual))
    assert own < other * (1 - 1e-8)


def test_constraints_are_active_and_cost_little(noisy, found):
    plain = links(noisy, found.around(noisy.phi))
    assert any(violations(link) for link in plain) or min(found.beta) < 0
    result = consistent_fit(found.system, noisy.layout)
    assert_consistent(noisy, result)
    best = found.system.loss(found.around(noisy.phi))
    assert best < result.loss < 1.01 * best
    assert result.loss < found.system.loss(noisy.phi)  # the truth is consistent, so not better
    assert result.active


@pytest.mark.parametrize("name", ROBOTS)
def test_exact_data_give_exact_base_parameters(name):
    exact = sample(name)
    result = consistent_fit(wls(exact.evidence, exact.base).system, exact.layout)
    assert_consistent(exact, result)
    np.testing.assert_allclose(
        exact.base.beta(result.phi), exact.base.beta(exact.phi), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("kind", ["serial", "branching", "floating"])
@pytest.mark.parametrize("name", ["excited", "slow", "one joint", "still"])
@pytest.mark.parametrize("file", ["right", "hundredfold", "empty link"])
def test_any_robot_motion_and_robot_file(kind, name, file):
    """Prismatic joints, branches, a floating base; nothing excited; a robot file that is no help."""
    seed, bodies = {"serial": (5, 5), "branching": (3, 6), "floating": (6, 4)}[kind]
    robot = random_tree(seed, bodies=bodies, floating=kind == "floating")
    made = Layout(robot, TERMS)
    factoriser = Factoriser(made, threads=1)
    data = data_of(made, MOTIONS[name](robot))
    factors = tuple(factoriser(data.signals(made)))
    factoriser.close()
    links_of = robot.phi * (100.0 if file == "hundredfold" else 1.0)
    links_of = links_of * (np.arange(bodies) > 0)[:, None] if file == "empty link" else links_of
    layout = Layout(robot.with_phi(links_of), TERMS)
    evidence = Evidence((factors,), layout.parameters)
    result = consistent_fit(wls(evidence, base_parameters(robot, TERMS)).system, layout)
    assert result.converged, result
    P = pseudo_inertias(result.phi[: 10 * bodies].reshape(-1, 10))
    assert (np.linalg.eigvalsh(P) > 0).all()
    assert result.gap < 1e-8


def test_centre_of_mass_stays_in_its_box(found, noisy):
    link = noisy.layout.robot.links[-1]
    free = consistent_fit(found.system, noisy.layout)
    phi = links(noisy, free.phi)[-1]
    centre = phi[1:4] / phi[0]
    box = Box(tuple(centre - 0.02), (centre[0] + 0.02, centre[1] + 0.02, centre[2] - 0.01))
    result = consistent_fit(found.system, noisy.layout, centres={link: box})
    assert_consistent(noisy, result)
    phi = links(noisy, result.phi)[-1]
    assert (phi[1:4] / phi[0] >= np.array(box.lower) - 1e-6).all()
    assert (phi[1:4] / phi[0] <= np.array(box.upper) + 1e-6).all()
    assert result.loss >= free.loss * (1 - 1e-9)


def test_solver_that_gives_up_is_not_believed(found, noisy, monkeypatch):
    monkeypatch.setattr(sdp, "_ITERATIONS", 3)
    result = consistent_fit(found.system, noisy.layout)
    assert not result.converged
    assert result.message == "MaxIterations"
    assert "prior" in result.remedy


def test_what_cannot_be_solved_is_refused(found, noisy):
    with pytest.raises(UsageError, match="no moving link"):
        consistent_fit(found.system, noisy.layout, centres={"nose": Box((0, 0, 0), (1, 1, 1))})
    box = Box((0.1, 0.1, 0.1), (-0.1, 0.1, 0.1))
    with pytest.raises(UsageError, match="no centre of mass"):
        consistent_fit(found.system, noisy.layout, centres={noisy.layout.robot.links[0]: box})
    with pytest.raises(UsageError, match="all parameters of every link"):
        consistent_fit(found.system.restricted(found.base.independent), noisy.layout)
    impossible = noisy.layout.robot.phi.copy()
    impossible[0, 0] = -1.0
    with pytest.raises(UsageError, match="no rigid body"):
        consistent_fit(found.system, noisy.layout, prior=Divergence(impossible, 1.0))


def test_log_det_prior_pulls_towards_its_links(found, noisy):
    """The stronger, the closer; a weak one leaves the loss of the data alone."""
    file = noisy.layout.robot.phi
    weak, strong = (
        consistent_fit(found.system, noisy.layout, prior=Divergence(file, strength))
        for strength in (1e-2, 1e6)
    )
    free = consistent_fit(found.system, noisy.layout)
    assert free.loss <= weak.loss * (1 + 1e-7) <= strong.loss * (1 + 2e-7)
    size = np.abs(file).max()
    assert np.abs(links(noisy, strong.phi) - file).max() < 0.05 * size
    assert (
        np.abs(links(noisy, weak.phi) - file).max() > np.abs(links(noisy, strong.phi) - file).max()
    )


def test_triangles_keep_the_inner_product():
    rng = np.random.default_rng(0)
    A, B = (M + M.T for M in rng.normal(size=(2, 5, 5)))
    assert triangle_of(A) @ triangle_of(B) == pytest.approx(np.sum(A * B))
