"""Generalised samples: what a recording says of q, qd, qdd and tau, against Pinocchio."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import torch

from robotid.contracts.recording import Joint, RecordingFacts, write_recording
from robotid.dynamics.frame_jacobian import frame_jacobian
from robotid.dynamics.kinematics import body_poses, jacobian
from robotid.errors import BadDataError, ConfigError
from robotid.information import samples as module
from robotid.information.regressor import signals_of
from robotid.information.samples import (
    BASE_COLUMNS,
    WRENCH,
    SampleReader,
    coordinates,
    samples_of,
)
from robotid.robot.geometry import pose, rotation_rpy
from robotid.robot.load import load_robot
from robotid.spatial.quaternions import of_rotation, roll_pitch_yaw, rotation_of, turn_rate
from tests.information.motions import harmonics
from tests.reference_models import pinocchio_model, random_rotation, random_tree

FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")


def columns_of(robot, motion, tau, wrenches=None):
    """Columns of a recording; wrenches by link, shape (T, 6) or (T, 3)."""
    found = {"t": np.arange(len(motion.q), dtype=np.int64) * 10_000_000}
    for signal, values in zip(("q", "qd", "qdd"), motion, strict=True):
        base = BASE_COLUMNS[signal] if robot.floating else ()
        names = (*base, *(f"{signal}.{joint}" for joint in robot.joint_names))
        found |= {name: values[:, place] for place, name in enumerate(names)}
    found |= {f"tau.{joint}": tau[:, place] for place, joint in enumerate(robot.joint_names)}
    for link, wrench in (wrenches or {}).items():
        ends = WRENCH[: wrench.shape[1]]
        found |= {f"contact.{link}.{end}": wrench[:, at] for at, end in enumerate(ends)}
    return found


def written(folder, robot, columns):
    folder.mkdir(exist_ok=True, parents=True)
    joints = [Joint(name=name) for name in robot.joint_names]
    samples = len(columns["t"])
    facts = RecordingFacts(
        joints=joints, source_sha256="0", rate_hz=100.0, duration_s=samples / 100, samples=samples
    )
    write_recording(folder, columns, facts)
    return folder / "recording.parquet"


def whole(reader):
    return np.concatenate([signals for _, signals in reader.batches()], axis=1)


@pytest.mark.parametrize(
    ("name", "links"), [("quadruped", FEET), ("humanoid", ("left_sole", "base"))]
)
def test_generalised_forces_are_those_of_pinocchio(name, links, tmp_path):
    """tau = (0; tau_joints) + Σ Jᵀ f with Jacobians of the robot file, to rounding."""
    robot = load_robot(name).tree
    motion = harmonics(robot, 40, 0.5)
    rng = np.random.default_rng(0)
    tau = rng.normal(size=(40, robot.n))
    wrenches = {link: 30 * rng.normal(size=(40, 6)) for link in links}
    wrenches[links[0]] = wrenches[links[0]][:, :3]  # a point pushes and does not turn
    path = written(tmp_path, robot, columns_of(robot, motion, tau, wrenches))
    reader = SampleReader(path, robot)
    assert reader.measured == reader.rows == robot.rows
    assert set(reader.contacts) == set(links)
    q, qd, qdd, found = samples_of(robot, whole(reader))
    assert all(
        np.array_equal(ours, given) for ours, given in zip((q, qd, qdd), motion, strict=True)
    )
    model = pinocchio_model(robot)
    expected = np.column_stack([np.zeros((40, 6)), tau])
    for link, wrench in wrenches.items():
        body, placement = robot.frame(link)
        place = pin.SE3(placement)
        frame = model.addFrame(pin.Frame(link, body + 1, 0, place, pin.FrameType.OP_FRAME))
        data = model.createData()
        for sample in range(40):
            J = pin.computeFrameJacobian(
                model, data, q[sample], frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            expected[sample] += J[: wrench.shape[1]].T @ wrench[sample]
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(40))
def test_jacobians_of_frames_are_those_of_bodies(seed):
    robot = random_tree(seed)
    q = harmonics(robot, 5, 1.0, seed).q
    rng = np.random.default_rng(seed)
    body = int(rng.integers(robot.bodies))
    placement = pose(random_rotation(rng), rng.normal(size=3))
    tree = replace(robot, placements=robot.placements)
    found = frame_jacobian(tree, q, robot.frame(robot.links[body])._replace(placement=placement))
    point = torch.tensor(placement[:3, 3])
    theirs = jacobian(robot, torch.tensor(q), body, point.expand(5, 3)).numpy()
    ours = np.zeros((5, 6, robot.nv))
    ours[:, :, found.coordinates] = found.matrix
    assert np.abs(ours - theirs).max() < 1e-12
    turn = body_poses(robot, torch.tensor(q))[:, body, :3, :3].numpy() @ placement[:3, :3]
    assert np.abs(found.rotation - turn).max() < 1e-12


def test_batches_do_not_matter(tmp_path, monkeypatch):
    robot = load_robot("quadruped").tree
    motion = harmonics(robot, 50, 0.5)
    wrench = {"FL_foot": np.random.default_rng(0).normal(size=(50, 3))}
    columns = columns_of(robot, motion, np.ones((50, 12)), wrench) | {"segment": np.arange(50)}
    path = written(tmp_path, robot, columns)
    once = whole(SampleReader(path, robot))
    slow = module.iterate_recording
    monkeypatch.setattr(module, "iterate_recording", lambda p, c: slow(p, c, rows=7))
    pieces = list(SampleReader(path, robot).batches(also=["segment"]))
    assert len(pieces) == 8
    assert np.array_equal(np.concatenate([batch["segment"] for batch, _ in pieces]), np.arange(50))
    assert np.allclose(np.concatenate([s for _, s in pieces], axis=1), once, rtol=1e-14, atol=0)


def test_a_base_that_the_file_places_elsewhere(tmp_path):
    """Recordings hold poses in the world, configurations are on top of the placement."""
    robot = load_robot("quadruped").tree
    placement = pose(rotation_rpy(0.3, -0.2, 1.0), [0.1, 0.4, -2.0])
    moved = replace(robot, placements=np.concatenate([placement[None], robot.placements[1:]]))
    motion = harmonics(robot, 20, 0.5)
    path = written(tmp_path, robot, columns_of(robot, motion, np.ones((20, 12))))
    q = samples_of(moved, whole(SampleReader(path, moved))).q
    for ours, plain in ((body_poses(moved, torch.tensor(q)), motion.q),):
        wanted = body_poses(robot, torch.tensor(plain))
        assert (ours - wanted).abs().max() < 1e-12


def test_a_fixed_robot_that_is_touched(tmp_path):
    robot = load_robot("panda").tree
    motion = harmonics(robot, 10, 0.5)
    tau, wrench = np.zeros((10, 7)), np.tile([1.0, 2, 3, 4, 5, 6], (10, 1))
    last = robot.links[-1]
    path = written(tmp_path, robot, columns_of(robot, motion, tau, {last: wrench}))
    found = samples_of(robot, whole(SampleReader(path, robot))).tau
    J = jacobian(robot, torch.tensor(motion.q), robot.bodies - 1).numpy()
    assert np.allclose(found, np.einsum("tij,ti->tj", J, wrench), atol=1e-12)
    gains = np.full(7, 2.0)
    path = written(tmp_path, robot, columns_of(robot, motion, tau + 1.0))
    assert np.all(samples_of(robot, whole(SampleReader(path, robot, gains=gains))).tau == 2.0)
    assert coordinates(robot, motion.q) is motion.q


def test_what_is_not_there_is_refused(tmp_path):
    robot = load_robot("quadruped").tree
    motion = harmonics(robot, 10, 0.5)
    columns = columns_of(robot, motion, np.ones((10, 12)), {"FL_foot": np.ones((10, 6))})

    def refused(code, columns, **kwargs):
        path = written(tmp_path, robot, columns)
        with pytest.raises(BadDataError) as error:
            whole(SampleReader(path, robot, **kwargs))
        assert error.value.notice.code == code
        return error.value.notice

    def without(*starts):
        return {name: x for name, x in columns.items() if not name.startswith(starts)}

    assert "map the state of the base" in refused("base-missing", without("base")).hint
    assert "filter the dataset first" in refused("base-missing", without("base.acc")).hint
    assert refused("signal-missing", without("qd.FL_hip")).joint == "FL_hip_joint"
    assert "cannot be found" in refused("signal-missing", without("tau.FL_hip")).hint
    wrong = without("contact") | {"contact.FL_fot.fx": np.ones(10)}
    assert "FL_foot" in refused("unknown-contact", wrong).hint
    hole = columns["contact.FL_foot.fz"].copy()
    hole[4] = np.nan
    said = refused("not-finite", columns | {"contact.FL_foot.fz": hole})
    assert (said.message, said.time) == ("contact.FL_foot.fz has no finite value in row 4", 0.04)
    for needed in ("base", "none"):
        path = written(tmp_path, robot, without("tau"))
        reader = SampleReader(path, robot, needed=needed)
        tau = samples_of(robot, whole(reader)).tau
        assert reader.measured == robot.rows[:6]
        assert np.isfinite(tau[:, :6]).all()
        assert np.isnan(tau[:, 6:]).all()
    with pytest.raises(ConfigError, match="has no link 'FL_fot'"):
        robot.frame("FL_fot")


def test_rows_have_names_and_units():
    robot = load_robot("quadruped").tree
    assert robot.rows[:7] == (*(f"base.{x}" for x in WRENCH), "FL_hip_joint")
    assert list(robot.torque_units.values())[:7] == ["N"] * 3 + ["N m"] * 4


@pytest.mark.parametrize("seed", range(20))
def test_quaternions(seed):
    """Against rotation matrices, and the turn rate against differences."""
    rng = np.random.default_rng(seed)
    R = random_rotation(rng)
    quaternion = of_rotation(R)
    assert np.allclose(rotation_of(quaternion[None])[0], R, atol=1e-14)
    angles = roll_pitch_yaw(quaternion[None])[0]
    assert np.allclose(rotation_rpy(*angles), R, atol=1e-12)
    omega, step = rng.normal(size=3), 1e-6
    turned = [of_rotation(R @ rotation_of(np.append(sign * step / 2 * omega, 1.0)[None])[0])
              for sign in (1, -1)]  # fmt: skip
    turned = [x if x @ quaternion > 0 else -x for x in turned]
    rate = (turned[0] - turned[1]) / (2 * step)
    assert np.allclose(turn_rate(quaternion[None], rate[None])[0], omega, atol=1e-7)


def test_signals_are_what_the_kernel_reads(tmp_path):
    robot = load_robot("humanoid").tree
    motion = harmonics(robot, 30, 0.5)
    tau = np.ones((30, robot.n))
    path = written(tmp_path, robot, columns_of(robot, motion, tau))
    whole_tau = np.column_stack([np.zeros((30, 6)), tau])
    wanted = signals_of(robot, **motion._asdict(), tau=whole_tau)
    assert np.array_equal(whole(SampleReader(path, robot)), wanted)
