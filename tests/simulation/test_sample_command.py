"""`robotid sample`: states of a robot as a dataset that fits take as it is."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from robotid.contracts.dataset import read_index
from robotid.contracts.truth import read_truth
from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot
from robotid.simulation.sample_options import SampleOptions
from robotid.simulation.state_samples import Sampler

NONSENSE = {"residual-correlated", "residual-delay", "joint-no-better", "residual-inertia"}


def drawn(robot, true=None, **options):
    """All recordings by name."""
    sampler = Sampler(robot, true or robot, SampleOptions(**options))
    return {one.name: one for one in sampler.recordings()}


@pytest.fixture(scope="module")
def cartpole():
    return load_robot("cartpole").tree


@pytest.mark.parametrize("engine", ["mujoco", "own"])
@pytest.mark.parametrize("friction", ["none", "viscous"])
def test_accelerations_are_those_of_the_commands(cartpole, engine, friction):
    one = drawn(cartpole, samples=200, engine=engine, friction=friction)["train1"]
    damping = np.array([joint.damping for joint in cartpole.driven]) * (friction == "viscous")
    needed = rnea(cartpole, *(torch.from_numpy(x) for x in (one.q, one.qd, one.qdd))).numpy()
    np.testing.assert_allclose(needed + damping * one.qd, one.tau, atol=1e-9)


def test_states_fill_the_limits_and_no_more(cartpole):
    one = drawn(cartpole, samples=4000)["train1"]
    for values, bound in (
        (one.q, (0.405, np.pi)),
        (one.qd, (1.34, 30.0)),
        (one.tau, (10.3, 0.0)),
    ):
        largest = np.abs(values).max(0)
        assert (largest <= bound).all()
        assert (largest >= 0.99 * np.array(bound)).all()
    half = drawn(cartpole, samples=4000, position_share=0.5, speed_share=0.2)["train1"]
    assert np.abs(half.q).max(0) == pytest.approx([0.2025, np.pi / 2], rel=0.01)
    assert np.abs(half.qd).max(0) == pytest.approx([0.268, 6.0], rel=0.01)


def test_noise_and_more_recordings_leave_the_rest_as_it_was(cartpole):
    plain = drawn(cartpole, samples=500)
    noisy = drawn(cartpole, samples=500, noise_qdd=0.1, train_recordings=2)
    assert list(plain) == ["train1", "val1", "test1"]
    assert list(noisy) == ["train1", "train2", "val1", "test1"]
    for name, one in plain.items():
        np.testing.assert_array_equal(one.q, noisy[name].q)
        error = (noisy[name].qdd - one.qdd).std(0) / one.qdd.std(0)
        assert error == pytest.approx([0.1, 0.1], rel=0.2)
    assert not np.array_equal(plain["train1"].q, plain["val1"].q)
    assert not np.array_equal(plain["train1"].q, drawn(cartpole, samples=500, seed=1)["train1"].q)


def test_a_joint_without_effort_limit_gets_commands():
    tree = load_robot("pendulum").tree
    free = tree.driven[0]._replace(limits=tree.driven[0].limits._replace(effort=np.inf))
    one = drawn(replace(tree, joints=(free,)), samples=300)["train1"]
    assert np.isfinite(one.tau).all()
    assert one.tau.std() > 0


def test_a_dataset_for_fits(robotid, tmp_path):
    """Base parameters to rounding; a forward model from anywhere; and no filter."""
    data = tmp_path / "samples"
    answer = robotid("sample", "--robot", "cartpole", "--samples", "2000", "--out", data)
    assert answer.code == 0, answer.err
    index = read_index(data)
    assert index.splits == {"train1": "train", "val1": "val", "test1": "test"}
    assert all(facts.independent for facts in index.recordings.values())
    names = pq.read_schema(data / "train1.parquet").names
    joints = ("slide", "pivot")
    assert names == ["t", *(f"{s}.{j}" for s in ("q", "qd", "qdd", "tau") for j in joints)]
    truth = read_truth(data)
    assert [link.phi[0] for link in truth.links] == [0.57, 0.127]
    assert [joint.viscous for joint in truth.joints] == [None, None]

    fit = tmp_path / "fit"
    words = ("--robot", "cartpole", "--model", "ols", "--out", fit)
    answer = robotid("fit", data, *words)
    assert answer.code == 0, answer.err
    found = json.loads((fit / "fit.json").read_text())
    assert not NONSENSE & {remark["code"] for remark in found["remarks"]}
    assert len(found["base_parameters"]) == 10
    for one in found["base_parameters"]:
        true = 0.0 if one["name"].startswith(("viscous", "coulomb", "offset")) else one["nominal"]
        assert one["value"] == pytest.approx(true, rel=1e-8, abs=1e-12)
    assert found["autocorrelation"] == {}
    assert found["provenance"]["commands"][0].startswith("robotid sample --robot ROBOT")

    forward = ("--model", "diffnea", "--loss", "forward", "--init", "random", "--seed", "3")
    answer = robotid("fit", data, "--robot", "cartpole", *forward, "--out", tmp_path / "forward")
    assert answer.code == 0, answer.err
    found = json.loads((tmp_path / "forward" / "fit.json").read_text())
    assert found["metrics"]["test"]["nmse_var"]["mean"] <= 1e-4

    answer = robotid("filter", data)
    assert answer.code == 65
    assert "no motion" in answer.err


def test_what_cannot_be_sampled_is_said(robotid):
    answer = robotid("sample", "--robot", "quadruped")
    assert answer.code == 78, answer.err
    assert "floating base" in answer.err


def test_another_robot_and_the_same_bytes(robotid, tmp_path):
    words = ("--robot", "furuta", "--samples", "50", "--perturb", "0.2", "--engine", "own")
    for name in ("one", "two"):
        cache = ("--cache-dir", tmp_path / f"cache-{name}")
        answer = robotid("sample", *words, *cache, "--out", tmp_path / name)
        assert answer.code == 0, answer.err
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    for link in read_truth(tmp_path / "one").links:
        assert link.phi != link.nominal_phi
