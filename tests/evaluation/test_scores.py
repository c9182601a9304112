"""Metrics from factors are those of the samples, for any parameters; baselines are what they say."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotid.errors import BadDataError
from robotid.evaluation.metrics import METRICS, ErrorSums, metrics_of_samples
from robotid.evaluation.scores import baselines, has_physical_links, scores
from robotid.information.layout import Layout
from robotid.information.sizes import nominal
from robotid.robot.load import load_robot
from tests.evaluation.factors import plain_factors
from tests.information.motions import data_of, harmonics

SPLITS = {"train": (0, 260, 420), "val": (420, 500), "test": (500, 700)}


@pytest.fixture(
    scope="module", params=[("ur10", ("viscous", "coulomb", "offset")), ("cartpole", ())]
)
def problem(request):
    """Samples, and the same as factors: training data in two blocks, the others in one."""
    name, terms = request.param
    layout = Layout(load_robot(name).tree, terms)
    data = data_of(layout, harmonics(layout.robot, 700, 0.5, rate_hz=50.0))
    factors = {
        split: [
            plain_factors(layout, [w[a:b] for w in data.W], data.tau[a:b])
            for a, b in pairwise(edges)
        ]
        for split, edges in SPLITS.items()
    }
    return layout, data, factors


def from_samples(layout, data, predicted):
    """The same metrics, without factors."""
    train = data.tau[slice(*SPLITS["train"][::2])]
    extent, variance = np.ptp(train, axis=0), train.var(axis=0)
    return {
        split: {
            row: metrics_of_samples(
                data.tau[edges[0] : edges[-1], i],
                predicted[edges[0] : edges[-1], i],
                extent[i],
                variance[i],
            )
            for i, row in enumerate(layout.rows)
        }
        for split, edges in SPLITS.items()
    }


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for split, metrics in found.items():
        assert list(metrics) == list(METRICS)
        for name, metric in metrics.items():
            wanted = {row: values[name] for row, values in expected[split].items()}
            # Sums of squares are rounded at 1e-15 of the torque's power.
            assert metric.joints == pytest.approx(wanted, rel=1e-8, abs=1e-11)
            assert metric.mean == pytest.approx(np.mean(list(wanted.values())), rel=1e-8, abs=1e-11)
            total = sum(wanted.values()) if name == "nmse_sum" else None
            assert metric.total == (total and pytest.approx(total, rel=1e-8, abs=1e-11))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 1e-3, 0.1, 10.0]))
def test_scores_are_those_of_the_samples(problem, seed, spread):
    layout, data, factors = problem
    phi = data.phi + spread * np.random.default_rng(seed).normal(size=data.phi.size)
    predicted = np.column_stack([W @ phi[c] for W, c in zip(data.W, layout.columns, strict=True)])
    assert_same(scores(factors, phi), from_samples(layout, data, predicted))


def test_baselines_are_those_of_the_samples(problem):
    layout, data, factors = problem
    phi = nominal(layout)
    found = baselines(factors, phi)
    mean = data.tau[slice(*SPLITS["train"][::2])].mean(axis=0)
    constant = {"zero": np.zeros_like(data.tau), "mean": np.broadcast_to(mean, data.tau.shape)}
    for name, predicted in constant.items():
        assert_same(found[name], from_samples(layout, data, predicted))
    file = np.column_stack([W @ phi[c] for W, c in zip(data.W, layout.columns, strict=True)])
    assert_same(found["nominal"], from_samples(layout, data, file))
    assert baselines(factors).keys() == {"zero", "mean"}


def test_range_is_that_of_the_training_data_and_variance_is_not(problem):
    _, data, factors = problem
    halves = {"train": factors["train"][:1], "test": factors["test"]}
    one, other = scores(factors, data.phi)["test"], scores(halves, data.phi)["test"]
    assert one["nmse_var"] == other["nmse_var"]
    for name in ("nmse_range", "nmse_sum"):
        assert one[name].joints != other[name].joints


def test_n24_a_metric_without_a_value_is_null():
    for level in (0.1, 7.3, 1e5):
        tau = np.full(1000, level)
        sums = ErrorSums(1000, 10.0, float(tau.sum()), float(tau @ tau))
        for found in (sums.metrics(0.0), metrics_of_samples(tau, tau + 0.1, 0.0)):
            assert (found["r2"], found["nmse_var"], found["nmse_range"]) == (None, None, None)
            assert found["rmse"] == pytest.approx(0.1)
    assert ErrorSums(10, 1.0, 0.0, 0.0).metrics(0.0)["relative"] is None


def test_without_training_data_there_is_nothing_to_compare_with(problem):
    _, data, factors = problem
    with pytest.raises(BadDataError, match="no training data"):
        scores({"test": factors["test"]}, data.phi)
    with pytest.raises(BadDataError, match="no training data"):
        baselines({"test": factors["test"]})


def test_a_file_without_possible_links_is_no_baseline():
    robot = load_robot("ur10").tree
    assert has_physical_links(robot)
    broken = robot.phi.copy()
    broken[2, 4] *= -1
    assert not has_physical_links(replace(robot, phi=broken))
    assert not has_physical_links(replace(robot, phi=np.zeros_like(robot.phi)))
