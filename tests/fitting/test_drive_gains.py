"""Gains of drives: recovery, intervals, why not linear in the gains, and what cannot be known."""

from dataclasses import replace

import numpy as np
import pytest

from robotid.errors import BadDataError, ConfigError, UsageError
from robotid.fitting.drive_gains import drive_gains
from robotid.fitting.linear import wls
from robotid.fitting.load import Load
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import Motion, row_columns
from tests.fitting.loaded import LOAD, pair
from tests.fitting.samples import base_of, evidence_of, torques
from tests.information.motions import harmonics

LOADS = {
    "mass": Load(2.5),
    "centre": Load(2.5, (0.03, -0.04, 0.12)),
    "all": Load(2.5, (0.03, -0.04, 0.12), (0.02, 0.002, 0.025, -0.001, 0.003, 0.015)),
}


def per_torque(given):
    """Signal per torque of each joint: of all sizes, some with the sign turned round."""
    n = given.layout.robot.n
    return np.geomspace(0.02, 50.0, n) * np.where(np.arange(n) % 3 == 1, -1, 1)


def estimated(given, noise, seed=0, load=LOADS["mass"], **options):
    a = per_torque(given)
    unloaded, loaded = (given.evidence(which, noise, seed, scale=a) for which in (0, 1))
    return drive_gains(given.layout, unloaded, [(loaded, load)], **options)


