"""Friction found again from torques of Pinocchio and formulas of the tests; widths chosen."""

from dataclasses import replace

import numpy as np
import pytest

from robotid.dynamics.base_parameters import base_parameters
from robotid.fitting.adam import Training, fit_adam
from robotid.fitting.candidates import choose_widths, restricted
from robotid.fitting.entries import Entries
from robotid.fitting.linear import wls
from robotid.fitting.restream import irls_samples
from robotid.fitting.sample_loss import Samples
from robotid.fitting.sdp import consistent_fit
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import signals_of
from robotid.information.sizes import nominal, sizes
from robotid.robot.load import load_robot
from robotid.spatial.parametrisations.table import PARAMETRISATIONS
from tests.fitting.samples import evidence_of
from tests.friction_formulas import friction, pinocchio_torques
from tests.information.motions import harmonics

NOISE = 0.02  # N m


def evidence_from(layout, columns, samples=6000, noise=NOISE, seed=0, blocks=2):
    robot = layout.robot
    motion = harmonics(robot, samples, 0.3, seed, rate_hz=100.0)
    rigid = pinocchio_torques(robot, motion)
    tau = rigid + friction(robot, motion, columns, rigid)
    tau += noise * np.random.default_rng(seed + 1).normal(size=tau.shape)
    factoriser = Factoriser(layout, threads=1)
    evidence = evidence_of(factoriser, motion, tau, blocks)
    factoriser.close()
    return evidence


def identified(layout, evidence):
    """Parameters of joints and their standard deviations, where they are base parameters."""
    base = base_parameters(layout.robot, **layout.arguments)
    found = wls(evidence, base)
    values = {base.names[c]: b for c, b in zip(base.independent, found.beta, strict=True)}
    spread = {base.names[c]: s for c, s in zip(base.independent, found.std, strict=True)}
    return values, spread


def test_widths_are_found_again():
    """Stribeck and Coulomb widths on a grid, per joint, with noise; the truth lies inside."""
    layout = Layout(
        load_robot("double_pendulum").tree,
        ("viscous", "coulomb(0.005,0.02,0.08)", "stribeck(0.05,0.1,0.2,0.4)"),
    )
    columns = [
        ("viscous", 0, None, 0.3), ("coulomb", 0, 0.02, 0.5), ("stribeck", 0, 0.1, 0.6),
        ("viscous", 1, None, 0.2), ("coulomb", 1, 0.02, 0.4), ("stribeck", 1, 0.2, 0.5),
    ]  # fmt: skip
    evidence = evidence_from(layout, columns)
    chosen = choose_widths(evidence, layout)
    assert [c.chosen for c in chosen.choices] == [0.02, 0.1, 0.02, 0.2]
    assert not any(choice.at_edge for choice in chosen.choices)
    for choice in chosen.choices:
        losses = dict(zip(choice.candidates, choice.losses, strict=True))
        others = [loss for width, loss in losses.items() if width != choice.chosen]
        assert min(others) > losses[choice.chosen] + 10  # far beyond chance, which is about 1
    again = restricted(evidence, chosen.kept)
    assert again.parameters == chosen.layout.parameters == chosen.evidence.parameters
    values, spread = identified(chosen.layout, chosen.evidence)
    for label, joint, _, truth in columns:
        name = f"{label}{joint + 1}"
        assert abs(values[name] - truth) < 4 * spread[name]
        assert spread[name] < 0.05


def test_losses_of_choices_are_those_of_fits():
    """Each is the least weighted loss of the layout with that width."""
    layout = Layout(load_robot("double_pendulum").tree, ("viscous", "coulomb(0.005,0.02,0.08)"))
    evidence = evidence_from(layout, [("coulomb", j, 0.02, 0.5) for j in range(2)])
    chosen = choose_widths(evidence, layout)
    merged = evidence.merged()
    weights = np.array([np.sqrt(factor.count) / factor.rho for factor in merged])
    for width, loss in enumerate(chosen.choices[0].losses):
        _, kept = layout.choosing([width, 1])
        system = restricted(evidence, kept).system(weights)
        best = np.linalg.lstsq(system.R, system.z, rcond=1e-12)[0]
        assert loss == pytest.approx(system.loss(best), rel=1e-9)


