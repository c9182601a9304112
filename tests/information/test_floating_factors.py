"""Parameters of floating robots from what MuJoCo made of their motions, without any noise.

All rows, those of the base alone, and what contacts leave where their forces are not known.
"""

import numpy as np
import pytest

from robotid.contracts.forces import Forces
from robotid.errors import ConfigError
from robotid.fitting.evidence import Part, together
from robotid.fitting.linear import ols
from robotid.information.layout import Layout
from robotid.information.projected import ProjectedFactoriser
from robotid.information.projection import Projection
from robotid.information.recording import factor_recording, factors_in
from robotid.information.samples import SampleReader, samples_of
from robotid.information.structure import base_of
from robotid.models.rigid_body import RigidBodyModel
from robotid.robot.load import load_robot
from tests.floating import simulated, true_parameters, true_recordings
from tests.information.motions import harmonics

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
TERMS = ("viscous", "rotor", "offset")
HIDDEN = Forces(kind="projected", links=FEET)
CASES = {
    "all": (TERMS, Forces()),
    "base": ((), Forces(kind="base")),
    "projected": (TERMS, HIDDEN),
}


@pytest.fixture(scope="module")
def quadruped(tmp_path_factory):
    """Two recordings of a perturbed quadruped with viscous friction."""
    found = simulated(
        "quadruped", friction="viscous", perturb=0.1, harmonics=12, recordings=2,
        duration_s=10.0, rate_hz=100.0,
    )  # fmt: skip
    return found, true_recordings(tmp_path_factory.mktemp("quadruped"), found)


def evidence_of(layout, paths):
    parts = []
    for path in paths:
        facts, made = factor_recording(path, layout)
        blocks = [
            factors_in(facts.about, made.rows, number, block.samples)
            for number, block in enumerate(facts.blocks)
        ]
        parts.append(Part(facts.independent, blocks))
    return together(parts, layout.parameters)


@pytest.mark.parametrize("case", CASES)
def test_base_parameters_are_those_of_the_truth(quadruped, case):
    """1e-6 of the size of each: conditions of 1e3 to 1e4 on rounding of 1e-13."""
    found, paths = quadruped
    terms, forces = CASES[case]
    layout = Layout(load_robot("quadruped").tree, terms, forces=forces)
    base = base_of(layout)
    estimate = ols(evidence_of(layout, paths.values()), base)
    truth = true_parameters(layout, found.truth)
    assert estimate.base.rank == base.rank
    scale = np.abs(base.projection) @ np.abs(truth) + 1e-3
    assert np.abs((estimate.beta - base.beta(truth)) / scale).max() < 1e-6


def test_rows_of_the_base_show_all_that_links_have():
    """Ayusawa et al.: joint torques add nothing but what joints have of their own."""
    for name in ("quadruped", "humanoid"):
        robot = load_robot(name).tree
        assert (
            base_of(Layout(robot)).rank == base_of(Layout(robot, forces=Forces(kind="base"))).rank
        )


def test_what_contacts_hide():
    """A mass at each point; a whole body at each flat foot."""
    quadruped, humanoid = (load_robot(name).tree for name in ("quadruped", "humanoid"))
    flat = Forces(kind="projected", links=("left_foot", "right_foot"), moments=True)
    for robot, forces, hidden in ((quadruped, HIDDEN, 4), (humanoid, flat, 20)):
        plain = base_of(Layout(robot)).rank
        assert plain - base_of(Layout(robot, forces=forces)).rank == hidden


