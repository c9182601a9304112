"""A whole simulation: torques balance, the truth is complete, what cannot work is refused."""

from dataclasses import replace

import numpy as np
import pytest

from robotid.errors import ConfigError
from robotid.robot.geometry import pseudo_inertia
from robotid.robot.load import load_robot
from robotid.robot.tree import Limits
from robotid.simulation.closed_loop import Clock
from robotid.simulation.controller import ModelFeedback, Reference
from robotid.simulation.friction import LAWS
from robotid.simulation.options import SimulationOptions
from robotid.simulation.perturbation import perturbed
from robotid.simulation.recordings import random_recordings
from robotid.simulation.trajectory import make_trajectory
from tests.reference_models import pinocchio_model
from tests.simulation.conftest import slider


def inverse_dynamics(robot, motion, recording):
    """Pinocchio's torques along a recording, shape (samples, n)."""
    import pinocchio as pin

    model = pinocchio_model(robot)
    data = model.createData()
    rows = zip(
        motion.q[:, recording], motion.qd[:, recording], motion.qdd[:, recording], strict=True
    )
    return np.array([pin.rnea(model, data, *row) for row in rows])


@pytest.mark.parametrize("kind", LAWS)
def test_torques_balance(panda, run, kind):
    """Motor torque = Pinocchio's inverse dynamics + friction + rotor, at every sample.

    Accelerations are those of the equation of motion, so only rounding is left.
    """
    done = run(panda, friction=kind, perturb=0.1, recordings=2, duration_s=1.0, seed=4)
    true = panda.with_phi([link.phi for link in done.truth.links])
    rotor = np.array([joint.rotor_inertia for joint in done.truth.joints])
    motion = done.motion
    for recording in range(2):
        rigid = inverse_dynamics(true, motion, recording)
        tau = motion.tau[:: done.clock.every, recording]
        rest = tau - rigid - motion.friction[:, recording] - rotor * motion.qdd[:, recording]
        assert np.abs(rest).max() < 1e-9 * np.abs(tau).max()
        np.testing.assert_allclose(motion.tau_link[:, recording], rigid, atol=1e-9)
    assert done.motion.friction.any() == (kind != "none")


def test_velocity_and_acceleration_are_derivatives(panda, run):
    """Of the motion between samples: the trapezium rule at 1 ms is good to h² q⃛/12."""
    done = run(panda, friction="viscous", recordings=1, duration_s=2.0, rate_hz=1000.0)
    q, qd, qdd = done.motion.q[:, 0], done.motion.qd[:, 0], done.motion.qdd[:, 0]
    np.testing.assert_allclose(np.diff(q, axis=0), (qd[1:] + qd[:-1]) * 5e-4, atol=1e-7)
    np.testing.assert_allclose(np.diff(qd, axis=0), (qdd[1:] + qdd[:-1]) * 5e-4, atol=2e-4)


@pytest.mark.parametrize("kind", ["coulomb", "stick-slip"])
def test_chosen_substeps_are_enough(panda, run, kind):
    """Twice as many change the motion by less than the encoders of such arms can see."""
    options = {"friction": kind, "recordings": 1, "duration_s": 2.0}
    done = run(panda, **options)
    finer = run(panda, substeps=2 * done.truth.substeps, **options)
    assert np.abs(finer.motion.q - done.motion.q).max() < 2e-5


def test_controller_follows_its_reference(panda, run):
    """Feedforward leaves the friction to the controller: fc/Kp; without it gravity pulls too."""
    done = run(panda, recordings=1, duration_s=4.0)
    joints = done.truth.joints
    series = done.truth.recordings["run1"].reference
    assert list(series) == list(panda.joint_names)
    slack = np.array([2 * joint.coulomb / joint.kp for joint in joints])
    plain = run(panda, recordings=1, duration_s=4.0, feedforward=False)
    reference = make_trajectory(panda, SimulationOptions(), 0.4, np.random.default_rng([0, 0, 0]))
    wanted = reference.at(np.arange(2000) / 500.0).q
    off = np.abs(done.motion.q[:, 0] - wanted).max(0)
    assert (off < slack + 2e-3).all()
    shoulder = np.abs(plain.motion.q[:, 0] - wanted).max(0)[1]
    assert shoulder > 20 * off[1]