def test_the_edge_of_the_grid_is_told():
    layout = Layout(load_robot("double_pendulum").tree, ("viscous", "stribeck(0.02,0.05,0.1)"))
    truth = [("stribeck", 0, 0.3, 0.6), ("stribeck", 1, 0.05, 0.6)]
    first, second = choose_widths(evidence_from(layout, truth), layout).choices
    assert (first.owner, first.chosen, first.at_edge) == (layout.robot.joint_names[0], 0.1, True)
    assert (second.chosen, second.at_edge) == (0.05, False)


def test_parameters_of_the_wrong_sign_do_not_count():
    """Where friction falls at low speed no Stribeck width helps, and the first stands at the edge."""
    layout = Layout(
        load_robot("double_pendulum").tree, ("viscous", "coulomb", "stribeck(0.05,0.1,0.2)")
    )
    truth = [
        (label, j, 0.1, v) for j in (0, 1) for label, v in (("viscous", 0.3), ("stribeck", -0.4))
    ]
    for choice in choose_widths(evidence_from(layout, truth), layout).choices:
        assert max(choice.losses) == pytest.approx(min(choice.losses), rel=1e-9)
        assert choice.without == pytest.approx(min(choice.losses), rel=1e-9)
        assert (choice.chosen, choice.at_edge, choice.needed) == (0.05, False, False)


def test_losses_count_independent_samples():
    """Of ten samples that are alike, one counts: what is chance with it was ten times that."""
    layout = Layout(load_robot("double_pendulum").tree, ("viscous", "stribeck(0.02,0.05,0.1)"))
    truth = [("stribeck", 0, 0.05, 0.6), ("stribeck", 1, 0.05, 0.6)]
    whole = evidence_from(layout, truth)
    tenth = replace(whole, independent=0.1)
    for one, other in zip(
        choose_widths(whole, layout).choices, choose_widths(tenth, layout).choices, strict=True
    ):
        np.testing.assert_allclose(other.losses, 0.1 * np.array(one.losses))
        assert other.without == pytest.approx(0.1 * one.without)
        assert one.without > max(one.losses)
        assert one.needed
        assert not one.at_edge


def test_a_term_that_is_not_there_is_not_needed():
    """In 5 % of cases chance makes it seem so; here, of 40, at most 6 (99 % of the time)."""
    layout = Layout(
        load_robot("double_pendulum").tree, ("viscous", "coulomb", "stribeck(0.02,0.05,0.1)")
    )
    found = [
        choice
        for seed in range(20)
        for choice in choose_widths(
            evidence_from(layout, [("viscous", 0, None, 0.3)], samples=1000, seed=seed), layout
        ).choices
    ]
    assert len(found) == 40
    assert sum(choice.needed for choice in found) <= 6
    assert not any(choice.at_edge and not choice.needed for choice in found)


def test_nothing_to_choose():
    layout = Layout(load_robot("double_pendulum").tree, ("viscous",))
    evidence = evidence_from(layout, [], samples=200)
    chosen = choose_widths(evidence, layout)
    assert chosen.layout is layout
    assert chosen.evidence is evidence
    assert chosen.choices == ()


CASES = {
    "asymmetric": (
        ("viscous-asymmetric", "coulomb-asymmetric"),
        [("viscous+", 0.3), ("viscous-", 0.1), ("coulomb+", 0.5), ("coulomb-", 0.8)],
    ),
    "held": (("viscous", "coulomb-held(0.05)"), [("viscous", 0.3), ("coulomb-held", 0.5)]),
    "load": (("viscous", "coulomb", "load"), [("viscous", 0.3), ("coulomb", 0.4), ("load", 0.1)]),
}


@pytest.mark.parametrize("case", CASES)
def test_parameters_are_found_again(case):
    """Of every joint of a UR10, within four of the stated standard deviations."""
    terms, truth = CASES[case]
    widths = {"coulomb-held": 0.05, "viscous": None}
    layout = Layout(load_robot("ur10").tree, terms)
    joints = range(layout.robot.n)
    columns = [(label, j, widths.get(label, 0.02), v) for j in joints for label, v in truth]
    evidence = evidence_from(layout, columns, samples=3000, blocks=1)
    values, spread = identified(layout, evidence)
    for label, joint, _, value in columns:
        name = f"{label}{joint + 1}"
        assert abs(values[name] - value) < 4 * spread[name], name
        weightless = label == "load" and joint > 2  # the wrist carries next to nothing
        assert weightless or spread[name] < 0.2 * value, name


