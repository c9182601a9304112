"""Drift that was planted is found and named; steady noise is not."""

import math
import time
from itertools import pairwise, permutations

import numpy as np
import pytest

from robotid.contracts.fit import BlockErrors
from robotid.evaluation.monotone import _EXACT, trends
from robotid.evaluation.offsets import offset_changes
from robotid.evaluation.trends import Residuals, block_errors, drifts
from robotid.information.blocks import DataBlock
from robotid.information.layout import Layout
from robotid.information.regressor import row_columns
from robotid.robot.load import load_robot
from tests.evaluation.factors import plain_factors
from tests.information.motions import harmonics

TERMS = ("viscous", "coulomb", "offset")
LAYOUT = Layout(load_robot("double_pendulum").tree, TERMS)
UNITS = LAYOUT.robot.torque_units
FIRST, SECOND = LAYOUT.rows
RATE = 20.0
SAMPLES = int(160 * RATE)
MOTION = harmonics(LAYOUT.robot, SAMPLES, 0.5, seed=3, rate_hz=RATE)


class Log:
    """Two joints, 160 s, noise of 0.1 N m; parameters may move by `drift` from end to end."""

    W = row_columns(LAYOUT, MOTION)
    phi = np.concatenate([LAYOUT.robot.phi.ravel(), np.tile([0.5, 0.3, 0.2], 2)])

    def __init__(self, *, blocks=16, seed=0, drift=None, noise=0.1):
        at = np.linspace(-0.5, 0.5, SAMPLES)
        change = np.zeros(LAYOUT.parameters)
        for name, value in (drift or {}).items():
            change[LAYOUT.names.index(name)] = value
        rows = list(zip(self.W, LAYOUT.columns, strict=True))
        self.predicted = np.column_stack([w @ self.phi[c] for w, c in rows])
        self.tau = self.predicted + np.column_stack([at * (w @ change[c]) for w, c in rows])
        self.tau += np.random.default_rng(seed).normal(size=self.tau.shape) * noise
        self.edges = np.linspace(0, SAMPLES, blocks + 1).astype(int)

    def blocks(self, layout=LAYOUT):
        W = row_columns(layout, MOTION)
        return [
            DataBlock(
                "a",
                "train",
                begin / RATE,
                (end - 1) / RATE,
                plain_factors(layout, [w[begin:end] for w in W], self.tau[begin:end]),
            )
            for begin, end in pairwise(self.edges)
        ]


def test_errors_of_blocks_are_those_of_their_samples():
    log = Log(drift={f"{FIRST}.offset": 0.5})
    found = block_errors(Residuals(log.blocks(), log.phi, LAYOUT.names))
    assert len(found) == 16
    e = log.tau - log.predicted
    for block, begin, end in zip(found, log.edges[:-1], log.edges[1:], strict=True):
        assert (block.start_s, block.end_s) == (begin / RATE, (end - 1) / RATE)
        for i, row in enumerate(LAYOUT.rows):
            part = e[begin:end, i]
            assert block.rmse[row] == pytest.approx(np.sqrt(np.mean(part**2)), rel=1e-9)
            assert block.mean[row] == pytest.approx(part.mean(), rel=1e-6, abs=1e-9)


def test_without_an_offset_the_mean_is_not_known():
    layout = Layout(LAYOUT.robot, ("viscous",))
    phi = np.concatenate([LAYOUT.robot.phi.ravel(), [0.5, 0.5]])
    found = block_errors(Residuals(Log(blocks=2).blocks(layout=layout), phi, layout.names))
    assert all(value is None for block in found for value in block.mean.values())


@pytest.mark.parametrize("seed", range(20))
def test_steady_noise_does_not_drift(seed):
    log = Log(seed=seed)
    assert drifts(Residuals(log.blocks(), log.phi, LAYOUT.names), UNITS) == []


@pytest.mark.parametrize(("term", "by"), [("viscous", -0.25), ("offset", 0.15), ("coulomb", -0.2)])
def test_n18_planted_warm_up_is_found(term, by):
    """Friction that falls has no mean error, and errors that fall and rise again."""
    log = Log(drift={f"{SECOND}.{term}": by})
    (notice,) = drifts(Residuals(log.blocks(), log.phi, LAYOUT.names), UNITS)
    assert (notice.code, notice.joint, notice.file) == ("residual-drift", SECOND, "a")
    assert ("falls" if by < 0 else "grows") in notice.message
    if term == "offset":
        assert f"{SECOND}.offset grows" in notice.message
    assert "warm the robot up" in notice.hint


def test_growing_errors_are_found():
    log = Log()
    rng = np.random.default_rng(1)
    log.tau[:, 0] += rng.normal(size=len(log.tau)) * np.linspace(0, 0.3, len(log.tau))
    (notice,) = drifts(Residuals(log.blocks(), log.phi, LAYOUT.names), UNITS)
    assert notice.joint == FIRST
    assert "the error grows over recording a" in notice.message


def test_drift_from_recording_to_recording_is_found():
    """Short recordings with one block each, of a session in which an offset wanders."""
    log = Log(blocks=8, drift={f"{FIRST}.offset": 0.3})
    blocks = [b._replace(recording=f"r{i}", start_s=0.0) for i, b in enumerate(log.blocks())]
    (notice,) = drifts(Residuals(blocks, log.phi, LAYOUT.names), UNITS)
    assert "the session" in notice.message
    assert notice.file is None
    assert drifts(Residuals(blocks[:5], log.phi, LAYOUT.names), UNITS) == []


def test_probabilities_are_those_of_all_orders():
    orders = [np.array(order, dtype=float) for order in permutations(range(6))]
    times = np.arange(6.0)
    chances = trends(times, np.column_stack(orders)).chance
    for level in np.unique(chances):
        assert np.mean(chances <= level) == pytest.approx(level, rel=1e-9)
    change, chance = trends(2 * times, np.column_stack([3 * times + 1, np.zeros(6)]))
    assert chance == pytest.approx([2 / 720, 1.0])
    assert change == pytest.approx([15.0, 0.0])


def test_probabilities_of_long_series():
    """Small ones keep their digits: all values in order have 2 of n! orders."""
    for n in (64, 150):
        times = np.arange(float(n))
        (chance,) = trends(times, times[:, None]).chance
        assert chance == pytest.approx(2 / math.factorial(n), rel=1e-9)
    # Where scores are taken to be normal, no step is to be seen.
    random = np.random.default_rng(0)
    for n in (_EXACT, _EXACT + 1):
        values = random.normal(size=(n, 2000))
        chance = trends(np.arange(float(n)), values).chance
        assert np.mean(chance <= 0.05) == pytest.approx(0.05, abs=0.015)  # three deviations
    began = time.perf_counter()
    trends(np.arange(1000.0), random.normal(size=(1000, 4)))  # a thousand recordings
    assert time.perf_counter() - began < 5


def test_changes_of_a_sliding_joint_are_forces():
    log = Log(drift={f"{FIRST}.viscous": 1.0})
    (notice,) = drifts(Residuals(log.blocks(), log.phi, LAYOUT.names), dict.fromkeys(UNITS, "N"))
    assert " N, " in notice.message
    means = {"a": (0.0, 0.01), "b": (1.0, 1.01)}
    blocks = [
        BlockErrors(
            recording=name, split="train", start_s=0, end_s=1, rmse={"x": 1.0}, mean={"x": value}
        )
        for name, values in means.items()
        for value in values * 3
    ]
    (notice,) = offset_changes(blocks, {"x": "N"})
    assert "lies 1 N above that of a" in notice.message