def test_feedback_through_the_model(panda, run):
    """With the true model next to nothing is left to correct: torques are held for 1 ms."""
    same = {"recordings": 1, "duration_s": 4.0, "friction": "none", "rotor_per_effort": 0.0}
    reference = make_trajectory(panda, SimulationOptions(), 0.4, np.random.default_rng([0, 0, 0]))
    wanted = reference.at(np.arange(2000) / 500.0).q

    def off(**options):
        return np.abs(run(panda, **same, **options).motion.q[:, 0] - wanted).max()

    assert off(feedback="model") < 2e-4
    assert 2e-3 < off(feedback="model", perturb=0.2) < 0.1
    with pytest.raises(ConfigError, match="feedforward: feedback through the model has it"):
        run(panda, **same, feedback="model", feedforward=False)


def test_feedback_through_the_model_moves_every_posture_alike(panda):
    """Away from the reference, the robot of the model accelerates as told (Pinocchio's aba)."""
    import pinocchio as pin

    rng = np.random.default_rng(0)
    reference = Reference(*rng.normal(size=(3, 1, 20, 7)))
    rotor = np.full(7, 0.1)
    controller = ModelFeedback(reference, panda, rotor, np.ones(7), 1.0, 0.5)
    controller.limit = np.full(7, np.inf)
    q, qd = rng.normal(size=(2, 20, 7))
    tau = controller.torque(0, q, qd)
    omega = 2 * np.pi
    told = reference.qdd[0] + omega**2 * (reference.q[0] - q) + omega * (reference.qd[0] - qd)
    model = pinocchio_model(panda)
    model.armature = rotor
    data = model.createData()
    found = [pin.aba(model, data, *row) for row in zip(q, qd, tau, strict=True)]
    np.testing.assert_allclose(found, told, rtol=1e-7, atol=1e-7)


def test_seed_recordings_and_streams(panda, run):
    short = {"duration_s": 0.2}
    first, again, other = (run(panda, seed=seed, **short) for seed in (1, 1, 2))
    assert (first.motion.q == again.motion.q).all()
    assert not np.allclose(first.motion.q, other.motion.q)
    assert not np.allclose(first.motion.q[:, 0], first.motion.q[:, 1])
    noisy = run(panda, seed=1, noise_q=1e-3, perturb=0.0, **short)
    assert (noisy.motion.q == first.motion.q).all()
    # A recording is the same however many there are; the motion of others rounds differently.
    alone = run(panda, seed=1, recordings=1, **short)
    np.testing.assert_allclose(alone.motion.q[:, 0], first.motion.q[:, 0], atol=1e-12)
    assert list(run(slider(), recordings=10, duration_s=0.1).logs)[::9] == ["run01", "run10"]


def test_the_same_paths_at_all_speeds(panda):
    options = SimulationOptions(recordings=4, speeds=(0.1, 0.4), same_paths=True)
    made = random_recordings(panda, options, lambda number: np.random.default_rng(number))
    slow, fast, other, _ = (recording.trajectory for recording in made)
    s, begun = np.linspace(1.0, 20.0, 50), 0.5 * options.ramp_s  # what the run-up takes
    first, second = slow.at(4 * s + begun), fast.at(s + begun)
    np.testing.assert_allclose(first.q, second.q, atol=1e-9)
    np.testing.assert_allclose(4 * first.qd, second.qd, atol=1e-9)
    assert not np.allclose(slow.centre, other.centre)


def test_speeds_take_turns(panda, run):
    done = run(panda, recordings=3, speeds=(0.1, 0.4), duration_s=12.0, rate_hz=100.0)
    fastest = np.abs(done.motion.qd).max(0) / panda.bound("velocity")
    np.testing.assert_allclose(fastest.max(1), [0.1, 0.4, 0.1], rtol=0.05)
    assert [r.speed for r in done.truth.recordings.values()] == [0.1, 0.4, 0.1]


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_perturbed_links_stay_physical(panda, share):
    rng = np.random.default_rng(0)
    changed = perturbed(panda, share, rng)
    for own, new in zip(panda.phi, changed.phi, strict=True):
        assert np.linalg.eigvalsh(pseudo_inertia(new)).min() > 0
        assert new[0] != own[0]
    ratio = changed.phi[:, 0] / panda.phi[:, 0]
    if share == 0.1:
        assert 0.02 < np.abs(ratio - 1).mean() < 0.5


