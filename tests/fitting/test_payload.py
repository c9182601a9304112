"""Loads of shipped robots: recovery, intervals, what is not shown, what cannot be."""

import numpy as np
import pytest

from robotid.contracts.fit import PayloadFound
from robotid.errors import BadDataError, UsageError
from robotid.fitting.evidence import Evidence
from robotid.fitting.linear import wls
from robotid.fitting.payload import payload_of
from robotid.robot.geometry import centre_and_inertia, phi_from
from tests.fitting.loaded import LOAD, Pair, pair
from tests.fitting.samples import base_of, evidence_of
from tests.information.motions import harmonics
from tests.reference_models import mujoco_model

UPPER = ([0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2])


def truth(load=LOAD):
    centre, inertia = centre_and_inertia(load)
    return np.array([load[0], *centre, *inertia[UPPER]])


def values(found):
    return np.array([quantity.value for quantity in found.body.quantities])


def estimated(given, noise, seed=0, **options):
    """The load with the robot's own parameters from the recording without it."""
    evidence = given.evidence(0, noise, seed)
    own = wls(evidence, base_of(given.layout.robot.name)).noise
    information = given.information(evidence, own)
    return payload_of(given.layout, information, given.evidence(1, noise, seed), **options)


@pytest.mark.parametrize("name", ["ur10", "panda"])
def test_exact_data_give_the_load(name):
    given = pair(name)
    for unloaded in (given.information(given.evidence(0), 1e-6 * given.noise), given.phi):
        found = payload_of(given.layout, unloaded, given.evidence(1))
        np.testing.assert_allclose(values(found), truth(), rtol=1e-6, atol=1e-9)
        assert found.body.consistent
        assert all(quantity.status == "identified" for quantity in found.body.quantities)


def test_engine_of_another_kind_gives_the_load():
    """Torques of MuJoCo's inverse dynamics, without and with the load."""
    mujoco = pytest.importorskip("mujoco")
    given = pair("ur10")
    robot = given.layout.robot
    heavier = robot.phi.copy()
    heavier[-1] += LOAD
    evidence = []
    for seed, tree in ((0, robot), (1, robot.with_phi(heavier))):
        motion = harmonics(robot, 300, 1.0, seed, rate_hz=15.0)
        model = mujoco_model(tree)
        data = mujoco.MjData(model)
        tau = []
        for q, qd, qdd in zip(*motion, strict=True):
            data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
            mujoco.mj_inverse(model, data)
            tau.append(data.qfrc_inverse.copy())
        evidence.append(evidence_of(given.factoriser, motion, np.array(tau)))
    information = given.information(evidence[0], 1e-6 * given.noise)
    found = payload_of(given.layout, information, evidence[1])
    np.testing.assert_allclose(values(found), truth(), rtol=1e-5, atol=1e-7)


def test_frame_of_a_fixed_link():
    """Seen from the link that the flange is tied to, the centre lies where the placement says."""
    given = Pair("panda", frame="panda_flange", samples=200)
    (flange,) = (link for link in given.layout.robot.fixed if link.name == "panda_flange")
    found = payload_of(given.layout, given.phi, given.evidence(1), frame="panda_flange")
    np.testing.assert_allclose(values(found), truth(), rtol=1e-6, atol=1e-9)
    behind = values(payload_of(given.layout, given.phi, given.evidence(1)))
    assert behind[0] == pytest.approx(LOAD[0])
    moved = flange.placement @ [*truth()[1:4], 1.0]
    assert np.abs(moved[:3] - truth()[1:4]).max() > 0.01
    np.testing.assert_allclose(behind[1:4], moved[:3], rtol=1e-6, atol=1e-9)


def holds(found):
    return [
        quantity.lower <= true <= quantity.upper
        for quantity, true in zip(found.body.quantities, truth(), strict=True)
        if quantity.lower is not None
    ]


@pytest.mark.parametrize(("name", "noise"), [("double_pendulum", 0.1), ("ur10", 0.05)])
def test_intervals_hold_the_truth(name, noise):
    """95 % intervals over 100 seeds, all quantities that have one.

    Quantities of a seed go together, so that chance moves the mean by 1 %: fewer seeds would not do.
    """
    given = pair(name, samples=100)
    assert 0.93 <= np.mean([holds(estimated(given, noise, seed)) for seed in range(100)]) <= 0.97


def test_parameters_taken_for_exact_are_said_to_be():
    """If they are exact intervals are right, if not they are too short."""
    given = pair("double_pendulum", samples=100)
    right, wrong = [], []
    for seed in range(100):
        loaded = given.evidence(1, 0.1, seed)
        fitted = wls(given.evidence(0, 0.1, seed), base_of("double_pendulum")).around(given.phi)
        right.append(payload_of(given.layout, given.phi, loaded, anew=()))
        wrong.append(payload_of(given.layout, fitted, loaded, anew=()))
    assert 0.93 <= np.mean([holds(found) for found in right]) <= 0.97
    assert np.mean([holds(found) for found in wrong]) < 0.9
    assert [notice.code for notice in right[0].notices] == ["base-taken-for-exact"]


def test_correlated_samples_count_for_fewer():
    given = pair("double_pendulum")
    loaded = given.evidence(1, 0.05)
    few = Evidence(loaded.blocks, loaded.parameters, 0.25)
    wide, narrow = (payload_of(given.layout, given.phi, e) for e in (few, loaded))
    ratio = wide.body.quantities[0].std / narrow.body.quantities[0].std
    assert ratio == pytest.approx(2.0, rel=0.05)