def test_known_parts_of_a_load():
    np.testing.assert_allclose(LOADS["all"].known, LOAD, rtol=1e-12)
    assert [load.open.shape[1] for load in (Load(), *LOADS.values())] == [10, 9, 6, 0]
    point = LOADS["centre"]
    inertia = np.array(LOADS["all"].inertia)
    np.testing.assert_allclose(point.known + point.open @ inertia, LOAD, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("known", LOADS)
@pytest.mark.parametrize("name", ["double_pendulum", "ur10", "panda"])
def test_exact_signals_give_the_gains(name, known):
    given = pair(name)
    found = estimated(given, 0.0, load=LOADS[known])
    np.testing.assert_allclose(found.values * per_torque(given), 1.0, rtol=1e-8)
    true = found.base.beta(given.phi)
    np.testing.assert_allclose(found.beta, true, rtol=1e-6, atol=1e-7 * np.abs(true).max())
    assert found.converged


def test_intervals_hold_the_truth():
    """Gains of 100 seeds, and the parameters that come with them."""
    given = pair("double_pendulum", samples=100)
    gains, parameters = [], []
    for seed in range(100):
        found = estimated(given, 0.1, seed)
        gains.append((found.values - 1 / per_torque(given)) / found.std)
        error = found.beta - found.base.beta(given.phi)
        parameters.append(error / np.sqrt(np.diag(found.covariance)))
    assert 0.9 <= np.mean(np.abs(gains) < 1.96) <= 0.99  # two gains: chance moves it by 1.5 %
    assert 0.93 <= np.mean(np.abs(parameters) < 1.96) <= 0.97


def test_intervals_of_an_arm_hold_the_truth():
    given = pair("ur10", samples=100)
    scaled = []
    for seed in range(40):
        found = estimated(given, 0.05, seed, load=LOADS["centre"])
        scaled.append((found.values - 1 / per_torque(given)) / found.std)
    assert 0.91 <= np.mean(np.abs(scaled) < 1.96) <= 0.99


def test_least_squares_in_gains_is_biased():
    """The linear problem with samples of the signal as columns makes gains too small."""
    given = pair("double_pendulum", samples=400)
    n, robot, noise = 2, given.layout.robot, 0.3
    extra = np.zeros(given.layout.parameters)
    extra[10 * (robot.bodies - 1) : 10 * robot.bodies] = LOAD
    blocks, right = [], []
    for which in (0, 1):
        rng = np.random.default_rng([0, which])
        tau = given.torques[which]
        tau = tau + rng.normal(size=tau.shape) * noise * given.noise
        columns = row_columns(given.layout, given.motions[which])
        for joint, (W, at) in enumerate(zip(columns, given.layout.columns, strict=True)):
            block = np.zeros((len(W), given.layout.parameters + n))
            block[:, at], block[:, given.layout.parameters + joint] = -W, tau[:, joint]
            blocks.append(block)
            right.append(which * (W @ extra[at]))
    naive = np.linalg.lstsq(np.vstack(blocks), np.concatenate(right), rcond=1e-10)[0][-n:]
    found = drive_gains(
        given.layout,
        given.evidence(0, noise),
        [(given.evidence(1, noise), LOADS["all"])],
    )
    assert (naive < 1 - 5 * found.std).all()
    assert naive.min() < 0.7
    assert (np.abs(found.values - 1) < 4 * found.std).all()
    assert (found.std < 0.05).all()


def test_evidence_in_torque_serves_other_estimators():
    given = pair("ur10")
    a = per_torque(given)
    found = estimated(given, 0.01)
    signals = given.evidence(0, 0.01, scale=a)
    blocks = tuple(tuple(map(found.in_torque, block)) for block in signals.blocks)
    converted = replace(signals, blocks=blocks)
    torque = given.evidence(0, 0.01)
    for mine, true in zip(converted.blocks[0], torque.blocks[0], strict=True):
        assert mine.mean == pytest.approx(true.mean, rel=0.02)
        assert (mine.lowest, mine.highest) == pytest.approx((true.lowest, true.highest), rel=0.02)
        assert mine.rho == pytest.approx(true.rho, rel=0.02)
    ones, others = (wls(evidence, base_of("ur10")).beta for evidence in (converted, torque))
    np.testing.assert_allclose(ones, others, rtol=0.02, atol=0.02 * np.abs(others).max())


def test_several_loads_and_changed_friction():
    """A second load of which nothing is known does no harm; offsets may differ with each."""
    given = pair("ur10", offset_change=1.0)
    a = per_torque(given)
    unloaded, loaded = (given.evidence(which, 0.01, scale=a) for which in (0, 1))
    pairs = [(loaded, LOADS["mass"]), (given.evidence(1, 0.01, 5, scale=a), Load())]
    found = drive_gains(given.layout, unloaded, pairs, anew=("offset",))
    assert (np.abs(found.values - 1 / a) < 4 * found.std).all()
    stale = drive_gains(given.layout, unloaded, pairs[:1])
    right, wrong = (np.abs(result.values * a - 1).max() for result in (found, stale))
    assert wrong > 5 * right


def test_gain_of_a_slow_vertical_axis_cannot_be_known():
    given = pair("ur10", speed=0.02)
    with pytest.raises(BadDataError, match="its axis is vertical") as raised:
        drive_gains(given.layout, *smaller_at_the_wrist(given))
    assert raised.value.notice.joint == "shoulder_pan_joint"
    assert "wrist" not in raised.value.notice.message
    found = drive_gains(
        given.layout, *smaller_at_the_wrist(given), given={"shoulder_pan_joint": 1.0}
    )
    assert found.std[0] == 0
    assert (np.abs(found.values[1:] - 1) < 4 * found.std[1:]).all()
    faster = pair("ur10", speed=0.5)
    found = drive_gains(faster.layout, *smaller_at_the_wrist(faster))
    assert found.std[0] < 0.03
    assert abs(found.values[0] - 1) < 4 * found.std[0]


def smaller_at_the_wrist(given):
    """Evidence without and with a known load, with noise as joints of these sizes have [N m]."""
    found, noise = [], np.array([0.3, 0.3, 0.3, 0.06, 0.06, 0.06])
    for which in (0, 1):
        tau = given.torques[which]
        tau = tau + np.random.default_rng(which).normal(size=tau.shape) * noise
        found.append(evidence_of(given.factoriser, given.motions[which], tau))
    return found[0], [(found[1], LOADS["all"])]


def test_joint_without_the_load_cannot_be_known():
    """Two pendulums side by side, and a load on the second."""
    robot = pair("double_pendulum").layout.robot
    layout = Layout(replace(robot, parents=(-1, -1)), ("viscous",))
    factoriser = Factoriser(layout, threads=1)
    phi = np.concatenate([robot.phi.ravel(), [0.1, 0.2]])
    heavier = phi.copy()
    heavier[10:20] += LOAD
    found = []
    for seed, true in ((0, phi), (1, heavier)):
        motion: Motion = harmonics(layout.robot, 300, 1.0, seed, rate_hz=15.0)
        tau = torques(layout, motion, true)
        tau = tau + np.random.default_rng(seed).normal(size=tau.shape) * 0.01
        found.append(evidence_of(factoriser, motion, tau))
    with pytest.raises(BadDataError, match="does not act on it") as raised:
        drive_gains(layout, found[0], [(found[1], LOADS["all"])])
    assert raised.value.notice.joint == robot.joint_names[0]
    given = {robot.joint_names[0]: 1.0}
    assert drive_gains(layout, found[0], [(found[1], LOADS["all"])], given=given).values[
        1
    ] == pytest.approx(1.0, rel=0.01)
    factoriser.close()


@pytest.mark.filterwarnings("error")
def test_a_load_that_no_joint_feels():
    """Of a mass on an upright axis, where all else of the load is unknown, nothing shows."""
    given = pair("ur10")
    link = given.layout.robot.links[0]
    with pytest.raises(BadDataError, match="its axis is vertical") as raised:
        estimated(given, 0.01, frame=link)
    assert raised.value.notice.code == "gain-unknown"


@pytest.mark.filterwarnings("error")
def test_signals_of_nothing():
    """A column of zeros, and numbers that run out of digits."""
    given = pair("double_pendulum")
    joint = given.layout.rows[1]
    a = np.array([1.0, 0.0])
    unloaded, loaded = (given.evidence(which, 0.01, scale=a) for which in (0, 1))
    with pytest.raises(BadDataError, match=f"{joint}; the signal is zero throughout") as raised:
        drive_gains(given.layout, unloaded, [(loaded, LOADS["mass"])])
    assert (raised.value.notice.code, raised.value.notice.joint) == ("gain-unknown", joint)
    unloaded, loaded = (given.evidence(which, 0.01, scale=1e-200 * a + 1e-200) for which in (0, 1))
    with pytest.raises(BadDataError) as raised:
        drive_gains(given.layout, unloaded, [(loaded, LOADS["mass"])])
    assert raised.value.notice.code == "gain-unknown"


def test_gain_of_one_joint_sets_the_scale():
    """No load at all: joints move the same links, so one gain tells others, if not all."""
    given = pair("double_pendulum")
    a = per_torque(given)
    known = {given.layout.rows[0]: float(1 / a[0])}
    found = drive_gains(given.layout, given.evidence(0, 0.01, scale=a), [], given=known)
    assert found.std[0] == 0
    assert abs(found.values[1] - 1 / a[1]) < 4 * found.std[1] < 0.1 * abs(found.values[1])
    arm = pair("ur10")
    with pytest.raises(BadDataError, match="wrist_3_joint is uncertain"):
        drive_gains(arm.layout, arm.evidence(0, 0.01), [], given={"elbow_joint": 1.0})


def test_what_cannot_be_answered_is_refused():
    given, other = pair("ur10"), pair("panda")
    unloaded, loaded = given.evidence(0), given.evidence(1)
    with pytest.raises(UsageError, match="without a load gains are known up to a factor"):
        drive_gains(given.layout, unloaded, [])
    with pytest.raises(UsageError, match="weigh the load"):
        drive_gains(given.layout, unloaded, [(loaded, Load())])
    with pytest.raises(UsageError, match="signals of panda_joint1"):
        drive_gains(given.layout, other.evidence(0), [(loaded, Load(1.0))])
    with pytest.raises(ConfigError, match="has no joint"):
        drive_gains(given.layout, unloaded, [(loaded, Load(1.0))], given={"x": 1.0})
    with pytest.raises(UsageError, match="is no gain"):
        drive_gains(given.layout, unloaded, [(loaded, Load(1.0))], given={"elbow_joint": 0.0})
    for wrong in (
        lambda: Load(-1.0),
        lambda: Load(None, (0.0, 0.0, 0.0)),
        lambda: Load(1.0, None, LOADS["all"].inertia),
        lambda: Load(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 1.0, 0.0, 0.0, 3.0)),
    ):
        with pytest.raises(UsageError, match=r"load|centre"):
            wrong()
