"""Robots and motions that benchmarks share: the shipped arm, and trees with arbitrary axes."""

from dataclasses import replace

import numpy as np

from robotid.robot.load import load_robot
from robotid.robot.tree import RobotTree


def benchmark_robots() -> dict[str, RobotTree]:
    """A serial arm, a branching tree of revolute joints, and one with prismatic joints too."""
    from tests.reference_models import random_tree

    turning = ("revolute", "continuous")
    branching = random_tree(3, bodies=9, floating=False, kinds=turning)
    mixed = random_tree(5, bodies=9, floating=False)
    parents = (-1, 0, 1, 1, 3, 4, 1, 6, 7)  # a trunk of two bodies, then one, two and three
    return {
        "panda (7 joints, serial)": load_robot("panda").tree,
        "tree (9 revolute joints, any axes)": replace(branching, parents=parents),
        "tree (9 mixed joints, any axes)": replace(mixed, parents=parents),
    }


def excitation(robot: RobotTree, samples: int, rate_hz: float = 1000.0, seed: int = 0):
    """q, qd, qdd (samples, n) of five harmonics of 0.1 Hz per joint, as excitation has them."""
    rng = np.random.default_rng(seed)
    w = 2 * np.pi * 0.1 * np.arange(1, 6)
    a, b = rng.normal(scale=0.4, size=(2, 5, robot.n))
    angle = np.outer(np.arange(samples) / rate_hz, w)
    sine, cosine = np.sin(angle), np.cos(angle)
    q = rng.uniform(-1, 1, robot.n) + (sine / w) @ a - (cosine / w) @ b
    return q, cosine @ a + sine @ b, -(sine * w) @ a + (cosine * w) @ b