def test_what_the_motion_does_not_show_is_said():
    """A double pendulum turns about y: nothing depends on where the load is along y."""
    found = estimated(pair("double_pendulum"), 0.01)
    status = {quantity.name: quantity.status for quantity in found.body.quantities}
    shown = {"mass", "cx", "cz", "Iyy"}
    assert {name for name, said in status.items() if said == "identified"} == shown
    assert {said for name, said in status.items() if name not in shown} == {"not excited"}
    assert np.linalg.eigvalsh(centre_and_inertia(found.body.phi)[1])[0] > 0
    for quantity, true in zip(found.body.quantities, truth(), strict=True):
        if quantity.name in shown:
            assert abs(quantity.value - true) <= 4 * quantity.std
    # One joint shows the first moment of the load, and never its mass.
    single = estimated(pair("pendulum"), 0.01).body.quantities
    assert [q.status for q in single[:4]] == [
        "not excited",
        "in combination",
        "not excited",
        "in combination",
    ]


def test_slow_motion_does_not_show_the_inertia():
    found = estimated(pair("ur10", speed=0.02), 0.01)
    status = [quantity.status for quantity in found.body.quantities]
    assert status[:4] == ["identified"] * 4
    assert status[4] == status[6] == "not excited"


@pytest.mark.parametrize("speed", [0.02, 0.05, 1.0])
def test_what_is_uncertain_by_a_third_is_not_called_identified(speed):
    """As of all other parameters; what may be zero is compared with what it could be."""
    found = estimated(pair("ur10", speed=speed), 0.02).body.quantities
    value = {quantity.name: quantity.value for quantity in found}
    for name, own, _, _, std, status, said in found:
        if status not in ("identified", "uncertain"):
            continue
        measure = {"m": own, "c": 0.1, "I": own}[name[0]]
        if name in ("Ixy", "Ixz", "Iyz"):
            measure = np.sqrt(value[f"I{name[1]}{name[1]}"] * value[f"I{name[2]}{name[2]}"])
        assert (status == "identified") == (std <= 0.3 * measure), (name, own, std)
        assert bool(said) == (status == "uncertain")
    assert ("uncertain" in {quantity.status for quantity in found}) == (speed < 0.1)


def test_changed_offsets_are_found():
    given = Pair("ur10", offset_change=3.0, samples=200)
    found = estimated(given, 0.02)
    assert np.allclose(list(found.changed.values()), 3.0, atol=0.5)
    assert len(found.changed) == 6
    stale = estimated(given, 0.02, anew=())
    right, wrong = (np.abs(values(x) - truth()) for x in (found, stale))
    assert (right <= 4 * np.array([q.std for q in found.body.quantities])).all()
    assert wrong[1] > 10 * right[1]


def test_point_like_load_is_made_a_body():
    """Least squares makes one of its moments negative; the body that comes out can exist."""
    load = phi_from(1.0, [0.0, 0.0, 0.1], np.diag([1e-5, 1e-5, 1e-5]))
    found = estimated(Pair("ur10", load=load, samples=200), 0.05)
    assert not found.body.consistent
    assert 0.01 < found.body.excess < 18
    assert not found.notices
    moments = np.linalg.eigvalsh(centre_and_inertia(found.body.phi)[1])
    assert moments[0] > 0
    assert moments[2] <= moments[0] + moments[1]
    assert values(found)[0] == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("link", [0, 2, 4])
def test_wrong_link_is_noticed_and_the_right_one_named(link):
    given = pair("ur10")
    links = given.layout.robot.links
    found = estimated(given, 0.05, frame=links[link])
    assert found.notices[0].code == "load-elsewhere"
    assert found.notices[0].message.startswith(f"the load fits link {links[-1]} better")
    assert not estimated(given, 0.05).notices


def test_no_load_and_less_than_none():
    found = estimated(Pair("ur10", load=0 * LOAD, samples=200), 0.02)
    assert [notice.code for notice in found.notices] == ["load-not-seen"]
    assert {quantity.status for quantity in found.body.quantities} == {"uncertain"}
    given = pair("ur10")
    swapped = given.information(given.evidence(1, 0.02), 0.02 * given.noise)
    with pytest.raises(BadDataError, match="mistaken for each other"):
        payload_of(given.layout, swapped, given.evidence(0, 0.02))


def test_result_goes_into_a_fit():
    found = estimated(pair("double_pendulum"), 0.01).found()
    again = PayloadFound.model_validate_json(found.model_dump_json())
    assert again == found
    assert again.mass[1] < again.mass[0] < again.mass[2]
    assert again.centre[1][1:] == [None, None]
    assert again.statuses["Iyy"] == "identified"


def test_what_cannot_be_answered_is_refused():
    given, other = pair("ur10"), pair("panda")
    loaded = given.evidence(1)
    with pytest.raises(UsageError, match="did you mean 'tool0'"):
        payload_of(given.layout, given.phi, loaded, frame="tool")
    with pytest.raises(UsageError, match="does not move"):
        payload_of(given.layout, given.phi, loaded, frame="base_link")
    with pytest.raises(BadDataError, match="another robot"):
        payload_of(given.layout, other.information(other.evidence(0), other.noise), loaded)
    with pytest.raises(UsageError, match="not of"):
        payload_of(other.layout, other.phi, loaded)
    facts = given.information(given.evidence(0), given.noise)
    names = ["other", *facts.facts.parameters[1:]]
    renamed = facts._replace(facts=facts.facts.model_copy(update={"parameters": names}))
    with pytest.raises(BadDataError, match="other parameters: other"):
        payload_of(given.layout, renamed, loaded)
    few = Evidence(loaded.blocks, loaded.parameters, 0.01)
    with pytest.raises(BadDataError, match="too few independent samples"):
        payload_of(given.layout, given.phi, few)
