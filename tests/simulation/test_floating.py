"""Logs of robots with a floating base: what they say holds, to rounding, of the true robot.

Forces come from MuJoCo, are checked with Pinocchio, and read back by the reader that fits use.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from robotid.contracts.truth import read_truth
from robotid.errors import ConfigError
from robotid.information.samples import SampleReader, samples_of
from robotid.robot.load import load_robot
from robotid.simulation.floating.log_files import write_floating
from robotid.simulation.floating.scenario import simulate_floating
from robotid.simulation.options import SimulationOptions
from robotid.spatial.quaternions import rotation_of, turn_rate, turned_back
from tests.floating import true_recordings
from tests.reference_models import pinocchio_model

PERFECT = {"noise_q": 0, "noise_qd": 0, "noise_tau": 0, "noise_pose": 0, "noise_twist": 0,
           "noise_contact": 0, "rate_hz": 100.0, "recordings": 1, "duration_s": 3.0}  # fmt: skip
WAYS = [("quadruped", "fourier"), ("quadruped", "step"), ("humanoid", "fourier"),
        ("humanoid", "sway")]  # fmt: skip


def run(name, **options):
    robot = load_robot(name).tree
    return simulate_floating(robot, robot, SimulationOptions(**{**PERFECT, **options}))


@pytest.mark.parametrize(("name", "trajectory"), WAYS)
def test_generalised_forces_are_those_of_the_true_robot(name, trajectory, tmp_path):
    """(0; τ) + Σ Jᵀ f of the log is what Pinocchio says of the motion, to 1e-8 of the weight."""
    simulated = run(name, trajectory=trajectory, perturb=0.1, friction="coulomb")
    robot, motion = simulated.robot, simulated.motions["run1"]
    reader = SampleReader(true_recordings(tmp_path, simulated)["run1"], robot)
    signals = np.concatenate([signals for _, signals in reader.batches()], axis=1)
    q, qd, qdd, tau = samples_of(robot, signals)
    rotor = np.array([joint.rotor_inertia for joint in simulated.truth.joints])
    assert (rotor > 0).all()
    tau[:, 6:] -= motion.friction + rotor * motion.qdd
    model = pinocchio_model(robot)
    data = model.createData()
    expected = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd, strict=True)])
    assert np.abs(tau - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize(("name", "trajectory"), WAYS)
def test_the_motion_is_one(name, trajectory):
    """Twists are derivatives of poses, their rates those of twists, forces carry the weight."""
    simulated = run(name, trajectory=trajectory, rate_hz=1000.0, friction="none", duration_s=3.0)
    base, robot = simulated.motions["run1"].base, simulated.robot
    step = 1e-3
    rotation = rotation_of(base.pose[:, 3:])
    linear = turned_back(rotation, np.gradient(base.pose[:, :3], step, axis=0))
    omega = turn_rate(base.pose[:, 3:], np.gradient(base.pose[:, 3:], step, axis=0))
    found = np.column_stack([linear, omega])[1:-1]
    size = np.abs(base.twist).max()
    # On a floor feet hit it, where a difference over two steps is none.
    assert np.quantile(np.abs(found - base.twist[1:-1]).max(axis=1), 0.98) < 0.02 * size
    rates = np.gradient(base.twist, step, axis=0)[1:-1]
    errors = np.abs(rates - base.rates[1:-1]).max(axis=1)
    share = 0.01 if trajectory == "fourier" else 0.2
    assert np.quantile(errors, 0.9) < share * np.abs(base.rates).max()
    force = sum(f[:, 2] for f in simulated.motions["run1"].wrenches.values())
    weight = robot.phi[:, 0].sum() * 9.81
    push = robot.phi[:, 0].sum() * np.ptp(base.pose[:, 2]) * 3
    assert abs(force.mean() - weight) < 0.05 * weight + push


def test_engines_agree():
    """MuJoCo's inverse dynamics and our own recursion, to rounding."""
    one, other = (run("quadruped", engine=engine).motions["run1"] for engine in ("mujoco", "own"))
    assert np.abs(one.tau - other.tau).max() < 1e-9 * np.abs(one.tau).max()
    for link, wrench in one.wrenches.items():
        assert np.abs(wrench - other.wrenches[link]).max() < 1e-9 * np.abs(wrench).max()


def test_a_base_that_the_file_places_elsewhere():
    robot = load_robot("quadruped").tree
    placement = np.eye(4)
    placement[:3, :3], placement[:3, 3] = rotation_of(np.array([[0.1, 0.2, 0.3, 0.9]]))[0], 1.0
    moved = replace(robot, placements=np.concatenate([placement[None], robot.placements[1:]]))
    options = SimulationOptions(**PERFECT)
    found = [simulate_floating(r, r, options).motions["run1"] for r in (robot, moved)]
    assert np.abs(found[0].tau - found[1].tau).max() < 1e-9
    own = simulate_floating(moved, moved, SimulationOptions(**PERFECT, engine="own"))
    assert np.abs(own.motions["run1"].tau - found[0].tau).max() < 1e-9


def test_the_same_seed_gives_the_same_bytes_and_another_another_motion(tmp_path):
    texts = []
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_floating(folder, run("quadruped", seed=seed, noise_q=1e-3, duration_s=1.0), 9)
        texts.append((folder / "run1.csv").read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_sensors_are_as_good_as_asked_for():
    clean = run("quadruped")
    noisy = run("quadruped", noise_pose=0.01, noise_twist=0.02, noise_contact=0.05, noise_q=0.03)
    weight = clean.robot.phi[:, 0].sum() * 9.81
    one, other = clean.logs["run1"].columns, noisy.logs["run1"].columns
    for name, std in (("base.pos.x", 0.01), ("base.vel.rz", 0.02), ("q.FL_hip_joint", 0.03),
                      ("contact.RL_foot.fz", 0.05 * weight)):  # fmt: skip
        assert np.std(one[name] - other[name]) == pytest.approx(std, rel=0.15), name
    quaternion = np.array([other[f"base.quat.{end}"] for end in "xyzw"])
    assert np.allclose(np.sum(quaternion**2, axis=0), 1.0)
    alone = run("quadruped", velocity="none").logs["run1"].columns
    assert not [name for name in alone if name.startswith(("qd", "base.vel"))]
    slow = run("quadruped", velocity="difference").logs["run1"].columns
    late = slow["base.vel.ry"][1:] - 0.5 * (one["base.vel.ry"][1:] + one["base.vel.ry"][:-1])
    assert np.abs(late).max() < 0.01 * np.abs(one["base.vel.ry"]).max()


def test_feet_are_lifted_in_turn_and_truth_says_which_they_are(tmp_path):
    simulated = run("quadruped", trajectory="step", duration_s=4.0)
    lifted = {link: f[200:, 2] < 1.0 for link, f in simulated.motions["run1"].wrenches.items()}
    assert all(0.2 < share.mean() < 0.8 for share in lifted.values())
    assert np.mean(lifted["FL_foot"] == lifted["RR_foot"]) > 0.8
    assert np.mean(lifted["FL_foot"] == lifted["FR_foot"]) < 0.3
    write_floating(tmp_path, simulated, 9)
    truth = read_truth(tmp_path)
    assert truth.feet == ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]
    assert truth.joints[0].kp > 0


def test_a_robot_that_falls_is_no_log():
    wild = {"step_hz": 0.25, "base_shift": 0.045, "base_tilt": 0.05}
    with pytest.raises(ConfigError, match="fell over") as error:
        run("humanoid", trajectory="step", duration_s=15.0, **wild)
    assert error.value.notice.time is not None
