"""Every term of joints in the compiled kernel: against torch, plain formulas, batches, threads."""

import numpy as np
import pytest

from robotid.errors import UsageError
from robotid.information import stream
from robotid.information.basis import bases_of
from robotid.information.factor import merge
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout, geometry_digest
from robotid.information.reference import reference_factors
from robotid.information.regressor import Motion, row_columns, signals_of
from robotid.information.stream import factor_blocks
from robotid.robot.load import load_robot
from tests.friction_formulas import friction, pinocchio_torques
from tests.information.motions import harmonics
from tests.reference_models import random_tree

# The terms of all joints -> label, width and value of each column, written down by hand
LISTS = {
    "viscous,coulomb(0.05)": [("viscous", None, 0.4), ("coulomb", 0.05, 0.7)],
    "viscous-asymmetric": [("viscous+", None, 0.4), ("viscous-", None, 0.2)],
    "coulomb(0.01,0.05)": [("coulomb", 0.01, 0.7), ("coulomb", 0.05, 0.3)],
    "coulomb-held(0.1)": [("coulomb-held", 0.1, 0.6)],
    "coulomb-asymmetric(0.03)": [("coulomb+", 0.03, 0.5), ("coulomb-", 0.03, 0.9)],
    "stribeck(0.05,0.2)": [("stribeck", 0.05, 0.3), ("stribeck", 0.2, 0.4)],
    "load": [("load", 0.02, 0.15)],
    "load(0.02,0.1),rotor,offset": [
        ("load", 0.02, 0.15), ("load", 0.1, 0.1), ("offset", None, -0.5), ("rotor", None, 0.3),
    ],
}  # fmt: skip


def slow_and_fast(robot, samples=1500, seed=0):
    """Through the widths of friction often, and standing still at first."""
    motion = harmonics(robot, samples, 0.15, seed, rate_hz=100.0)
    still = np.linspace(0.0, 1.0, samples)[:, None] > 0.05
    return Motion(motion.q, motion.qd * still, motion.qdd * still)


@pytest.fixture(scope="module")
def robot():
    return random_tree(5, bodies=4, floating=False)


@pytest.mark.parametrize("text", LISTS)
def test_factors_know_every_term(robot, text):
    """Losses of the factors, of torch's QR, and of formulas that share nothing with them."""
    layout = Layout(robot, (text,))
    motion = slow_and_fast(robot)
    rigid = pinocchio_torques(robot, motion)
    columns = [
        (label, j, width, value) for j in range(robot.n) for label, width, value in LISTS[text]
    ]
    noise = np.random.default_rng(0).normal(size=rigid.shape)
    tau = rigid + friction(robot, motion, columns, rigid) + noise
    truth = np.concatenate([robot.phi.ravel(), [value for *_, value in columns]])
    factoriser = Factoriser(layout, threads=1)
    found = factoriser(signals_of(robot, **motion._asdict(), tau=tau))
    factoriser.close()
    chance = truth + np.random.default_rng(1).normal(size=truth.size)
    for row, (factor, expected) in enumerate(
        zip(found, reference_factors(layout, *motion, tau), strict=True)
    ):
        assert factor.loss(truth) == pytest.approx(np.sum(noise[:, row] ** 2), rel=1e-9)
        assert factor.loss(chance) == pytest.approx(expected.loss(chance), rel=1e-9)


@pytest.mark.parametrize("sign", ["+", "-"])
def test_coupled_joints_share_parameters(sign):
    robot = load_robot("panda").tree
    pair = f"{robot.joint_names[4]}{sign}{robot.joint_names[5]}"
    layout = Layout(robot, ("viscous",), {pair: ("viscous,coulomb-held,rotor",)}, (pair,))
    assert layout.names[-3:] == (f"{pair}.viscous", f"{pair}.coulomb-held", f"{pair}.rotor")
    acting = [
        set(range(layout.parameters - 3, layout.parameters)) <= set(c) for c in layout.columns
    ]
    assert acting == [False] * 4 + [True, True, False]
    motion = slow_and_fast(robot)
    joints = (4, 5, 1 if sign == "+" else -1)
    columns = [("viscous", j, None, 0.3) for j in range(7)] + [
        ("viscous", joints, None, 0.2), ("coulomb-held", joints, 0.02, 0.6), ("rotor", joints, None, 0.1),
    ]  # fmt: skip
    tau = pinocchio_torques(robot, motion) + friction(robot, motion, columns)
    truth = np.concatenate([robot.phi.ravel(), [value for *_, value in columns]])
    factoriser = Factoriser(layout, threads=1)
    found = factoriser(signals_of(robot, **motion._asdict(), tau=tau))
    factoriser.close()
    for row, (factor, W) in enumerate(zip(found, row_columns(layout, motion), strict=True)):
        assert factor.rmse(truth) < 1e-9 * np.abs(tau[:, row]).max()
        np.testing.assert_allclose(W @ truth[layout.columns[row]], tau[:, row], atol=1e-9)


