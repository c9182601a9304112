"""Motions and torques for tests, from well excited to standing still."""

from typing import NamedTuple

import numpy as np

from robotid.information.layout import Layout
from robotid.information.regressor import Motion, random_motion, row_columns, signals_of


class Data(NamedTuple):
    motion: Motion
    W: list  # per row
    tau: np.ndarray
    phi: np.ndarray

    def signals(self, layout):
        return signals_of(layout.robot, **self.motion._asdict(), tau=self.tau)


def harmonics(robot, samples, speed, seed=0, rate_hz=500.0):
    """Five harmonics of 0.1 Hz per coordinate; of a floating base too (it only has to move)."""
    rng = np.random.default_rng(seed)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    angle = np.outer(np.arange(samples) / rate_hz, w)
    a, b = rng.normal(scale=speed, size=(2, 5, robot.nv))
    qd = np.cos(angle) @ a + np.sin(angle) @ b
    qdd = -(np.sin(angle) * w) @ a + (np.cos(angle) * w) @ b
    joints = (np.sin(angle) / w) @ a - (np.cos(angle) / w) @ b + rng.uniform(-1, 1, robot.nv)
    if not robot.floating:
        return Motion(joints, qd, qdd)
    turn = joints[:, [3, 4, 5, 0]] + [0, 0, 0, 2]
    pose = np.column_stack([joints[:, :3], turn / np.linalg.norm(turn, axis=1, keepdims=True)])
    return Motion(np.column_stack([pose, joints[:, 6:]]), qd, qdd)


def still(robot, samples, seed=0):
    rng = np.random.default_rng(seed)
    q = np.tile(rng.uniform(-1, 1, robot.nq), (samples, 1))
    if robot.floating:
        q[:, 3:7] = 0.5
    return Motion(q, np.zeros((samples, robot.nv)), np.zeros((samples, robot.nv)))


def one_joint_moves(robot, samples, seed=0):
    """All others are held, and it turns one way only: Coulomb friction looks like an offset."""
    rest, moving = still(robot, samples, seed), harmonics(robot, samples, 0.3, seed)
    q, qd, qdd = (x.copy() for x in rest)
    q[:, -1], qd[:, -1], qdd[:, -1] = moving.q[:, -1], np.abs(moving.qd[:, -1]) + 0.1, 0.3
    return Motion(q, qd, qdd)


# name -> motion of a robot; condition numbers of normed independent columns from 1e2 to infinite
MOTIONS = {
    "random": lambda robot: random_motion(robot, 3000, seed=1),
    "excited": lambda robot: harmonics(robot, 5000, 0.5),
    "slow": lambda robot: harmonics(robot, 5000, 0.03),
    "tiny": lambda robot: harmonics(robot, 5000, 1e-4),
    "short": lambda robot: harmonics(robot, 300, 0.3),
    "one joint": lambda robot: one_joint_moves(robot, 2000),
    "still": lambda robot: still(robot, 2000),
    "few samples": lambda robot: random_motion(robot, 7, seed=2),
    "one sample": lambda robot: random_motion(robot, 1, seed=2),
}


def data_of(layout: Layout, motion: Motion, noise=0.1, seed=0) -> Data:
    """Torques of the robot's own parameters with noise, a share of each row's size."""
    rng = np.random.default_rng(seed)
    terms = rng.uniform(0.1, 1.0, layout.parameters - 10 * layout.robot.bodies)
    phi = np.concatenate([layout.robot.phi.ravel(), terms])
    W = row_columns(layout, motion)
    clean = np.column_stack([w @ phi[c] for w, c in zip(W, layout.columns, strict=True)])
    size = np.sqrt(np.mean(clean**2, axis=0)) + 1e-3
    return Data(motion, W, clean + rng.normal(size=clean.shape) * noise * size, phi)