def test_coupled_wrist_is_found_again():
    """Joints 5 and 6 share a motor, as in the Staubli TX40; consistent fits have it, too."""
    robot = load_robot("ur10").tree
    five, six = robot.joint_names[4:6]
    layout = Layout(robot, ("viscous", "coulomb", "rotor"), coupled=(f"{five}+{six}",))
    own = [("viscous", None, 0.3), ("coulomb", 0.02, 0.4), ("rotor", None, 0.1)]
    columns = [(label, j, width, value) for j in range(6) for label, width, value in own]
    columns += [(label, (4, 5, 1), width, 0.5 * value) for label, width, value in own]
    evidence = evidence_from(layout, columns, samples=3000)
    values, spread = identified(layout, evidence)
    for name, value in (("viscous5+6", 0.15), ("coulomb5+6", 0.2), ("rotor5+6", 0.05)):
        assert abs(values[name] - value) < 4 * spread[name], name
        assert spread[name] < 0.2 * value, name
    found = consistent_fit(wls(evidence, base_parameters(robot, **layout.arguments)).system, layout)
    assert found.converged
    coupled = dict(zip(layout.names, found.phi, strict=True))
    assert coupled[f"{five}+{six}.viscous"] == pytest.approx(0.15, abs=0.02)


def test_passes_over_samples_remember_signs():
    """Robust fits read batches again: a pause that begins in one lasts through the next."""
    layout = Layout(load_robot("double_pendulum").tree, ("viscous", "coulomb-held(0.05)"))
    robot = layout.robot
    motion = harmonics(robot, 900, 0.3, rate_hz=30.0)
    motion.qd[280:620] *= 0.01
    columns = [
        (label, j, 0.05, v)
        for j in (0, 1)
        for label, v in (("viscous", 0.3), ("coulomb-held", 0.5))
    ]
    rigid = pinocchio_torques(robot, motion)
    noise = NOISE * np.random.default_rng(2).normal(size=rigid.shape)
    tau = rigid + friction(robot, motion, columns) + noise
    factoriser, base = Factoriser(layout, threads=1), base_parameters(robot, **layout.arguments)
    start = wls(evidence_of(factoriser, motion, tau), base)
    factoriser.close()
    signals = signals_of(robot, **motion._asdict(), tau=tau)
    found = irls_samples(layout, base, lambda: iter(np.split(signals, [300, 600], axis=1)), start)
    assert found.converged
    np.testing.assert_array_less(np.abs(found.estimate.beta - start.beta), 2 * start.std)


def test_training_on_samples_knows_every_term():
    """At the truth the error is zero, however samples are shuffled into batches."""
    terms = ("viscous", "coulomb-held(0.05)", "stribeck(0.2)", "load", "rotor")
    layout = Layout(load_robot("double_pendulum").tree, terms)
    robot = layout.robot
    motion = harmonics(robot, 300, 0.3, rate_hz=30.0)
    own = [("viscous", 0.0, 0.3), ("coulomb-held", 0.05, 0.5), ("stribeck", 0.2, 0.2), ("load", 0.02, 0.1),
           ("rotor", 0.0, 0.4)]  # fmt: skip
    columns = [(label, j, width, value) for j in (0, 1) for label, width, value in own]
    rigid = pinocchio_torques(robot, motion)
    samples = Samples(*motion, rigid + friction(robot, motion, columns, rigid))
    entries = Entries.of(layout, PARAMETRISATIONS["cov"])
    start = entries.theta(np.concatenate([robot.phi.ravel(), [value for *_, value in columns]]))
    training = Training(epochs=1, batch=32, learning_rate=1e-12)
    found = fit_adam(layout, entries, start, samples, samples, training=training)
    assert found.history[0].validation < 1e-18
    assert found.history[1].train < 1e-15


def test_values_of_the_robot_file():
    layout = Layout(
        load_robot("panda").tree, ("viscous-asymmetric", "coulomb-held", "stribeck(0.1)")
    )
    joint = layout.robot.driven[0]
    assert nominal(layout)[70:74].tolist() == [joint.damping, joint.damping, joint.friction, 0.0]
    pair = "+".join(layout.robot.joint_names[4:6])
    coupled = Layout(layout.robot, (), coupled=(pair,))
    assert nominal(coupled)[70:].tolist() == [0.0, 0.0, 0.0]
    cart = Layout(load_robot("cartpole").tree, ("rotor",))
    links = sizes(cart)[:20].reshape(2, 10)
    slides = [joint.kind == "prismatic" for joint in cart.robot.driven]
    assert slides == [True, False]
    assert sizes(cart)[20:].tolist() == [links[0, 0], links[1, 4]]  # kg, kg m²