def test_factors_of_projected_rows_are_those_of_samples(quadruped):
    """Losses of any parameters, row by row, against the residuals of samples."""
    found, paths = quadruped
    robot = load_robot("quadruped").tree
    layout = Layout(robot, TERMS, forces=HIDDEN)
    reader = SampleReader(paths["run1"], robot, forces=HIDDEN)
    facts, made = factor_recording(paths["run1"], layout)
    rng = np.random.default_rng(0)
    phi = true_parameters(layout, found.truth) * rng.uniform(0.8, 1.2, layout.parameters)
    model, losses = RigidBodyModel(layout, phi), np.zeros(robot.nv)
    for batch, signals in reader.batches():
        q, qd, qdd, tau = samples_of(robot, signals)
        measured, predicted = reader.shown(batch, q, tau, model.torque(q, qd, qdd))
        losses += np.sum((measured - predicted) ** 2, axis=0)
    ours = np.zeros(robot.nv)
    for number, block in enumerate(facts.blocks):
        own = factors_in(facts.about, made.rows, number, block.samples)
        ours += [factor.loss(phi) for factor in own]
    np.testing.assert_allclose(ours, losses, rtol=1e-8)
    assert facts.independent == pytest.approx(6 / 18)  # of 18 rows twelve follow from the others


def test_a_foot_that_is_lifted_hides_nothing(tmp_path):
    """On a floor, with `contact.<link>.on`: as many equations more as the foot has forces."""
    found = simulated("quadruped", trajectory="step", duration_s=6.0, rate_hz=100.0, recordings=1)
    motion = found.motions["run1"]
    paths = true_recordings(tmp_path, found)
    robot = load_robot("quadruped").tree
    forces = Forces(kind="projected", links=FEET)
    facts, _ = factor_recording(paths["run1"], Layout(robot, forces=forces))
    assert facts.independent == pytest.approx(6 / 18)
    from robotid.contracts.recording import read_recording, write_recording

    columns, about = read_recording(paths["run1"])
    for link, wrench in motion.wrenches.items():
        columns[f"contact.{link}.on"] = (wrench[:, 2] > 0).astype(float)
    write_recording(paths["run1"].parent, columns, about)
    facts, _ = factor_recording(paths["run1"], Layout(robot, forces=forces))
    up = np.mean([wrench[:, 2] == 0 for wrench in motion.wrenches.values()])
    assert facts.independent == pytest.approx((6 + 12 * up) / 18, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_contact_force_passes_the_projection(seed):
    robot = load_robot("humanoid").tree
    rng = np.random.default_rng(seed)
    q = harmonics(robot, 7, 0.7, seed).q
    links = ("left_foot", "right_hand")
    projection = Projection(robot, links, moments=True)
    touched = np.column_stack([np.ones(7), rng.integers(0, 2, 7)])
    hidden = projection.directions(q, touched)
    from robotid.dynamics.frame_jacobian import frame_jacobian

    force = np.zeros((7, robot.nv))
    for place, link in enumerate(links):
        wrench = rng.normal(size=(7, 6)) * touched[:, place, None]
        force += frame_jacobian(robot, q, robot.frame(link)).force(wrench, robot.nv)
    assert np.abs(projection.apply(hidden, force)).max() < 1e-12 * np.abs(force).max()
    other = rng.normal(size=(7, robot.nv))
    left = projection.apply(hidden, other)
    np.testing.assert_allclose(projection.apply(hidden, left), left, atol=1e-12)
    free = touched[:, 1] == 0
    assert np.linalg.matrix_rank(hidden[0]) == 6 * int(touched[0].sum())
    assert free.any() or touched[:, 1].all()


def test_what_cannot_be_projected(quadruped):
    robot = load_robot("quadruped").tree
    with pytest.raises(ConfigError, match="can hide all forces"):
        Projection(robot, FEET, moments=True)
    with pytest.raises(ConfigError, match="nothing says which links"):
        Projection(robot, (), moments=False)
    with pytest.raises(ConfigError, match="has no link 'FL_fot'"):
        ProjectedFactoriser(Layout(robot, forces=Forces(kind="projected", links=("FL_fot",))))
    with pytest.raises(ConfigError, match="has a fixed base"):
        Layout(load_robot("panda").tree, forces=Forces(kind="base"))
    with pytest.raises(ConfigError, match="of their own"):
        Layout(robot, ("viscous",), forces=Forces(kind="base"))
