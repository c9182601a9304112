"""Least squares on factors: recovery, weights, priors, uncertainty, robustness, selection, status."""

from functools import partial

import numpy as np
import pytest

from robotid.errors import BadDataError, UsageError
from robotid.fitting.block_spread import with_block_spread
from robotid.fitting.essential import essential
from robotid.fitting.evidence import Evidence, Part, together
from robotid.fitting.linear import ols, ridge, wls
from robotid.fitting.prior import Gaussian, robot_file_prior
from robotid.fitting.restream import irls_samples
from robotid.fitting.robust import irls
from robotid.fitting.status import knowledge
from robotid.information.layout import TERMS
from robotid.information.regressor import Motion, row_columns, signals_of
from robotid.information.sizes import nominal, sizes
from tests.fitting.samples import base_of, evidence_of, factoriser_of, sample, torques, truth
from tests.information.motions import harmonics

ROBOTS = ("double_pendulum", "ur10", "panda")


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("method", [ols, wls])
def test_exact_data_give_exact_base_parameters(name, method):
    exact = sample(name)
    found = method(exact.evidence, exact.base)
    assert found.base is exact.base
    np.testing.assert_allclose(found.beta, exact.base.beta(exact.phi), rtol=1e-9, atol=1e-10)
    phi = found.around(nominal(exact.layout))
    np.testing.assert_allclose(exact.base.beta(phi), found.beta, rtol=1e-12, atol=1e-12)
    grouped = list(exact.base.dependent)
    np.testing.assert_array_equal(phi[grouped], nominal(exact.layout)[grouped])


def test_engine_of_another_kind_gives_the_same_parameters():
    """Torques of MuJoCo's inverse dynamics, from states of our own choice."""
    mujoco = pytest.importorskip("mujoco")
    from robotid.robot.catalog import shipped_path

    factoriser = factoriser_of("ur10", ())
    layout = factoriser.layout
    motion = harmonics(layout.robot, 600, 0.5, rate_hz=30.0)
    model = mujoco.MjModel.from_xml_path(str(shipped_path("ur10")))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    data = mujoco.MjData(model)
    tau = []
    for q, qd, qdd in zip(*motion, strict=True):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        tau.append(data.qfrc_inverse.copy())
    base = base_of("ur10", ())
    found = ols(evidence_of(factoriser, motion, np.array(tau)), base)
    true = base.beta(layout.robot.phi.ravel())
    assert np.abs(found.beta - true).max() <= 1e-6 * np.abs(true).max()


@pytest.fixture(scope="module")
def uneven():
    """Two joints, the noise of one fifty times that of the other; truth, rows and a generator."""
    factoriser = factoriser_of("double_pendulum", TERMS)
    layout = factoriser.layout
    motion = harmonics(layout.robot, 800, 0.6, rate_hz=40.0)
    phi = truth(layout)
    return factoriser, motion, torques(layout, motion, phi), phi, np.array([0.5, 0.01])