def test_a_held_sign_does_not_depend_on_batches_or_threads(robot, monkeypatch):
    """It lasts through pauses that are longer than batches and segments."""
    monkeypatch.setattr(stream, "SEGMENT", 400)
    layout = Layout(robot, ("coulomb-held(0.1)", "viscous"))
    motion = slow_and_fast(robot, samples=3000)
    motion.qd[500:1900] *= 0.01  # no joint moves beyond the width
    tau = np.random.default_rng(3).normal(size=motion.qd.shape)
    signals = signals_of(robot, **motion._asdict(), tau=tau)
    results = []
    for threads, cuts in (
        (1, []),
        (2, [1, 7, 399, 1000, 1001, 2998]),
        (2, list(range(50, 3000, 50))),
    ):
        factoriser = Factoriser(layout, threads=threads)
        batches = np.split(signals, cuts, axis=1)
        results.append(list(factor_blocks(factoriser, batches, [0, 700, 3000])))
        factoriser.close()
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            assert all(np.array_equal(a.R, b.R) for a, b in zip(one, two, strict=True))
    phi = np.random.default_rng(4).normal(size=layout.parameters)
    for row, expected in enumerate(reference_factors(layout, *motion, tau)):
        whole = merge([block[row] for block in results[0]])
        assert whole.loss(phi) == pytest.approx(expected.loss(phi), rel=1e-10)


def test_columns_that_differ_only_at_low_speed_are_kept_apart():
    """Structural bases keep every width, also a hundredth of usual speeds."""
    robot = load_robot("double_pendulum").tree
    terms = ("viscous", "coulomb(0.001,0.002,0.02)", "coulomb-held", "stribeck(0.005,0.01)")
    layout = Layout(robot, terms)
    for row, basis in enumerate(bases_of(layout)):
        picked = set(layout.columns[row][basis.independent])
        assert set(layout.columns[row][-7:]) <= picked


def test_leaving_candidates_out(robot):
    """A factor without some columns is that of the same samples without them."""
    layout = Layout(
        robot, ("viscous,coulomb(0.01,0.05),rotor",), {robot.joint_names[1]: ("load(0.1,0.3)",)}
    )
    plain, kept = layout.choosing([1, 0, 1, 0])
    assert plain.candidates == ()
    assert len(plain.names) == kept.size == plain.parameters
    assert plain.arguments["joint_terms"][robot.joint_names[0]] == [
        "viscous",
        "coulomb(0.05)",
        "rotor",
    ]
    assert Layout(robot, **plain.arguments).names == plain.names
    motion = slow_and_fast(robot)
    tau = np.random.default_rng(3).normal(size=motion.qd.shape)
    signals = signals_of(robot, **motion._asdict(), tau=tau)
    found = []
    for which in (layout, plain):
        factoriser = Factoriser(which, threads=1)
        found.append(factoriser(signals))
        factoriser.close()
    phi = np.random.default_rng(5).normal(size=plain.parameters)
    for factor, expected in zip(*found, strict=True):
        less = factor.restricted(kept)
        assert np.array_equal(less.columns, expected.columns)
        assert less.R.shape == expected.R.shape
        assert less.loss(phi) == pytest.approx(expected.loss(phi), rel=1e-10)
        assert less.rho == pytest.approx(expected.rho, rel=1e-9)
    with pytest.raises(UsageError, match="1 choices for 4"):
        layout.choosing([0])


def test_only_load_depends_on_the_links_of_the_robot_file(robot):
    heavier = robot.with_phi(2 * robot.phi)
    plain, load = ("viscous",), ("load",)
    assert Layout(robot, plain).digest == Layout(heavier, plain).digest == geometry_digest(robot)
    assert Layout(robot, load).digest != Layout(heavier, load).digest


@pytest.mark.parametrize("first", ["fast", "slow"])
def test_a_motion_that_hides_a_term_misleads_no_other(first):
    """Fast samples show next to nothing of Stribeck friction; what they say is a bad hint."""
    layout = Layout(load_robot("double_pendulum").tree, ["viscous,coulomb,stribeck,offset,rotor"])
    robot = layout.robot
    fast, slow = (harmonics(robot, 1500, speed, seed=5) for speed in (3.0, 0.05))
    moving = np.sign(fast.qd) * (np.abs(fast.qd) + 1.0)  # never slow
    fast = fast._replace(qd=moving)
    order = (fast, slow) if first == "fast" else (slow, fast)
    factoriser = Factoriser(layout, threads=1)
    signals = []
    for motion in order:
        W = row_columns(layout, motion)
        phi = np.random.default_rng(0).uniform(0.5, 1.0, layout.parameters)
        tau = np.column_stack([w @ phi[c] for w, c in zip(W, layout.columns, strict=True)])
        tau += np.random.default_rng(1).normal(size=tau.shape)
        signals.append(signals_of(robot, **motion._asdict(), tau=tau))
    found = factoriser.found(signals[0], {})
    hints = {row: factor.R for row, factor in enumerate(found.factors)}
    hinted = factoriser.found(signals[1], hints).factors
    plain = factoriser.found(signals[1], {}).factors
    factoriser.close()
    for one, other in zip(hinted, plain, strict=True):
        assert one.power == pytest.approx(other.power, rel=1e-9)
        phi = np.random.default_rng(2).normal(size=layout.parameters)
        assert one.loss(phi) == pytest.approx(other.loss(phi), rel=1e-6)