def test_true_robot_differs_from_what_the_controller_knows(panda, run):
    heavier = panda.with_phi(panda.phi * 1.2)
    done = run(panda, true=heavier, recordings=1, duration_s=0.5)
    assert done.truth.links[3].phi == pytest.approx(1.2 * panda.phi[3])
    assert done.truth.links[3].nominal_phi == pytest.approx(panda.phi[3])


def test_findings_name_joint_and_recording(run):
    weak = run(slider(effort=0.3), duration_s=5.0, recordings=1, friction="none", period_s=2.0)
    (notice,) = [n for n in weak.notices if n.code == "at-torque-limit"]
    assert notice.joint == "slide"
    assert "run1" in notice.message
    assert weak.truth.recordings["run1"].at_limit["slide"] > 0.01
    assert np.abs(weak.motion.tau).max() == 0.3


def _tight(robot):
    joints = tuple(j._replace(limits=Limits(-0.1, 0.1, 50.0, 1e6)) for j in robot.joints)
    return replace(robot, joints=joints)


def test_leaving_the_limits_is_said(run):
    """A soft controller without feedforward overshoots a range that is used in full."""
    done = run(
        _tight(slider()), feedforward=False, bandwidth_hz=1.0, damping_ratio=0.1, period_s=2.0,
        position_share=1.0, speeds=(1.0,), friction="none", recordings=1,
    )  # fmt: skip
    (notice,) = [n for n in done.notices if n.code == "outside-limits"]
    outside = np.abs(done.motion.q[:, 0, 0]) > 0.1
    assert notice.time == pytest.approx(np.argmax(outside) / 500.0)


REFUSED = [
    ("too-stiff", {"coulomb": (50.0,), "rotor_inertia": (0.0,)}, "inertia"),
    ("no-rotor", {"elastic_hz": 10.0, "rotor_inertia": (0.0,)}, "rotor_inertia"),
    ("wrong-count", {"coulomb": (1.0, 2.0)}, "panda_joint1, panda_joint2"),
    ("bad-value", {"control_hz": 300.0}, "multiple"),
    ("bad-value", {"duration_s": 0.001}, "two samples"),
    ("diverged", {"friction": "stick-slip", "substeps": 1, "bristle_deflection": 1e-7}, "substeps"),
]


@pytest.mark.parametrize(("code", "options", "says"), REFUSED, ids=[c for c, _, _ in REFUSED])
def test_what_cannot_work_is_refused(panda, run, code, options, says):
    with pytest.raises(ConfigError) as caught:
        run(panda, **options)
    notice = caught.value.notice
    assert notice.code == code
    assert says in notice.text()
    if code in ("too-stiff", "no-rotor", "diverged"):
        assert notice.joint in panda.joint_names
    if code == "diverged":
        assert 0 <= notice.time < 20
        assert "run" in notice.message


def test_other_joints_and_floating_bases_are_refused(panda, double_pendulum, run):
    with pytest.raises(ConfigError, match="different joints"):
        run(panda, true=double_pendulum)
    with pytest.raises(ConfigError, match="floating base"):
        run(load_robot("quadruped").tree)


def test_missing_engine_names_both_ways_out(panda, run, monkeypatch):
    monkeypatch.setattr("robotid.simulation.engine.find_spec", lambda name: None)
    with pytest.raises(ConfigError) as caught:
        run(panda, duration_s=0.1)
    assert "robotid[mujoco]" in caught.value.notice.hint
    assert 'engine "own"' in caught.value.notice.hint
    run(panda, duration_s=0.1, engine="own", rate_hz=50.0, control_hz=50.0)


def test_clock_counts_steps():
    assert Clock(samples=5, every=4, step_s=0.01, substeps=1).steps == 17