def noisy_evidence(uneven, seed, blocks=1, correlated=1):
    factoriser, motion, clean, _, noise = uneven
    rng = np.random.default_rng(seed)
    white = rng.normal(size=clean.shape)
    if correlated > 1:  # every value is held for some samples
        white = np.repeat(white[: -(-len(clean) // correlated)], correlated, axis=0)[: len(clean)]
    share = 1.0 / correlated
    return evidence_of(factoriser, motion, clean + noise * white, blocks, independent=share)


def coverage(estimates, base, phi):
    true = base.beta(phi)
    inside = [(e.intervals()[:, 0] <= true) & (true <= e.intervals()[:, 1]) for e in estimates]
    return float(np.mean(inside))


@pytest.mark.parametrize("method", [ols, wls])
def test_intervals_hold_the_truth(uneven, method):
    """95 % intervals over 150 seeds and 14 parameters; chance alone moves that by about 1 %."""
    base = base_of("double_pendulum")
    found = [method(noisy_evidence(uneven, seed), base) for seed in range(150)]
    assert 0.93 <= coverage(found, base, uneven[3]) <= 0.97


def test_intervals_know_of_correlated_errors(uneven):
    """Errors that last for four samples; those that take them for independent hold far less."""
    base = base_of("double_pendulum")
    right, wrong = [], []
    for seed in range(60):
        evidence = noisy_evidence(uneven, seed, correlated=4)
        right.append(wls(evidence, base))
        wrong.append(wls(Evidence(evidence.blocks, evidence.parameters), base))
    assert 0.92 <= coverage(right, base, uneven[3]) <= 0.98
    assert coverage(wrong, base, uneven[3]) < 0.8


def test_blocks_know_of_correlated_errors(uneven):
    """Nobody said that errors last: blocks show it. Their spread is rather too large than small."""
    base = base_of("double_pendulum")
    found = []
    for seed in range(60):
        evidence = noisy_evidence(uneven, seed, blocks=20, correlated=4)
        evidence = Evidence(evidence.blocks, evidence.parameters)
        found.append(with_block_spread(evidence, wls(evidence, base)))
    assert 0.93 <= coverage(found, base, uneven[3]) <= 0.995


def test_leaving_out_a_block_is_solving_without_it(uneven):
    """The formula of the jackknife against solves of all other blocks."""
    base = base_of("double_pendulum")
    evidence = noisy_evidence(uneven, 0, blocks=10)
    whole = ols(evidence, base)
    others = []
    for left in range(10):
        blocks = tuple(b for n, b in enumerate(evidence.blocks) if n != left)
        others.append(ols(Evidence(blocks, evidence.parameters), base).beta)
    centred = np.array(others) - np.mean(others, axis=0)
    expected = 9 / 10 * centred.T @ centred
    found = with_block_spread(evidence, whole).covariance
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * expected.max())


def test_n28_weights_help_where_noise_differs(uneven):
    base, phi = base_of("double_pendulum"), uneven[3]
    errors = {
        method: np.mean(
            [
                (method(noisy_evidence(uneven, s), base).beta - base.beta(phi)) ** 2
                for s in range(20)
            ],
            axis=0,
        )
        for method in (ols, wls)
    }
    assert np.median(errors[wls] / errors[ols]) < 0.5
    noise = np.mean([wls(noisy_evidence(uneven, seed), base).noise for seed in range(20)], axis=0)
    np.testing.assert_allclose(noise, uneven[4], rtol=0.03)


def test_strong_prior_wins_and_weak_one_yields():
    noisy = sample("panda", noise=0.05)
    file = robot_file_prior(noisy.layout, 1.0)
    off = Gaussian(file.mean * 1.1, file.std)
    free = wls(noisy.evidence, noisy.base)
    links = 10 * noisy.layout.robot.bodies
    strong = ridge(noisy.evidence, noisy.base, Gaussian(off.mean, off.std * 1e-9))
    np.testing.assert_allclose(strong.beta[:links], off.mean[:links], rtol=1e-5, atol=1e-9)
    weak = ridge(noisy.evidence, noisy.base, Gaussian(off.mean, off.std * 1e4))
    assert weak.base.rank == noisy.layout.parameters  # all have a value of their own
    apart = np.abs(noisy.base.beta(weak.beta) - free.beta)
    assert (apart <= 0.01 * free.std + 1e-9).all()
    nothing = Gaussian(off.mean, np.full(noisy.layout.parameters, np.inf))
    assert ridge(noisy.evidence, noisy.base, nothing).base.rank == noisy.base.rank


def test_bad_blocks_count_for_less():
    """In three of ten blocks somebody leans against the arm."""
    factoriser = factoriser_of("ur10")
    layout, base = factoriser.layout, base_of("ur10")
    motion = harmonics(layout.robot, 3000, 0.5, rate_hz=150.0)
    phi = truth(layout)
    rng = np.random.default_rng(0)
    tau = torques(layout, motion, phi)
    tau = tau + rng.normal(size=tau.shape) * 0.1
    tau[600:1500] += 5 * np.sin(np.arange(900) / 20)[:, None]
    evidence = evidence_of(factoriser, motion, tau, blocks=10)
    true = base.beta(phi)
    robust, plain = irls(evidence, base), wls(evidence, base)
    assert robust.converged
    assert (robust.shares[2:5] < 0.2).all()
    assert (robust.shares[:2] > 0.9).all()
    scaled = [np.abs(e.beta - true) / robust.estimate.std for e in (robust.estimate, plain)]
    assert np.median(scaled[0]) < 0.2 * np.median(scaled[1])
    assert scaled[0].max() < 6


def test_single_bad_samples_count_for_less(uneven):
    """5 % of the samples, everywhere, are off by a hundred times the noise."""
    factoriser, motion, clean, phi, noise = uneven
    layout, base = factoriser.layout, base_of("double_pendulum")
    rng = np.random.default_rng(1)
    tau = clean + noise * rng.normal(size=clean.shape)
    tau = tau + 100 * noise * rng.choice([-1, 0, 1], p=[0.02, 0.95, 0.03], size=clean.shape)
    signals = signals_of(layout.robot, **motion._asdict(), tau=tau)
    evidence = evidence_of(factoriser, motion, tau)
    plain = wls(evidence, base)
    found = irls_samples(layout, base, lambda: iter(np.array_split(signals, 3, axis=1)), plain)
    assert found.converged
    errors = [np.abs(e.beta - base.beta(phi)) for e in (found.estimate, plain)]
    assert np.median(errors[0]) < 0.1 * np.median(errors[1])
    assert (np.abs(found.down_weighted - 0.2) < 0.1).all()  # 18 % of normal errors are beyond 1.345


@pytest.mark.parametrize("kind", ["normal", "stretch"])
def test_intervals_of_weighted_samples_hold_the_truth(kind):
    """Whether errors are normal, or ten times as large in a tenth of the time."""
    factoriser = factoriser_of("double_pendulum")
    layout, base = factoriser.layout, base_of("double_pendulum")
    motion = harmonics(layout.robot, 200, 0.5, 3, rate_hz=10.0)
    phi = truth(layout)
    clean = torques(layout, motion, phi)
    size = 0.1 * np.sqrt(np.mean(clean**2, axis=0))
    inside, squared, variances, jackknifed = [], [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        errors = rng.normal(size=clean.shape)
        if kind == "stretch":
            begin = rng.integers(0, 180)
            errors[begin : begin + 20] *= 10.0
        tau = clean + size * errors
        signals = signals_of(layout.robot, **motion._asdict(), tau=tau)
        start = wls(evidence_of(factoriser, motion, tau), base)
        read = partial(np.array_split, signals, 10, axis=1)
        robust = irls_samples(layout, base, read, start)
        found = robust.estimate
        lower, upper = found.intervals(0.95).T
        true = found.base.beta(phi)
        inside.append((lower <= true) & (true <= upper))
        squared.append((found.beta - true) ** 2)
        variances.append(found.std**2)
        jackknifed.append(with_block_spread(robust.evidence, found).std ** 2)
    assert 0.93 < np.mean(inside) < 0.97
    ratio = np.sqrt(np.mean(variances, axis=0) / np.mean(squared, axis=0))
    assert 0.93 < np.mean(ratio) < 1.07
    blocks = np.sqrt(np.mean(jackknifed, axis=0) / np.mean(squared, axis=0))
    assert np.mean(blocks) > 1.0


def test_essential_parameters_are_found():
    """Where some parameters are zero, those go, and hardly any others."""
    factoriser = factoriser_of("double_pendulum")
    layout, base = factoriser.layout, base_of("double_pendulum")
    motion = harmonics(layout.robot, 1000, 0.6, rate_hz=50.0)
    phi = truth(layout)
    for name in ("viscous", "coulomb"):
        phi[[k for k, own in enumerate(layout.names) if own.endswith(name)]] = 0.0
    tau = torques(layout, motion, phi)
    tau = tau + np.random.default_rng(3).normal(size=tau.shape) * 0.02
    evidence = evidence_of(factoriser, motion, tau)
    found = wls(evidence, base)
    chosen = essential(evidence, found)
    true = base.beta(phi)
    zero = {k for k in range(base.rank) if abs(true[k]) < 1e-12}
    assert len(zero) >= 4
    assert zero <= set(chosen.dropped)
    assert set(chosen.kept) | set(chosen.dropped) == set(range(base.rank))
    weak = {k for k in range(base.rank) if abs(true[k]) < 4 * found.std[k]}
    assert set(chosen.dropped) <= weak
    assert chosen.growth <= chosen.limit
    # The growth is what the factor says it is.
    small = found.system.restricted([base.independent[k] for k in chosen.kept])
    best = found.system.restricted(base.independent)
    assert chosen.growth == pytest.approx(small.rho**2 - best.rho**2, rel=0.01)


def test_n13_each_parameter_has_its_status():
    noisy = sample("double_pendulum", noise=0.01)
    found = wls(noisy.evidence, noisy.base)
    known = knowledge(noisy.evidence, found, noisy.base, sizes(noisy.layout))
    status = {entry.name: entry for entry in known.parameters}
    assert status["viscous1"].status == "identified"
    assert status["viscous1"].percent < 10
    assert status["m2"].status == "in combination"
    assert "m2" in status["m2"].said
    assert status["m2"].value is None
    assert status["m1"].status == "not excited"
    assert "no motion" in status["m1"].said
    assert known.excitation.rank == noisy.base.rank
    assert f"{noisy.base.rank} of {noisy.base.rank} base parameters" in known.sentence()
    prior = robot_file_prior(noisy.layout, 0.3)
    ridged = ridge(noisy.evidence, noisy.base, prior)
    with_file = knowledge(noisy.evidence, ridged, noisy.base, sizes(noisy.layout))
    again = {entry.name: entry for entry in with_file.parameters}
    assert again["m1"].status == "from prior"
    assert again["m1"].value == pytest.approx(noisy.phi[0])
    assert again["viscous1"].status == "identified"


def test_what_is_more_uncertain_than_a_guess_is_not_excited():
    """Slow, noisy motion: all columns are independent, and most of them say nothing."""
    noisy = sample("panda", noise=0.1, speed=0.03)
    found = wls(noisy.evidence, noisy.base)
    assert found.base.rank == noisy.base.rank
    known = knowledge(noisy.evidence, found, noisy.base, sizes(noisy.layout))
    hardly = [entry for entry in known.sums if entry.status == "not excited"]
    assert 10 < len(hardly) < noisy.base.rank
    size = sizes(noisy.layout)[list(noisy.base.independent)]
    for entry, std, least in zip(known.sums, found.std, size, strict=True):
        assert entry.status == "identified" or std > least
    status = {entry.name: entry.status for entry in known.parameters}
    alone = [entry.name for entry in hardly if " " not in entry.name]
    assert alone
    assert {status[name] for name in alone} == {"not excited"}


def test_what_a_motion_does_not_show_is_said():
    """Only the last joint moves: the rest is grouped or silent, and nothing is made up."""
    factoriser = factoriser_of("panda")
    layout, base = factoriser.layout, base_of("panda")
    whole = harmonics(layout.robot, 1000, 0.5, rate_hz=50.0)
    q, qd, qdd = (np.zeros_like(x) for x in whole)
    q[:], (q[:, -1], qd[:, -1], qdd[:, -1]) = 0.3, (x[:, -1] for x in whole)
    motion = Motion(q, qd, qdd)
    phi = truth(layout)
    tau = torques(layout, motion, phi)
    tau = tau + np.random.default_rng(0).normal(size=tau.shape) * 0.01
    evidence = evidence_of(factoriser, motion, tau)
    found = wls(evidence, base)
    assert found.base.rank < base.rank
    W = row_columns(layout, motion)
    stacked = np.zeros((len(q) * len(W), layout.parameters))
    for row, (w, columns) in enumerate(zip(W, layout.columns, strict=True)):
        stacked[row * len(q) : (row + 1) * len(q), columns] = w
    norms = np.linalg.norm(stacked, axis=0)
    assert found.base.rank == np.linalg.matrix_rank(stacked / np.where(norms > 0, norms, 1), 1e-9)
    known = knowledge(evidence, found, base, sizes(layout))
    status = {entry.name: entry for entry in known.parameters}
    assert status["viscous1"].status == "not excited"
    assert status["viscous7"].status == "identified"
    assert "not determined" in known.sentence()
    # Torques of the data are those of any parameters with the same sums.
    error = np.abs(found.beta - found.base.beta(phi)) / found.std
    assert error.max() < 5
    assert found.system.loss(found.around(phi)) == pytest.approx(
        found.system.loss(found.around(np.zeros_like(phi))), rel=1e-6
    )


def test_recordings_add_up():
    first, second = (sample("ur10", noise=0.05, seed=seed) for seed in (0, 5))
    both = together(
        [Part(0.5, first.evidence.blocks), Part(1.0, second.evidence.blocks)],
        first.layout.parameters,
    )
    assert both.independent == 0.75
    whole = ols(both, first.base)
    loss = first.evidence.losses(first.phi).sum() + second.evidence.losses(first.phi).sum()
    assert whole.system.loss(first.phi) == pytest.approx(loss)


def test_what_cannot_be_answered_is_refused():
    noisy = sample("double_pendulum", noise=0.01, samples=40)
    found = wls(noisy.evidence, noisy.base)
    few = Evidence(noisy.evidence.blocks, noisy.evidence.parameters, 0.05)
    with pytest.raises(BadDataError, match="too few independent samples"):
        ols(few, noisy.base)
    with pytest.raises(BadDataError, match="1 blocks"):
        with_block_spread(noisy.evidence, found)
    with pytest.raises(BadDataError, match="1 blocks"):
        irls(noisy.evidence, noisy.base)
    with pytest.raises(UsageError, match="no probability"):
        found.intervals(95)
    with pytest.raises(UsageError, match="have to be positive"):
        ridge(noisy.evidence, noisy.base, Gaussian(noisy.phi, 0 * noisy.phi))
    with pytest.raises(UsageError, match="a share of 0"):
        Evidence(noisy.evidence.blocks, noisy.evidence.parameters, 0.0)
    with pytest.raises(UsageError, match="different sets of rows"):
        together(
            [Part(1.0, noisy.evidence.blocks), Part(1.0, sample("ur10").evidence.blocks)],
            noisy.layout.parameters,
        )
