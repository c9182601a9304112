"""Least squares, metrics and verdicts."""

import numpy as np
import pytest

from robotid.dynamics.pendulum import PARAMETERS, regressor
from robotid.fitting.least_squares import solve
from robotid.fitting.metrics import errors
from robotid.fitting.pendulum import Motion, fit_pendulum

PHI = np.array([0.11, 2.7, -0.16, 0.04, 0.1, 0.05])


def motion(seed, noise=0.0, samples=2000, amplitude=1.0):
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / 200
    w = rng.uniform(1, 6, 3)
    a = amplitude * np.array([0.8, 0.4, 0.2])
    q = (a[:, None] * np.sin(np.outer(w, t))).sum(0)
    qd = ((a * w)[:, None] * np.cos(np.outer(w, t))).sum(0)
    qdd = (-(a * w**2)[:, None] * np.sin(np.outer(w, t))).sum(0)
    tau = regressor(q, qd, qdd) @ PHI + rng.normal(0, noise, samples)
    return Motion(q, qd, qdd, tau)


def test_exact_data_give_exact_parameters():
    m = motion(0)
    solution = solve(regressor(m.q, m.qd, m.qdd), m.tau, 1.0)
    np.testing.assert_allclose(solution.values, PHI, rtol=1e-9)
    assert solution.rank == len(PARAMETERS)


def test_standard_deviations_are_the_spread_over_seeds():
    """Empirical spread over 200 noise seeds within 20 % of the stated one (about 5 % expected)."""
    m = motion(0)
    W = regressor(m.q, m.qd, m.qdd)
    rng = np.random.default_rng(5)
    found = [solve(W, W @ PHI + rng.normal(0, 0.1, m.tau.size), 1.0) for _ in range(200)]
    spread = np.std([s.values for s in found], axis=0)
    stated = np.mean([s.std for s in found], axis=0)
    np.testing.assert_allclose(spread, stated, rtol=0.2)


def test_correlated_samples_widen_the_interval():
    m = motion(0, noise=0.1)
    W = regressor(m.q, m.qd, m.qdd)
    ratio = solve(W, m.tau, 0.04).std / solve(W, m.tau, 1.0).std
    np.testing.assert_allclose(ratio, 5.0, rtol=0.05)


def test_n10_undetermined_directions_are_infinite():
    q = np.zeros(500)
    qd = np.sin(np.arange(500) / 20)
    W = regressor(q, qd, 20 * np.cos(np.arange(500) / 20))  # sin(q) = 0, cos(q) = 1 = offset
    solution = solve(W, W @ PHI, 1.0)
    assert solution.rank == 4
    undetermined = dict(zip(PARAMETERS, ~np.isfinite(solution.std), strict=True))
    assert {name for name, yes in undetermined.items() if yes} == {
        "gravity_sin", "gravity_cos", "offset",
    }  # fmt: skip


def test_fewer_samples_than_parameters_determine_nothing():
    m = motion(0, samples=4)
    solution = solve(regressor(m.q, m.qd, m.qdd), m.tau, 1.0)
    assert solution.rank == 4
    assert solution.condition == np.inf
    assert (~np.isfinite(solution.std)).sum() >= 2


def test_metrics():
    tau = np.array([0.0, 2.0, 4.0])
    found = errors(tau, tau + np.array([1.0, -1.0, 1.0]))
    assert found["rmse"] == pytest.approx(1.0)
    assert found["nmse_var"] == pytest.approx(1 / (8 / 3))
    assert found["r2"] == pytest.approx(1 - 3 / 8)
    assert found["nmse_range"] == pytest.approx(1 / 16)
    assert found["relative"] == pytest.approx(np.sqrt(3 / 20))


def test_n24_metrics_without_a_value_are_none():
    found = errors(np.zeros(3), np.ones(3))
    assert found == {
        "rmse": 1.0, "relative": None, "r2": None, "nmse_var": None, "nmse_range": None,
    }  # fmt: skip


def fit(train, test):
    motions = {"train": train, "test": test}
    return fit_pendulum("hinge", motions, independent=1.0, split_by="recording")


def test_good_fit_is_quiet():
    result = fit(motion(0, 0.05), motion(1, 0.05))
    assert result.verdict.usable
    assert "6 of 6 parameters are identified" in result.verdict.sentence
    assert all(parameter.status == "identified" for parameter in result.parameters)
    assert result.metrics["test"]["rmse"].mean == pytest.approx(0.05, rel=0.1)


def test_uncertain_parameter_is_not_called_identified():
    result = fit(motion(0, 2.0, samples=200), motion(1, 2.0))
    assert "uncertain" in {parameter.status for parameter in result.parameters}


def test_model_that_loses_to_a_baseline_is_refused():
    train, test = motion(0), motion(1)
    result = fit(train, test._replace(tau=-test.tau))
    assert not result.verdict.usable
    assert {reason.code for reason in result.verdict.reasons} == {"baseline-not-beaten"}
    assert result.verdict.sentence.startswith("Not to be used: test error")


def test_motionless_data_are_refused():
    still = motion(0, amplitude=0.0)
    result = fit(still, motion(1))
    assert not result.verdict.usable
    assert "not-determined" in {reason.code for reason in result.verdict.reasons}
